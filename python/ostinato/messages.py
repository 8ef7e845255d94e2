"""The message model: `UniMessage`, `UniEvent`, `UniConfig` and their items, and the one check every message passes.

The shapes are those of the model message stream protocol (MMSP). A message is checked once, where it enters, and the
same way for every client; what comes after may trust it. Errors name the place and the rule, never the content.
"""

import copy
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

from ostinato.errors import InvalidMessageError

__all__ = [
    "VERBATIM",
    "ContentItem",
    "EmbeddingItem",
    "FinishReason",
    "ImageItem",
    "InlineDataItem",
    "TextItem",
    "ThinkingItem",
    "ToolCallItem",
    "ToolResultItem",
    "UniConfig",
    "UniEvent",
    "UniMessage",
    "UsageMetadata",
    "admit",
    "admit_all",
    "copied",
    "has_substance",
    "value_fault",
]

Json: TypeAlias = dict[str, Any]
FinishReason = Literal["stop", "length", "tool_call", "unknown"]


class TextItem(TypedDict):
    """What is said."""

    type: Literal["text.done", "text.delta"]
    text: str
    fidelity: NotRequired[Json]


class ThinkingItem(TypedDict):
    """What was thought, as far as it is shown; the state behind it is in the fidelity."""

    type: Literal["thinking.done", "thinking.delta"]
    thinking: str
    fidelity: NotRequired[Json]


class ImageItem(TypedDict):
    """An image by URL."""

    type: Literal["image_url.done"]
    image_url: str
    """An http(s) URL, or `data:<mime>;base64,<data>`."""


class InlineDataItem(TypedDict):
    """Bytes of an image, a sound or another medium."""

    type: Literal["inline_data.done", "inline_data.delta", "inline_thinking.done", "inline_thinking.delta"]
    data: bytes
    mime_type: str
    fidelity: NotRequired[Json]


class ToolCallItem(TypedDict):
    """A call the model makes."""

    type: Literal["tool_call.done", "tool_call.delta"]
    name: str
    arguments: Json | str
    """The object in a done item; a fragment of its JSON text in a delta."""
    tool_call_id: str
    fidelity: NotRequired[Json]


class ToolResultItem(TypedDict):
    """What a call gave."""

    type: Literal["tool_result.done"]
    text: str
    tool_call_id: str
    images: NotRequired[list[str]]


class EmbeddingItem(TypedDict):
    """One vector."""

    type: Literal["embedding.done", "embedding.delta"]
    embedding: list[float]


ContentItem: TypeAlias = (
    TextItem | ThinkingItem | ImageItem | InlineDataItem | ToolCallItem | ToolResultItem | EmbeddingItem
)


class UsageMetadata(TypedDict):
    """Tokens; None where the provider did not say. Input is cached + prompt, output is thoughts + response."""

    cached_tokens: int | None
    prompt_tokens: int | None
    thoughts_tokens: int | None
    response_tokens: int | None


class UniMessage(TypedDict):
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content_items: list[ContentItem]
    usage_metadata: NotRequired[UsageMetadata | None]
    finish_reason: NotRequired[FinishReason | None]
    created_at: NotRequired[int | None]
    """Milliseconds since the epoch."""
    origin: NotRequired[dict[str, str]]
    """Where an assistant message was made: provider, endpoint, model. Without it, its issuer is not known."""


class UniEvent(TypedDict):
    """One event of the public stream."""

    role: Literal["assistant"]
    event_type: Literal["delta", "stop"]
    content_items: list[ContentItem]
    """One item in a delta event, none in the stop."""
    usage_metadata: UsageMetadata | None
    finish_reason: FinishReason | None
    created_at: int | None


