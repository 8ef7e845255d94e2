"""Anthropic's SDK as a transport for Messages through Amazon Bedrock: `bedrock://<region>`.

The SDK signs the request and puts the model into its path. The key is `access,secret` or `access,secret,session`, a
Bedrock API key, or none: then the SDK looks where Amazon's tools keep theirs. The frames of the response are read as
they come, so an exception inside the stream is the provider's. Checked with anthropic 1.17.0 and 2.14.0.
"""

import base64
import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from typing import Any, Final

import anthropic

from ostinato.credentials import Endpoint
from ostinato.errors import ApiKeyRequiredError, StreamProtocolError
from ostinato.transports.aws_frames import Frames
from ostinato.transports.upstream import HTTP_LIBRARIES, upstream_errors
from ostinato.turn import Request
from ostinato.wires.bedrock import SCHEME

__all__ = ["open"]

_PACKAGES: Final = ("anthropic", "botocore", *HTTP_LIBRARIES)


class _Transport:
    def __init__(self, client: str, endpoint: Endpoint, headers: dict[str, str]) -> None:
        self._client = client
        self._sdk = _sdk(endpoint, headers)

    async def events(self, request: Request) -> AsyncGenerator[dict[str, Any]]:
        body = request.body
        manager = self._sdk.messages.with_streaming_response.create(
            model=request.wire.model,
            max_tokens=body["max_tokens"],
            messages=[],
            stream=True,
            extra_body=body,
            extra_headers=request.headers,
        )
        frames = Frames(self._client)
        with upstream_errors(self._client, *_PACKAGES):
            async with AsyncExitStack() as stack:
                try:
                    response = await stack.enter_async_context(manager)
                except RuntimeError as error:  # what the SDK raises where it finds no credentials
                    raise ApiKeyRequiredError(self._client) from error
                async for chunk in response.iter_bytes():
                    for event in frames.feed(chunk):
                        yield self._unwrapped(event)

    def _unwrapped(self, event: dict[str, Any]) -> dict[str, Any]:
        """An event of Messages, out of the chunk that carries it; an exception as it is."""
        if "chunk" not in event:
            return event
        try:
            inner = json.loads(base64.b64decode(event["chunk"]["bytes"]))
        except (LookupError, TypeError, ValueError):
            inner = None
        if not isinstance(inner, dict):
            raise StreamProtocolError("a chunk holds no JSON object", self._client)
        return inner

    async def close(self) -> None:
        await self._sdk.close()


def _sdk(endpoint: Endpoint, headers: dict[str, str]) -> anthropic.AsyncAnthropicBedrock:
    key = endpoint.api_key
    region = endpoint.base_url.removeprefix(SCHEME).strip("/") or None
    if key is None:
        return anthropic.AsyncAnthropicBedrock(aws_region=region, default_headers=headers)
    sdk = anthropic.AsyncAnthropicBedrock(api_key=key, aws_region=region, default_headers=headers)
    if "," in key:
        # The SDK refuses a pair beside a token, and takes a token from the environment, so the pair is set afterwards.
        access, secret, *session = key.split(",")
        sdk.api_key, sdk.aws_access_key, sdk.aws_secret_key = None, access, secret
        sdk.aws_session_token = session[0] if session else None
    return sdk


def open(client: str, endpoint: Endpoint, headers: dict[str, str]) -> _Transport:  # noqa: A001 - opens a transport
    """A transport to Claude on Bedrock."""
    with upstream_errors(client, *_PACKAGES):
        return _Transport(client, endpoint, headers)
