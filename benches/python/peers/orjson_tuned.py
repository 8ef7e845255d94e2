"""orjson, and checks tuned by hand: strict, and without a copy."""
# ruff: noqa: D102 - the methods are described once, in peers.Peer

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import orjson

from peers import SCHEMA, Fields, channel_texts, dict_fields

if TYPE_CHECKING:
    from pathlib import Path

FRAME_KEYS = {"schema", "version", "item"}
ITEM_KEYS = {"type", "id", "summary", "encrypted_content", "content"}


def good_parts(parts: object, kind: str) -> bool:
    """Whether these are parts of one kind with a text each."""
    if type(parts) is not list:
        return False
    for part in parts:
        if type(part) is not dict or part.get("type") != kind or type(part.get("text")) is not str:
            return False
    return True


def good_item(item: object) -> bool:
    """Whether this is a canonical item; a null or empty content is taken out of it."""
    if type(item) is not dict or item.get("type") != "reasoning" or not item.keys() <= ITEM_KEYS:
        return False
    ident, secret = item.get("id"), item.get("encrypted_content")
    if type(ident) is not str or not ident or type(secret) is not str or not secret:
        return False
    if not good_parts(item.get("summary"), "summary_text"):
        return False
    if "content" not in item:
        return True
    if item["content"] is None or item["content"] == []:
        del item["content"]
        return True
    return good_parts(item["content"], "reasoning_text")


class Tuned:
    """What somebody who cares about speed writes in an afternoon."""

    name = "orjson_tuned"

    @staticmethod
    def parse(text: str | bytes) -> dict[str, Any] | None:
        try:
            frame = orjson.loads(text)
        except ValueError:
            return None
        if type(frame) is not dict or frame.keys() != FRAME_KEYS or frame["schema"] != SCHEMA:
            return None
        if type(frame["version"]) is not int or frame["version"] != 1:
            return None
        item = frame["item"]
        return item if good_item(item) else None

    to_dict = parse
    secret = itemgetter("encrypted_content")
    ident = itemgetter("id")

    @staticmethod
    def to_input(text: str | bytes) -> bytes:
        return orjson.dumps(Tuned.parse(text))

    @staticmethod
    def inputs(texts: list[str]) -> bytes:
        parse = Tuned.parse
        return orjson.dumps([parse(text) for text in texts])

    @staticmethod
    def store(item: dict[str, Any]) -> str:
        return Tuned.store_bytes(item).decode()

    @staticmethod
    def store_bytes(item: dict[str, Any]) -> bytes:
        if not good_item(item):
            raise ValueError("not a canonical item")
        return orjson.dumps({"schema": SCHEMA, "version": 1, "item": item})

    @staticmethod
    def fields(text: str | bytes) -> Fields | None:
        item = Tuned.parse(text)
        return None if item is None else dict_fields(item)

    @staticmethod
    def records(path: Path) -> list[str]:
        return channel_texts(orjson.loads(path.read_bytes()))
