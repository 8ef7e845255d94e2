"""The client over the SDK: the state of the first turn goes out with these bytes, whatever the version."""

from __future__ import annotations

import asyncio
from typing import Any

import ostinato
from tests.client.provider import provider, reasoning, responses
from tests.client.sockets import sockets
from tests.peers.conversation import CONFIG, talk, user, value_in

CALL = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_1",
    "name": "look",
    "arguments": '{"at": "日本", "n": 1.0}',
}
TURNS = (responses(reasoning(1, "Plan.", "Ü\u2028"), CALL, output="one"), responses(output="two"))
# Written out, so that two versions cannot agree on another text.
INPUT = (
    '[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]},'
    '{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Plan."},'
    '{"type":"summary_text","text":"Ü\u2028"}],"encrypted_content":"gAAAAAB-state-1"},'
    '{"type":"function_call","call_id":"call_1","name":"look","arguments":"{\\"at\\": \\"日本\\", \\"n\\": 1.0}"},'
    '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"one"}]},'
    '{"type":"message","role":"user","content":[{"type":"input_text","text":"日本"}]}]'
)


def test_responses_over_http() -> None:
    """Item, parts and arguments are what the provider sent."""
    with provider() as server:
        server.play(*TURNS)
        talk("openai-official", "gpt-6", server.url)
    assert value_in(server.bodies[1], "input") == INPUT


def test_responses_over_websocket() -> None:
    """The same bytes."""

    async def scene() -> Any:
        async with sockets(*TURNS) as server:
            async with ostinato.AutoLLMClient("gpt-6", "made-up", server.url, "openai-official") as client:
                for text in ("a", "日本"):
                    async for _ in client.streaming_response_stateful(user(text), CONFIG):
                        pass
            return server.frames

    assert value_in(asyncio.run(scene())[1].encode(), "input") == INPUT


def chat(text: str) -> list[Any]:
    """The chunks of a chat completion that thinks, in the open and sealed, and says `text`."""
    thought = {"type": "reasoning.text", "text": "Plan.", "signature": "sig-1", "format": "unknown", "index": 0}
    sealed = {"type": "reasoning.encrypted", "data": "c2VhbGVk", "format": "unknown", "id": "r1", "index": 1}
    deltas = [
        {"role": "assistant", "reasoning": "Plan.", "reasoning_details": [thought]},
        {"reasoning_details": [sealed]},
        {"content": text},
    ]
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    return [*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]


MESSAGES = (
    '[{"role":"user","content":[{"type":"text","text":"a"}]},'
    '{"role":"assistant","content":[{"type":"text","text":"one"}],"reasoning_content":"Plan.","reasoning":"Plan.",'
    '"reasoning_details":[{"type":"reasoning.text","text":"Plan.","signature":"sig-1","format":"unknown","index":0},'
    '{"type":"reasoning.encrypted","data":"c2VhbGVk","id":"r1","format":"unknown","index":1}]},'
    '{"role":"user","content":[{"type":"text","text":"日本"}]}]'
)


def test_chat_completions() -> None:
    """Thinking goes back in the field it came in, sealed blocks as they were."""
    with provider() as server:
        server.play(chat("one"), chat("two"))
        talk("openai-chat", "made-up", server.url)
    assert value_in(server.bodies[1], "messages") == MESSAGES