class ToolSpec(TypedDict):
    """A tool the model may call; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: NotRequired[Json]


class UniConfig(TypedDict, total=False):
    """Settings of a request; all are optional, and unknown names mean nothing."""

    max_tokens: int
    temperature: float
    tools: list[ToolSpec]
    thinking_summary: bool
    thinking_level: Literal["none", "low", "medium", "high", "xhigh", "max"]
    tool_choice: Literal["auto", "required", "none"] | list[str]
    system_prompt: str
    prompt_caching: Literal["enable", "disable", "enhance"]
    fast_mode: bool
    image_config: Json
    tts_config: list[Json]
    embedding_config: Json
    trace_id: str


# Field -> type, of every kind of item that a message may hold.
_FIELDS: Final[Mapping[str, Mapping[str, type | tuple[type, ...]]]] = {
    "text": {"text": str},
    "image_url": {"image_url": str},
    "inline_data": {"data": (bytes, bytearray, memoryview), "mime_type": str},
    "thinking": {"thinking": str},
    "inline_thinking": {"data": (bytes, bytearray, memoryview), "mime_type": str},
    "tool_call": {"name": str, "arguments": dict, "tool_call_id": str},
    "tool_result": {"text": str, "tool_call_id": str},
    "embedding": {"embedding": list},
}
_NEVER_EMPTY: Final = {"name", "tool_call_id", "image_url"}
_THINKING: Final = {"thinking.done", "inline_thinking.done"}
VERBATIM: Final = "verbatim"
"""The fidelity key of an item that stands for a wire item of no kind known here; see `ostinato.wires.verbatim`."""
_BYTES: Final = (bytes, bytearray, memoryview)
_MAPPING: Final = (dict, Mapping)  # a dict is found at once, and all others by what they can do
_IMMUTABLE: Final = (str, int, float, bytes, type(None))

MAX_DEPTH: Final = 128
"""Levels of nesting inside an item. The codec's limit, and far below what breaks a JSON writer."""
_MAX_BITS: Final = 14_000
"""Python writes and reads integers of up to 4,300 digits."""


def admit_all(messages: Iterable[UniMessage], *, client: str | None = None) -> list[UniMessage]:
    """Check and modernise a conversation; see `admit`."""
    return [admit(message, index, client=client) for index, message in enumerate(messages)]


def admit(message: UniMessage, index: int = 0, *, client: str | None = None) -> UniMessage:
    """Check one message and give it back: the same object, or a copy where it held items of the old protocol.

    Args:
        message: what the caller gave.
        index: its place in the conversation, for the error.
        client: the client type, for the error.

    Raises:
        InvalidMessageError: it is malformed, or nothing in it can be sent to any provider.
    """
    try:
        return _admit(message)
    except _FaultError as fault:
        raise InvalidMessageError(
            client, fault.reason, item_type=fault.item_type, message_index=index, item_index=fault.item_index
        ) from None


