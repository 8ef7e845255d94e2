"""Where two JSON values differ, and their digests. Texts are never part of what is said."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["digest", "first_difference", "json_text", "sha256"]


def digest(value: object) -> str:
    """SHA-256 of a value as compact JSON, key order included; empty for None."""
    return "" if value is None else sha256(json_text(value))


def sha256(text: str) -> str:
    """SHA-256 of a text in UTF-8, in lower-case hex; halves of surrogate pairs count as what they are."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def json_text(value: object) -> str:
    """A value as compact JSON, as two values are compared."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_bytes)


def _bytes(value: object) -> str:
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    raise TypeError("no JSON value")


def first_difference(old: object, new: object) -> tuple[str, int | None] | None:
    """Path and character of the first place where two JSON values differ; None where they are written alike.

    Key order and the spelling of numbers count: `1` and `1.0` are two spellings, and so are `True` and `1`.
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return _between_objects(old, new)
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return _between_lists(old, new)
    if isinstance(old, str) and isinstance(new, str):
        return None if old == new else ("", _first_character(old, new))
    return None if type(old) is type(new) and old == new else ("", None)


def _between_objects(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> tuple[str, int | None] | None:
    for key, other in zip(old, new, strict=False):
        if key != other:
            return str(other), None
        deeper = first_difference(old[key], new[key])
        if deeper is not None:
            return _join(str(key), deeper)
    if len(old) == len(new):
        return None
    longer = old if len(old) > len(new) else new
    return str(list(longer)[min(len(old), len(new))]), None


def _between_lists(old: Sequence[Any], new: Sequence[Any]) -> tuple[str, int | None] | None:
    for index, (one, other) in enumerate(zip(old, new, strict=False)):
        deeper = first_difference(one, other)
        if deeper is not None:
            return _join(str(index), deeper)
    return None if len(old) == len(new) else (str(min(len(old), len(new))), None)


def _join(step: str, place: tuple[str, int | None]) -> tuple[str, int | None]:
    path, offset = place
    return (f"{step}/{path}" if path else step), offset


def _first_character(old: str, new: str) -> int:
    shorter = min(len(old), len(new))
    return next((index for index in range(shorter) if old[index] != new[index]), shorter)
