"""HTTP as a transport to servers of MMSP: one POST, answered by a stream of events.

There is no SDK; httpx2 is what the SDKs of the providers speak HTTP with. Checked with httpx2 2.16.2 and the server
of mmsp 0.5.6.
"""

import json
from collections.abc import AsyncGenerator
from typing import Any, Final

import httpx2

from ostinato.credentials import Endpoint
from ostinato.errors import UpstreamError
from ostinato.transports import sse
from ostinato.transports.upstream import HTTP_LIBRARIES, upstream_errors
from ostinato.turn import Request

__all__ = ["open"]

# A model may think for as long as it wants between two events.
_TIMEOUT: Final = httpx2.Timeout(30.0, read=None)
_SHOWN: Final = 200


class _Transport:
    def __init__(self, client: str, endpoint: Endpoint, headers: dict[str, str]) -> None:
        self._client = client
        self._url = endpoint.base_url.rstrip("/")
        auth = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
        self._http = httpx2.AsyncClient(headers={**auth, **headers}, timeout=_TIMEOUT)

    async def events(self, request: Request) -> AsyncGenerator[dict[str, Any]]:
        content = json.dumps(request.body, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream", **request.headers}
        with upstream_errors(self._client, *HTTP_LIBRARIES):
            async with self._http.stream("POST", self._url + request.path, content=content, headers=headers) as answer:
                await _refuse_errors(answer, self._client)
                async for event in sse.events(answer.aiter_bytes(), self._client):
                    yield event

    async def models(self) -> list[str]:
        with upstream_errors(self._client, *HTTP_LIBRARIES):
            async with self._http.stream("GET", f"{self._url}/models") as answer:
                await _refuse_errors(answer, self._client)
                listed = json.loads(await answer.aread())
        return [row["id"] for row in listed["data"]]

    async def close(self) -> None:
        await self._http.aclose()


async def _refuse_errors(answer: httpx2.Response, client: str) -> None:
    """Raise what a server says instead of streaming: its error object, or the beginning of whatever it sent."""
    try:
        answer.raise_for_status()
    except httpx2.HTTPStatusError as cause:
        text = (await answer.aread()).decode("utf-8", "replace")
        error = _error_object(text) or {"type": "HTTPError", "message": f"HTTP {answer.status_code}: {text[:_SHOWN]}"}
        words = str(error.get("message") or error.get("type") or "unknown error")
        kind = error.get("type")
        raise UpstreamError(client, words, status=answer.status_code, error_type=kind, error=error) from cause


def _error_object(text: str) -> dict[str, Any] | None:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else None


def open(client: str, endpoint: Endpoint, headers: dict[str, str]) -> _Transport:  # noqa: A001 - opens a transport
    """A transport to a server of MMSP."""
    return _Transport(client, endpoint, headers)
