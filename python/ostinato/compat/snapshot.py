"""Plain data of any Python object, as far as the codec reads it.

fast-agent turns a whole output item into plain data before it looks at it. This module follows the same steps for
the fields that count and for nothing else, so that what would be dropped anyway can do no harm: a field nested
beyond Python's stack, or an object that contains itself.

What is no plain data and does not stand for any stays as it is; the codec then refuses it by its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

__all__ = ["item_fields"]

_PART_FIELDS = ("type", "text")

# Values that stand for a text. Bytes do not: what they print as is not what the provider sent.
_STAND_INS: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...] = (
    (date, lambda value: value.isoformat()),
    ((Decimal, UUID, Path), str),
    (Enum, lambda value: value.value),
)


def item_fields(item: object, names: Iterable[str], *, parts: Iterable[str] = ()) -> dict[str, object] | None:
    """The named fields of an output item as plain data, or None where it has no fields at all.

    `parts` names those that hold a list of parts; of a part, its `type` and `text` are taken.
    """
    fields = _fields(item, names)
    if fields is None:
        return None
    return {name: _parts(value) if name in parts else _scalar(value) for name, value in fields.items()}


def _parts(value: object) -> object:
    if isinstance(value, str | bytes | bytearray | memoryview | Mapping):
        return value
    if not isinstance(value, Iterable) or _source(value) is not None:
        return value
    return [_part(each) for each in value]


def _part(value: object) -> object:
    fields = _fields(value, _PART_FIELDS)
    return value if fields is None else {name: _scalar(text) for name, text in fields.items()}


def _scalar(value: object) -> object:
    # A text may be a member of an enumeration too: it is its own value.
    if value is None or isinstance(value, str | bool | int | float):
        return value
    for types, text in _STAND_INS:
        if isinstance(value, types):
            return text(value)
    return value


def _fields(value: object, names: Iterable[str]) -> dict[str, object] | None:
    source = value if isinstance(value, Mapping) else _source(value)
    if not isinstance(source, Mapping):
        return None
    by_text = {str(key): field for key, field in source.items()}
    return {name: by_text[name] for name in names if name in by_text}


# What a dump is asked for, best first. Without `warnings=False` pydantic warns of odd values and quotes them,
# ciphertext too.
_DUMP_OPTIONS: tuple[dict[str, Any], ...] = ({"mode": "json", "warnings": False}, {"mode": "json"}, {})


def _source(value: object) -> object:
    """What an object says of itself: its JSON dump, its `dict()`, its attributes, or None."""
    dump = getattr(value, "model_dump", None)
    if not callable(dump):
        return _attributes(value)
    for options in _DUMP_OPTIONS:
        try:
            return dump(**options)
        except TypeError:
            continue  # a method that takes fewer options
        except Exception:  # noqa: BLE001 - whatever a foreign object raises, its attributes may still be read
            return _attributes(value)
    return None


def _attributes(value: object) -> object:
    as_dict = getattr(value, "dict", None)
    said = _attempt(as_dict) if callable(as_dict) else None
    return said if said is not None else getattr(value, "__dict__", None) or None


def _attempt(method: Callable[[], object]) -> object:
    try:
        return method()
    except Exception:  # noqa: BLE001 - as above; None means that the object says nothing of itself
        return None
