"""RFC-0004 section 6.1: the history shares no object with anyone, and holds what was said."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from ostinato import AutoLLMClient, IncompleteStreamError
from tests.client.provider import Answer, Provider, reasoning, responses

T = TypeVar("T")


def client_of(server: Provider, **options: Any) -> AutoLLMClient:
    """A client of the provider. It is closed by `run`."""
    client = AutoLLMClient("gpt-6", api_key="test-key", base_url=server.url, client_type="openai-official", **options)
    server.clients.append(client)
    return client


def run(server: Provider, scene: Callable[[], Awaitable[T]]) -> T:
    """Play a scene, then close its clients: connections belong to the event loop they were made in."""

    async def play() -> T:
        try:
            return await scene()
        finally:
            for client in server.clients:
                await client.close()

    return asyncio.run(play())


def user(text: str) -> Any:
    """A message of the user."""
    return {"role": "user", "content_items": [{"type": "text.done", "text": text}]}


async def say(client: Any, text: str, **options: Any) -> list[Any]:
    """One stateful call, read to its end."""
    return [event async for event in client.streaming_response_stateful(user(text), **options)]


def test_6_1_edits_during_the_stream_never_reach_the_history(server: Provider) -> None:
    """What is yielded, and the message that was sent, may be edited while the stream runs."""
    server.play(responses(reasoning(1, "Plan."), output="hello"))

    async def scene() -> list[Any]:
        client, message = client_of(server), user("original")
        async for event in client.streaming_response_stateful(message):
            message["content_items"][0]["text"] = "CHANGED"
            for item in event["content_items"]:
                for name in ("text", "thinking"):
                    if name in item:
                        item[name] = "HACKED"
                item.get("fidelity", {}).update(encrypted_content="EVIL")
            event["content_items"].clear()
        return client.get_history()

    sent, answer = run(server, scene)
    assert sent["content_items"] == [{"type": "text.done", "text": "original"}]
    thinking, text = answer["content_items"]
    assert (thinking["thinking"], text["text"]) == ("Plan.", "hello")
    assert thinking["fidelity"]["encrypted_content"] == "gAAAAAB-state-1"


def test_6_1_get_history_gives_copies_and_set_history_takes_one(server: Provider) -> None:
    """Edits of a list given back, or of a list handed in, do not reach the history."""
    client, messages = client_of(server), [user("one")]
    client.set_history(messages)
    messages[0]["content_items"][0]["text"] = "edited"
    client.get_history()[0]["content_items"].clear()
    assert client.get_history() == [user("one")]


def test_6_1_the_turn_is_recorded_before_the_stop_goes_out(server: Provider) -> None:
    """A caller may stop iterating at the stop, and the next call may begin from then."""
    server.play(responses(output="one"), responses(output="two"))

    async def scene() -> Any:
        client = client_of(server)
        stream = client.streaming_response_stateful(user("a"))
        async for event in stream:
            if event["event_type"] == "stop":
                recorded = len(client.get_history())
                break
        await say(client, "b")  # the first generator is still there
        await stream.aclose()
        return recorded, client.get_history()

    recorded, history = run(server, scene)
    assert recorded == 2
    assert [message["role"] for message in history] == ["user", "assistant", "user", "assistant"]


def test_6_1_a_stream_without_its_stop_records_nothing(server: Provider) -> None:
    """A stream that is cut is an error, and the history stays as it was."""
    server.play(Answer(responses(output="cut")[:-1]))

    async def scene() -> Any:
        client = client_of(server)
        with pytest.raises(IncompleteStreamError):
            await say(client, "a")
        return client.get_history()

    assert run(server, scene) == []


def test_6_3_created_at_is_stamped_on_the_callers_message_and_sent_to_nobody(server: Provider) -> None:
    """The time of sending is all that is ever written to a message that was given."""
    server.play(responses())
    message = user("a")

    async def scene() -> None:
        async for _ in client_of(server).streaming_response_stateful(message):
            pass

    run(server, scene)
    assert message == {**user("a"), "created_at": message["created_at"]}
    assert "created_at" not in str(server.requests)


def test_6_4_the_wire_form_of_past_turns_is_the_same_on_every_call(server: Provider) -> None:
    """Each request begins with the input of the one before it."""
    turns = 4
    server.play(*(responses(reasoning(n, "Part one.", "Part two."), output=f"answer {n}") for n in range(turns)))

    async def scene() -> None:
        client = client_of(server, on_prefix_change="raise")
        for n in range(turns):
            await say(client, f"question {n}")

    run(server, scene)
    inputs = [request["input"] for request in server.requests]
    for before, after in itertools.pairwise(inputs):
        assert after[: len(before)] == before
    assert inputs[1][1] == {
        "type": "reasoning",
        "id": "rs_0",
        "summary": [{"type": "summary_text", "text": "Part one."}, {"type": "summary_text", "text": "Part two."}],
        "encrypted_content": "gAAAAAB-state-0",
    }


def test_a_conversation_moves_to_another_client(server: Provider) -> None:
    """A history that one client recorded is taken over by the next, with the same wire form."""
    server.play(responses(reasoning(1, "Plan."), output="one"), responses(output="two"), responses(output="two"))

    async def scene() -> None:
        first = client_of(server)
        await say(first, "a")
        second = client_of(server)
        second.set_history(first.get_history())
        await say(first, "b")
        await say(second, "b")

    run(server, scene)
    assert server.requests[1]["input"] == server.requests[2]["input"]
