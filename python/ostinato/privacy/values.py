"""One value of a log record without state: the same object where it holds none.

Nothing here runs foreign code but `str` and `repr`, which whoever writes the record would run as well.
"""

import json
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ostinato._core import redact_text
from ostinato.names import printable
from ostinato.privacy.pieces import redact_chunk, redact_pieces
from ostinato.redaction import redact

__all__ = ["Options", "clean_text", "clean_value", "is_clean"]


class Options(NamedTuple):
    """What is redacted, and how much is told of it."""

    reasoning_text: bool = True
    """Whether reasoning text goes, beside opaque state."""
    length_only: bool = False
    """Lengths without digests."""


_LISTS: Final = (list, tuple, set, frozenset, deque)
_DEEPEST: Final = 100
_LONGEST_NAME: Final = 64


def clean_text(text: str, options: Options) -> str:
    """A text of any kind without state; the same object where it holds none."""
    raw = text.encode("utf-8", "surrogatepass")
    redacted, _ = redact_text(raw, reasoning_text=options.reasoning_text, length_only=options.length_only)
    return redact_pieces(text if redacted == raw else redacted.decode("utf-8", "surrogatepass"))


def is_clean(text: str, options: Options) -> bool:
    """Whether a text holds no state."""
    return clean_text(text, options) is text


def clean_value(name: str, value: Any, options: Options) -> Any:  # noqa: ANN401 - whatever was logged
    """A value without state, where `name` says what it is; the same object where it holds none.

    Text stays text, containers come back as JSON has them, and any other object as the text of it.
    """
    if value is None or isinstance(value, bool | int | float):
        return value
    try:
        if isinstance(value, str):
            return _text(name, value, options)
        if isinstance(value, bytes | bytearray | memoryview):
            return _bytes(name, value, options)
        if isinstance(value, (Mapping, *_LISTS)):
            return _container(name, value, options)
        return _object(value, options)
    except Exception:  # noqa: BLE001 - foreign code may raise anything; what cannot be read is not passed on
        return f"[unreadable {_kind(value)}]"


def _text(name: str, value: str, options: Options) -> Any:  # noqa: ANN401 - a text, or the mark of one
    """A text under a name. One that is no state by its name may hold some."""
    plain = str.__str__(value)
    if name:
        written = f"{{{json.dumps(name)}: {json.dumps(plain, ensure_ascii=False)}}}"
        if clean_text(written, options) != written:
            return _redacted({name: plain}, options)[name]
    cleaned = clean_text(plain, options)
    return value if cleaned == plain else cleaned


def _bytes(name: str, value: bytes | bytearray | memoryview, options: Options) -> Any:  # noqa: ANN401 - bytes, or the mark of some
    """Bytes that are text stay bytes. Others are state until the opposite is known: SDKs hold signatures as bytes."""
    plain = bytes(value)
    try:
        text = plain.decode()
    except UnicodeDecodeError:
        return _redacted({name: plain}, options)[name]
    cleaned = _text(name, text, options)
    if not isinstance(cleaned, str):
        return cleaned
    cleaned = redact_chunk(cleaned)
    return value if cleaned == text else cleaned.encode("utf-8", "surrogatepass")


def _redacted(value: object, options: Options) -> Any:  # noqa: ANN401 - JSON
    return _texts(redact(value, reasoning_text=options.reasoning_text, length_only=options.length_only).value)


def _texts(value: Any) -> Any:  # noqa: ANN401 - JSON
    """JSON with each mark as the text of it: the core knows that one in a Python repr, too."""
    if isinstance(value, list):
        return [_texts(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if value.get("redacted") is True:
        digest = f", sha256 {value['sha256']}" if "sha256" in value else ""
        return f"[redacted {value['bytes']} bytes{digest}]" if "bytes" in value else f"[redacted {value.get('type')}]"
    return {name: _texts(inner) for name, inner in value.items()}


def _container(name: str, value: object, options: Options) -> Any:  # noqa: ANN401 - as given, or JSON
    written = f"{{{name!r}: {value!r}}}"
    if clean_text(written, options) == written:
        return value
    redacted = _redacted({name: _plain(value, _DEEPEST)}, options)[name]
    # What the text shows and the values do not, such as a piece of a value, is taken out of the text.
    written = repr(redacted)
    cleaned = clean_text(written, options)
    return redacted if cleaned == written else cleaned


def _plain(value: object, left: int) -> object:
    """A container whose objects are the texts of them."""
    if isinstance(value, Mapping) and left:
        return {key if isinstance(key, str) else repr(key): _plain(inner, left - 1) for key, inner in value.items()}
    if isinstance(value, _LISTS) and left:
        return [_plain(inner, left - 1) for inner in value]
    if value is None or isinstance(value, bool | int | float | str | bytes | bytearray | memoryview):
        return value
    return repr(value)


def _object(value: object, options: Options) -> object:
    for write in (str, repr):
        text = write(value)
        if clean_text(text, options) != text:
            return clean_text(str(value), options)
    return value


def _kind(value: object) -> str:
    return printable(type(value).__name__)[:_LONGEST_NAME]
