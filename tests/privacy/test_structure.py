"""What a debug record shows of a request: its shape, and nothing that was said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato import redact_request
from tests.security.canary import ITEM, MARKER, STATE, STORED, inputs, named_inputs

SECRET = "what was said, word for word"  # noqa: S105 - no password
BODY = {
    "model": "gpt-6",
    "stream": True,
    "temperature": 0.5,
    "instructions": SECRET,
    "include": ["reasoning.encrypted_content"],
    "reasoning": {"effort": "high", "summary": "auto"},
    "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": SECRET}]},
        ITEM,
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "pay",
            "arguments": json.dumps({"to": SECRET}),
        },
        {"type": "function_call_output", "call_id": "call_1", "output": SECRET},
    ],
}


def test_the_shape_of_a_request() -> None:
    """Words, ids, numbers and flags stay; state leaves its digest, text its length, parts their number."""
    shown = redact_request(BODY)
    assert {name: shown[name] for name in ("model", "stream", "temperature", "include")} == {
        "model": "gpt-6",
        "stream": True,
        "temperature": 0.5,
        "include": ["reasoning.encrypted_content"],
    }
    assert shown["instructions"] == {"bytes": len(SECRET)}
    said, thought, called, result = shown["input"]
    assert said == {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": {"bytes": len(SECRET)}}],
    }
    digest = ostinato.reasoning_replay_dedupe_key(ostinato.canonicalize_completed_reasoning_output_item(ITEM)).sha256
    assert thought == {
        "type": "reasoning",
        "id": "rs_1",
        "summary": {"parts": 1, "bytes": len(STATE)},
        "encrypted_content": {"redacted": True, "bytes": len(STATE), "sha256": digest},
    }
    assert called["name"] == "pay"
    assert called["arguments"] == {"bytes": len(BODY["input"][2]["arguments"])}  # type: ignore[index]
    assert result["output"] == {"bytes": len(SECRET)}
    assert SECRET not in json.dumps(shown)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "tool_use", "id": "t", "name": "pay", "input": {"to": SECRET, SECRET: 4111}},
        {"functionCall": {"name": "pay", "args": {"to": SECRET, "pin": 4111}}},
        {"functionResponse": {"name": "pay", "response": {"to": SECRET, "pin": 4111}}},
        {"toolUse": {"toolUseId": "t", "name": "pay", "input": {"pin": 4111}}},
        {"toolResult": {"toolUseId": "t", "content": [{"json": {"pin": 4111}}]}},
        {"type": "function", "name": "pay", "parameters": {"properties": {"to": {"description": SECRET}}}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo4111"}},
        {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo4111"}},
        {"role": SECRET, "type": SECRET, "id": SECRET},
        {"redacted": True, "bytes": SECRET, "note": "pin 4111"},
        {SECRET: {"pin: 4111": 1}},
        {"redacted": True, "sha256": "4111" + SECRET},
    ],
)
def test_what_was_said_is_not_shown(item: dict[str, Any]) -> None:
    """What tools are given and give back, media, and words where nobody expects them."""
    shown = json.dumps(redact_request({"messages": [item]}))
    assert SECRET not in shown
    assert "4111" not in shown


def test_numbers() -> None:
    """A vector is counted; a few numbers stay."""
    assert redact_request({"embedding": [0.5] * 100, "shape": [1, 2]}) == {
        "embedding": {"numbers": 100},
        "shape": [1, 2],
    }


def test_content_by_choice() -> None:
    """By choice what was said stays; state and reasoning go all the same."""
    shown = json.dumps(redact_request(BODY, content=True))
    assert SECRET in shown
    assert MARKER not in shown


def test_length_only() -> None:
    """Without digests two logs cannot be linked."""
    assert "sha256" not in json.dumps(redact_request(BODY, length_only=True))


def test_texts() -> None:
    """JSON text is read; text that is no JSON is its length."""
    assert redact_request(json.dumps(BODY)) == redact_request(BODY) == redact_request(json.dumps(BODY).encode())
    assert redact_request("no JSON, " + STORED) == {"bytes": len(STORED) + 9}
    assert MARKER not in repr(redact_request("no JSON, " + STORED, content=True))
    assert redact_request("[" * 100_000) == {"bytes": 100_000}


@pytest.mark.parametrize("content", [False, True])
def test_every_item_of_every_wire(content: bool) -> None:  # noqa: FBT001 - a case
    """No item of any wire, sound or damaged, shows its state."""
    for given_ in (inputs(), named_inputs()):
        for _, vector, value in given_:
            assert MARKER not in repr(redact_request({"input": [value]}, content=content)), vector.name


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_any_value_gives_json(value: Any) -> None:
    """Whatever comes, JSON comes out, and nothing raises."""
    json.dumps(redact_request(value))
