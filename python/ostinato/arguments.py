"""The arguments of a tool call: an object in a message, a text on most wires.

The text a model wrote goes back as the same characters. Where writing the object again would change it (spacing, number
forms, escapes, repeated keys), the text is kept beside the object.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from ostinato.messages import value_fault

__all__ = ["arguments_text", "parse_arguments", "same_json", "write_arguments"]


def parse_arguments(text: str) -> dict[str, Any]:
    """The object that a text of arguments says; an empty text says an empty object.

    Raises:
        ValueError: it is no JSON object, or one that could not be sent back (NaN, half a surrogate pair, too deep).
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        value = None
    if not isinstance(value, dict) or value_fault(value) is not None:
        raise ValueError  # the text is content and must not get into an error
    return value


def write_arguments(arguments: Mapping[str, Any]) -> str:
    """The one form in which an object is written where the model's own text is not known."""
    return json.dumps(arguments, ensure_ascii=False)


def arguments_text(item: Mapping[str, Any]) -> str:
    """The text for a `tool_call.done` item: as the model wrote it, unless the object was changed since."""
    written = write_arguments(item["arguments"])
    raw = (item.get("fidelity") or {}).get("arguments")
    if not isinstance(raw, str) or raw == written:
        return written
    try:
        return raw if write_arguments(parse_arguments(raw)) == written else written
    except ValueError:
        return written


def same_json(a: str, b: str) -> bool:
    """Whether two texts say the same JSON value."""
    try:
        return bool(json.loads(a) == json.loads(b))
    except (ValueError, RecursionError):
        return False


def _refuse(_name: str) -> float:
    raise ValueError


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value
