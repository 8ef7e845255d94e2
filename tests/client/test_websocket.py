"""Responses over WebSocket: the same input as over HTTP, one connection for many turns, and typed errors."""

import asyncio
import json
from http import HTTPStatus
from typing import Any

import pytest

from ostinato import (
    AbortSignal,
    AutoLLMClient,
    IncompleteStreamError,
    ProviderStreamError,
    StreamProtocolError,
    UnsupportedOperationError,
    UpstreamError,
)
from ostinato.credentials import resolve
from ostinato.wires import wire
from tests.client.provider import Provider, reasoning, responses
from tests.client.sockets import Sockets, sockets
from tests.client.test_history import client_of as client_over_http
from tests.client.test_history import run, say, user


def client_of(server: Sockets, client_type: str = "openai-official") -> AutoLLMClient:
    """A client of the server."""
    return AutoLLMClient("gpt-6", "test-key", server.url, client_type, {"X-Own": "1"})


CALL = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_1",
    "name": "look",
    "arguments": '{"at": "日本", "n": 1.0}',
}
TURNS = (responses(reasoning(1, "Plan.", "Act."), CALL, output="one"), responses(reasoning(2), output="two"))


def input_of(body: str) -> str:
    """The text of `input` in a request."""
    start = body.index('"input":') + len('"input":')
    return body[start : json.JSONDecoder().raw_decode(body, start)[1]]


def test_the_input_is_the_same_as_over_http(server: Provider) -> None:
    """Byte for byte, with state, calls and texts; HTTP's own settings stay away, and so does `stream`."""
    server.play(*TURNS)

    async def over_http() -> Any:
        client = client_over_http(server)
        for text in ("a", "日本"):
            await say(client, text, config={"thinking_level": "high"})
        return client.get_history()

    async def over_websocket() -> tuple[Any, Sockets]:
        async with sockets(*TURNS) as speaking, client_of(speaking) as client:
            for text in ("a", "日本"):
                await say(client, text, config={"thinking_level": "high"})
            return client.get_history(), speaking

    recorded = run(server, over_http)
    history, speaking = asyncio.run(over_websocket())
    for sent, frame, body in zip(speaking.requests, speaking.frames, server.bodies, strict=True):
        expected = json.loads(body)
        assert expected.pop("stream") is True
        assert sent == {"type": "response.create"} | expected
        assert input_of(frame) == input_of(body.decode())
    for message in (*history, *recorded):
        message.pop("created_at")
        message.pop("origin", None)
    assert history == recorded


def test_one_connection_serves_many_turns() -> None:
    """With the key and the caller's headers, at the path of the wire."""

    async def scene() -> None:
        async with sockets(*TURNS) as speaking:
            async with client_of(speaking) as client:
                await say(client, "a")
                await say(client, "b")
                assert speaking.connections == 1
                assert speaking.paths == ["/v1/responses"]
                assert speaking.headers[0]["authorization"] == "Bearer test-key"
                assert speaking.headers[0]["x-own"] == "1"
            await asyncio.wait_for(speaking.gone.wait(), 5)

    asyncio.run(scene())


def test_a_connection_that_grew_old_is_replaced() -> None:
    """The server may close it at any time between two turns."""

    async def scene() -> None:
        async with sockets([*TURNS[0], None], TURNS[1]) as speaking, client_of(speaking) as client:
            await say(client, "a")
            await asyncio.wait_for(speaking.gone.wait(), 5)
            await say(client, "b")
            assert speaking.connections == 2

    asyncio.run(scene())


def test_calls_side_by_side_have_a_connection_each() -> None:
    """A connection carries one response at a time."""

    async def scene() -> None:
        async with sockets(*TURNS) as speaking, client_of(speaking) as client:

            async def call() -> None:
                assert [event async for event in client.streaming_response([user("a")])]

            await asyncio.gather(call(), call())
            assert speaking.connections == 2

    asyncio.run(scene())


