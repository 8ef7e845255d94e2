"""OpenAI's SDK as a transport: Responses, Chat Completions and Embeddings.

The SDK validates parameters recursively, which takes over a second on a history of 1,000 messages, and parses every
delta into models (openai 3.57.0). So it is handed the ready body as `extra_body`, and its bytes are read as they come.
Auth, retries, timeouts and proxies stay the SDK's. Checked with openai 2.53.0, 3.3.1 and 3.57.0.
"""

from collections.abc import AsyncGenerator
from typing import Any, Final

import openai

from ostinato.credentials import Endpoint, over_http
from ostinato.transports import sse
from ostinato.transports.upstream import HTTP_LIBRARIES, upstream_errors
from ostinato.turn import Request

__all__ = ["connect", "open"]

_OWN_HOST: Final = "https://api.openai.com/"


def connect(endpoint: Endpoint, headers: dict[str, str]) -> openai.AsyncOpenAI:
    """The SDK's client of an endpoint."""
    # The SDK sends a key with every request; servers without keys take this one.
    key, url = endpoint.api_key or "EMPTY", over_http(endpoint.base_url)
    sdk = openai.AsyncOpenAI(api_key=key, base_url=url, default_headers=headers)
    if not url.startswith(_OWN_HOST):
        # The SDK takes these from the environment; they are meant for OpenAI alone.
        sdk.organization = sdk.project = None
    return sdk


class _Transport:
    def __init__(self, client: str, endpoint: Endpoint, headers: dict[str, str]) -> None:
        self._client = client
        self._sdk = connect(endpoint, headers)

    async def events(self, request: Request) -> AsyncGenerator[dict[str, Any]]:
        body = request.body
        with upstream_errors(self._client, "openai", *HTTP_LIBRARIES):
            if request.wire.name == "openai-embedding":
                answer = await self._sdk.embeddings.with_raw_response.create(
                    model=body["model"],
                    input="",
                    encoding_format="float",
                    extra_body=body,
                    extra_headers=request.headers,
                )
                yield dict(answer.http_response.json())
                return
            async with self._call(request) as response:
                async for event in sse.events(response.iter_bytes(), self._client):
                    yield event

    def _call(self, request: Request) -> Any:  # noqa: ANN401 - a manager of the SDK, one type per version
        common: dict[str, Any] = {
            "model": request.body["model"],
            "stream": True,
            "extra_body": request.body,
            "extra_headers": request.headers,
        }
        if request.wire.name == "openai-responses":
            return self._sdk.responses.with_streaming_response.create(input="", **common)
        return self._sdk.chat.completions.with_streaming_response.create(messages=[], **common)

    async def models(self) -> list[str]:
        with upstream_errors(self._client, "openai", *HTTP_LIBRARIES):
            return [model.id async for model in self._sdk.models.list()]

    async def close(self) -> None:
        await self._sdk.close()


def open(client: str, endpoint: Endpoint, headers: dict[str, str]) -> _Transport:  # noqa: A001 - opens a transport
    """A transport to an endpoint that speaks one of OpenAI's wires."""
    return _Transport(client, endpoint, headers)
