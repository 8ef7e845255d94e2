"""What may be shown of a request or an event when none of its content may: names, counts, lengths, digests."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from ostinato.redaction import redact

__all__ = ["redact_request", "structure"]

Json = Any

# Whose values are words of a protocol, and not what anybody said.
_WORDS: Final = frozenset(
    {
        *("type", "role", "object", "model", "modelVersion", "status", "phase", "event", "kind", "code", "wire"),
        *(
            "id",
            "call_id",
            "item_id",
            "response_id",
            "previous_response_id",
            "tool_call_id",
            "tool_use_id",
            "toolUseId",
        ),
        *("name", "tool_choice", "effort", "verbosity", "service_tier", "truncation", "format", "include", "betas"),
        *("finish_reason", "finishReason", "stop_reason", "stopReason", "native_finish_reason", "thinkingLevel"),
        *("mime_type", "mimeType", "media_type", "modalities", "responseModalities", "client_type", "event_type"),
    }
)
_WORD: Final = re.compile(r"[A-Za-z0-9_.:/@+=-]{1,128}")
_FIELD: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_.$-]{0,63}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")

# What a tool is given, what it gives back, and how it is described: their fields are the caller's own.
_WHOLE: Final = frozenset(
    {"args", "arguments", "input", "output", "result", "json", "metadata", "parameters", "input_schema", "inputSchema"}
)
_RESULTS: Final = frozenset({"functionResponse", "function_response"})
_MOST_NUMBERS: Final = 8
"""Longer lists of numbers are vectors or tokens."""


def redact_request(body: object, *, content: bool = False, length_only: bool = False) -> Json:
    """A request, a response or an event for a debug log: its shape, and of its values what may be told.

    Words of the protocol (types, roles, ids, names of models and tools), numbers and flags stay. State becomes
    `{"redacted": true, "bytes": n, "sha256": hex}`, reasoning text its length, a list of its parts
    `{"parts": n, "bytes": m}`, and every other text `{"bytes": n}`. What a tool is given or gives back becomes
    `{"fields": n, "bytes": m}`. Nothing raises.

    Args:
        body: any value: a mapping, JSON text, an SDK object.
        content: leave in what was said to the model and by it; only state and reasoning go, as `redact` does it.
        length_only: lengths without digests.
    """
    if isinstance(body, str | bytes | bytearray):
        text = body
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            return redact(text, length_only=length_only).value if content else {"bytes": _size(text)}
    redacted = redact(body, length_only=length_only).value
    return redacted if content else structure(redacted)


def structure(redacted: Json, name: str = "", parent: str = "") -> Json:
    """The shape of what was redacted, as JSON.

    Args:
        redacted: what `redact` left of a value that is no text.
        name: the field that it stands in.
        parent: the field that this field stands in.
    """
    if isinstance(redacted, str):
        return redacted if name in _WORDS and _WORD.fullmatch(redacted) else {"bytes": _size(redacted)}
    if isinstance(redacted, Mapping):
        return _object(redacted, name, parent)
    if not isinstance(redacted, list):
        return redacted
    if len(redacted) > _MOST_NUMBERS and all(type(element) in (int, float) for element in redacted):
        return {"numbers": len(redacted)}
    # A list of items under such a name is a conversation, and no tool's.
    return [structure(element, name if isinstance(element, str) else "") for element in redacted]


def _object(fields: Mapping[str, Json], name: str, parent: str) -> Json:
    if _is_mark(fields):
        return dict(fields)
    if name in _WHOLE or (name == "response" and parent in _RESULTS):
        return {"fields": len(fields), "bytes": _size(json.dumps(fields, ensure_ascii=False))}
    shown: dict[str, Json] = {}
    others = 0
    for field, value in fields.items():
        if _FIELD.fullmatch(field):
            shown[field] = structure(value, field, name)
        else:
            others += 1
    return shown | ({"*": others} if others else {})


def _is_mark(fields: Mapping[str, Json]) -> bool:
    """Whether redaction put this here: an object that only looks like a mark holds nothing but numbers and a digest."""
    kinds = {"redacted": bool, "bytes": int, "parts": int, "sha256": str, "type": str}
    return (
        ("redacted" in fields or fields.keys() == {"parts", "bytes"})
        and all(type(value) is kinds.get(field) for field, value in fields.items())
        and _SHA256.fullmatch(fields.get("sha256", "0" * 64)) is not None
        and _FIELD.fullmatch(fields.get("type", "object")) is not None
    )


def _size(text: str | bytes | bytearray) -> int:
    return len(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) else len(text)
