"""HTTP as a transport to MMSP servers. The real server is in `tests/peers/mmsp_server`."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from ostinato import AutoLLMClient, UpstreamError
from tests.client.provider import Answer, Provider
from tests.client.test_history import run, say, user

USAGE = {"cached_tokens": 0, "prompt_tokens": 3, "thoughts_tokens": None, "response_tokens": 1}


def event(*items: Any, **more: Any) -> Any:
    """One event of the public stream."""
    empty = {"usage_metadata": None, "finish_reason": None, "created_at": 1}
    return {"role": "assistant", "event_type": "delta", "content_items": list(items)} | empty | more


def stream(text: str) -> list[Any]:
    """The events of a response that says `text`."""
    return [
        event({"type": "text.delta", "text": text}),
        event({"type": "text.done", "text": text}),
        event(event_type="stop", usage_metadata=USAGE, finish_reason="stop"),
    ]


def client_of(server: Provider, key: str | None = "test-key") -> AutoLLMClient:
    """A client of the provider."""
    client = AutoLLMClient("claude", key, server.url, "mmsp")
    server.clients.append(client)
    return client


def test_messages_go_out_as_they_are(server: Provider) -> None:
    """One POST with the key as a bearer token; text is not escaped."""
    server.play(stream("one"), stream("two"))

    async def scene() -> None:
        client = client_of(server)
        await say(client, "日本", config={"max_tokens": 5})
        await say(client, "b")

    run(server, scene)
    assert server.paths == ["/v1/stream"] * 2
    assert server.headers[0]["authorization"] == "Bearer test-key"
    assert server.headers[0]["accept"] == "text/event-stream"
    assert "日本".encode() in server.bodies[0]
    first, second = server.requests
    assert first["config"] == {"max_tokens": 5}
    assert second["messages"][:1] == first["messages"]
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]


def test_an_open_server_gets_no_key(server: Provider) -> None:
    """A base URL that was passed without a key is one."""
    server.play(stream("one"))

    async def scene() -> None:
        await say(client_of(server, None), "a")

    run(server, scene)
    assert "authorization" not in server.headers[0]


ERROR = {"type": "AuthenticationError", "message": "no such key", "hint": 1}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(status=401, body={"error": ERROR}), (401, "AuthenticationError", "no such key")),
        (Answer(status=502, body="<html>Bad gateway</html>"), (502, "HTTPError", "HTTP 502: <html>Bad gateway")),
        (Answer(status=500, body={"error": "words"}), (500, "HTTPError", "HTTP 500: ")),
        (Answer([{"error": ERROR | {"status": 429}}]), (429, "AuthenticationError", "no such key")),
    ],
    ids=["error object", "no JSON", "no error object", "in the stream"],
)
def test_an_error_of_the_server_is_an_upstream_error(server: Provider, answer: Answer, expected: Any) -> None:
    """With its own words, kind and status; a refusal's cause is the HTTP library's exception."""
    server.play(answer)

    async def scene() -> UpstreamError:
        client = client_of(server)
        with pytest.raises(UpstreamError) as caught:
            await say(client, "a")
        assert client.get_history() == []
        return caught.value

    error, (status, kind, words) = run(server, scene), expected
    assert (error.status, error.error_type) == (status, kind)
    assert words in str(error)
    assert isinstance(error.__cause__, httpx2.HTTPStatusError) is (answer.body is not None)


def test_a_server_that_is_not_there_is_an_upstream_error() -> None:
    """Nothing listens on this port."""

    async def scene() -> None:
        async with AutoLLMClient("claude", None, "http://127.0.0.1:9/v1", "mmsp") as client:
            with pytest.raises(UpstreamError) as caught:
                await say(client, "a")
            assert isinstance(caught.value.__cause__, httpx2.ConnectError)

    asyncio.run(scene())


def test_a_stream_that_is_left_early_is_closed_at_once(server: Provider) -> None:
    """The server stops its upstream call when its client goes away."""
    server.play(Answer(stream("never finished"), wait_after=1))

    async def scene() -> None:
        client = client_of(server)
        async with client.turn(user("a")) as events:
            async for _ in events:
                break
        assert await asyncio.to_thread(server.closed.wait, 5)

    run(server, scene)


def test_images_travel_as_base64(server: Provider) -> None:
    """Bytes of a message are text in JSON, and bytes again in what comes back."""
    image = {"type": "inline_data.done", "data": "AQI=", "mime_type": "image/png"}
    delta = image | {"type": "inline_data.delta"}
    server.play([event(delta), event(image), *stream("x")[2:]])

    async def scene() -> Any:
        client = client_of(server)
        message = {"role": "user", "content_items": [image | {"data": b"\x01\x02"}]}
        async for _ in client.streaming_response_stateful(message):
            pass
        return client.get_history()

    history = run(server, scene)
    assert json.loads(server.bodies[0])["messages"][0]["content_items"] == [image]
    assert history[1]["content_items"][0]["data"] == b"\x01\x02"
