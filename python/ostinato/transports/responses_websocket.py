"""OpenAI's SDK as a transport for Responses over WebSocket: a base URL that begins with `ws://` or `wss://`.

What is sent is the body of the HTTP request, so `input` is the same on both ways. Frames are read as they are; auth and
proxies stay the SDK's. A connection serves one response at a time; when that has ended, the next request takes it over.
Checked with openai 2.53.0, 3.3.1 and 3.57.0, and websockets 15.0.1 and 17.4.
"""

import json
import logging
from collections.abc import AsyncGenerator
from typing import Any, Final

from websockets.exceptions import ConnectionClosed, ConnectionClosedOK

from ostinato.credentials import Endpoint
from ostinato.errors import StreamProtocolError
from ostinato.transports.openai_sdk import connect
from ostinato.transports.upstream import HTTP_LIBRARIES, upstream_errors
from ostinato.turn import Request

__all__ = ["open"]

Event = dict[str, Any]

_PACKAGES: Final = ("openai", "websockets", *HTTP_LIBRARIES)
_DONE: Final = ("response.completed", "response.incomplete", "response.failed")
# After an error the connection may be of no more use, such as one that is too old.
_LAST: Final = (*_DONE, "error")
# These belong to HTTP: a response over WebSocket always streams.
_NOT_SENT: Final = ("stream", "background")
_GOODBYE: Final = 2.0
_KEYS: Final = frozenset({"authorization", "proxy-authorization", "api-key", "x-api-key", "cookie"})


class _Keyless(logging.LoggerAdapter[logging.Logger]):
    """The library's logger, which at DEBUG writes every header of the request, the key among them (websockets 17.4)."""

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:  # noqa: ANN401 - as logging has it
        """A record, without the value of a header that is a key."""
        if args and isinstance(args[0], str) and args[0].lower() in _KEYS:
            args = (args[0], *("[withheld]" for _value in args[1:]))
        super().log(level, msg, *args, **kwargs)


class _Transport:
    def __init__(self, client: str, endpoint: Endpoint, headers: dict[str, str]) -> None:
        self._client = client
        self._headers = headers
        self._sdk = connect(endpoint, headers)
        self._idle: list[Any] = []

    async def events(self, request: Request) -> AsyncGenerator[Event]:
        body = {name: value for name, value in request.body.items() if name not in _NOT_SENT}
        frame = json.dumps({"type": "response.create", **body}, ensure_ascii=False, separators=(",", ":"))
        with upstream_errors(self._client, *_PACKAGES):
            connection, event = await self._send(frame, request.headers)
            try:
                while event is not None:
                    yield event
                    if event.get("type") in _LAST:
                        break
                    event = await self._receive(connection)
            finally:
                if event is not None and event.get("type") in _DONE:
                    self._idle.append(connection)
                else:
                    await connection.close()

    async def _send(self, frame: str, headers: dict[str, str]) -> tuple[Any, Event | None]:
        """Send a request over a connection that is free, else over a new one; give the first event too."""
        while self._idle:
            connection = self._idle.pop()
            try:
                await connection.send_raw(frame)
                return connection, self._read(await connection.recv_bytes())
            except ConnectionClosed:
                continue  # the server closed it while nobody used it
            except BaseException:
                await connection.close()
                raise
        # Older versions refuse frames of more than a megabyte, and an abort should not wait long for a goodbye.
        log = _Keyless(logging.getLogger("websockets.client"), {})
        options: Any = {"max_size": None, "close_timeout": _GOODBYE, "logger": log}
        manager = self._sdk.responses.connect(
            extra_headers={**self._headers, **headers}, websocket_connection_options=options
        )
        connection = await manager.enter()
        try:
            await connection.send_raw(frame)
            return connection, await self._receive(connection)
        except BaseException:
            await connection.close()
            raise

    async def _receive(self, connection: Any) -> Event | None:  # noqa: ANN401 - a class of the SDK without a public name
        """The next event; None where the server has ended the connection in good order."""
        try:
            return self._read(await connection.recv_bytes())
        except ConnectionClosedOK:
            return None

    def _read(self, frame: bytes) -> Event:
        try:
            event = json.loads(frame)
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict):
            raise StreamProtocolError("a frame is no JSON object", self._client)
        return event

    async def close(self) -> None:
        while self._idle:
            await self._idle.pop().close()
        await self._sdk.close()


def open(client: str, endpoint: Endpoint, headers: dict[str, str]) -> _Transport:  # noqa: A001 - opens a transport
    """A transport to an endpoint that speaks Responses over WebSocket."""
    return _Transport(client, endpoint, headers)
