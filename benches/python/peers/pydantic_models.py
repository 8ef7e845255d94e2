"""pydantic: a model for the item, TypedDicts wherever a dict is wanted; validators called without their wrapper."""
# ruff: noqa: D102 - the methods are described once, in peers.Peer

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

import pydantic

from peers import CHANNEL, SCHEMA, Fields, dict_fields

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_core import SchemaValidator

STRICT = pydantic.ConfigDict(strict=True, extra="forbid")
Filled = Annotated[str, pydantic.Field(min_length=1)]
Schema = Literal["fast-agent.openai-responses.reasoning-replay"]


class SummaryDict(TypedDict):
    """One part of a summary."""

    type: Literal["summary_text"]
    text: str


class ContentDict(TypedDict):
    """One part of a plain-text reasoning."""

    type: Literal["reasoning_text"]
    text: str


class ItemDict(TypedDict):
    """A canonical item as a dict."""

    __pydantic_config__ = STRICT  # type: ignore[misc]
    type: Literal["reasoning"]
    id: Filled
    summary: list[SummaryDict]
    encrypted_content: Filled
    content: NotRequired[list[ContentDict] | None]


class FrameDict(TypedDict):
    """The envelope as a dict."""

    __pydantic_config__ = STRICT  # type: ignore[misc]
    schema: Schema
    version: Literal[1]
    item: ItemDict


class SummaryModel(pydantic.BaseModel):
    """One part of a summary."""

    type: Literal["summary_text"]
    text: str


class ContentModel(pydantic.BaseModel):
    """One part of a plain-text reasoning."""

    type: Literal["reasoning_text"]
    text: str


class ItemModel(pydantic.BaseModel):
    """A canonical item as a model."""

    model_config = STRICT
    type: Literal["reasoning"]
    id: Filled
    summary: list[SummaryModel]
    encrypted_content: Filled
    content: list[ContentModel] | None = None


class FrameModel(pydantic.BaseModel):
    """The envelope as a model."""

    model_config = STRICT
    schema_: Schema = pydantic.Field(alias="schema")
    version: Literal[1]
    item: ItemModel


class BlockModel(pydantic.BaseModel):
    """One text block of a channel."""

    text: str


class ChannelsModel(pydantic.BaseModel):
    """The channels of a message, all but one skipped."""

    replay: list[BlockModel] = pydantic.Field(default=[], alias=CHANNEL)


class MessageModel(pydantic.BaseModel):
    """A message of a history."""

    channels: ChannelsModel | None = None


class DocumentModel(pydantic.BaseModel):
    """A history file."""

    messages: list[MessageModel]


def validator(kind: type) -> SchemaValidator:
    """The compiled validator of a type."""
    return pydantic.TypeAdapter(kind).validator


frame_dict = validator(FrameDict).validate_json
frame_model = validator(FrameModel).validate_json
document_model = validator(DocumentModel).validate_json
item_dict = validator(ItemDict).validate_python
dump_frame = pydantic.TypeAdapter(FrameDict).serializer.to_json
dump_item = pydantic.TypeAdapter(ItemDict).serializer.to_json
dump_items = pydantic.TypeAdapter(list[ItemDict]).serializer.to_json


class Pydantic:
    """What most users of an SDK write."""

    name = "pydantic"

    @staticmethod
    def parse(text: str | bytes) -> ItemModel | None:
        try:
            return frame_model(text).item
        except pydantic.ValidationError:
            return None

    secret = attrgetter("encrypted_content")
    ident = attrgetter("id")

    @staticmethod
    def to_dict(text: str | bytes) -> ItemDict:
        return frame_dict(text)["item"]

    @staticmethod
    def to_input(text: str | bytes) -> bytes:
        return dump_item(frame_dict(text)["item"])

    @staticmethod
    def inputs(texts: list[str]) -> bytes:
        return dump_items([frame_dict(text)["item"] for text in texts])

    @staticmethod
    def store(item: dict[str, Any]) -> str:
        return Pydantic.store_bytes(item).decode()

    @staticmethod
    def store_bytes(item: dict[str, Any]) -> bytes:
        return dump_frame({"schema": SCHEMA, "version": 1, "item": item_dict(item)})

    @staticmethod
    def fields(text: str | bytes) -> Fields | None:
        try:
            return dict_fields(frame_dict(text)["item"])
        except pydantic.ValidationError:
            return None

    @staticmethod
    def records(path: Path) -> list[str]:
        return [
            block.text
            for message in document_model(path.read_bytes()).messages
            if message.channels is not None
            for block in message.channels.replay
        ]
