"""Server-sent events of a response: `ostinato.sse` over what a client library reads."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Any, Final

from ostinato.sse import SseParser

__all__ = ["events"]

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
    parser = SseParser(client, strays)
    async for chunk in chunks:
        for event in parser.feed(chunk):
            yield event
        if parser.done:
            await _drain(chunks)
            return
    for event in parser.finish():
        yield event


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read what follows, for a moment: HTTP/1.1 uses a connection again only if its response was read to the end."""
    with suppress(Exception):  # the answer is complete, whatever its connection does now
        async with asyncio.timeout(_MOMENT):
            async for _ in chunks:
                pass
