"""Clients tell the models of their endpoint."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ostinato import AutoLLMClient, LLMClient, UnsupportedOperationError, UpstreamError, wire

LISTS = {
    "openai": {"object": "list", "data": [{"id": "a", "object": "model", "created": 1, "owned_by": "x"}]},
    "anthropic": {
        "data": [{"id": "a", "type": "model", "display_name": "A", "created_at": "2026-01-01T00:00:00Z"}],
        "has_more": False,
        "first_id": "a",
        "last_id": "a",
    },
    "google": {"models": [{"name": "models/a"}]},
}


class _Handler(BaseHTTPRequestHandler):
    """Answers every GET with the list that the path's first part names."""

    def do_GET(self) -> None:
        answer = LISTS.get(self.path.split("/")[1])
        body = json.dumps(answer or {"error": {"message": "not here", "type": "missing"}}).encode()
        self.send_response(200 if answer else 404)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    """A server of model lists."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def models(client: LLMClient) -> list[str]:
    """The models, with the client closed after."""

    async def ask() -> list[str]:
        async with client:
            return await client.list_models()

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("client_type", "path"),
    [
        ("openai-official", "/openai"),
        ("openai-chat", "/openai"),
        ("ant-messages", "/anthropic"),
        ("google-genai", "/google"),
        ("mmsp", "/openai"),
    ],
)
def test_models_are_listed_by_id(url: str, client_type: str, path: str) -> None:
    """One way to ask, whatever the provider calls it."""
    client = AutoLLMClient("m", api_key="k", base_url=url + path, client_type=client_type)
    assert models(client) == ["a"]


def test_an_http_error_is_the_providers(url: str) -> None:
    """It has its status, as in a call."""
    with pytest.raises(UpstreamError) as caught:
        models(AutoLLMClient("m", api_key="k", base_url=url + "/nowhere", client_type="openai-chat"))
    assert caught.value.status == 404


def test_a_transport_that_cannot_ask_says_so() -> None:
    """A transport of one's own need not list models."""

    class Mute:
        async def close(self) -> None:
            """Nothing is open."""

    with pytest.raises(UnsupportedOperationError):
        models(LLMClient(wire("openai-chat", "m"), Mute))  # type: ignore[arg-type]
