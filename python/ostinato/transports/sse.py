"""Server-sent events: bytes in, events out. What a library's own reader parses into models is read as mappings here.

Lines end at LF, CR LF or CR and nowhere else: the libraries' readers of lines also cut at U+2028 and its like, which
JSON text may hold (httpx2 2.16).
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Any, Final

from ostinato.errors import StreamProtocolError

__all__ = ["events"]

_FIELDS: Final = (b"data", b"event", b"id", b"retry", b"")  # the last one is a comment
_DONE: Final = b"[DONE]"
_MOMENT: Final = 0.25
"""Seconds; a server that ends its responses does so at once."""


async def events(
    chunks: AsyncIterator[bytes], client: str, strays: list[bytes] | None = None
) -> AsyncGenerator[dict[str, Any]]:
    """The JSON objects in the data of a stream. `[DONE]` ends it; comments and fields nobody needs are skipped.

    Args:
        chunks: the stream, however it was cut.
        client: the client type, for errors.
        strays: is given the lines that are no part of an event.

    Raises:
        StreamProtocolError: the data of an event is no JSON object.
    """
    parts = _Parts([] if strays is None else strays)
    async for chunk in chunks:
        for text in parts.feed(chunk):
            if text == _DONE:
                await _drain(chunks)
                return
            yield _object(text, client)
    for text in parts.feed(b"\n\n"):  # an event that nothing follows is complete too
        if text != _DONE:
            yield _object(text, client)


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read what follows, for a moment: HTTP/1.1 uses a connection again only if its response was read to the end."""
    with suppress(Exception):  # the answer is complete, whatever its connection does now
        async with asyncio.timeout(_MOMENT):
            async for _ in chunks:
                pass


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


def _object(text: bytes, client: str) -> dict[str, Any]:
    try:
        value = json.loads(text.decode())
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise StreamProtocolError("an event is no JSON object", client)
    return value
