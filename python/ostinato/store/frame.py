"""The lines of a session file: sealed heads, the units they begin, and how units are found again after damage.

A unit is one sealed line and the record lines that it counts, written in one go. Pure: bytes come in, bytes go out. The
rules are numbered in `docs/sessions.md`.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

__all__ = [
    "SCHEMA",
    "VERSION",
    "Damage",
    "FaultError",
    "Line",
    "Unit",
    "compact",
    "lines_of",
    "sealed",
    "strict",
    "units",
]

Json = dict[str, Any]

SCHEMA: Final = "ostinato.session"
VERSION: Final = 1

_CHUNK: Final = 1 << 20
_SEAL: Final = re.compile(rb'(\{.*),"sha256":"([0-9a-f]{64})"\}', re.DOTALL)
_HEADS: Final = (b'{"record":"turn",', b'{"record":"history",')


class FaultError(Exception):
    """Why a line is refused: a code, and where. Never leaves this package."""

    def __init__(self, code: str, path: str = "") -> None:
        super().__init__(code, path)
        self.code = code
        self.path = path


class Line(NamedTuple):
    """One line, without what ends it."""

    offset: int
    data: bytes | None
    """None where it is longer than the limit."""


class Unit(NamedTuple):
    """What was written in one go, and is whole."""

    offset: int
    head: Json
    lines: tuple[bytes, ...]

    @property
    def number(self) -> int:
        """Its number in the file, counted from 1."""
        number: int = self.head["turn"]
        return number


class Damage(NamedTuple):
    """Bytes that are no whole unit."""

    offset: int
    code: str
    """A key of `SESSION_FINDING_CODES`."""
    turn: int | None = None
    reason: str | None = None


def compact(value: object) -> str:
    """The one spelling of a JSON value in a session file.

    Raises:
        ValueError, TypeError, RecursionError: it is no JSON value.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def sealed(head: Json, lines: Iterable[bytes] = ()) -> bytes:
    """A head with the check of itself and of the lines behind it, and those lines, each with its end (rules S3, S4)."""
    body = b"\n".join(lines)
    begun = compact({**head, "bytes": len(body)})[:-1].encode()
    digest = hashlib.sha256(begun + b"\n" + body).hexdigest().encode()
    return begun + b',"sha256":"' + digest + b'"}\n' + (body + b"\n" if body else b"")


