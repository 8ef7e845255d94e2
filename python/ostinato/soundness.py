"""Whether a JSON value can be stored and sent at all, before anything else is asked of it.

One half of a surrogate pair in any text of a history makes every later request that holds it fail (field reports R201
to R203), and the error of the provider does not say where it is. Here it has a place.
"""

import math
import re
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from ostinato.discretion import discreet
from ostinato.errors import OstinatoError, ReplayError

__all__ = ["MAX_DEPTH", "Fault", "check_json", "fault_of", "key_name", "readable"]

P = ParamSpec("P")
R = TypeVar("R")

MAX_DEPTH: Final = 256
"""Levels of nesting in one value. The codec takes 128 in an item, and a record holds it a few levels down."""
MAX_BITS: Final = 14_280
"""Of an integer: Python writes and reads 4,300 digits."""

_NAME: Final = re.compile(r"[A-Za-z0-9_.$:-]{1,64}")

_Path = tuple[Any, ...]
"""`(path of what it is in, key or place)`; empty for the value itself."""


class Fault(NamedTuple):
    """Why a value cannot be sent."""

    code: str
    """`lone_surrogate`, `not_finite`, `too_deep`, `too_large` (an integer) or `type_mismatch` (no JSON value)."""
    path: str = ""
    """Where: `input/d`; of a key that is at fault, where its object is."""
    offset: int | None = None
    """The index of the character in the text."""


@discreet
def check_json(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Refuse a decoded JSON value that could not be written as UTF-8 JSON and read back the same.

    Worth a call where a value from a model or a tool enters a history: arguments of a call, the output of a tool.

    Raises:
        ReplayError: `lone_surrogate`, `not_finite`, `too_deep`, `too_large`, `type_mismatch`, with path and offset.
    """
    fault = fault_of(value)
    if fault is not None:
        raise ReplayError(*fault)


def fault_of(value: Any) -> Fault | None:  # noqa: ANN401 - any JSON value
    """The first fault of a decoded JSON value, in the order of its text; None if it can be sent."""
    waiting: list[tuple[Any, _Path, int]] = [(value, (), 0)]
    while waiting:
        part, path, depth = waiting.pop()
        fault = _fault(part, path)
        if fault is not None:
            return fault
        if depth >= MAX_DEPTH and isinstance(part, dict | list | tuple):
            return Fault("too_deep")
        if isinstance(part, dict):
            waiting += [(inner, (path, name), depth + 1) for name, inner in reversed(part.items())]
        elif isinstance(part, list | tuple):
            waiting += [(part[place], (path, place), depth + 1) for place in range(len(part) - 1, -1, -1)]
    return None


def _fault(part: Any, path: _Path) -> Fault | None:  # noqa: ANN401 - any JSON value
    if isinstance(part, str):
        offset = _half(part)
        return None if offset is None else Fault("lone_surrogate", _shown(path), offset)
    code = _of_keys(part) if isinstance(part, dict) else _of_other(part)
    return None if code is None else Fault(code, _shown(path))


def _of_keys(part: dict[Any, Any]) -> str | None:
    for key in part:
        if not isinstance(key, str):
            return "type_mismatch"
        if _half(key) is not None:
            return "lone_surrogate"
    return None


def _of_other(part: Any) -> str | None:  # noqa: ANN401 - any JSON value
    if isinstance(part, int):  # a bool is one too
        return None if part.bit_length() <= MAX_BITS else "too_large"
    if isinstance(part, float):
        return None if math.isfinite(part) else "not_finite"
    return None if part is None or isinstance(part, list | tuple) else "type_mismatch"


def _half(text: str) -> int | None:
    """Where half of a pair stands in a text."""
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


def _shown(path: _Path) -> str:
    steps: list[str] = []
    while path:
        path, step = path
        steps.append(key_name(step) if isinstance(step, str) else str(step))
    return "/".join(reversed(steps))


def key_name(key: str) -> str:
    """A key of the input as a path shows it: what looks like no name of a field could be anything, even state (X3)."""
    return key if _NAME.fullmatch(key) else f"<key of {len(key.encode('utf-8', 'surrogatepass'))} bytes>"


def readable(function: Callable[P, R]) -> Callable[P, R]:
    """The function, to which an object that raises when it is read is a named error, as it is to the codec.

    Values may be of anybody's class: lazy records, proxies, texts that compare in a way of their own. What their code
    raises tells a caller nothing, and may quote content. What this package raises itself goes on as it is.

    Raises:
        ReplayError: `unreadable_object`.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except OstinatoError:
            raise
        except Exception as error:
            if _is_ours(error.__traceback__):
                raise
        raise ReplayError("unreadable_object")  # outside of the handler: the other is not its context

    return call


def _is_ours(raised: TracebackType | None) -> bool:
    """Whether the innermost frame of a traceback runs code of this package."""
    while raised is not None and raised.tb_next is not None:
        raised = raised.tb_next
    return raised is None or str(raised.tb_frame.f_globals.get("__name__")).startswith("ostinato.")
