"""Whatever happens to a call, and whenever: it ends in one way, records all or nothing, and leaves the client free."""

import asyncio
import gc
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from ostinato import AbortSignal, LLMClient
from ostinato.turn import Request
from tests.client.scripted import Json, Scripted
from tests.client.test_history import user

Scene = Callable[[], Awaitable[None]]


def play(scene: Scene) -> None:
    """Run a scene. Nothing may be left over: no task, and no error that nobody was told of."""
    unheard: list[Any] = []

    async def watched() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: unheard.append(context))
        await scene()
        await steps(20)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(watched())
    assert unheard == []


async def read(client: LLMClient, signal: AbortSignal | None = None) -> list[Any]:
    """One stateful call, read to its end."""
    return [event async for event in client.streaming_response_stateful(user("a"), signal=signal)]


async def check_whole_or_nothing(client: LLMClient, transport: Scripted, asked: int = 1) -> None:
    """The history holds whole turns only, no stream is left open, and the next call goes through."""
    assert transport.open == 0
    before = client.get_history()
    assert len(before) in (0, 2 * asked)
    await read(client)
    assert client.get_history()[: len(before)] == before
    assert len(client.get_history()) == len(before) + 2


async def steps(count: int) -> None:
    """Let the loop go round so many times."""
    for _ in range(count):
        await asyncio.sleep(0)


STEPS = 60
"""More than a scripted call takes, so that the last of them hit a call that is over."""


def test_a_scripted_call_takes_fewer_steps_than_the_loops_below() -> None:
    """Else they would not reach its end."""

    async def scene() -> None:
        task = asyncio.ensure_future(read(Scripted().client()))
        await steps(STEPS - 5)
        assert task.done()

    play(scene)


@pytest.mark.parametrize("count", range(STEPS))
def test_a_task_that_is_cancelled_at_any_step(count: int) -> None:
    """The cancellation is the caller's, and it comes out as it is."""

    async def scene() -> None:
        transport = Scripted()
        client = transport.client()
        task = asyncio.ensure_future(read(client))
        await steps(count)
        if task.cancel("mine"):
            with pytest.raises(asyncio.CancelledError):
                await task
            assert client.get_history() == []
        await check_whole_or_nothing(client, transport)

    play(scene)


@pytest.mark.parametrize("count", range(STEPS))
def test_a_signal_that_is_aborted_at_any_step_of_a_read(count: int) -> None:
    """The client is free at once; the call ends with the reason, or was over."""

    async def scene() -> None:
        transport, signal = Scripted(), AbortSignal()
        client = transport.client()
        task = asyncio.ensure_future(read(client, signal))
        await steps(count)
        over = task.done()
        signal.abort("enough")
        client.clear_history() if not over else None
        if over:
            assert (await task)[-1]["event_type"] == "stop"
        else:
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            assert caught.value.args == ("enough",)
            assert client.get_history() == []
        await check_whole_or_nothing(client, transport)
        assert signal._listeners == []

    play(scene)


@pytest.mark.parametrize("slow", [1, 5])
@pytest.mark.parametrize("wait", range(12))
def test_a_signal_that_is_aborted_between_two_reads(wait: int, slow: int) -> None:
    """However far the closing has come when the caller comes back, the caller hears of the abort and nothing else."""

    async def scene() -> None:
        transport, signal = Scripted(pauses=slow), AbortSignal()
        client = transport.client()
        stream = client.streaming_response_stateful(user("a"), signal=signal)
        await anext(stream)
        signal.abort("enough")
        await steps(wait)
        with pytest.raises(asyncio.CancelledError) as caught:
            await anext(stream)
        assert caught.value.args == ("enough",)
        await check_whole_or_nothing(client, transport)

    play(scene)


def test_an_abort_closes_a_stream_that_nobody_reads() -> None:
    """The connection is not kept until the caller comes back."""

    async def scene() -> None:
        transport, signal = Scripted(), AbortSignal()
        stream = transport.client().streaming_response_stateful(user("a"), signal=signal)
        await anext(stream)
        signal.abort()
        await steps(5)
        assert transport.open == 0
        await stream.aclose()

    play(scene)


EVENTS = 8
"""More than a scripted call gives."""


@pytest.mark.parametrize("count", range(EVENTS))
@pytest.mark.parametrize("way", ["aclose", "athrow", "drop", "abort"])
def test_a_stream_that_is_left_after_any_event(count: int, way: str) -> None:
    """Closing it, an error in the caller's loop, and forgetting it end the call. Closing closes the connection too."""

    async def leave(stream: AsyncGenerator[Any], signal: AbortSignal) -> None:
        if way == "aclose":
            await stream.aclose()
        elif way == "athrow":
            with suppress(KeyError, StopAsyncIteration):
                await stream.athrow(KeyError("the caller's"))
        elif way == "abort":
            signal.abort()
            with suppress(asyncio.CancelledError):
                async for _ in stream:
                    pass

    async def scene() -> None:
        transport, signal = Scripted(), AbortSignal()
        client = transport.client()
        stream = client.streaming_response_stateful(user("a"), signal=signal)
        for _ in range(count):
            await anext(stream, None)
        await leave(stream, signal)
        if way == "drop":
            del stream
            gc.collect()
            await steps(10)
        await check_whole_or_nothing(client, transport)
        assert signal._listeners == []

    play(scene)


