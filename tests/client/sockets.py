"""A provider on 127.0.0.1 that speaks WebSocket: plays recorded responses, and keeps the requests."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response


@dataclass
class Sockets:
    """A server that speaks WebSocket: what it was sent, and what it will answer."""

    url: str = ""
    answers: list[Any] = field(default_factory=list)
    """For each request its events; None closes the connection in good order, an int with this code."""
    requests: list[Any] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    headers: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    refusal: tuple[HTTPStatus, str] | None = None
    """Refuse to switch from HTTP."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def connections(self) -> int:
        """How many were opened."""
        return len(self.headers)


@asynccontextmanager
async def sockets(*answers: Any, refusal: tuple[HTTPStatus, str] | None = None) -> AsyncIterator[Sockets]:
    """A server on 127.0.0.1, as long as the block lasts."""
    state = Sockets(answers=list(answers), refusal=refusal)

    async def handle(connection: ServerConnection) -> None:
        assert connection.request is not None
        state.headers.append(connection.request.headers)
        state.paths.append(connection.request.path)
        try:
            async for frame in connection:
                state.frames.append(str(frame))
                state.requests.append(json.loads(frame))
                for event in state.answers.pop(0):
                    if event is None or isinstance(event, int):
                        await connection.close(event or 1000)
                    elif event is Ellipsis:
                        await connection.wait_closed()
                    else:
                        await connection.send(event if isinstance(event, str) else json.dumps(event))
        finally:
            state.gone.set()

    def refuse(connection: ServerConnection, _request: Request) -> Response | None:
        return connection.respond(*state.refusal) if state.refusal else None

    async with serve(handle, "127.0.0.1", 0, process_request=refuse) as server:
        state.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        yield state
