"""The client over the SDK: the state of the first turn goes out with these bytes, whatever the version."""

from __future__ import annotations

from typing import Any

from tests.client.provider import provider
from tests.peers.conversation import talk, value_in


def block(index: int, start: Any, *deltas: Any) -> list[Any]:
    """The events of one content block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def message(text: str) -> list[Any]:
    """The events of a message: thinking, a sealed block, a block of an unknown kind, and a text."""
    start = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "made-up"}
    thought = ({"type": "thinking_delta", "thinking": "Ü\u2028"}, {"type": "signature_delta", "signature": "sig-1"})
    return [
        {"type": "message_start", "message": start | {"usage": {"input_tokens": 3, "output_tokens": 1}}},
        *block(0, {"type": "thinking", "thinking": "", "signature": ""}, *thought),
        *block(1, {"type": "redacted_thinking", "data": "c2VhbGVk"}),
        *block(2, {"type": "hologram", "depth": 3, "nested": {"a": [1.0, None]}}),
        *block(3, {"type": "text", "text": ""}, {"type": "text_delta", "text": text}),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]


# Written out, so that two versions cannot agree on another text.
MESSAGES = (
    '[{"role":"user","content":[{"type":"text","text":"a"}]},'
    '{"role":"assistant","content":[{"type":"thinking","thinking":"Ü\u2028","signature":"sig-1"},'
    '{"type":"redacted_thinking","data":"c2VhbGVk"},{"type":"hologram","depth":3,"nested":{"a":[1.0,null]}},'
    '{"type":"text","text":"one"}]},{"role":"user","content":[{"type":"text","text":"日本"}]}]'
)


def test_messages() -> None:
    """Signed, sealed and unknown blocks go back as they came, and no version adds to them."""
    with provider() as server:
        server.play(message("one"), message("two"))
        talk("anthropic-official", "claude-fable-5", server.url.removesuffix("/v1"))
    assert value_in(server.bodies[1], "messages") == MESSAGES
    assert server.paths == ["/v1/messages"] * 2
