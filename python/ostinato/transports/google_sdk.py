"""Google's SDK as a transport: generateContent, Interactions and embeddings, on the Gemini API and on Vertex AI.

Auth, retries, timeouts and proxies stay the SDK's; bodies go out and events come in as they are. Checked with
google-genai 2.34.0 and 3.6.1, with and without aiohttp, in November 2026:

* Interactions has a public way to the raw response, `with_streaming_response`. Its own events cost 5.6 ms each.
* generateContent has none. Its public events cost 0.7 ms each and lack every field the SDK does not know; a body can
  be given to it (`HttpOptions.extra_body`), but the stream cannot be closed early, because its generators hang in a
  reference cycle. Hooks of the HTTP library would show the response, but not where the SDK goes through aiohttp. So two
  private methods are called which all requests of the SDK go through, `_build_request` and `_async_request`.
"""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Final

from google import genai
from google.genai.types import HttpOptions
from google.oauth2.service_account import Credentials

from ostinato.credentials import Endpoint
from ostinato.errors import StreamProtocolError, UnsupportedOperationError
from ostinato.transports import sse
from ostinato.transports.upstream import HTTP_LIBRARIES, upstream_errors
from ostinato.turn import Request
from ostinato.wires.gemini_generate_content.dialects import VERTEX_HOST

__all__ = ["open"]

Event = dict[str, Any]

_PACKAGES: Final = ("google", "aiohttp", *HTTP_LIBRARIES)
_SCOPE: Final = "https://www.googleapis.com/auth/cloud-platform"
_URL: Final = re.compile(r"(?P<base>.*?://.*?)/(?P<version>v\d\w*)/(?P<resource>.*)")
_PROJECT: Final = re.compile(r"/projects/([^/]+)/locations/([^/]+)/?$")


class _Transport:
    def __init__(self, client: str, endpoint: Endpoint, headers: dict[str, str]) -> None:
        self._client = client
        self._url = endpoint.base_url.rstrip("/")
        self._sdk = _sdk(client, endpoint, headers)

    async def events(self, request: Request) -> AsyncGenerator[Event]:
        send = self._interact if request.wire.name == "gemini-interactions" else self._post
        with upstream_errors(self._client, *_PACKAGES):
            async with aclosing(send(request)) as events:
                async for event in events:
                    yield event

    async def _interact(self, request: Request) -> AsyncGenerator[Event]:
        create: Any = self._sdk.aio.interactions.with_streaming_response.create
        manager = create(
            model=request.wire.model,
            input=[],
            stream=True,
            extra_body=request.body,
            extra_headers=request.headers,
            api_version=request.path.split("/")[1],
        )
        async with manager as response:
            async for event in sse.events(response.iter_bytes(), self._client):
                yield event

    async def _post(self, request: Request) -> AsyncGenerator[Event]:
        api: Any = self._sdk._api_client  # noqa: SLF001 - see above
        # The SDK puts the URL together again, and takes keys out of the dict it is handed.
        parts = _URL.fullmatch(self._url + request.path)
        if parts is None:
            raise UnsupportedOperationError(self._client, "an endpoint without a version in its path")
        options = HttpOptions(base_url=parts["base"], api_version=parts["version"], headers=request.headers)
        call = api._build_request("post", parts["resource"], dict(request.body), options)  # noqa: SLF001
        streams = request.path.endswith("alt=sse")
        answer = (await api._async_request(call, options, stream=streams)).response_stream  # noqa: SLF001
        if not streams:
            yield json.loads(answer[0])
            return
        try:
            strays: list[bytes] = []
            async for event in sse.events(_chunks(answer), self._client, strays):
                yield event
            if strays:
                yield _last_words(strays, self._client)
        finally:
            await _close(answer)

    async def models(self) -> list[str]:
        with upstream_errors(self._client, *_PACKAGES):
            pager = await self._sdk.aio.models.list()
            return [(model.name or "").removeprefix("models/") async for model in pager]

    async def close(self) -> None:
        await self._sdk.aio.aclose()
        self._sdk.close()


def _sdk(client: str, endpoint: Endpoint, headers: dict[str, str]) -> genai.Client:
    """The SDK's client. Everything is said here, so that nothing comes from variables meant for other endpoints."""
    key, options = endpoint.api_key, HttpOptions(base_url=endpoint.base_url, headers=headers)
    account = _account(key)
    if VERTEX_HOST not in endpoint.base_url:
        if account:  # it holds a private key, which must not travel as the key of an API
            raise UnsupportedOperationError(client, "a service account outside of Vertex AI")
        return genai.Client(vertexai=False, api_key=key, http_options=options)
    if key and not account:
        return genai.Client(vertexai=True, api_key=key, http_options=options)
    place = _PROJECT.search(endpoint.base_url)
    project, location = place.groups() if place else (None, None)
    return genai.Client(vertexai=True, credentials=account, project=project, location=location, http_options=options)


def _account(key: str | None) -> Credentials | None:
    """The service account whose JSON text is given as the key."""
    if not key or not key.lstrip().startswith("{"):
        return None
    read: Any = Credentials.from_service_account_info  # it has no types
    account: Credentials = read(json.loads(key), scopes=[_SCOPE])
    return account


def _chunks(answer: Any) -> AsyncIterator[bytes]:  # noqa: ANN401 - a response of httpx, httpx2 or aiohttp
    chunks: AsyncIterator[bytes] = answer.aiter_bytes() if hasattr(answer, "aiter_bytes") else answer.content.iter_any()
    return chunks


async def _close(answer: Any) -> None:  # noqa: ANN401 - as above
    if hasattr(answer, "aclose"):
        await answer.aclose()
    else:
        answer.close()


def _last_words(lines: list[bytes], client: str) -> Event:
    """What a server in trouble writes into a stream that has begun: an error as JSON, without the framing of events."""
    try:
        words = json.loads(b"\n".join(lines))
    except ValueError:
        words = None
    if not isinstance(words, dict) or "error" not in words:
        raise StreamProtocolError("the stream holds something that is no event", client)
    return words


def open(client: str, endpoint: Endpoint, headers: dict[str, str]) -> _Transport:  # noqa: A001 - opens a transport
    """A transport to an endpoint that speaks one of Google's wires."""
    return _Transport(client, endpoint, headers)
