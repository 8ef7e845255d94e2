"""JSON as saved histories hold it: a stream of values, each read strictly, and each told where it is when it cannot be.

Lines are no rule: documents are pretty-printed in `.jsonl` files, two objects share one line, the last value is cut.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

__all__ = ["Value", "parse", "values"]

_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_SPACE: Final = re.compile(r"[ \t\r\n]*")
MAX_DIGITS: Final = 4300
"""Digits of an integer that Python still reads; more are no figure of any history."""


class Value(NamedTuple):
    """One value of a stream, or why there is none."""

    line: int
    """Where it begins, counted from 1."""
    value: Any = None
    fault: str | None = None
    """`truncated_line`, `lone_surrogate`, `duplicate_key`, `too_deep` or `unreadable_line`."""


class _FaultError(ValueError):
    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _FaultError("duplicate_key")
    return made


def _no_constant(_name: str) -> None:
    raise _FaultError("unreadable_line")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant, strict=True)


def values(data: bytes) -> Iterator[Value]:
    """Every JSON value of a file. A value that cannot be read costs its line, and reading goes on behind it."""
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    place, line = _after_space(text, 0), 1
    line += text.count("\n", 0, place)
    while place < len(text):
        value, end = _read(text, place, line)
        yield value
        after = _after_space(text, end)
        line += text.count("\n", place, after)
        place = after


def parse(text: str) -> Value:
    """One JSON text, as histories hold it inside of strings. `fault` is set where it is not exactly one value."""
    value, end = _read(text, _after_space(text, 0), 1)
    if value.fault is None and text[end:].strip():
        return Value(1, None, "unreadable_line")
    return value


def _after_space(text: str, place: int) -> int:
    matched = _SPACE.match(text, place)  # always, if nothing
    return place if matched is None else matched.end()


def _read(text: str, place: int, line: int) -> tuple[Value, int]:
    """The value at a place, and where it ends; the end of the line for one that cannot be read."""
    end_of_line = text.find("\n", place)
    stop = len(text) if end_of_line < 0 else end_of_line
    try:
        value, end = _DECODER.raw_decode(text, place)
    except _FaultError as error:
        return Value(line, None, error.fault), stop
    except RecursionError:
        return Value(line, None, "too_deep"), stop
    except ValueError:  # not JSON; or an integer of more than MAX_DIGITS digits
        cut = end_of_line < 0 and text[place] in "{["
        return Value(line, None, "truncated_line" if cut else "unreadable_line"), stop
    if not _sound(text[place:end], value):
        return Value(line, None, "lone_surrogate"), end
    return Value(line, value), end


def _sound(text: str, value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether all texts in a value can be written as UTF-8."""
    try:
        text.encode()
        if _HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
