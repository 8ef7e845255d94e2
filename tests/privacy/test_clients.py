"""Clients of ostinato at DEBUG, over HTTP and WebSocket: with the guard installed nothing in the logs is state."""

from __future__ import annotations

import asyncio
import logging
import string
from typing import Any

import pytest

from ostinato import AutoLLMClient, OstinatoError
from tests.client.provider import Answer, Provider, provider, reasoning, responses
from tests.client.sockets import sockets
from tests.privacy.state import logged
from tests.rfc.exchanges import CLIENTS, EXCHANGES

# Every piece of 16 characters of it is different, so that a piece that is left can be told.
STATE = "gAAAAAB" + "".join(
    f"{string.ascii_letters[at % 52]}{string.ascii_uppercase[at % 26]}{at:03d}" for at in range(100)
)
KEY = "sk-key-of-the-test"
SAID: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "hi"}]}
THOUGHT = {"type": "thinking.done", "thinking": "", "fidelity": {"encrypted_content": STATE, "id": "rs_1"}}
ANSWER: Any = {"role": "assistant", "content_items": [THOUGHT, {"type": "text.done", "text": "ok"}]}
EVENTS = responses({**reasoning(1), "encrypted_content": STATE})


def pieces_in(text: str, length: int = 12) -> list[str]:
    """Pieces of the state that stand in a text."""
    return [STATE[at : at + length] for at in range(7, len(STATE) - length) if STATE[at : at + length] in text]


async def talk(url: str) -> None:
    """Two turns after a history with state."""
    async with AutoLLMClient("gpt-6", "test-key", url, "openai-official") as client:
        client.set_history([SAID, ANSWER])
        for _ in range(2):
            async for _ in client.streaming_response_stateful(SAID):
                pass


@pytest.mark.parametrize("at", range(0, 60, 7))
def test_frames_of_websockets(at: int) -> None:
    """The library logs frames with their middle cut out, so that state has neither a beginning nor a name."""
    padded = [{"type": "response.queued", "pad": "x" * at}, *EVENTS]
    # The state at the very end of a frame, as far as JSON lets it be.
    last = {
        "type": "response.output_item.added",
        "output_index": 9,
        "item": {"type": "other", "encrypted_content": STATE[at:]},
    }

    async def scene() -> None:
        async with sockets([*padded[:1], last, *padded[1:]], EVENTS) as speaking:
            await talk(speaking.url)

    with logged() as log:
        asyncio.run(scene())
    assert any(record.name.startswith("websockets") for record in log.records)
    assert pieces_in(log.text) == []


def test_over_http() -> None:
    """Requests and streams over the provider's own library."""

    async def scene(url: str) -> None:
        await talk(url)
        with pytest.raises(OstinatoError):
            await talk(url)

    with provider() as server, logged() as log:
        server.play(EVENTS, EVENTS, Answer(status=400, body={"error": {"message": f"bad {STATE}"}}))
        asyncio.run(scene(server.url), debug=True)
    assert {record.name.partition(".")[0] for record in log.records} >= {"openai", "httpcore2", "asyncio"}
    assert pieces_in(log.text) == []


def test_the_search_would_find_it() -> None:
    """Without the guard the frames show pieces of state."""

    async def scene() -> None:
        last = {
            "type": "response.output_item.added",
            "output_index": 9,
            "item": {"type": "other", "encrypted_content": STATE},
        }
        async with sockets([last, *EVENTS], EVENTS) as speaking:
            await talk(speaking.url)

    with logged(guard=False) as log:
        asyncio.run(scene())
    assert pieces_in(log.text)


@pytest.mark.parametrize("client_type", CLIENTS)
def test_no_key_is_logged(client_type: str, caplog: pytest.LogCaptureFixture) -> None:
    """By any library, at any level, with no guard installed."""
    caplog.set_level(logging.DEBUG)

    async def scene(server: Provider) -> None:
        url = server.url.removesuffix("/v1") + EXCHANGES[client_type].under
        async with AutoLLMClient(EXCHANGES[client_type].model, KEY, url, client_type) as client:
            async for _ in client.streaming_response_stateful(SAID):
                pass

    with provider() as server:
        server.play(Answer(EXCHANGES[client_type].second))
        asyncio.run(scene(server))
        assert KEY in str(server.headers)
    assert KEY not in caplog.text


def test_no_key_is_logged_over_websocket(caplog: pytest.LogCaptureFixture) -> None:
    """The library writes every header of its request at DEBUG."""
    caplog.set_level(logging.INFO, "websockets.server")  # the other side of the wire is the test's own
    caplog.set_level(logging.DEBUG)

    async def scene() -> None:
        async with sockets(EVENTS) as speaking, AutoLLMClient("gpt-6", KEY, speaking.url, "openai-official") as client:
            async for _ in client.streaming_response_stateful(SAID):
                pass

    asyncio.run(scene())
    assert "Authorization" in caplog.text
    assert KEY not in caplog.text