class Odd(Scripted):
    """A transport with an error of its own at one place."""

    def __init__(self, place: str, error: BaseException) -> None:
        super().__init__()
        self.place, self.error = place, error

    def _raise(self, place: str) -> None:
        if place == self.place:
            self.place = ""  # once
            raise self.error

    def events(self, request: Request) -> AsyncGenerator[Json]:
        """Fail before there is a stream, or give one that fails."""
        self._raise("call")
        return self._odd(super().events(request))

    async def _odd(self, stream: AsyncGenerator[Json]) -> AsyncGenerator[Json]:
        self._raise("begin")
        try:
            async for event in stream:
                yield event
                self._raise("middle")
            self._raise("end")
        except asyncio.CancelledError:
            self._raise("cancel")
            raise
        finally:
            await stream.aclose()
            self._raise("close")


ODD = [OSError("odd"), RuntimeError("odd"), ExceptionGroup("odd", [ValueError("odd")]), MemoryError("odd")]


@pytest.mark.parametrize("error", ODD, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", ["call", "begin", "middle", "end"])
def test_an_error_of_the_transport_comes_out_as_it_is(place: str, error: Exception) -> None:
    """Nothing is recorded, and the next call goes through."""

    async def scene() -> None:
        transport = Odd(place, error)
        client = transport.client()
        with pytest.raises(type(error)) as caught:
            await read(client)
        assert caught.value is error
        assert client.get_history() == []
        await check_whole_or_nothing(client, transport)

    play(scene)


@pytest.mark.parametrize("place", ["cancel", "close"])
def test_an_abort_wins_over_what_the_transport_makes_of_it(place: str) -> None:
    """A library that turns a cancellation into an error of its own, or fails while it closes, changes nothing."""

    async def scene() -> None:
        transport, signal = Odd(place, OSError("odd")), AbortSignal()
        client = transport.client()
        task = asyncio.ensure_future(read(client, signal))
        await steps(4)
        signal.abort("enough")
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        assert caught.value.args == ("enough",)
        await check_whole_or_nothing(client, transport)

    play(scene)


def test_a_transport_that_goes_on_regardless_does_not_go_on_for_long() -> None:
    """A cancellation that is swallowed below is an abort all the same, and the task is not left half cancelled."""

    class Deaf(Scripted):
        async def pause(self) -> None:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    async def scene() -> None:
        transport, signal = Deaf(), AbortSignal()
        client = transport.client()
        asyncio.get_running_loop().call_later(0.02, signal.abort, "enough")
        with pytest.raises(asyncio.CancelledError):
            await read(client, signal)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        await check_whole_or_nothing(client, transport)

    play(scene)


@pytest.mark.parametrize("seconds", [0.0, 0.005, 0.02, 0.05])
def test_a_timeout_around_an_aborted_call_stays_a_timeout(seconds: float) -> None:
    """Abort and timeout may meet: what comes out is one of them, and the caller's task is whole."""

    class Slow(Scripted):
        async def pause(self) -> None:
            await asyncio.sleep(0.01)

    async def scene() -> None:
        signal = AbortSignal()
        client = Slow().client()
        asyncio.get_running_loop().call_later(0.02, signal.abort)
        with pytest.raises((TimeoutError, asyncio.CancelledError)):
            async with asyncio.timeout(seconds):
                await read(client, signal)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0

    play(scene)


def test_one_signal_serves_many_calls_one_after_the_other() -> None:
    """What listens to it is gone with each call."""

    async def scene() -> None:
        client, signal = Scripted().client(), AbortSignal()
        for _ in range(3):
            await read(client, signal)
        assert signal._listeners == []
        signal.abort()
        with pytest.raises(asyncio.CancelledError):
            await read(client, signal)
        assert len(client.get_history()) == 6

    play(scene)


def test_one_signal_stops_many_calls_at_once() -> None:
    """A listener that fails keeps none of the others from hearing of it; whoever aborts is told."""

    async def scene() -> None:
        signal = AbortSignal()
        signal.listen(lambda: 1 / 0)
        tasks = [asyncio.ensure_future(read(Scripted().client(), signal)) for _ in range(3)]
        await steps(3)
        with pytest.raises(ExceptionGroup):
            signal.abort("enough")
        for task in tasks:
            with pytest.raises(asyncio.CancelledError):
                await task

    play(scene)


def test_an_abort_may_come_from_a_thread_at_any_time() -> None:
    """A thread that aborts a little later each time never finds the client in between."""

    async def scene() -> None:
        for delay in range(20):
            transport, signal = Scripted(pauses=3), AbortSignal()
            client = transport.client()
            timer = threading.Timer(delay / 10_000, signal.abort)
            timer.start()
            with suppress(asyncio.CancelledError):
                await read(client, signal)
            timer.join()
            await steps(3)
            await check_whole_or_nothing(client, transport)

    play(scene)


def test_a_listener_may_abort_and_listen_while_it_listens() -> None:
    """A handler of a Unix signal runs in between anything: no deadlock."""
    signal, heard = AbortSignal(), []
    signal.listen(lambda: signal.listen(lambda: heard.append("inner")))
    signal.listen(signal.abort)
    signal.abort()
    assert heard == ["inner"]
