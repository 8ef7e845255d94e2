"""RFC-0004 section 6.2: one stateful call at a time; aborts and early closes release at once and record nothing."""

import asyncio
import threading
from typing import Any

import pytest

from ostinato import AbortSignal, ConcurrentCallError, InvalidMessageError, UpstreamError
from tests.client.provider import Answer, Provider, responses
from tests.client.test_history import client_of, run, say, user


def held(after: int = 4) -> Answer:
    """A response that stops in the middle until the client goes away."""
    return Answer(responses(output="never finished"), wait_after=after)


def test_6_2_a_second_stateful_call_is_refused_before_anything_is_sent(server: Provider) -> None:
    """While one call holds the client, another raises and the provider hears nothing of it."""
    server.play(held(), responses())

    async def scene() -> None:
        client = client_of(server)
        first = client.streaming_response_stateful(user("a"))
        await anext(first)
        with pytest.raises(ConcurrentCallError):
            await say(client, "b")
        with pytest.raises(ConcurrentCallError):
            client.clear_history()
        assert len(server.requests) == 1
        await first.aclose()
        await say(client, "c")
        assert [m["content_items"][0]["text"] for m in client.get_history()] == ["c", "ok"]

    run(server, scene)


def test_6_2_a_stateless_call_runs_beside_a_stateful_one(server: Provider) -> None:
    """It keeps no history, so it takes no claim."""
    server.play(held(), responses(output="beside"))

    async def scene() -> None:
        client = client_of(server)
        first = client.streaming_response_stateful(user("a"))
        await anext(first)
        events = [event async for event in client.streaming_response([user("b")])]
        assert events[-1]["event_type"] == "stop"
        await first.aclose()
        assert client.get_history() == []

    run(server, scene)


def test_6_2_an_abort_while_waiting_ends_the_call_with_its_reason(server: Provider) -> None:
    """The pending read is cancelled, the connection closed, the client free, and nothing recorded."""
    server.play(held(), responses())

    async def scene() -> None:
        client, signal = client_of(server), AbortSignal()

        def abort_when_held() -> None:
            server.holding.wait()
            signal.abort("enough")

        threading.Thread(target=abort_when_held, daemon=True).start()
        with pytest.raises(asyncio.CancelledError) as caught:
            await say(client, "a", signal=signal)
        assert caught.value.args == ("enough",)
        assert client.get_history() == []
        await say(client, "b")
        assert len(client.get_history()) == 2
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0

    run(server, scene)
    assert server.closed.wait(5)


def test_6_2_an_abort_between_two_events_frees_the_client_at_once(server: Provider) -> None:
    """Also while the caller still holds the generator; its next step raises."""
    server.play(held(), responses())

    async def scene() -> None:
        client, signal = client_of(server), AbortSignal()
        stream = client.streaming_response_stateful(user("a"), signal=signal)
        await anext(stream)
        signal.abort()
        await say(client, "b")
        with pytest.raises(asyncio.CancelledError):
            await anext(stream)
        assert [m["content_items"][0]["text"] for m in client.get_history()] == ["b", "ok"]

    run(server, scene)
    assert server.closed.wait(5)


def test_6_2_an_abort_as_the_stop_arrives_records_nothing(server: Provider) -> None:
    """The provider's stream has ended, but the stop was not handed out yet."""
    server.play(responses(output="done"))

    async def scene() -> None:
        client, signal = client_of(server), AbortSignal()

        async def abort_at_the_done_item() -> None:
            async for event in client.streaming_response_stateful(user("a"), signal=signal):
                if any(item["type"] == "text.done" for item in event["content_items"]):
                    signal.abort()

        with pytest.raises(asyncio.CancelledError):
            await abort_at_the_done_item()
        assert client.get_history() == []

    run(server, scene)


def test_a_signal_that_was_aborted_before_sends_nothing(server: Provider) -> None:
    """The call ends before a request."""

    async def scene() -> None:
        signal = AbortSignal()
        signal.abort()
        with pytest.raises(asyncio.CancelledError):
            await say(client_of(server), "a", signal=signal)

    run(server, scene)
    assert server.requests == []