def copied(value: Any) -> Any:  # noqa: ANN401 - the same comes out
    """A deep copy of a message, in plain types: views of bytes become bytes, mappings and sequences dicts and lists."""
    if isinstance(value, _IMMUTABLE):
        return value
    if isinstance(value, _MAPPING):
        return {name: copied(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [copied(part) for part in value]
    return bytes(value) if isinstance(value, _BYTES) else copy.deepcopy(value)


def has_substance(items: Iterable[Mapping[str, Any]]) -> bool:
    """Whether there is more than thinking and empty texts: what a provider takes back as a turn."""
    return any(_is_substance(item) for item in items)


def _is_substance(item: Mapping[str, Any]) -> bool:
    if VERBATIM in (item.get("fidelity") or ()):
        return True
    return item["type"] not in _THINKING and (item["type"] != "text.done" or bool(item["text"]))


class _FaultError(Exception):
    """What is wrong and where, before message and client are known."""

    def __init__(self, reason: str, item_index: int | None = None, item_type: str | None = None) -> None:
        super().__init__()
        self.reason = reason
        self.item_index = item_index
        self.item_type = item_type


def _admit(message: Any) -> UniMessage:  # noqa: ANN401 - this is where a type is established
    if not isinstance(message, _MAPPING):
        raise _FaultError("a message must be a mapping")
    if message.get("role") not in ("user", "assistant"):
        raise _FaultError("the role must be user or assistant")
    items = message.get("content_items")
    if not isinstance(items, (list, tuple)) or not items:
        raise _FaultError("content_items must be a list with at least one item")
    if not isinstance(message.get("origin"), (dict, type(None))):
        raise _FaultError("the origin must be an object")
    modern = _modern(items)
    for index, item in enumerate(modern):
        _check_item(item, index)
    if not has_substance(modern):
        raise _FaultError("nothing to send: only thinking or empty text")
    return message if modern is items else {**message, "content_items": modern}  # type: ignore[return-value,typeddict-item]


def _modern(items: list[Any] | tuple[Any, ...]) -> list[Any] | tuple[Any, ...]:
    """Items of the old protocol in today's form: a kind without `.done` is done, a partial call says nothing."""
    if not any(isinstance(item, _MAPPING) and _legacy(item.get("type")) for item in items):
        return items
    kept = [item for item in items if not (isinstance(item, _MAPPING) and item.get("type") == "partial_tool_call")]
    if not kept:
        raise _FaultError("nothing to send: only partial tool calls")
    return [
        {**item, "type": f"{item['type']}.done"} if isinstance(item, _MAPPING) and _legacy(item.get("type")) else item
        for item in kept
    ]


def _legacy(kind: object) -> bool:
    return isinstance(kind, str) and (kind in _FIELDS or kind == "partial_tool_call")


def _check_item(item: object, index: int) -> None:
    if not isinstance(item, _MAPPING):
        raise _FaultError("an item must be a mapping", index)
    kind = item.get("type")
    if not isinstance(kind, str):
        raise _FaultError("an item must have a type", index)
    name, _, phase = kind.partition(".")
    fields = _FIELDS.get(name)
    if fields is None or phase != "done":
        raise _FaultError("a message may hold complete items of the known kinds only", index, kind[:64])
    for field, expected in fields.items():
        value = item.get(field)
        if not isinstance(value, expected):
            raise _FaultError(f"{field} is missing or of the wrong type", index, name)
        if field in _NEVER_EMPTY and not value:
            raise _FaultError(f"{field} must not be empty", index, name)
    _check_optional(item, index, name)
    fault = value_fault(item)
    if fault is not None:
        raise _FaultError(fault, index, name)
    if name == "tool_call" and _holds_bytes(item["arguments"]):
        raise _FaultError("arguments hold bytes, which no JSON text can say", index, name)


def _check_optional(item: Mapping[str, Any], index: int, name: str) -> None:
    if not isinstance(item.get("fidelity"), (dict, type(None))):
        raise _FaultError("fidelity must be an object", index, name)
    images = item.get("images")
    if images is not None and not (isinstance(images, (list, tuple)) and all(isinstance(url, str) for url in images)):
        raise _FaultError("images must be a list of URLs", index, name)


def value_fault(value: object, depth: int = 0) -> str | None:
    """Why a value cannot be written as JSON and read back the same; None if it can. Bytes pass: wires encode them."""
    if isinstance(value, str):
        return None if value.isascii() or _is_utf8(value) else "half of a surrogate pair cannot be sent as UTF-8"
    if isinstance(value, (int, float)):  # a bool is an int too
        return _number_fault(value)
    if isinstance(value, _MAPPING):
        if not all(isinstance(key, str) for key in value):
            return "the keys of an object must be text"
        return _parts_fault((*value, *value.values()), depth)
    if isinstance(value, (list, tuple)):
        return _parts_fault(value, depth)
    return None if value is None or isinstance(value, _BYTES) else "this is no JSON value"


def _holds_bytes(value: object) -> bool:
    """Whether there are bytes in a value that `value_fault` found sound."""
    if isinstance(value, _MAPPING):
        return any(map(_holds_bytes, value.values()))
    return any(map(_holds_bytes, value)) if isinstance(value, (list, tuple)) else isinstance(value, _BYTES)


def _number_fault(value: float) -> str | None:
    if isinstance(value, int):
        return None if value.bit_length() <= _MAX_BITS else "an integer too long to be written"
    return None if math.isfinite(value) else "NaN and infinities are not JSON numbers"


def _parts_fault(parts: Iterable[object], depth: int) -> str | None:
    if depth >= MAX_DEPTH:
        return "nested too deeply"
    for part in parts:
        fault = value_fault(part, depth + 1)
        if fault is not None:
            return fault
    return None


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
