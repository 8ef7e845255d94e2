"""What client libraries raise comes out as `UpstreamError`; everything else stays what it is."""

import asyncio
from typing import Any

import httpx2
import pytest

from ostinato import AutoLLMClient, UpstreamError
from ostinato.transports.upstream import describe, upstream_errors
from tests.client.provider import Answer, Provider, responses
from tests.client.test_history import run, say

MESSAGE_START = {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage": {}}}
CLIENTS = {"openai-official": ("gpt-6", responses()[:3]), "anthropic-official": ("claude-fable-5", [MESSAGE_START])}


def client_of(server: Provider, client_type: str) -> AutoLLMClient:
    """A client of the provider."""
    client = AutoLLMClient(CLIENTS[client_type][0], "test-key", server.url, client_type)
    server.clients.append(client)
    return client


@pytest.mark.parametrize("client_type", CLIENTS)
def test_a_connection_that_breaks_inside_a_stream_is_a_typed_error(server: Provider, client_type: str) -> None:
    """The SDKs let the exceptions of the HTTP library below them through."""
    server.play(Answer(CLIENTS[client_type][1], break_off=True))

    async def scene() -> Any:
        client = client_of(server, client_type)
        with pytest.raises(UpstreamError) as caught:
            await say(client, "a")
        assert isinstance(caught.value.__cause__, httpx2.TransportError)
        return client.get_history()

    assert run(server, scene) == []


def test_an_http_error_of_messages_names_status_and_kind(server: Provider) -> None:
    """Anthropic's SDK keeps the whole body; the error inside it is what counts."""
    inner = {"type": "invalid_request_error", "message": "no such model"}
    server.play(Answer(status=404, body={"type": "error", "error": inner}))

    async def scene() -> UpstreamError:
        with pytest.raises(UpstreamError) as caught:
            await say(client_of(server, "anthropic-official"), "a")
        return caught.value

    error = run(server, scene)
    assert (error.status, error.error_type, error.error) == (404, "invalid_request_error", inner)
    assert str(error).endswith("no such model")


def test_exceptions_of_other_packages_pass() -> None:
    """A bug is not the provider's fault, and a cancellation is none either."""
    for error in (KeyError("x"), asyncio.CancelledError("reason")):
        with pytest.raises(type(error)), upstream_errors("openai-official", "httpx2"):
            raise error


def test_an_error_without_words_is_named_by_its_class() -> None:
    """An empty message helps nobody."""
    assert str(describe(httpx2.ReadTimeout(""), "mmsp")).endswith("ReadTimeout")
