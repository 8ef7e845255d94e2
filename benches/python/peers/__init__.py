"""What users would pick instead, one file per way, each doing the same work in its own idiom.

Every peer reads an envelope strictly: exact keys, exact types, no empty id or ciphertext.
A library is imported only by its own file, so that the memory of one can be measured without the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# name in the tables: (module, class)
PEERS = {
    "fast_agent": ("peers.fast_agent", "FastAgent"),
    "orjson_tuned": ("peers.orjson_tuned", "Tuned"),
    "msgspec": ("peers.msgspec_structs", "Msgspec"),
    "pydantic": ("peers.pydantic_models", "Pydantic"),
    "load_json": ("peers.fast_agent", "LoadJson"),
    "ostinato": ("ours", "Ostinato"),
}
CODECS = ("fast_agent", "orjson_tuned", "msgspec", "pydantic")
SCANNERS = (*CODECS, "load_json")

SCHEMA = "fast-agent.openai-responses.reasoning-replay"
CHANNEL = "openai-reasoning-encrypted"

Fields = tuple[str, str, list[str], list[str]]


class Peer(Protocol):
    """What the tables ask of an implementation. The methods are static; `item` is whatever `parse` gives."""

    name: str
    ident: Callable[[object], str]
    secret: Callable[[object], str]

    def parse(self, text: str | bytes) -> object | None:
        """The item in the form its library likes best, or None if refused."""

    def to_dict(self, text: str | bytes) -> dict[str, Any]:
        """The item as a plain dict."""

    def to_input(self, text: str | bytes) -> bytes:
        """The item as JSON for a request body."""

    def inputs(self, texts: list[str]) -> bytes:
        """Many items as one JSON array for a request body."""

    def store(self, item: dict[str, Any]) -> str:
        """A provider's item, checked, as envelope text."""

    def store_bytes(self, item: dict[str, Any]) -> bytes:
        """The same as bytes."""

    def fields(self, text: str | bytes) -> Fields | None:
        """Id, ciphertext, summary texts and content texts, for hashing and counting."""

    def records(self, path: Path) -> list[str]:
        """The texts in the replay channel of a fast-agent history file."""


def load(name: str) -> Peer:
    """The class of a peer; imports its library."""
    module, cls = PEERS[name]
    return getattr(import_module(module), cls)


def dict_fields(item: dict[str, Any]) -> Fields:
    """What `fields` gives, for an item that is a dict."""
    summary = [part["text"] for part in item["summary"]]
    return item["id"], item["encrypted_content"], summary, [part["text"] for part in item.get("content") or ()]


def channel_texts(document: dict[str, Any]) -> list[str]:
    """The texts of the replay channel in a decoded history."""
    return [
        block["text"]
        for message in document["messages"]
        if "channels" in message
        for block in message["channels"].get(CHANNEL, ())
    ]
