"""Server-sent events: bytes in, events out, however the bytes were cut. No I/O.

Lines end at LF, CR LF or CR and nowhere else: libraries' readers of lines also cut at U+2028 and its like, which JSON
text may hold (httpx2 2.16). A long signature comes in many pieces, and is one event (field report R152).
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from ostinato.discretion import discreet
from ostinato.errors import StreamProtocolError

__all__ = ["SseParser"]

_FIELDS: Final = (b"data", b"event", b"id", b"retry", b"")  # the last one is a comment
_DONE: Final = b"[DONE]"


class SseParser:
    """The JSON objects in the data of a stream. `[DONE]` ends it; comments and fields nobody needs are skipped.

    Args:
        client: the client type, for errors.
        strays: is given the lines that are no part of an event.
    """

    def __init__(self, client: str | None = None, strays: list[bytes] | None = None) -> None:
        self._client = client
        self._parts = _Parts([] if strays is None else strays)
        self.done = False
        """Whether `[DONE]` came. What follows it is not read."""

    @discreet
    def feed(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """The events that end in this chunk. The chunk is read at once; take all of what comes out.

        Raises:
            StreamProtocolError: the data of an event is no JSON object.
        """
        return self._objects(self._parts.feed(chunk))

    @discreet
    def finish(self) -> Iterator[dict[str, Any]]:
        """The stream is over: an event that nothing follows is complete too. One cut short is no JSON.

        Raises:
            StreamProtocolError: as `feed`.
        """
        return self._objects(self._parts.feed(b"\n\n"))

    def _objects(self, texts: list[bytes]) -> Iterator[dict[str, Any]]:
        for text in texts:
            self.done = self.done or text == _DONE
            if self.done:
                return
            yield _object(text, self._client)


class _Parts:
    """Cuts bytes into lines, and puts lines together to the data of events. No piece is looked at twice."""

    def __init__(self, strays: list[bytes]) -> None:
        self._strays = strays
        self._line: list[bytes] = []
        self._after_cr = False
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of the events that end in this chunk."""
        found = []
        for line in self._lines(chunk):
            field, _, value = line.partition(b":")
            if not line:
                text, self._data = b"\n".join(self._data).strip(), []
                found += [text] if text else []
            elif field == b"data":
                self._data.append(value)
            elif field not in _FIELDS:
                self._strays.append(line)
        return found

    def _lines(self, chunk: bytes) -> list[bytes]:
        if self._after_cr and chunk.startswith(b"\n"):  # the other half of a CR LF
            chunk, self._after_cr = chunk[1:], False
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        lines = chunk.splitlines()  # of bytes: at LF, CR LF and CR alone
        rest = [] if chunk.endswith((b"\n", b"\r")) else [lines.pop()]
        if not lines:
            self._line += rest
            return []
        lines[0] = b"".join((*self._line, lines[0]))
        self._line = rest
        return lines


def _object(text: bytes, client: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text.decode())
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise StreamProtocolError("an event is no JSON object", client)
    return value
