"""Amazon's SDK as a transport for Bedrock Converse: `bedrock://<region>`, or the URL of a gateway.

Auth, retries and proxies stay the SDK's. The key is `access,secret` or `access,secret,session`, a Bedrock API key, or
none: then the SDK looks where Amazon's tools keep theirs. Checked with boto3 1.44.8 in November 2026.

The SDK blocks, so each call has a thread. Its models drop what they do not know and encode bytes once more, so hooks of
its event system put the wire's body in and take the raw frames out.
"""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import suppress
from typing import Any, Final

import boto3
import botocore
from botocore.config import Config
from botocore.exceptions import NoCredentialsError

from ostinato.credentials import Endpoint
from ostinato.errors import ApiKeyRequiredError
from ostinato.transports.aws_frames import Frames
from ostinato.transports.upstream import upstream_errors
from ostinato.turn import Request
from ostinato.wires.bedrock import SCHEME

__all__ = ["open"]

Event = dict[str, Any]

Give = Callable[[Event | Exception | None], object]

_PACKAGES: Final = ("boto3", "botocore", "urllib3")
# A model may think for long between two frames; Amazon's own guide to Claude names an hour.
_PATIENCE: Final = 3600


class _Call(threading.Thread):
    """One call of the SDK, whose frames come out as events. None is the end."""

    def __init__(self, sdk: Any, request: Request, client: str, give: Give) -> None:  # noqa: ANN401 - boto3 has no types
        super().__init__(name="ostinato-bedrock", daemon=True)
        self._sdk = sdk
        self._client = client
        self._model = request.wire.model
        self._give = give
        self._stopped = False
        self.body = json.dumps(request.body, ensure_ascii=False, separators=(",", ":")).encode()
        self.raw: Any = None
        """The raw response, once it is there."""

    def run(self) -> None:
        with suppress(RuntimeError):  # the event loop is closed: nobody is listening any more
            try:
                with upstream_errors(self._client, *_PACKAGES):
                    for event in self._events():
                        self._give(event)
                self._give(None)
            except Exception as error:  # noqa: BLE001 - raised where the events are awaited
                self._give(error)

    def _events(self) -> Iterator[Event]:
        _CURRENT.call = self  # the hooks run in this thread and find the call here
        try:
            self._sdk.converse_stream(modelId=self._model)
            frames = Frames(self._client)
            for chunk in () if self._stopped else self.raw.stream():
                yield from frames.feed(chunk)
        except NoCredentialsError as error:
            raise ApiKeyRequiredError(self._client) from error
        finally:
            if self.raw is not None:
                self.raw.close()

    def stop(self) -> None:
        """Wake the thread, if it waits for the provider; it closes the connection."""
        self._stopped = True
        wake = getattr(self.raw, "shutdown", None)  # since urllib3 2.3; before, it wakes with the next frame
        if wake is not None:
            with suppress(ValueError, RuntimeError, OSError):  # it is closed already
                wake()


_CURRENT = threading.local()


def _put_body(params: Any, **_: object) -> None:  # noqa: ANN401 - the SDK's request
    params["body"] = _CURRENT.call.body
    params["headers"]["Content-Type"] = "application/json"


def _take_frames(response_dict: Any, **_: object) -> None:  # noqa: ANN401 - the SDK's response
    if response_dict["status_code"] < 300:  # noqa: PLR2004 - others are errors, which the SDK reads
        _CURRENT.call.raw = response_dict["body"]


class _Transport:
    def __init__(self, client: str, sdk: Any) -> None:  # noqa: ANN401 - boto3 has no types
        self._client = client
        self._sdk = sdk

    async def events(self, request: Request) -> AsyncGenerator[Event]:
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[Event | Exception | None] = asyncio.Queue()
        call = _Call(
            self._sdk, request, self._client, lambda event: loop.call_soon_threadsafe(arrived.put_nowait, event)
        )
        call.start()
        try:
            while (event := await arrived.get()) is not None:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            call.stop()

    async def close(self) -> None:
        self._sdk.close()


def _sdk(endpoint: Endpoint, headers: dict[str, str]) -> Any:  # noqa: ANN401 - boto3 has no types
    url, key = endpoint.base_url, endpoint.api_key
    region = url.removeprefix(SCHEME).strip("/") or None
    where = {"region_name": region} if url.startswith(SCHEME) else {"endpoint_url": url}
    names = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
    pair = dict(zip(names, key.split(","), strict=False)) if key and "," in key else {}
    # Said here, so that a token in the environment does not take the place of a key that was passed.
    settings = {"signature_version": "v4" if pair else botocore.UNSIGNED} if key else {}
    sdk = boto3.Session(**pair).client("bedrock-runtime", **where, config=Config(read_timeout=_PATIENCE, **settings))
    own = {**({"Authorization": f"Bearer {key}"} if key and not pair else {}), **headers}

    def put_headers(request: Any, **_: object) -> None:  # noqa: ANN401 - the SDK's request
        for name, value in own.items():
            request.headers[name] = value

    hooks = sdk.meta.events
    hooks.register("before-call.bedrock-runtime.ConverseStream", _put_body)
    hooks.register("before-sign.bedrock-runtime.ConverseStream", put_headers)
    hooks.register("before-parse.bedrock-runtime.ConverseStream", _take_frames)
    return sdk


def open(client: str, endpoint: Endpoint, headers: dict[str, str]) -> _Transport:  # noqa: A001 - opens a transport
    """A transport to Bedrock."""
    with upstream_errors(client, *_PACKAGES):
        return _Transport(client, _sdk(endpoint, headers))
