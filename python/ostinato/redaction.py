"""Redaction: reasoning state and reasoning text are taken out of anything that may be logged, shown or passed on.

The core redacts text of any kind; this module turns Python values into such text and back.
"""

import dataclasses
import datetime as dt
import decimal
import enum
import hashlib
import json
import pathlib
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict

from ostinato._core import (
    ReasoningItem,
    parse_decoded_envelope,
    parse_reasoning_replay_envelope,
    redact_text,
    view,
)
from ostinato.errors import ReplayError

__all__ = [
    "ClassReport",
    "Redacted",
    "RedactionReport",
    "redact",
    "redact_reasoning_replay_for_diagnostics",
    "redact_reasoning_replays_for_diagnostics",
]

# Deeper than this the core would replace a value whole.
_DEEPEST = 120
# A value that refers to parts of itself many times over would never end as text.
_MOST_VALUES = 5_000_000
# Python writes no longer integer (its limit of 4,300 digits).
_LONGEST_INTEGER_BITS = 14_000
# As the core knows its own marks.
_LONGEST_NAME = 64


class _Count(TypedDict):
    values: int
    bytes: int


class ClassReport(TypedDict):
    """What was replaced of one class."""

    values: int
    bytes: int
    """UTF-8 bytes of decoded text."""
    fields: dict[str, _Count]
    """By the name of the field, as the tables spell it; no name of the input."""


class RedactionReport(TypedDict):
    """What was replaced. No content, and no name of the input."""

    values: int
    bytes: int
    opaque: ClassReport
    """State that only a provider can read."""
    reasoning_text: ClassReport
    """What a model wrote while reasoning. A list of parts counts as one value."""
    unread: ClassReport
    """What could not be looked at: too deep, too large, or an object that is no data."""


@dataclasses.dataclass(frozen=True, slots=True)
class Redacted:
    """A redacted value and what was replaced in it."""

    value: Any
    report: RedactionReport


def redact(value: object, *, reasoning_text: bool = True, length_only: bool = False) -> Redacted:
    """Redact any value: text, bytes, JSON values, SDK objects.

    State becomes `{"redacted": true, "bytes": n, "sha256": hex}`, reasoning text `{"redacted": true, "bytes": n}`, and
    a list of its parts `{"parts": n, "bytes": m}`; in running text the same stands in brackets. Everything else stays.
    A `str` and `bytes` give their own type, of any kind of text: JSON, log lines, reprs. Other values come back as JSON
    has them: dicts, lists, text, numbers; objects that are no data as `{"redacted": true, "type": name}`.
    Nothing raises. Redacting twice changes nothing.

    Args:
        value: what to redact. It is not changed.
        reasoning_text: whether reasoning text goes, beside opaque state.
        length_only: lengths without digests. A digest does not give a secret away, but it can be linked: two logs with
            one digest hold the same state.
    """
    if isinstance(value, str):
        text, report = _redact(value.encode("utf-8", "surrogatepass"), reasoning_text, length_only)
        return Redacted(text.decode("utf-8", "surrogatepass"), report)
    if isinstance(value, bytes | bytearray | memoryview):
        text, report = _redact(bytes(value), reasoning_text, length_only)
        return Redacted(text, report)
    reading = _Reading(length_only=length_only)
    plain = json.dumps(reading.plain(value), ensure_ascii=False)
    text, report = _redact(plain.encode("utf-8", "surrogatepass"), reasoning_text, length_only)
    for kind, name, count in (("opaque", "bytes", reading.bytes), ("unread", "object", reading.unread)):
        _add(report, kind, name, count)
    return Redacted(json.loads(text.decode("utf-8", "surrogatepass")), report)


def redact_reasoning_replay_for_diagnostics(value: object, *, length_only: bool = False) -> dict[str, Any]:
    """What may be shown of replay state when something is wrong: names, lengths, digests and counts (rule R1).

    Args:
        value: a `ReasoningItem`, an envelope (JSON text or a mapping), or any other value.
        length_only: lengths without digests.

    Returns:
        For an item or an envelope: `wire`, `kind`, and `fields` with the name of each field and, in place of its value,
        its byte length and SHA-256 (state), its byte length (reasoning text), or the number and bytes of its parts. For
        any other value: `value`, redacted as `redact` does it, and its `report`. For text that is no envelope the
        `refused` key says why. Nothing raises.
    """
    refused: dict[str, Any] = {}
    try:
        shown: dict[str, Any] = view(_item(value), length_only=length_only)
        return shown  # noqa: TRY300 - the rest is for values that have no such view
    except ReplayError as error:
        refused = {"refused": {"code": error.code, "path": error.path}}
    except TypeError:  # neither an item nor anything that could be an envelope
        refused = {}
    redacted = redact(value, length_only=length_only)
    return {**refused, "value": redacted.value, "report": redacted.report}


def redact_reasoning_replays_for_diagnostics(
    values: Iterable[object], *, length_only: bool = False
) -> list[dict[str, Any]]:
    """The same for each of many values."""
    return [redact_reasoning_replay_for_diagnostics(value, length_only=length_only) for value in values]


