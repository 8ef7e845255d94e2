"""The client over the SDK: the state of the first turn goes out with these bytes, whatever the version."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import ostinato
from tests.client.gemini import content, interaction
from tests.client.provider import Answer, Provider, provider
from tests.peers.conversation import talk, user, value_in

MODEL = "gemini-3.8-flash"
# Written out, so that two versions cannot agree on another text.
CONTENTS = (
    r'[{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": ['
    r'{"text": "\u00dc\u2028", "thought": true}, {"text": "one", "thoughtSignature": "c2lnLTE="}]}, '
    r'{"role": "user", "parts": [{"text": "\u65e5\u672c"}]}]'
)
STEPS = (
    r'[{"type":"user_input","content":[{"type":"text","text":"a"}]},'
    r'{"type":"thought","summary":[{"type":"text","text":"\u00dc\u2028"}],"signature":"c2lnLTE="},'
    r'{"type":"model_output","content":[{"type":"text","text":"one"}]},'
    r'{"type":"user_input","content":[{"type":"text","text":"\u65e5\u672c"}]}]'
)


def home(server: Provider) -> str:
    """The base URL, to which the wires add the version."""
    return server.url.removesuffix("/v1")


def test_generate_content() -> None:
    """A signature goes back on the part it came with."""
    with provider() as server:
        server.play(content("one", "Ü\u2028"), content("two"))
        talk("google-genai", MODEL, home(server))
    assert value_in(server.bodies[1], "contents") == CONTENTS
    assert server.paths == [f"/v1/models/{MODEL}:streamGenerateContent?alt=sse"] * 2


def test_interactions() -> None:
    """A thought goes back with its signature."""
    with provider() as server:
        server.play(interaction("one", "Ü\u2028"), interaction("two"))
        talk("google-official", MODEL, home(server))
    assert value_in(server.bodies[1], "input") == STEPS
    assert server.paths == ["/v1/interactions"] * 2


async def leave_early(client_type: str, server: Provider) -> None:
    """Read one event of a stream that goes on."""
    async with ostinato.AutoLLMClient(MODEL, "made-up", home(server), client_type) as client:
        async with client.turn(user("a")) as stream:
            async for _ in stream:
                break
        assert await asyncio.to_thread(server.closed.wait, 5)


@pytest.mark.parametrize(("client_type", "events"), [("google-genai", content), ("google-official", interaction)])
def test_a_stream_that_is_left_early_is_closed_at_once(client_type: str, events: Any) -> None:
    """Through each of the HTTP libraries that the SDK may use."""
    with provider() as server:
        server.play(Answer(events("never finished"), wait_after=2))
        asyncio.run(leave_early(client_type, server))


async def failing(client_type: str, url: str) -> ostinato.UpstreamError:
    """The error that a call ends with."""
    async with ostinato.AutoLLMClient(MODEL, "made-up", url, client_type) as client:
        with pytest.raises(ostinato.UpstreamError) as caught:
            async for _ in client.streaming_response_stateful(user("a")):
                pass
    return caught.value


@pytest.mark.parametrize(("client_type", "events"), [("google-genai", content), ("google-official", interaction)])
def test_errors_have_one_type(client_type: str, events: Any) -> None:
    """An HTTP error has its status; a connection that breaks is told by the library below."""
    with provider() as server:
        server.play(Answer(status=400, body={"error": {"code": 400, "message": "no tool", "status": "INVALID"}}))
        refused = asyncio.run(failing(client_type, home(server)))
        server.play(Answer(events("half")[:2], break_off=True))
        broken = asyncio.run(failing(client_type, home(server)))
    assert (refused.status, refused.error_type) == (400, "INVALID")
    assert broken.status is None
    assert broken.__cause__ is not None
