"""Server-sent events: bytes in, events out. What a library's own reader parses into models is read as mappings here.

Lines end at LF, CR LF or CR and nowhere else: the libraries' readers of lines also cut at U+2028 and its like, which
JSON text may hold (httpx2 2.16).
"""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from ostinato.errors import StreamProtocolError

__all__ = ["events"]


_FIELDS = (b"data", b"event", b"id", b"retry", b"")  # the last one is a comment


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
    data: list[bytes] = []
    async for line in _lines(chunks):
        if line:
            field, _, value = line.partition(b":")
            if field == b"data":
                data.append(value.removeprefix(b" "))
            elif strays is not None and field not in _FIELDS:
                strays.append(line)
            continue
        text, data = b"\n".join(data), []
        if text.strip() == b"[DONE]":
            return
        if text:
            yield _object(text, client)


_LINE = re.compile(rb"\r\n|\n|\r")


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """The lines of a stream, and an empty one at its end: an event that nothing follows is complete too."""
    pending = b""
    async for chunk in chunks:
        pending += chunk
        cut = len(pending) - pending.endswith(b"\r")  # a CR at the end may be half of a CR LF
        *lines, rest = _LINE.split(pending[:cut])
        pending = rest + pending[cut:]
        for line in lines:
            yield line
    for line in (*_LINE.split(pending), b""):
        yield line


def _object(text: bytes, client: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise StreamProtocolError("an event is no JSON object", client)
    return value
