"""Recorded streams leave behind what their providers would have sent without one."""

import base64
import copy
from typing import Any

import pytest

import ostinato
from ostinato.refusals.recovery import DEFAULTS
from tests.capture.streams import RECORDED, capture, events, said, wire


def of(name: str) -> ostinato.Captured:
    """What a recorded stream leaves behind."""
    return capture(wire(name), events(name))


@pytest.mark.parametrize("name", RECORDED)
def test_state_of_a_recorded_stream_can_be_stored(name: str) -> None:
    """What was captured is what the codec takes, and an envelope gives it back."""
    captured = of(name)
    assert captured.items
    assert captured.state
    for state in captured.state:
        stored = ostinato.serialize_reasoning_replay_envelope(state)
        assert ostinato.parse_reasoning_replay_envelope(stored) == state


@pytest.mark.parametrize("name", RECORDED)
def test_events_are_not_changed(name: str) -> None:
    """The caller's events are its own, before and after."""
    given = events(name)
    before = copy.deepcopy(given)
    capture(wire(name), given)
    assert given == before


@pytest.mark.parametrize("name", RECORDED)
def test_no_state_is_shown(name: str) -> None:
    """Neither the result nor its report prints what is opaque."""
    captured = of(name)
    shown = f"{captured!r}{captured.report}{captured.report.to_dict()}{ostinato.Capture(wire(name))!r}"
    for state in captured.state:
        for field in ("encrypted_content", "signature", "data", "thoughtSignature", "reasoning_content"):
            value = state.get(field) if field in state.to_dict() else None
            assert value is None or value not in shown


@pytest.mark.parametrize("name", RECORDED)
def test_every_cut_leaves_whole_items_alone(name: str) -> None:
    """However early a stream is cut, what is captured of it is what the whole stream has there."""
    given = events(name)
    if name == "anthropic-messages.begun-again.jsonl":
        given = given[7:]  # the answer that was given up is not in the whole
    whole = capture(wire(name), given)
    states = list(whole.state)
    for stop in range(0, len(given), max(1, len(given) // 30)):
        captured = capture(wire(name), given[:stop], ended_by="abort")
        assert list(captured.state) == states[: len(captured.state)], stop
        assert not captured.complete


USER: dict[str, dict[str, Any]] = {
    "openai-responses": {"role": "user", "content": "q"},
    "openai-chat": {"role": "user", "content": "q"},
    "anthropic-messages": {"role": "user", "content": "q"},
    "bedrock-converse": {"role": "user", "content": [{"text": "q"}]},
    "gemini-generate-content": {"role": "user", "parts": [{"text": "q"}]},
    "gemini-interactions": {"type": "user_input", "content": [{"type": "text", "text": "q"}]},
}


@pytest.mark.parametrize("name", RECORDED)
def test_items_go_back_as_they_were_captured(name: str) -> None:
    """Preparing them for the provider that made them changes nothing: there is one canonical form."""
    history = [USER[wire(name)], *of(name).items]
    prepared = ostinato.prepare(history, DEFAULTS[wire(name)])
    assert prepared.items == history
    assert all(made.action == "kept" for made in prepared.report.decisions)


def test_final_response_is_the_same_state_encrypted_anew() -> None:
    """OpenAI's done event counts; its final response holds the same item with another ciphertext."""
    name = "openai-responses.re-encrypted.sse"
    given = events(name)
    done = next(event["item"] for event in given if event["type"] == "response.output_item.done")
    final = next(event["response"]["output"][0] for event in given if event["type"] == "response.completed")
    captured = of(name)
    assert done["encrypted_content"] != final["encrypted_content"]
    assert captured.items[0]["encrypted_content"] == done["encrypted_content"]
    assert said(captured) == [("re_encrypted", "output/0", "kept")]
    assert captured.complete


def test_stream_without_an_end_is_kept_and_not_called_complete() -> None:
    """Completed items count, whether or not a final event came."""
    captured = of("openai-responses.no-end.jsonl")
    assert [item["type"] for item in captured.items] == ["reasoning", "message"]
    assert not captured.complete


def test_signature_without_thinking_is_a_block() -> None:
    """The text is empty and stays a field of its own."""
    block = of("anthropic-messages.empty-thinking.jsonl").items[0]["content"][0]
    assert block["thinking"] == ""
    assert len(block["signature"]) == 436


def test_redacted_blocks_are_kept_in_order() -> None:
    """They come whole with their start event."""
    kinds = [block["type"] for block in of("anthropic-messages.redacted.sse").items[0]["content"]]
    assert kinds == ["redacted_thinking", "redacted_thinking", "text"]


def test_answer_that_begins_again_replaces_the_first() -> None:
    """A client that tries again inside of one stream leaves one message, not two in one."""
    captured = of("anthropic-messages.begun-again.jsonl")
    content = captured.items[0]["content"]
    assert [block.get("signature") for block in content] == ["sig-second", None]
    assert said(captured) == [("incomplete_item", "content/1", "left_out"), ("incomplete_response", "", "left_out")]
    assert dict(captured.arguments) == {content[1]["id"]: '{"value":"Zhoxzub Zmp"}'}


def test_sealed_content_of_bedrock_is_put_together() -> None:
    """JSON events have base64, and so has the block."""
    sealed = of("bedrock-converse.redacted.jsonl").items[0]["content"][0]["reasoningContent"]["redactedContent"]
    assert base64.b64decode(sealed).startswith(b"rsn_")


def test_bytes_of_an_sdk_stay_bytes() -> None:
    """What boto3 handed on as bytes it takes back as bytes; base64 text it would encode a second time."""
    given = [{"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"redactedContent": b"ab"}}}}]
    given += [{"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"redactedContent": b"c"}}}}]
    given += [{"contentBlockStop": {"contentBlockIndex": 0}}, {"messageStop": {"stopReason": "end_turn"}}]
    captured = capture("bedrock-converse", given)
    assert captured.items[0]["content"] == [{"reasoningContent": {"redactedContent": b"abc"}}]


def test_arguments_of_a_step_are_parsed_and_kept_as_text() -> None:
    """The step holds an object; what the model wrote is beside it."""
    captured = of("gemini-interactions.tool-call.jsonl")
    call = captured.items[1]
    assert call["arguments"] == {"location": "Znp Stryvuxys"}
    assert dict(captured.arguments).keys() == {call["id"]}


def test_reasoning_field_of_a_chat_server_is_put_together() -> None:
    """Null and empty pieces between the text add nothing, and the field keeps its name."""
    message = of("openai-chat.deepseek-tool-call.jsonl").items[0]
    assert len(message["reasoning_content"]) == 191
    assert "content" not in message
    assert message["tool_calls"][0]["function"]["arguments"] == '{"location": "Znp Stryvuxys"}'
