"""A session file as a reader sees it: its header, its turns one after the other, and what is wrong with any of them."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from ostinato.errors import SessionFormatError
from ostinato.messages import UniMessage
from ostinato.prefix import Sent
from ostinato.store.findings import Findings
from ostinato.store.folder import io_error
from ostinato.store.frame import (
    SCHEMA,
    VERSION,
    Damage,
    FaultError,
    Line,
    Unit,
    holds,
    lines_of,
    open_seal,
    strict,
    units,
)
from ostinato.store.record import read_message

__all__ = ["Binding", "Header", "Place", "Resumed", "SessionFile", "StoredTurn", "resumed"]

Json = dict[str, Any]

HEADER_LIMIT: Final = 64 * 1024
"""Bytes of a header at most."""


class Header(NamedTuple):
    """The first line of a session. What it does not say is None."""

    session: str | None = None
    created: int | None = None
    """Milliseconds since the epoch."""
    client_type: str | None = None
    model: str | None = None


class Binding(NamedTuple):
    """What a turn was sent to."""

    client_type: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """What was written in one go: what was said and the answer; or a history that begins anew."""

    number: int
    """Counted from 1, over the whole file."""
    epoch: int
    """How often the history began anew before it."""
    begins_history: bool
    """Whether the messages take the place of all that were before."""
    at: int
    """When it was written: milliseconds since the epoch."""
    binding: Binding
    messages: list[UniMessage] = field(repr=False)
    sent: Sent | None = None
    """What the request of this turn sent, as digests."""


class Place(NamedTuple):
    """Where a reader stands behind a unit."""

    number: int = 0
    epoch: int = 0
    at: int | None = None


class SessionFile:
    """An open session file."""

    def __init__(self, path: Path, read: Callable[[int, int], bytes], fd: int, *, limit: int) -> None:
        self.path: Final = path
        self._read = read
        self._fd = fd
        self._limit = limit

    @property
    def size(self) -> int:
        """Bytes of it now."""
        try:
            return os.fstat(self._fd).st_size
        except OSError as error:
            raise io_error(error, self.path) from None

    def header(self, name: str, seen: Findings) -> Header | None:
        """Its first line; None where that cannot be read, which says nothing of the turns behind it.

        Raises:
            SessionFormatError: `schema_unknown`, `version_unknown`: it is whole, and of something else.
            StoreError: `disk_error`.
        """
        first = self._first()
        try:
            head, begun, digest = open_seal(first)
        except FaultError:
            return None
        if not holds(begun, b"", digest):
            return None
        _check_schema(head, self.path)
        found = Header(*(_of_kind(head.get(key), kind) for key, kind in zip(Header._fields, _KINDS, strict=True)))
        if found.session != name:
            seen.say("name_differs", offset=0)
        return found

    def _first(self) -> bytes:
        """The first line; nothing where there is none, or too much."""
        first = next(self._lines(min(self.size, HEADER_LIMIT + 1), HEADER_LIMIT), None)
        return b"" if first is None or first.data is None else first.data

    def _refuse(self) -> SessionFormatError:
        """Why a file is refused that has neither a header nor a turn: of another schema, if it says so, or damaged."""
        try:
            value = strict(self._first())
            if isinstance(value, dict) and "schema" in value:
                _check_schema(value, self.path)
        except SessionFormatError as refusal:
            return refusal
        except FaultError:
            pass
        return SessionFormatError("header_unreadable", self.path)

    def turns(self, name: str, seen: Findings, *, end: int | None = None) -> Iterator[tuple[Place, StoredTurn | None]]:
        """Every unit that is whole, in the order of the file; None for one that holds what is not replayed.

        Raises:
            SessionFormatError: `schema_unknown`, `version_unknown`; `header_unreadable`: there is no header and no
                whole turn.
            StoreError: `disk_error`.
        """
        end = self.size if end is None else end
        header = self.header(name, seen)
        lines = self._lines(end, self._limit)
        if header is not None:
            next(lines, None)
        # Without a header, the first line may still be a turn.
        place, found = Place(), header is not None
        for unit in units(lines, limit=self._limit):
            if isinstance(unit, Damage):
                if header is None and unit.offset == 0:
                    continue  # it is the header
                seen.say(unit.code, unit.turn, unit.offset, reason=unit.reason)
                continue
            if not found:
                seen.say("header_damaged", offset=0)
                found = True
            after = _following(place, unit, seen)
            if after is not None:
                place = after
                yield place, _turn_of(unit, seen)
        if not found:
            raise self._refuse()

    def everything(self) -> bytes:
        """All of its bytes."""
        parts: list[bytes] = []
        place, end = 0, self.size
        while place < end and (part := self._read(end - place, place)):
            parts.append(part)
            place += len(part)
        return b"".join(parts)

    def _lines(self, end: int, limit: int) -> Iterator[Line]:
        lines = lines_of(self._read, end, limit=limit)
        while True:
            try:
                line = next(lines, None)
            except OSError as error:
                raise io_error(error, self.path) from None
            if line is None:
                return
            yield line


_KINDS: Final = (str, int, str, str)


def _of_kind(value: object, kind: type) -> Any:  # noqa: ANN401 - the field's own type
    return value if type(value) is kind else None


def _check_schema(head: Json, path: Path) -> None:
    if head.get("schema") != SCHEMA:
        raise SessionFormatError("schema_unknown", path)
    if type(head.get("version")) is not int or head["version"] != VERSION:
        raise SessionFormatError("version_unknown", path)


def _following(place: Place, unit: Unit, seen: Findings) -> Place | None:
    """The place behind a unit; None for one that was there before."""
    number, epoch, at = unit.number, unit.head["epoch"], unit.head["at"]
    if number <= place.number or epoch < place.epoch:
        seen.say("turn_repeated", number, unit.offset)
        return None
    if number > place.number + 1:
        seen.say("turn_missing", place.number + 1, unit.offset)
    if epoch > place.epoch and unit.head["record"] != "history":
        seen.say("history_missing", number, unit.offset)
    if place.at is not None and at < place.at:
        seen.say("clock_went_back", number, unit.offset)
    return Place(number, epoch, at)


def _turn_of(unit: Unit, seen: Findings) -> StoredTurn | None:
    messages: list[UniMessage] = []
    for index, line in enumerate(unit.lines):
        try:
            message, differing = read_message(line)
        except FaultError as fault:
            path = "/".join(part for part in (f"messages/{index}", fault.path) if part)
            code = "envelope_refused" if fault.path.startswith("replay/") else "record_refused"
            seen.say(code, unit.number, unit.offset, path, fault.code)
            return None
        for path in differing:
            seen.say("display_differs", unit.number, unit.offset, f"messages/{index}/{path}")
        messages.append(message)
    return StoredTurn(
        number=unit.number,
        epoch=unit.head["epoch"],
        begins_history=unit.head["record"] == "history",
        at=unit.head["at"],
        binding=Binding(unit.head["client_type"], unit.head["model"]),
        messages=messages,
        sent=_sent_of(unit.head["sent"]),
    )


def _sent_of(value: Json | None) -> Sent | None:
    """The digests of a request; None where there are none, or what stands there is none."""
    if value is None or value.keys() != {"head", "start", "groups"}:
        return None
    head, start, groups = value["head"], value["start"], value["groups"]
    sound = isinstance(head, dict) and type(start) is int and start >= 0 and isinstance(groups, list)
    if not sound or not all(isinstance(text, str) for text in (*head.values(), *groups)):
        return None
    return Sent(head, start, tuple(groups))


@dataclass(slots=True)
class Resumed:
    """A conversation as its last epoch has it."""

    messages: list[UniMessage] = field(default_factory=list, repr=False)
    head: dict[str, str] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)
    binding: Binding | None = None
    """Of the last request whose digests are known; None where there are none."""
    place: Place = field(default_factory=Place)
    units: int = 0
    """How many whole units were read, of every epoch."""

    def take(self, place: Place, turn: StoredTurn | None) -> None:
        """One unit more."""
        if place.epoch > self.place.epoch:
            self.messages, self.head, self.groups, self.binding = [], {}, [], None
        self.place = place
        self.units += 1
        if turn is None:
            # What was sent is not known any more: the guard compares with nothing.
            self.head, self.groups, self.binding = {}, [], None
            return
        self.messages += turn.messages
        if turn.sent is not None and turn.sent.start <= len(self.groups):
            self.head, self.binding = dict(turn.sent.head), turn.binding
            self.groups[turn.sent.start :] = turn.sent.groups
        else:
            self.head, self.groups, self.binding = {}, [], None


def resumed(turns: Iterable[tuple[Place, StoredTurn | None]]) -> Resumed:
    """The conversation that a file holds."""
    whole = Resumed()
    for place, turn in turns:
        whole.take(place, turn)
    return whole