def strict(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a line that is spelled as `compact` spells it; so no key stands in it twice.

    Raises:
        FaultError: `not_utf8`, `not_json`, `too_deep`, `duplicate_key`, `lone_surrogate`, `not_canonical`.
    """
    try:
        text = data.decode()
        value = json.loads(text)
        if compact(value).encode() == data:
            return value
        json.loads(text, object_pairs_hook=_once)
    except UnicodeDecodeError:
        raise FaultError("not_utf8") from None
    except UnicodeEncodeError:
        raise FaultError("lone_surrogate") from None
    except RecursionError:
        raise FaultError("too_deep") from None
    except ValueError:  # not JSON, NaN, or an integer that Python does not read
        raise FaultError("not_json") from None
    raise FaultError("not_canonical")


def _once(pairs: list[tuple[str, Any]]) -> Json:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise FaultError("duplicate_key")
    return made


def lines_of(read: Callable[[int, int], bytes], end: int, *, limit: int, start: int = 0) -> Iterator[Line]:
    """The lines of a file, read as they are needed.

    Args:
        read: size and offset -> bytes.
        end: where to stop, however much is there by then.
        limit: bytes of a line; a longer one is not kept.
        start: where the first line begins.
    """
    parts: list[bytes] = []
    begun, held, place = start, 0, start
    while place < end:
        chunk = read(min(_CHUNK, end - place), place)
        if not chunk:
            break  # it became shorter
        done = 0
        while (stop := chunk.find(b"\n", done)) >= 0:
            yield _line(begun, [*parts, chunk[done:stop]], held + stop - done, limit)
            parts, held, done = [], 0, stop + 1
            begun = place + done
        held += len(chunk) - done
        if held <= limit:
            parts.append(chunk[done:])
        else:
            parts = []
        place += len(chunk)
    if held:
        yield _line(begun, parts, held, limit)


def _line(offset: int, parts: list[bytes], size: int, limit: int) -> Line:
    return Line(offset, b"".join(parts) if size <= limit else None)


def open_seal(line: bytes) -> tuple[Json, bytes, bytes]:
    """The head of a sealed line, its bytes before the digest, and the digest.

    Raises:
        FaultError: it is none.
    """
    found = _SEAL.fullmatch(line)
    if found is None:
        raise FaultError("not_sealed")
    head = strict(found[1] + b"}")
    if not isinstance(head, dict):
        raise FaultError("not_sealed")
    return head, found[1], found[2]


def holds(begun: bytes, body: bytes, digest: bytes) -> bool:
    """Whether the check of a sealed line holds."""
    return hashlib.sha256(begun + b"\n" + body).hexdigest().encode() == digest


class _Open:
    """A unit that has begun."""

    def __init__(self, offset: int, head: Json, begun: bytes, digest: bytes) -> None:
        self.offset = offset
        self.head = head
        self.begun = begun
        self.digest = digest
        self.lines: list[bytes] = []
        self._missing: int = head["bytes"]

    def take(self, line: Line) -> Unit | Damage | None:
        """One line more; what the unit is, if that ends it."""
        if line.data is None or len(line.data) > self._missing:
            code = "record_too_large" if line.data is None else "digest_mismatch"
            return Damage(self.offset, code, self.head["turn"])
        self.lines.append(line.data)
        self._missing -= len(line.data) + 1
        return _end(self) if len(self.lines) == self.head["messages"] else None


def units(lines: Iterable[Line], *, limit: int) -> Iterator[Unit | Damage]:
    """The units of the lines behind the header, and what is between them. One pass, whatever the lines say.

    A head begins a unit wherever it stands, since no record line begins like one: so a torn unit costs itself alone.

    Args:
        lines: what follows the header.
        limit: bytes of a unit; a larger one is damage.
    """
    current: _Open | None = None
    stray: Line | None = None
    told = False
    """Whether these lines are part of damage that was told."""
    for line in lines:
        found: _Open | Unit | Damage | None = None
        if line.data is not None and line.data.startswith(_HEADS):
            yield from _cut_off(current, stray)
            current, stray = None, None
            found = _begin(line.offset, line.data, limit)
        elif current is not None:
            found = current.take(line)
        elif not told and line.data != b"":
            stray = stray or line
        if isinstance(found, _Open):
            current = found
        elif found is not None:
            yield found
            current, told = None, isinstance(found, Damage)
    yield from _cut_off(current, stray)


def _cut_off(current: _Open | None, stray: Line | None) -> Iterator[Damage]:
    """What stands before a head, or before the end of the file, and is not whole."""
    if current is not None:
        yield Damage(current.offset, "turn_torn", current.head["turn"])
    elif stray is not None:
        torn = stray.data is not None and any(head.startswith(stray.data) for head in _HEADS)
        code = "record_too_large" if stray.data is None else "turn_torn" if torn else "line_unreadable"
        yield Damage(stray.offset, code)


def _begin(offset: int, line: bytes, limit: int) -> _Open | Unit | Damage:
    try:
        head, begun, digest = open_seal(line)
        _check_head(head)
    except FaultError as fault:
        # A head without its end is what a stopped writer leaves.
        torn = fault.code == "not_sealed"
        return Damage(offset, "turn_torn" if torn else "line_unreadable", None, None if torn else fault.code)
    if head["bytes"] > limit:
        return Damage(offset, "record_too_large", head["turn"])
    unit = _Open(offset, head, begun, digest)
    return unit if head["messages"] else _end(unit)


def _end(unit: _Open) -> Unit | Damage:
    body = b"\n".join(unit.lines)
    if len(body) != unit.head["bytes"] or not holds(unit.begun, body, unit.digest):
        torn = len(body) < unit.head["bytes"]
        return Damage(unit.offset, "turn_torn" if torn else "digest_mismatch", unit.head["turn"])
    return Unit(unit.offset, unit.head, tuple(unit.lines))


_FIELDS: Final = {
    "record": (str,),
    "turn": (int,),
    "epoch": (int,),
    "at": (int,),
    "messages": (int,),
    "client_type": (str, type(None)),
    "model": (str, type(None)),
    "sent": (dict, type(None)),
    "bytes": (int,),
}


def _check_head(head: Json) -> None:
    if head.keys() != _FIELDS.keys():
        raise FaultError("unknown_field" if head.keys() - _FIELDS.keys() else "missing_field")
    for name, kinds in _FIELDS.items():
        if type(head[name]) not in kinds:
            raise FaultError("type_mismatch", name)
    if min(head["turn"] - 1, head["epoch"], head["messages"], head["bytes"]) < 0:
        raise FaultError("type_mismatch")
