"""Anthropic's SDK as a transport for Messages, on Anthropic's own API and on servers that speak its wire.

The SDK is handed the ready body as `extra_body` and its bytes are read as they come, as for OpenAI's.
Checked with anthropic 2.14.0.
"""

from collections.abc import AsyncGenerator
from typing import Any

import anthropic

from ostinato.credentials import Endpoint
from ostinato.errors import UpstreamError
from ostinato.transports import sse
from ostinato.turn import Request

__all__ = ["open"]


class _Transport:
    def __init__(self, client: str, endpoint: Endpoint, headers: dict[str, str]) -> None:
        self._client = client
        # Third-party servers of this wire read either header; Anthropic's own API takes the key in one.
        token = endpoint.api_key if client == "ant-messages" else None
        self._sdk = anthropic.AsyncAnthropic(
            api_key=endpoint.api_key, auth_token=token, base_url=endpoint.base_url, default_headers=headers
        )
        if token is None:
            self._sdk.auth_token = None  # the SDK would take one from the environment

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
        try:
            async with manager as response:
                async for event in sse.events(response.iter_bytes(), self._client):
                    yield event
        except anthropic.APIError as error:
            raise _upstream(error, self._client) from error

    async def close(self) -> None:
        await self._sdk.close()


def _upstream(error: anthropic.APIError, client: str) -> UpstreamError:
    body = error.body if isinstance(error.body, dict) else None
    inner = body.get("error") if body else None
    status = error.status_code if isinstance(error, anthropic.APIStatusError) else None
    kind = inner.get("type") if isinstance(inner, dict) else None
    return UpstreamError(client, error.message, status=status, error_type=kind, error=inner or body)


def open(client: str, endpoint: Endpoint, headers: dict[str, str]) -> _Transport:  # noqa: A001 - opens a transport
    """A transport to an endpoint that speaks Messages."""
    return _Transport(client, endpoint, headers)
