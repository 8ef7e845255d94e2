"""What of an error says why a request was refused: its status, and the provider's words about it.

SDKs raise, gateways nest one provider's answer as text in their own, proxies hand on bodies. All of it is read as data;
the words are compared with known ones and given to nobody.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["Heard", "hear"]

_WORDS: Final = ("message", "Message", "detail", "details", "code", "Code", "type", "param", "status", "reason", "msg")
_INSIDE: Final = (
    "error",
    "Error",
    "errors",
    "body",
    "response",
    "upstream_error",
    "metadata",
    "raw",
    "details",
    "detail",
)
_OF_EXCEPTIONS: Final = ("status_code", "status", "code", "error", "body", "details", "response", "param", "type")
_DEEPEST: Final = 6
_LONGEST: Final = 65_536
"""Characters of a text that are looked at; a refusal says why at its beginning."""
_MOST: Final = 32
_STATUS: Final = range(400, 600)


@dataclass(slots=True)
class Heard:
    """What an error says."""

    status: int | None = None
    texts: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """All texts, with quotes and spaces of one kind, for patterns."""
        joined = "\n".join(self.texts).replace("\\", "")
        return re.sub(r"[ \t\r\n]+", " ", joined).replace("`", "'").replace('"', "'")

    def say(self, text: str) -> None:
        """A text. What comes after many of them is not listened to."""
        if text and len(self.texts) < _MOST:
            self.texts.append(text[:_LONGEST])

    def number(self, value: object) -> None:
        """A status, if it is one of a refusal. The first one counts: it is the nearest."""
        if self.status is None and isinstance(value, int) and not isinstance(value, bool) and value in _STATUS:
            self.status = value


def hear(error: object) -> Heard:
    """What an exception, a body or a text says. Nothing raises."""
    heard = Heard()
    if isinstance(error, BaseException):
        seen: set[int] = set()
        current: BaseException | None = error
        while current is not None and id(current) not in seen and len(seen) < _DEEPEST:
            seen.add(id(current))
            _exception(current, heard)
            current = current.__cause__
    else:
        _value(error, heard, _DEEPEST)
    return heard


def _exception(error: BaseException, heard: Heard) -> None:
    for name in _OF_EXCEPTIONS:
        found = _attribute(error, name)
        heard.number(found)
        if isinstance(found, (str, bytes, Mapping, list)):
            _value(found, heard, _DEEPEST)
    heard.number(_attribute(_attribute(error, "response"), "status_code"))
    words = _attribute(error, "message")
    for text in (words, *_arguments(error)):
        if isinstance(text, (str, bytes)):
            _value(text, heard, _DEEPEST)


def _attribute(owner: object, name: str) -> Any:  # noqa: ANN401 - other people's objects
    try:
        return getattr(owner, name, None)
    except Exception:  # noqa: BLE001 - a property of somebody else's class
        return None


def _arguments(error: BaseException) -> tuple[object, ...]:
    found = _attribute(error, "args")
    return found if isinstance(found, tuple) else ()


def _value(value: object, heard: Heard, depth: int) -> None:
    if depth <= 0:
        return
    if isinstance(value, (bytes, bytearray)):
        value = bytes(value[: 4 * _LONGEST]).decode("utf-8", "replace")
    if isinstance(value, str):
        _text(str.__getitem__(value, slice(None)), heard, depth)  # the text alone, whatever its class makes of it
    elif isinstance(value, Mapping):
        _object(value, heard, depth)
    elif isinstance(value, list):
        for part in _members(value):
            _value(part, heard, depth - 1)


def _object(value: Mapping[Any, Any], heard: Heard, depth: int) -> None:
    """What an answer says in the fields that errors have. Its content, if it has any, is not looked at."""
    for name in _WORDS:
        held = _item(value, name)
        heard.number(held)
        if isinstance(held, (str, bytes)):
            _value(held, heard, depth - 1)
    heard.number(_item(_item(value, "ResponseMetadata"), "HTTPStatusCode"))
    for name in _INSIDE:
        held = _item(value, name)
        if isinstance(held, (Mapping, list)) or (isinstance(held, str) and name not in _WORDS):
            _value(held, heard, depth - 1)


def _item(value: object, name: str) -> Any:  # noqa: ANN401 - other people's objects
    try:
        return value.get(name) if isinstance(value, Mapping) else None
    except Exception:  # noqa: BLE001 - a mapping of somebody else's class
        return None


def _members(value: list[Any]) -> list[Any]:
    try:
        return list(value[:8])
    except Exception:  # noqa: BLE001 - a list of somebody else's class
        return []


def _text(text: str, heard: Heard, depth: int) -> None:
    heard.say(text)
    for inner in _json_in(text[:_LONGEST]):
        _value(inner, heard, depth - 1)


def _json_in(text: str) -> Iterator[object]:
    """The JSON object that a text is, or that follows a few words of it."""
    start = min((place for place in (text.find("{"), text.find("[{")) if place >= 0), default=-1)
    if start < 0:
        return
    try:
        yield json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return
