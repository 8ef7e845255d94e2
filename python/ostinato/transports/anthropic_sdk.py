"""Anthropic's SDK as a transport for Messages, on Anthropic's own API and on servers that speak its wire.

The SDK is handed the ready body as `extra_body` and its bytes are read as they come, as for OpenAI's.
Checked with anthropic 2.14.0.
"""

from collections.abc import AsyncGenerator
from typing import Any, Final, cast

import anthropic

from ostinato.credentials import Endpoint
from ostinato.transports import sse
from ostinato.transports.upstream import HTTP_LIBRARIES, upstream_errors
from ostinato.turn import Request

__all__ = ["open"]

_PACKAGES: Final = ("anthropic", *HTTP_LIBRARIES)


class _Transport:
    def __init__(self, client: str, endpoint: Endpoint, headers: dict[str, str]) -> None:
        self._client = client
        # Anthropic's own API takes the key in x-api-key. Other servers read either header. What the SDK would
        # send by itself depends on its version and on the environment (ANTHROPIC_AUTH_TOKEN), so both are said here.
        key = endpoint.api_key or ""
        bearer = f"Bearer {key}" if client == "ant-messages" else anthropic.Omit()
        auth = {"x-api-key": key, "Authorization": bearer}
        self._sdk = anthropic.AsyncAnthropic(
            api_key=key, base_url=endpoint.base_url, default_headers=cast("dict[str, str]", {**auth, **headers})
        )

    async def events(self, request: Request) -> AsyncGenerator[dict[str, Any]]:
        body = request.body
        manager = self._sdk.messages.with_streaming_response.create(
            model=body["model"],
            max_tokens=body["max_tokens"],
            messages=[],
            stream=True,
            extra_body=body,
            extra_headers=request.headers,
        )
        with upstream_errors(self._client, *_PACKAGES):
            async with manager as response:
                async for event in sse.events(response.iter_bytes(), self._client):
                    yield event

    async def models(self) -> list[str]:
        with upstream_errors(self._client, "anthropic", *HTTP_LIBRARIES):
            return [model.id async for model in self._sdk.models.list()]

    async def close(self) -> None:
        await self._sdk.close()


def open(client: str, endpoint: Endpoint, headers: dict[str, str]) -> _Transport:  # noqa: A001 - opens a transport
    """A transport to an endpoint that speaks Messages."""
    return _Transport(client, endpoint, headers)
