"""Our client through the real MMSP server: what a model thought comes back to it across both."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mmsp
import pytest
from mmsp.integration.server import create_server_app
from werkzeug.serving import make_server

import ostinato
from tests.client.provider import Answer, Provider, provider, reasoning, responses

KEY = "key-of-the-relay"


@pytest.fixture
def upstream() -> Iterator[Provider]:
    """The provider behind the server."""
    with provider() as running:
        yield running


@contextmanager
def relay(upstream: Provider) -> Iterator[str]:
    """The server's base URL, as long as the block lasts."""
    row = {
        "model_id": "gpt-6",
        "api_key": "key-of-the-provider",
        "server_model_id": "behind",
        "base_url": upstream.url,
        "client_type": "openai-official",
    }
    server = make_server("127.0.0.1", 0, create_server_app([row], [KEY]), threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()


def user(text: str) -> Any:
    """A message of the user."""
    return {"role": "user", "content_items": [{"type": "text.done", "text": text}]}


async def talk(url: str, *texts: str, key: str = KEY) -> list[Any]:
    """A conversation through the server, and its history."""
    async with ostinato.AutoLLMClient("behind", key, url, "mmsp") as client:
        for text in texts:
            async for _ in client.streaming_response_stateful(user(text), {"thinking_level": "high"}):
                pass
        return list(client.get_history())


CALL = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_1",
    "name": "look",
    "arguments": '{"at": "日本", "n": 1.0}',
}


def answer() -> list[Any]:
    """A response that thinks, calls and speaks. The server knows summaries and arguments by their deltas only."""
    events = responses(reasoning(1, "Plan."), CALL, output="hello")
    thought = {"output_index": 0, "item_id": "rs_1", "summary_index": 0, "delta": "Plan."}
    argued = {"output_index": 1, "item_id": "fc_1", "delta": CALL["arguments"]}
    events.insert(4, {"type": "response.function_call_arguments.delta", **argued})
    events.insert(2, {"type": "response.reasoning_summary_text.delta", **thought})
    return events


def test_a_stateful_turn_is_recorded_and_replayed(upstream: Provider) -> None:
    """The second request to the provider repeats the state of the first answer, and begins as the first request did."""
    upstream.play(answer(), responses(output="bye"))
    with relay(upstream) as url:
        history = asyncio.run(talk(url, "a", "b"))
    assert [message["role"] for message in history] == ["user", "assistant", "user", "assistant"]
    thinking, call, text = history[1]["content_items"]
    assert thinking["thinking"] == "Plan."
    assert thinking["fidelity"]["encrypted_content"] == "gAAAAAB-state-1"
    assert (call["arguments"], text["text"]) == ({"at": "日本", "n": 1.0}, "hello")
    assert history[1]["usage_metadata"]["thoughts_tokens"] == 10
    first, second = (body["input"] for body in upstream.requests)
    assert second[: len(first)] == first
    assert [item["encrypted_content"] for item in second if item.get("type") == "reasoning"] == ["gAAAAAB-state-1"]


def test_its_own_client_gives_the_same_history(upstream: Provider) -> None:
    """Ours and the reference's record the same turn, but that ours says that the model called."""

    async def reference(url: str) -> list[Any]:
        client = mmsp.AutoLLMClient(model="behind", api_key=KEY, base_url=url, client_type="mmsp")
        async for _ in client.streaming_response_stateful(user("a"), {"thinking_level": "high"}):
            pass
        return list(client.get_history())

    upstream.play(answer(), answer())
    with relay(upstream) as url:
        ours, theirs = asyncio.run(talk(url, "a")), asyncio.run(reference(url))
    for message in (*ours, *theirs):
        message.pop("created_at")
    assert (ours[1].pop("finish_reason"), theirs[1].pop("finish_reason")) == ("tool_call", "stop")
    assert ours == theirs
    assert upstream.requests[0] == upstream.requests[1]


def test_errors_of_the_server_and_of_its_provider_are_told_apart(upstream: Provider) -> None:
    """A refused key has the server's status; a refused request has the provider's, inside of the stream."""
    body = {"error": {"message": "no such model", "type": "invalid_request_error"}}
    upstream.play(Answer(status=404, body=body))
    with relay(upstream) as url:
        with pytest.raises(ostinato.UpstreamError) as refused:
            asyncio.run(talk(url, "a", key="wrong"))
        with pytest.raises(ostinato.UpstreamError) as failed:
            asyncio.run(talk(url, "a"))
    assert (refused.value.status, refused.value.error_type) == (401, "AuthenticationError")
    assert failed.value.status == 404
    assert "no such model" in json.dumps(failed.value.error)


def test_leaving_early_stops_the_call_behind_the_server(upstream: Provider) -> None:
    """The server sees its client go, and lets go of the provider."""
    upstream.play(Answer(responses(output="never finished"), wait_after=4))

    async def leave(url: str) -> None:
        async with ostinato.AutoLLMClient("behind", KEY, url, "mmsp") as client, client.turn(user("a")) as stream:
            async for _ in stream:
                break

    with relay(upstream) as url:
        asyncio.run(leave(url))
        assert upstream.closed.wait(30)  # a busy machine takes its time
