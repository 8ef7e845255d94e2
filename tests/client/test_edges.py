"""Loops that die, callbacks that fail, conversations of any length, and arguments of any shape."""

import asyncio
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from ostinato import AbortSignal, InvalidMessageError, TurnError, UnsupportedParameterError
from ostinato.history import History
from ostinato.wires import wire
from tests.client.provider import Provider, responses
from tests.client.scripted import Json, Scripted
from tests.client.test_faults import check_whole_or_nothing, play, read
from tests.client.test_history import client_of, run, user


@contextmanager
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that nobody tidies up."""
    made = asyncio.new_event_loop()
    try:
        yield made
    finally:
        made.close()


# Python itself complains of the generator: what it would close needs a loop.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_event_loop_that_dies_takes_its_call_with_it() -> None:
    """Its client is free, its signal can be aborted, and the history is what it was."""
    transport, signal = Scripted(), AbortSignal()
    client = transport.client()
    with loop() as first:
        stream = client.streaming_response_stateful(user("a"), signal=signal)
        first.run_until_complete(anext(stream))
    signal.abort()  # the loop is closed: nobody can be woken
    del stream
    gc.collect()
    transport.open = 0
    play(lambda: check_whole_or_nothing(client, transport))


def test_a_client_is_used_from_one_loop_after_the_other() -> None:
    """Each has a connection of its own; the history goes on, and no loop that is closed is kept."""
    transport = Scripted()
    client = transport.client()

    async def twice() -> None:
        await read(client)
        await read(client)

    for _ in range(3):
        asyncio.run(twice())
    assert transport.connections == 3
    assert len(client.get_history()) == 12
    assert len(client._transports) == 1


def test_a_client_is_used_from_two_loops_at_once() -> None:
    """A loop that is still open keeps its connection."""
    transport = Scripted()
    client = transport.client()
    with loop() as first, loop() as second:
        for turn in range(3):
            first.run_until_complete(read(client))
            second.run_until_complete(read(client))
            assert len(client.get_history()) == 4 * (turn + 1)
    assert transport.connections == 2


@pytest.mark.parametrize("failing", ["now", "on_prefix_change", "connect"])
def test_an_error_in_a_callback_comes_out_and_changes_nothing(failing: str) -> None:
    """The clock, the guard's callback and what connects are the caller's, and so are their errors."""
    transport = Scripted()
    calls: list[str] = []

    def fail(*_: object) -> Any:
        calls.append(failing)
        raise LookupError(failing)

    async def scene() -> None:
        client = transport.client(on_prefix_change="ignore")
        await read(client)
        history = client.get_history()
        client._transports = {}
        setattr(client, f"_{failing}", fail)
        with pytest.raises(LookupError):
            async for _ in client.streaming_response_stateful(user("b"), {"system_prompt": "changed"}):
                pass
        assert client.get_history() == history
        assert calls == [failing]
        assert client._claim is None

    play(scene)


def test_a_history_is_written_once_however_long_it_is() -> None:
    """A turn of a conversation of 4,000 messages writes what is new in it: the answer before, and what is said."""
    written: list[int] = []
    transport = Scripted(pauses=0)
    client = transport.client()
    plain = client.wire.write_message

    def counted(turn: Any, carry: Any, notes: Any) -> Any:
        written.append(notes.index)
        return plain(turn, carry, notes)

    object.__setattr__(client.wire, "write_message", counted)
    client.set_history([{**user("a"), "role": role} for _ in range(2_000) for role in ("user", "assistant")])

    async def scene() -> None:
        await read(client)
        assert written == list(range(4_001))
        written.clear()
        await read(client)
        await read(client)
        assert written == [4_001, 4_002, 4_003, 4_004]

    play(scene)


def test_a_turn_that_fails_leaves_what_was_written_for_the_next(server: Provider) -> None:
    """What was in the history before it need not be written again, and what it said is not sent again."""
    server.play(responses()[:-1], responses())

    async def scene() -> None:
        client = client_of(server)
        client.set_history([user("one")])
        for text in ("two", "three"):
            with suppress(TurnError):
                async for _ in client.streaming_response_stateful(user(text)):
                    pass

    run(server, scene)
    texts = [[item["content"][0]["text"] for item in request["input"]] for request in server.requests]
    assert texts == [["one", "two"], ["one", "three"]]


HARD = [
    pytest.param({"type": "inline_data.done", "data": bytearray(b"x"), "mime_type": "image/png"}, id="bytearray"),
    pytest.param({"type": "inline_data.done", "data": memoryview(b"x"), "mime_type": "image/png"}, id="memoryview"),
]


@pytest.mark.parametrize("item", HARD)
def test_views_of_bytes_are_copied_when_they_come_in(item: Json) -> None:
    """What they look at may change; the history does not."""
    client = Scripted().client()
    client.set_history([{"role": "assistant", "content_items": [item]}])  # type: ignore[list-item]
    (message,) = client.get_history()
    assert message["content_items"][0] == {**item, "data": b"x"}


def test_what_cannot_be_copied_is_refused_by_name() -> None:
    """An object beside the content that refuses to be copied is no error of another kind."""
    loops: dict[str, Any] = {}
    loops["again"] = loops
    client = Scripted().client()
    for beside in (threading.Lock(), loops):
        with pytest.raises(TurnError, match="copied"):
            client.set_history([{**user("a"), "beside": beside}])


def test_the_last_request_is_a_copy(server: Provider) -> None:
    """Whoever looks at it, and edits it, changes nothing of what is sent later."""
    server.play(responses(), responses())

    async def scene() -> None:
        client = client_of(server)
        for text in ("one", "two"):
            async for _ in client.streaming_response_stateful(user(text)):
                pass
            client.last_request.body["input"][0]["content"].clear()
            client.last_request.groups[0].clear()

    run(server, scene)
    assert server.requests[1]["input"][0] == server.requests[0]["input"][0]


WRONG: list[tuple[str, Any]] = [
    ("config", [1]),
    ("config", "high"),
    ("7", {7: 1}),
    ("tools", {"tools": [{"name": "f", "parameters": {"lock": threading.Lock()}}]}),
    ("tools", {"tools": "f"}),
    ("tools", {"tools": [{"description": "no name"}]}),
    ("max_tokens", {"max_tokens": "many"}),
    ("temperature", {"temperature": float("nan")}),
    ("beside", {"beside": {1, 2}}),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_config_of_any_shape_is_refused_by_name(number: int) -> None:
    """Before the message is looked at, and before anything is sent."""
    name, config = WRONG[number]

    async def scene() -> None:
        transport = Scripted()
        client = transport.client()
        for call in (
            client.streaming_response_stateful(user(""), config),
            client.streaming_response([user("")], config),
        ):
            with pytest.raises(UnsupportedParameterError) as caught:
                await anext(call)
            assert caught.value.parameter == name
        assert transport.requests == []
        await check_whole_or_nothing(client, transport)

    play(scene)


def test_no_message_is_no_message() -> None:
    """A stateful call says something; nothing is sent for None."""

    async def scene() -> None:
        transport = Scripted()
        client = transport.client()
        await read(client)
        with pytest.raises(InvalidMessageError):
            await anext(client.streaming_response_stateful(None))  # type: ignore[arg-type]
        assert len(transport.requests) == 1
        await check_whole_or_nothing(client, transport)

    play(scene)


def test_images_are_encoded_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A conversation with many images that is taken over does not encode all of them for every message."""
    encoded: list[str] = []

    def counted(url: str, data: bytes) -> str:
        encoded.append(url)
        return f"data:image/png;base64,{data.hex()}"

    monkeypatch.setattr("ostinato.wires.images._data_url", counted)
    urls = [f"http://127.0.0.1/{n}.png" for n in range(20)]
    pictures: list[Any] = [
        {"role": "user", "content_items": [{"type": "image_url.done", "image_url": u}]} for u in urls
    ]
    history = History(wire("openai-chat", "gpt"), [*pictures, user("a")])
    assert history.images() == urls
    history.written(dict.fromkeys(urls, b"x"))
    assert sorted(encoded) == sorted(urls)
