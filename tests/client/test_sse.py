"""Server-sent events come out the same however the bytes were cut."""

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostinato import StreamProtocolError
from ostinato.transports.sse import events

STREAM = (
    b': comment\r\nevent: a\r\ndata: {"n": 1}\r\n\r\n'
    b'data: {"text": "line\xe2\x80\xa8separator \xc2\x85 \xf0\x9f\x98\x80"}\n\n'
    b'data: {"n":\ndata: 3}\r\rdata:{"n": 4}\n\n'
    b"data: [DONE]\n\ndata: not read\n\n"
)
EXPECTED = [{"n": 1}, {"text": "line\u2028separator \x85 \U0001f600"}, {"n": 3}, {"n": 4}]


def read(chunks: list[bytes]) -> list[Any]:
    """The events of a stream that comes in these pieces."""

    async def source() -> AsyncGenerator[bytes]:
        for chunk in chunks:
            yield chunk

    async def run(stream: AsyncIterator[Any]) -> list[Any]:
        return [event async for event in stream]

    return asyncio.run(run(events(source(), "openai-official")))


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_every_split_gives_the_same_events(cuts: list[int]) -> None:
    """Lines end at LF, CR LF or CR, never inside a character or at a Unicode separator."""
    borders = [0, *sorted(cuts), len(STREAM)]
    assert read([STREAM[a:b] for a, b in itertools.pairwise(borders)]) == EXPECTED


def test_an_event_that_nothing_follows_is_complete() -> None:
    """Servers that end without a blank line lose nothing."""
    assert read([b'data: {"n": 1}']) == [{"n": 1}]


@pytest.mark.parametrize("data", [b"{", b"[1]", b"nonsense", b"[" * 100_000])
def test_data_that_is_no_object_is_a_typed_error(data: bytes) -> None:
    """The text is not part of the error."""
    with pytest.raises(StreamProtocolError) as caught:
        read([b"data: " + data + b"\n\n"])
    assert "nonsense" not in str(caught.value)


def test_a_long_event_costs_what_it_is_long() -> None:
    """An image of some megabytes comes in thousands of pieces. None is looked at again with each that follows."""
    size, piece = 8_000_000, 4_096
    stream = b'data: {"image": "' + b"x" * size + b'"}\n\n'
    begin = time.process_time()
    (event,) = read([stream[at : at + piece] for at in range(0, len(stream), piece)])
    assert len(event["image"]) == size
    assert time.process_time() - begin < 10  # it was minutes when each piece was searched from the beginning


@pytest.mark.parametrize("after", ["more", "nothing", "error", "silence"])
def test_what_follows_the_end_is_read_but_not_waited_for(after: str) -> None:
    """Else the connection could not be used again; and nothing that happens there is an error of the answer."""
    ended = []

    async def source() -> AsyncGenerator[bytes]:
        yield b'data: {"n": 1}\n\ndata: [DONE]\n\n'
        if after == "error":
            raise OSError("broken")
        if after == "silence":
            await asyncio.sleep(60)
        if after == "more":
            yield b'data: {"n": 2}\n\n'
        ended.append(after)

    async def run() -> list[Any]:
        return [event async for event in events(source(), "openai-chat")]

    assert asyncio.run(run()) == [{"n": 1}]
    assert ended == ([after] if after in ("more", "nothing") else [])