def test_turn_closes_when_its_block_ends(server: Provider) -> None:
    """Leaving the block early frees the client: no waiting for the garbage collector."""
    server.play(held(), responses())

    async def scene() -> None:
        client = client_of(server)
        async with client.turn(user("a")) as stream:
            async for _ in stream:
                break
        await say(client, "b")
        assert len(client.get_history()) == 2

    run(server, scene)


def test_a_cancellation_from_elsewhere_stays_what_it_is(server: Provider) -> None:
    """A timeout of the caller is no abort of the signal."""
    server.play(held())

    async def scene() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await say(client_of(server), "a", signal=AbortSignal())

    run(server, scene)


def test_a_refused_message_leaves_the_client_free(server: Provider) -> None:
    """The error names the message; nothing was sent, and the next call goes through."""
    server.play(responses())

    async def scene() -> None:
        client = client_of(server)
        with pytest.raises(InvalidMessageError) as caught:
            await say(client, "")
        assert caught.value.message_index == 0
        await say(client, "b")

    run(server, scene)
    assert len(server.requests) == 1


def test_an_http_error_names_its_status_and_keeps_the_sdks_exception(server: Provider) -> None:
    """The provider's words are in the error, the SDK's exception is its cause."""
    body = {"error": {"message": "no such model", "type": "invalid_request_error", "code": "model_not_found"}}
    server.play(Answer(status=404, body=body))

    async def scene() -> None:
        with pytest.raises(UpstreamError) as caught:
            await say(client_of(server), "a")
        assert caught.value.status == 404
        assert caught.value.error_type == "invalid_request_error"
        assert "no such model" in str(caught.value)
        assert type(caught.value.__cause__).__name__ == "NotFoundError"

    run(server, scene)


def test_stream_is_a_plain_iterator(server: Provider) -> None:
    """Scripts and notebooks need no event loop; leaving the loop early closes the call."""
    server.play(responses(output="one"), held(), responses(output="two"))
    with client_of(server) as client:
        kinds = [event["event_type"] for event in client.stream(user("a"))]
        assert kinds[-1] == "stop"
        early: Any = client.stream(user("b"))
        next(early)
        early.close()
        assert [event["event_type"] for event in client.stream(user("c"))][-1] == "stop"
        assert len(client.get_history()) == 4


@pytest.mark.parametrize("after", range(4))
def test_a_connection_that_breaks_is_an_upstream_error(server: Provider, after: int) -> None:
    """Whatever the SDK's HTTP library calls it: one type to catch, with the cause beside it, and nothing recorded."""
    server.play(Answer(responses()[:after], break_off=True), responses())

    async def scene() -> None:
        client = client_of(server)
        with pytest.raises(UpstreamError) as caught:
            await say(client, "a")
        assert caught.value.status is None
        assert caught.value.__cause__ is not None
        await say(client, "b")
        assert len(client.get_history()) == 2

    run(server, scene)


@pytest.mark.parametrize("count", range(10))
def test_a_stream_over_the_sdk_is_left_after_any_event(server: Provider, count: int) -> None:
    """The client is free as soon as the generator is closed, and no connection is left to the garbage collector."""
    server.play(responses(), responses())

    async def scene() -> None:
        client = client_of(server)
        stream = client.streaming_response_stateful(user("a"))
        for _ in range(count):
            await anext(stream, None)
        await stream.aclose()
        await say(client, "b")
        assert len(client.get_history()) in (2, 4)

    run(server, scene)


@pytest.mark.parametrize("milliseconds", range(0, 24, 3))
def test_a_task_over_the_sdk_is_cancelled_at_any_time(server: Provider, milliseconds: int) -> None:
    """While it connects, waits or reads: nothing or a whole turn is recorded, and the next call goes through."""
    server.play(Answer(responses(), wait_after=3), responses())

    async def scene() -> None:
        client = client_of(server)
        task = asyncio.ensure_future(say(client, "a"))
        await asyncio.sleep(milliseconds / 1000)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert client.get_history() == []
        server.answers[:] = [Answer(responses())]  # the first request may not have arrived
        await say(client, "b")

    run(server, scene)
