"""MMSP-RFC-0004, section 6 and 7: the history, one call at a time, and the identical prefix."""

import asyncio
import copy
import json
from typing import Any

import pytest

from ostinato import AbortSignal, ConcurrentCallError, IncompleteStreamError, UpstreamError
from tests.client.provider import Answer, Provider
from tests.rfc.exchanges import ANSWER, EXCHANGES, QUESTION
from tests.rfc.talking import (
    CONFIG,
    answers,
    ask,
    assistant,
    client_of,
    converse,
    every_client,
    items,
    result,
    run,
    say,
    spoil,
    text,
)

SDKS = ("openai-official", "openai-chat", "anthropic-official", "google-genai", "google-official", "mmsp")
every_library = pytest.mark.parametrize("client_type", SDKS)
"""One client per library and kind of stream: what these rules are about does not depend on the dialect."""


# 6.1 The history holds copies.


@every_client
def test_6_1_the_history_shares_nothing_with_the_events(server: Provider, client_type: str) -> None:
    """Each event is spoiled as soon as it is yielded; the turn is recorded and replayed as it was."""
    server.play(*answers(client_type))

    async def scene() -> Any:
        client = client_of(server, client_type)
        for message in (text(QUESTION), result(), text("Thanks.")):
            async for event in client.streaming_response_stateful(message, CONFIG):
                spoil(event)
        return client

    client = run(server, scene)
    assert items(client, server.requests[2])[:-1] == EXCHANGES[client_type].back
    assert "SPOILED" not in json.dumps(client.get_history())


@every_client
def test_6_1_the_history_shares_nothing_with_the_message_sent(server: Provider, client_type: str) -> None:
    """It is spoiled while the stream runs, and so is the config."""
    server.play(*answers(client_type))

    async def scene() -> Any:
        client = client_of(server, client_type)
        for message in (text(QUESTION), result(), text("Thanks.")):
            config = copy.deepcopy(CONFIG)
            async for _ in client.streaming_response_stateful(message, config):
                spoil(message)
                spoil(config)
        return client

    client = run(server, scene)
    assert items(client, server.requests[2])[:-1] == EXCHANGES[client_type].back
    assert "SPOILED" not in json.dumps(client.get_history())


@every_library
def test_6_1_get_history_gives_copies_and_set_history_stores_them(server: Provider, client_type: str) -> None:
    """Neither list, nor anything in it, is the history's own."""

    async def scene() -> Any:
        client = await converse(server, client_type)
        recorded = json.dumps(client.get_history())
        given = client.get_history()
        client.set_history(given)
        spoil(given)
        spoil(client.get_history())
        assert json.dumps(client.get_history()) == recorded

    run(server, scene)


@every_library
def test_6_1_the_turn_is_recorded_before_its_stop_is_yielded(server: Provider, client_type: str) -> None:
    """A caller may stop at the stop, and the next call may begin from then, while the generator is still there."""
    server.play(*answers(client_type))

    async def scene() -> None:
        client = client_of(server, client_type)
        stream = client.streaming_response_stateful(text(QUESTION), CONFIG)
        async for event in stream:
            assert len(client.get_history()) == (2 if event["event_type"] == "stop" else 0)
            if event["event_type"] == "stop":
                break
        await say(client, result())
        await stream.aclose()
        assert len(client.get_history()) == 4

    run(server, scene)


@every_client
def test_6_1_a_stream_without_its_stop_appends_nothing(server: Provider, client_type: str) -> None:
    """The events end before the response does. The next call does not send what came of it."""
    exchange = EXCHANGES[client_type]
    end = next(n for n, event in enumerate(exchange.first) if is_end(event))
    server.play(exchange.first[:end], exchange.second)

    async def scene() -> None:
        client = client_of(server, client_type)
        with pytest.raises(IncompleteStreamError) as caught:
            await say(client, text(QUESTION))
        assert "finish_reason" in caught.value.missing
        assert client.get_history() == []
        await say(client, text("Again."))
        assert len(items(client, server.requests[1])) == 1

    run(server, scene)


def is_end(event: Any) -> bool:
    """Whether an event says that the response is over."""
    names = ("response.completed", "message_delta", "interaction.completed", "stop")
    choices = [*event.get("choices", ()), *event.get("candidates", ())]
    ends = any(choice.get("finish_reason") or choice.get("finishReason") for choice in choices)
    return ends or any(event.get(field) in names for field in ("type", "event_type"))


# 6.2 One stateful call at a time.


def held(client_type: str) -> Answer:
    """The turn, stopped in the middle until the client goes away."""
    return Answer(EXCHANGES[client_type].first, wait_after=4)


async def begin(client: Any, **options: Any) -> Any:
    """A stateful call that is under way."""
    stream = client.streaming_response_stateful(text(QUESTION), CONFIG, **options)
    await anext(stream)
    return stream