def _item(value: object) -> ReasoningItem:
    if isinstance(value, ReasoningItem):
        return value
    if isinstance(value, str | bytes | bytearray):
        return parse_reasoning_replay_envelope(value)
    if isinstance(value, Mapping) and "schema" in value:
        return parse_decoded_envelope(value)
    raise TypeError("no envelope")


def _redact(text: bytes, reasoning_text: bool, length_only: bool) -> tuple[bytes, RedactionReport]:  # noqa: FBT001 - passed on
    redacted, report = redact_text(text, reasoning_text=reasoning_text, length_only=length_only)
    parsed: RedactionReport = json.loads(report)
    return redacted, parsed


def _add(report: Any, kind: str, name: str, count: _Count) -> None:  # noqa: ANN401 - keys of a TypedDict, by name
    if count["values"]:
        for row in (report, report[kind]):
            row["values"] += count["values"]
            row["bytes"] += count["bytes"]
        report[kind]["fields"][name] = count


class _Reading:
    """Turns one value into what JSON can say."""

    def __init__(self, *, length_only: bool) -> None:
        self._length_only = length_only
        self._left = _MOST_VALUES
        self._inside: set[int] = set()
        self.bytes = _Count(values=0, bytes=0)
        self.unread = _Count(values=0, bytes=0)

    def plain(self, value: object) -> object:
        """The value as dicts, lists, text and numbers. What runs foreign code and fails is named by its type."""
        self._left -= 1
        if type(value) in _AS_IT_IS:
            return value
        for kinds, read in _SCALARS:
            if isinstance(value, kinds):
                return read(self, value)
        if self._left < 0 or id(value) in self._inside or len(self._inside) >= _DEEPEST:
            return self.mark(value)
        self._inside.add(id(value))
        try:
            return self._container(value)
        except Exception:  # noqa: BLE001 - foreign code may raise anything; the report counts it
            return self.mark(value)
        finally:
            self._inside.discard(id(value))

    def _container(self, value: object) -> object:
        for kinds, read in _CONTAINERS:
            if isinstance(value, kinds):
                return read(self, value)
        if callable(value):
            return self.mark(value)
        if callable(dump := getattr(value, "model_dump", None)):
            return self.plain(_dumped(dump))
        if dataclasses.is_dataclass(value):
            return self.entries((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        attributes = getattr(value, "__dict__", None)
        return self.entries(attributes.items()) if attributes else self.mark(value)

    def elements(self, elements: Iterable[object]) -> object:
        """A list of any kind."""
        return [self.plain(element) for element in elements]

    def entries(self, entries: Iterable[tuple[object, object]]) -> object:
        """A mapping of any kind."""
        return {_key(key): self.plain(value) for key, value in entries}

    def state(self, value: bytes) -> object:
        """Bytes are state until the opposite is known: SDKs hold signatures as bytes."""
        try:
            return value.decode()
        except UnicodeDecodeError:
            self.bytes["values"] += 1
            self.bytes["bytes"] += len(value)
            digest = {} if self._length_only else {"sha256": hashlib.sha256(value).hexdigest()}
            return {"redacted": True, "bytes": len(value), **digest}

    def integer(self, value: int) -> object:
        """A number that Python can write."""
        return int(value) if value.bit_length() < _LONGEST_INTEGER_BITS else self.mark(value)

    def mark(self, value: object) -> object:
        """What stands for an object that is no data, or cannot be read."""
        self.unread["values"] += 1
        name = type(value).__name__
        plain = name.isascii() and name.isidentifier() and len(name) <= _LONGEST_NAME
        return {"redacted": True, "type": name if plain else "object"}


_Row = tuple[Any, Callable[[_Reading, Any], object]]

# What JSON says as it is.
_AS_IT_IS = frozenset({type(None), bool, str, float})

# What it says in another way; subclasses come as what they are made of.
_SCALARS: tuple[_Row, ...] = (
    (str, lambda _, value: str.__str__(value)),
    (float, lambda _, value: float(value)),
    (int, _Reading.integer),
    ((bytes, bytearray, memoryview), lambda reading, value: reading.state(bytes(value))),
)

# What holds other values, and whatever else runs foreign code when it is read.
_CONTAINERS: tuple[_Row, ...] = (
    (Mapping, lambda reading, value: reading.entries(value.items())),
    ((list, tuple, set, frozenset, deque), _Reading.elements),
    (ReasoningItem, lambda reading, value: reading.entries(value.to_dict().items())),
    (enum.Enum, lambda reading, value: reading.plain(value.value)),
    ((dt.date, dt.time, dt.timedelta), lambda _, value: str(value)),
    ((decimal.Decimal, uuid.UUID, pathlib.PurePath), lambda _, value: str(value)),
    (BaseException, _Reading.mark),
)


def _key(key: object) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or isinstance(key, bool | int | float):
        return json.dumps(key)
    return f"<{type(key).__name__}>"


def _dumped(dump: Any) -> object:  # noqa: ANN401 - a method of any SDK
    """What an SDK model holds, as the provider spelled it and without what the provider did not send."""
    try:
        dumped: object = dump(by_alias=True, exclude_unset=True, warnings=False)
    except TypeError:  # a model that is not of pydantic
        dumped = dump()
    return dumped
