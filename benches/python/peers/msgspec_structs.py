"""msgspec Structs: tagged, unknown fields refused inside the envelope and skipped around it."""
# ruff: noqa: D102 - the methods are described once, in peers.Peer

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from peers import CHANNEL, SCHEMA, Fields

if TYPE_CHECKING:
    from pathlib import Path

Filled = Annotated[str, msgspec.Meta(min_length=1)]


class SummaryPart(msgspec.Struct, tag_field="type", tag="summary_text"):
    """One part of a summary."""

    text: str


class ContentPart(msgspec.Struct, tag_field="type", tag="reasoning_text"):
    """One part of a plain-text reasoning."""

    text: str


class Item(msgspec.Struct, tag_field="type", tag="reasoning", forbid_unknown_fields=True, omit_defaults=True):
    """A canonical item."""

    id: Filled
    summary: list[SummaryPart]
    encrypted_content: Filled
    content: list[ContentPart] | None = None


class Frame(msgspec.Struct, tag_field="schema", tag=SCHEMA, forbid_unknown_fields=True):
    """The envelope."""

    version: Literal[1]
    item: Item


class Block(msgspec.Struct):
    """One text block of a channel."""

    text: str


class Channels(msgspec.Struct, rename={"replay": CHANNEL}):
    """The channels of a message, all but one skipped."""

    replay: list[Block] = []


class Message(msgspec.Struct):
    """A message of a history."""

    channels: Channels | None = None


class Document(msgspec.Struct):
    """A history file."""

    messages: list[Message]


decode_frame = msgspec.json.Decoder(Frame).decode
decode_document = msgspec.json.Decoder(Document).decode
encode = msgspec.json.Encoder().encode


class Msgspec:
    """What somebody who likes types and speed writes."""

    name = "msgspec"

    @staticmethod
    def parse(text: str | bytes) -> Item | None:
        try:
            return decode_frame(text).item
        except msgspec.DecodeError:
            return None

    secret = attrgetter("encrypted_content")
    ident = attrgetter("id")

    @staticmethod
    def to_dict(text: str | bytes) -> dict[str, Any]:
        return msgspec.to_builtins(decode_frame(text).item)

    @staticmethod
    def to_input(text: str | bytes) -> bytes:
        return encode(decode_frame(text).item)

    @staticmethod
    def inputs(texts: list[str]) -> bytes:
        return encode([decode_frame(text).item for text in texts])

    @staticmethod
    def store(item: dict[str, Any]) -> str:
        return Msgspec.store_bytes(item).decode()

    @staticmethod
    def store_bytes(item: dict[str, Any]) -> bytes:
        return encode(Frame(1, msgspec.convert(item, Item)))

    @staticmethod
    def fields(text: str | bytes) -> Fields | None:
        item = Msgspec.parse(text)
        if item is None:
            return None
        summary = [part.text for part in item.summary]
        return item.id, item.encrypted_content, summary, [part.text for part in item.content or ()]

    @staticmethod
    def records(path: Path) -> list[str]:
        return [
            block.text
            for message in decode_document(path.read_bytes()).messages
            if message.channels is not None
            for block in message.channels.replay
        ]
