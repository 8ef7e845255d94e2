"""JSON text read strictly, with numbers as they are written."""

import json
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from ostinato.errors import ReplayError
from ostinato.strict_json import FaultError, decoder

__all__ = ["Number", "read", "same_number", "write"]


class Number:
    """A number of a JSON text. Two are equal where they are spelled alike."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return "<a number>"


def read(text: str | bytes | bytearray, side: str, *, spelled: bool = True) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a JSON text.

    Args:
        text: the text, or its bytes in UTF-8.
        side: which of the two it is, the path of errors.
        spelled: whether numbers are kept as they are written.

    Raises:
        ReplayError: `not_utf8`, `not_json`, `duplicate_key`, `not_finite` or `too_deep`.
    """
    try:
        whole = text if isinstance(text, str) else bytes(text).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReplayError("not_utf8", side) from None
    fault = "not_json"
    try:
        return (_SPELLED if spelled else _PLAIN).decode(whole)
    except FaultError as error:
        fault = error.code
    except RecursionError:
        fault = "too_deep"
    except ValueError:
        fault = "not_json"
    raise ReplayError(fault, side)


def write(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Compact JSON, numbers as they were spelled: what digests are made of."""
    match value:
        case Number():
            return value.text
        case dict():
            return "{" + ",".join(f"{_plain(str(name))}:{write(part)}" for name, part in value.items()) + "}"
        case list() | tuple():
            return "[" + ",".join(map(write, value)) + "]"
    return _plain(value.hex() if isinstance(value, (bytes, bytearray)) else value)


def same_number(one: object, other: object) -> bool:
    """Whether two numbers are the same however they are spelled. A truth value is none."""
    values = [_decimal(value) for value in (one, other)]
    return None not in values and values[0] == values[1]


def _decimal(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (Number, int, float)):
        return None
    try:
        return Decimal(value.text if isinstance(value, Number) else repr(value))
    except (InvalidOperation, ValueError):  # NaN, and integers that Python does not write
        return None


def _plain(value: Any) -> str:  # noqa: ANN401 - any JSON value
    try:
        return json.dumps(value, ensure_ascii=False, default=lambda other: type(other).__name__)
    except ValueError:  # an integer that Python does not write in digits
        return hex(value)


_PLAIN: Final = decoder()
_SPELLED: Final = decoder(integer=Number, number=Number)
