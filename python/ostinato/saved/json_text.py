"""JSON as saved histories hold it: a stream of values, each read strictly, and each told where it is when it cannot be.

Lines are no rule: documents are pretty-printed in `.jsonl` files, two objects share one line, the last value is cut.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ostinato.soundness import MAX_DEPTH, Fault, fault_of
from ostinato.strict_json import FaultError, decoder, finite

__all__ = ["Value", "elements", "parse", "values"]


_WINDOW: Final = 8 << 20
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_ATTEMPTS: Final = 4
"""How often the text may be read in vain, all failures together, before the rest counts as one damaged value."""


class Value(NamedTuple):
    """One value of a stream, or why there is none."""

    line: int
    """Where it begins, counted from 1."""
    value: Any = None
    fault: str | None = None
    """Why there is no value: a key of `FINDING_CODES`."""
    start: int = 0
    """Its first byte."""
    stop: int = 0
    """The byte behind its last."""
    place: Fault | None = None
    """Where in it what could be parsed is not sound, as far as that is known."""


_DECODER: Final = decoder(number=finite)


def values(data: bytes) -> Iterator[Value]:
    """Every JSON value of a file. A value that cannot be read costs its line, and reading goes on behind it.

    Lines are decoded some megabytes at a time, and all that is left where a value is longer than that: as text, a file
    can take four times its size.
    """
    start, line, size = 3 if data.startswith(codecs.BOM_UTF8) else 0, 1, _WINDOW
    while start < len(data):
        end = data.find(b"\n", start + size) + 1 or len(data)
        text, stop = _text(data[start:end]), start
        for value in _stream(text, 0, _At(line, start), more=end < len(data)):
            yield value
            stop = value.stop
        if end == len(data):
            return
        if stop == start:
            size = len(data) if text.strip() else size
            stop = start if text.strip() else end
        line += data.count(b"\n", start, stop)
        start = stop


def parse(text: str) -> Value:
    """One JSON text, as histories hold it inside of strings. `fault` is set where it is not exactly one value."""
    found = _read(text, _after_space(text, 0))
    if found.fault is None and text[found.end :].strip():
        return Value(1, None, "unreadable_line")
    return Value(1, found.value, found.fault, place=found.place)


def elements(data: bytes, key: str) -> Iterator[Value]:
    """The values of a list in a document that cannot be read as a whole: everything in it up to the damage.

    Args:
        data: the document.
        key: the list's key. The first one that is spelled so counts.
    """
    text = _text(data)
    found = re.search(rf'"{re.escape(key)}"\s*:\s*\[', text)
    if found is not None:
        before = text[: found.end()]
        yield from _stream(text, found.end(), _At(1 + before.count("\n"), _length(before)), end="]")


class _At(NamedTuple):
    line: int
    byte: int


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _stream(text: str, place: int, at: _At, *, end: str = "", more: bool = False) -> Iterator[Value]:
    """Values from a place on, up to the end of the text.

    Args:
        text: what to read.
        place: where to begin.
        at: line and byte of that place in the file.
        end: the character that ends a list, to read its elements.
        more: whether the file goes on behind the text. A value that the text may have cut is not given then.
    """
    line, byte = at
    budget = _ATTEMPTS * len(text)
    while True:
        begins = _after_space(text, place)
        if end and text.startswith(",", begins):
            begins = _after_space(text, begins + 1)
        line += text.count("\n", place, begins)
        byte += begins - place  # white space and commas are one byte each
        if begins >= len(text) or (end and text.startswith(end, begins)):
            return
        found = _read(text, begins)
        if found.open and more:
            return
        budget -= found.cost
        lost = found.guessed and (bool(end) or budget < 0)
        stop = len(text) if lost else found.end
        length = _length(text[begins:stop])
        fault = "unreadable_line" if more and found.fault == "truncated_line" else found.fault
        yield Value(line, found.value, fault, byte, byte + length, found.place)
        line += text.count("\n", begins, stop)
        byte += length
        place = stop


class _Found(NamedTuple):
    value: Any
    fault: str | None
    end: int
    """Where to go on: behind the value, or at the end of its line where nobody knows where it ends."""
    guessed: bool = False
    """Whether the end is such a guess."""
    cost: int = 0
    """Characters behind that end that were read in vain."""
    open: bool = False
    """Whether reading came to the end of the text, from an earlier line."""
    place: Fault | None = None


def _after_space(text: str, place: int) -> int:
    matched = _SPACE.match(text, place)  # always, if nothing
    return place if matched is None else matched.end()


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _read(text: str, place: int) -> _Found:
    end_of_line = text.find("\n", place)
    stop = len(text) if end_of_line < 0 else end_of_line
    try:
        value, end = _DECODER.raw_decode(text, place)
    except json.JSONDecodeError as error:
        open_ended = error.msg.startswith("Unterminated")  # it gives the beginning of the text that does not end
        seen = len(text) if open_ended else error.pos
        to_end = _after_space(text, max(seen, stop)) >= len(text)
        code = "truncated_line" if to_end and text.startswith(("{", "["), place) else "unreadable_line"
        cost = max(0, seen - stop)
        return _Found(None, code, stop, guessed=True, cost=cost, open=to_end and cost > 0)
    except (RecursionError, ValueError) as error:
        cost = 0 if _fails(text[place:stop]) else len(text) - stop
        return _Found(None, _name(error), stop, guessed=True, cost=cost)
    fault = _fault(text[place:end], value)
    if fault is None:
        return _Found(value, None, end)
    return _Found(None, fault, end, place=fault_of(value) if fault == "lone_surrogate" else None)


def _name(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "too_deep"
    return error.code if isinstance(error, FaultError) else "unreadable_line"  # an integer of too many digits


def _fails(line: str) -> bool:
    """Whether a line holds what made reading fail, so that reading went no further."""
    try:
        _DECODER.raw_decode(line)
    except json.JSONDecodeError:
        return False
    except (RecursionError, ValueError):
        return True
    return False


def _fault(text: str, value: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """Why a value could not be sent or stored: it cannot be written as UTF-8, or is nested too deeply."""
    if text.count("{") + text.count("[") > MAX_DEPTH and _deep(value):
        return "too_deep"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "not_utf8"
    if "\\u" in text and _HALF.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return "lone_surrogate"
    return None


def _deep(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            part
            for outer in level
            for part in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(part, dict | list)
        ]
        if not level:
            return False
    return True