@every_library
def test_6_2_a_second_stateful_call_is_refused_before_anything_is_sent(server: Provider, client_type: str) -> None:
    """Also through `AutoLLMClient`, which forwards to the client that holds the claim."""
    server.play(held(client_type))

    async def scene() -> None:
        client = client_of(server, client_type)
        first = await begin(client)
        for _ in range(2):
            with pytest.raises(ConcurrentCallError):
                await say(client, text("b"))
        assert len(server.bodies) == 1
        await first.aclose()
        assert client.get_history() == []

    run(server, scene)


@every_library
@pytest.mark.parametrize("way", ["stop", "error", "abort", "close"])
def test_6_2_a_call_holds_the_client_until_it_ends(server: Provider, client_type: str, way: str) -> None:
    """By its stop, its error, the abort of its signal or the close of its generator: then the next one begins."""
    failing = Answer(status=400, body={"error": {"message": "no", "type": "t", "code": 400, "status": "S"}})
    server.play(
        {"stop": Answer(EXCHANGES[client_type].first), "error": failing}.get(way, held(client_type)),
        Answer(EXCHANGES[client_type].second),
    )

    async def scene() -> None:
        client, signal = client_of(server, client_type), AbortSignal()
        if way == "error":
            with pytest.raises(UpstreamError):
                await begin(client)
        else:
            stream = await begin(client, signal=signal)
            if way == "stop":
                async for _ in stream:
                    pass
            elif way == "abort":
                signal.abort()
            else:
                await stream.aclose()
        message = result() if way == "stop" else text("b")
        await say(client, message)
        assert len(client.get_history()) == (4 if way == "stop" else 2)
        if way == "abort":
            with pytest.raises(asyncio.CancelledError):
                await anext(stream)

    run(server, scene)


@every_library
def test_6_2_an_abort_as_the_stop_arrives_records_nothing(server: Provider, client_type: str) -> None:
    """The response is complete, its done items were yielded, and the stop was not."""
    server.play(Answer(EXCHANGES[client_type].second))

    async def scene() -> None:
        client, signal = client_of(server, client_type), AbortSignal()

        async def read() -> None:
            async for event in client.streaming_response_stateful(text(QUESTION), CONFIG, signal):
                assert event["event_type"] != "stop"
                if event["content_items"][0] == {"type": "text.done", "text": ANSWER}:
                    signal.abort("enough")

        with pytest.raises(asyncio.CancelledError) as caught:
            await read()
        assert caught.value.args == ("enough",)
        assert client.get_history() == []

    run(server, scene)


@every_library
def test_6_2_a_stateless_call_runs_beside_a_stateful_one(server: Provider, client_type: str) -> None:
    """It keeps no history."""
    server.play(held(client_type), Answer(EXCHANGES[client_type].second))

    async def scene() -> None:
        client = client_of(server, client_type)
        first = await begin(client)
        assert (await ask(client, [text("b")]))[-1]["event_type"] == "stop"
        assert client.get_history() == []
        await first.aclose()

    run(server, scene)


# 6.3 created_at.


@every_client
def test_6_3_a_message_is_stamped_with_the_time_it_is_sent_and_nothing_else(server: Provider, client_type: str) -> None:
    """On the caller's own object, by both kinds of calls; a time that is there stays. No model is sent it."""
    server.play(*(Answer(EXCHANGES[client_type].second) for _ in range(2)))
    fresh, dated = text(QUESTION), {**text("b"), "created_at": 7}
    other = text("c")

    async def scene() -> Any:
        client = client_of(server, client_type)
        await ask(client, [fresh, assistant({"type": "text.done", "text": "x"}), dated])
        await say(client, other)
        return client

    client = run(server, scene)
    assert fresh == {**text(QUESTION), "created_at": fresh["created_at"]}
    assert dated == {**text("b"), "created_at": 7}
    assert other == {**text("c"), "created_at": other["created_at"]}
    assert client.get_history()[0] == other
    if client_type != "mmsp":  # which relays messages as they are
        assert b"created_at" not in b"".join(server.bodies)


@every_library
def test_6_3_the_historys_copy_of_a_message_without_a_time_is_stamped(server: Provider, client_type: str) -> None:
    """And the caller's message that it was copied from is left alone."""
    server.play(Answer(EXCHANGES[client_type].second))
    given = [text(QUESTION), assistant({"type": "text.done", "text": "x"})]
    before = copy.deepcopy(given)

    async def scene() -> Any:
        client = client_of(server, client_type)
        client.set_history(given)
        await say(client, text("b"))
        return client.get_history()

    history = run(server, scene)
    assert given == before
    assert all(isinstance(message["created_at"], int) for message in history)