@pytest.mark.parametrize("how", ["close", "abort"])
def test_a_response_that_is_left_takes_its_connection_with_it(how: str) -> None:
    """What is still to come of it must not be read as the next one."""

    async def scene() -> None:
        async with sockets([*TURNS[0][:4], ...], TURNS[1]) as speaking, client_of(speaking) as client:
            signal = AbortSignal()
            stream = client.streaming_response_stateful(user("a"), signal=signal)
            await anext(stream)
            if how == "abort":
                signal.abort()
            else:
                await stream.aclose()
            await asyncio.wait_for(speaking.gone.wait(), 5)
            await say(client, "b")
            assert [message["content_items"][0].get("text") for message in client.get_history()][:1] == ["b"]
            assert speaking.connections == 2
            await stream.aclose()

    asyncio.run(scene())


async def failing(kind: type[Exception], *answers: Any, **more: Any) -> Any:
    """The error that a call ends with; nothing is recorded."""
    async with sockets(*answers, **more) as speaking, client_of(speaking) as client:
        with pytest.raises(kind) as caught:
            await say(client, "a")
        assert client.get_history() == []
        return caught.value


def test_an_error_frame_is_the_providers() -> None:
    """It has the status that the response would have had over HTTP."""
    words = {"type": "invalid_request_error", "code": "unknown_model", "message": "no such model"}
    error = asyncio.run(failing(ProviderStreamError, [{"type": "error", "status": 400, "error": words}]))
    assert (error.code, error.status, error.provider_message) == ("unknown_model", 400, "no such model")


def test_a_refused_handshake_is_an_http_error() -> None:
    """With the provider's words, and the library's exception as its cause."""
    body = json.dumps({"error": {"type": "invalid_request_error", "message": "wrong key"}})
    error = asyncio.run(failing(UpstreamError, refusal=(HTTPStatus.UNAUTHORIZED, body)))
    assert (error.status, error.error_type) == (401, "invalid_request_error")
    assert "wrong key" in str(error)
    assert type(error.__cause__).__module__.startswith("websockets")


def test_a_connection_that_ends_early_is_told_from_one_that_breaks() -> None:
    """An orderly end leaves a response incomplete; anything else is the connection's fault."""
    asyncio.run(failing(IncompleteStreamError, [*TURNS[0][:4], None]))
    assert asyncio.run(failing(UpstreamError, [*TURNS[0][:4], 1011])).status is None


@pytest.mark.parametrize("frame", ["{", "[1]", "secret words"])
def test_a_frame_that_is_no_object_is_a_broken_stream(frame: str) -> None:
    """And is not quoted."""
    assert "secret" not in str(asyncio.run(failing(StreamProtocolError, [frame])))


def test_a_large_frame_is_read() -> None:
    """The completed response holds everything once more."""
    large = responses(output="x" * (3 << 20))

    async def scene() -> int:
        async with sockets(large) as speaking, client_of(speaking) as client:
            await say(client, "a")
            return len(client.get_history()[1]["content_items"][0]["text"])

    assert asyncio.run(scene()) == 3 << 20


def test_a_server_is_the_same_over_both() -> None:
    """State crosses from one to the other, and so does the key that the environment holds for it."""
    over_http = wire("openai-responses", "m", endpoint="https://gateway.test/v1").origin
    assert wire("openai-responses", "m", endpoint="wss://gateway.test/v1").origin == over_http
    assert resolve("openai-official", None, "wss://api.openai.com/v1", {"OPENAI_API_KEY": "k"}).api_key == "k"


def test_other_wires_have_no_websocket() -> None:
    """Nothing is sent."""

    async def scene() -> None:
        async with AutoLLMClient("m", "k", "ws://127.0.0.1:9/v1", "openai-chat") as client:
            with pytest.raises(UnsupportedOperationError):
                await say(client, "a")

    asyncio.run(scene())
