"""Decoders of JSON that take no text which says two things, or nothing: a key that stands twice, or NaN."""

import json
import math
from collections.abc import Callable
from typing import Any, Final

__all__ = ["FaultError", "decoder", "finite"]


class FaultError(ValueError):
    """Why a text is refused. Never leaves the package."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code: Final = code
        """`duplicate_key` or `not_finite`."""


def decoder(
    *, integer: Callable[[str], Any] | None = None, number: Callable[[str], Any] | None = None
) -> json.JSONDecoder:
    """A decoder that raises `FaultError` for a key that stands twice in an object, and for a number that is none.

    Args:
        integer: what becomes of an integer as it is spelled; an `int` unless given.
        number: what becomes of any other number; a `float` unless given, and infinite where it is too large for one.
    """
    return json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_int=integer, parse_float=number)


def finite(text: str) -> float:
    """A number as a float, for `decoder`.

    Raises:
        FaultError: it is too large for one.
    """
    found = float(text)
    if not math.isfinite(found):
        raise FaultError("not_finite")
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise FaultError("duplicate_key")
    return made


def _constant(_name: str) -> None:
    raise FaultError("not_finite")
