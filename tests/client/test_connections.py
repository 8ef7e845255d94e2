"""A conversation over HTTP uses one connection: a new one for every turn would cost a handshake each."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ostinato import AutoLLMClient
from tests.client.test_history import say
from tests.rfc.exchanges import EXCHANGES

TURNS = 3


class Kept:
    """A provider that keeps its connections open, and counts them."""

    def __init__(self, events: list[Any], last: bytes) -> None:
        self.chunks = [f"data: {json.dumps(event)}\n\n".encode() for event in events] + ([last] if last else [])
        self.connections = 0
        self.requests = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request after the other."""
        self.connections += 1
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        try:
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
                await reader.readexactly(next(int(line[15:]) for line in lines if line.startswith(b"content-length:")))
                self.requests += 1
                writer.write(head)
                for chunk in (*self.chunks, b""):
                    writer.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
                    await writer.drain()
                    await asyncio.sleep(0)  # so that the client sees each by itself
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Its address, as long as the block lasts."""
        server = await asyncio.start_server(self.talk, "127.0.0.1", 0)
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        server.close()


@pytest.mark.parametrize(
    "client_type", ["openai-official", "openai-chat", "anthropic-official", "google-genai", "mmsp"]
)
def test_one_connection_serves_turn_after_turn(client_type: str) -> None:
    """Whether the stream ends by itself, or by a word."""
    exchange = EXCHANGES[client_type]
    kept = Kept(exchange.second, b"data: [DONE]\n\n" if client_type in ("openai-chat", "mmsp") else b"")

    async def scene() -> None:
        async with kept.serving() as url:
            async with AutoLLMClient(exchange.model, "k", url + exchange.under, client_type) as client:
                for _ in range(TURNS):
                    await say(client, "a")
            await asyncio.sleep(0.01)  # for the server to hear of it

    asyncio.run(scene())
    assert (kept.requests, kept.connections) == (TURNS, 1)
