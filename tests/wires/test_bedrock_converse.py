"""Bedrock Converse beyond its vectors: state in its place, and only to a model of the same maker."""

import copy
import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ostinato
from ostinato.errors import (
    EmptyResponseError,
    IncompleteStreamError,
    InvalidMessageError,
    StreamProtocolError,
    ToolCallArgumentParseError,
    UnknownEventError,
    UnsupportedContentError,
    UnsupportedParameterError,
)
from ostinato.policy.models import name_of_maker

Json = dict[str, Any]
CLIENT, CLAUDE, NOVA, GPT = "bedrock-converse", "eu.anthropic.claude-opus-5", "amazon.nova-2", "openai.gpt-oss"
USER: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "Hi"}]}
TEXT: Json = {"type": "text.done", "text": "ok"}
CALL: Json = {"type": "tool_call.done", "name": "f", "arguments": {"x": 1}, "tool_call_id": "tu_1"}


def assistant(*items: Json, **extra: object) -> Any:
    """An assistant message."""
    return {"role": "assistant", "content_items": list(items), **extra}


def thinking(text: str, **fidelity: object) -> Json:
    """A thinking item with its fidelity."""
    return {"type": "thinking.done", "thinking": text, **({"fidelity": fidelity} if fidelity else {})}


def sealed(data: object = "AKH/fg==") -> Json:
    """A redacted item."""
    return thinking("_REDACTED_THINKING", redacted_content=data)


def sent(message: Any, model: str = CLAUDE) -> list[Json]:
    """The blocks of the message after the user's greeting."""
    body = ostinato.wire(CLIENT, model).encode([USER, message])
    blocks: list[Json] = body["messages"][1]["content"]
    return blocks


def decisions(message: Any, model: str = CLAUDE) -> list[tuple[str, str, str]]:
    """What was decided about one message."""
    wire = ostinato.wire(CLIENT, model)
    return [tuple(made)[:3] for made in wire.encode_message(message, None, 1).decisions]


def start(index: int, **block: object) -> Json:
    """The event of a block that begins."""
    return {"contentBlockStart": {"contentBlockIndex": index, "start": block}}


def delta(index: int, **piece: object) -> Json:
    """The event of a piece of a block."""
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": piece}}


def stop(index: int) -> Json:
    """The event of a block that ends."""
    return {"contentBlockStop": {"contentBlockIndex": index}}


def end(reason: str = "end_turn") -> Json:
    """The event that ends a response."""
    return {"messageStop": {"stopReason": reason}}


def received(*events: Json, model: str = CLAUDE, debug: bool = False) -> tuple[Any, Any]:
    """The message of a response, and what was noted."""
    decoder = ostinato.wire(CLIENT, model).decoder(debug=debug)
    for event in copy.deepcopy(list(events)):
        decoder.feed(event)
    decoder.finish()
    return decoder.message(), decoder.notes


# What arrives.


def test_sealed_bytes_come_as_base64_or_as_bytes() -> None:
    """In JSON each piece is base64 of its own; some SDKs have the bytes."""
    for pieces in (["AKE=", "/34="], [b"\x00\xa1", b"\xff~"]):
        events = [delta(0, reasoningContent={"redactedContent": piece}) for piece in pieces]
        message, _ = received(*events, stop(0), delta(1, text="ok"), end())
        assert message["content_items"] == [sealed(), TEXT]
        assert sent(message) == [{"reasoningContent": {"redactedContent": "AKH/fg=="}}, {"text": "ok"}]


def test_a_block_of_text_and_sealed_bytes_is_no_state() -> None:
    """A reasoning block has one or the other: this one shows its text, and keeps neither."""
    pieces: list[Json] = [{"text": "A"}, {"redactedContent": "AKE="}]
    message, notes = received(*(delta(0, reasoningContent=piece) for piece in pieces), delta(1, text="ok"), end())
    assert message["content_items"] == [thinking("A"), TEXT]
    assert notes["capture_refused:fields_conflict"] == 1


def test_a_cut_signature_is_never_kept() -> None:
    """Until the block stops, its signature may be half of one."""
    decoder = ostinato.wire(CLIENT, CLAUDE).decoder()
    cut: list[Json] = [{"text": "A"}, {"signature": "si"}]
    events = [event for piece in cut for event in decoder.feed(delta(0, reasoningContent=piece))]
    assert not any("fidelity" in item for event in events for item in event["content_items"])
    with pytest.raises(IncompleteStreamError):
        decoder.finish()


def test_blocks_that_take_turns_stay_apart() -> None:
    """Each delta goes to the block whose index it has."""
    calls = [start(n, toolUse={"toolUseId": f"tu_{n}", "name": "f"}) for n in (0, 1)]
    message, _ = received(
        *calls,
        delta(1, toolUse={"input": '{"x":'}),
        delta(0, toolUse={"input": '{"y":1}'}),
        delta(1, toolUse={"input": "2}"}),
        stop(1),
        stop(0),
        end(),
    )
    assert [item["arguments"] for item in message["content_items"]] == [{"y": 1}, {"x": 2}]
    assert message["finish_reason"] == "tool_call"


@pytest.mark.parametrize("wrong", [delta(0, reasoningContent={"text": "x"}), delta(9, toolUse={"input": "{}"})])
def test_a_delta_of_the_wrong_block_is_an_error(wrong: Json) -> None:
    """Thinking is never added to text, and a call says its name first."""
    with pytest.raises(StreamProtocolError):
        received(delta(0, text="A"), wrong)


def test_calls_of_the_platform_are_kept_word_for_word() -> None:
    """A server's tool is no call for the caller: it and its result go back in their places."""
    message, notes = received(
        start(0, toolUse={"toolUseId": "srv", "name": "search", "type": "server_tool_use"}),
        delta(0, toolUse={"input": '{"q":'}),
        delta(0, toolUse={"input": '"x"}'}),
        stop(0),
        start(1, toolResult={"toolUseId": "srv", "type": "search_result", "status": "success"}),
        delta(1, toolResult=[{"text": "a"}]),
        delta(1, toolResult=[{"json": {"b": 1}}]),
        stop(1),
        delta(2, newThing={"data": b"\x00"}),
        stop(2),
        delta(3, text="ok"),
        stop(3),
        end(),
    )
    assert notes == {"kept_block:toolUse": 1, "kept_block:toolResult": 1, "kept_block:newThing": 1}
    assert message["finish_reason"] == "stop"
    call = {"toolUseId": "srv", "name": "search", "type": "server_tool_use", "input": {"q": "x"}}
    result = {
        "toolUseId": "srv",
        "type": "search_result",
        "status": "success",
        "content": [{"text": "a"}, {"json": {"b": 1}}],
    }
    expected = [{"toolUse": call}, {"toolResult": result}, {"newThing": {"data": "AA=="}}, {"text": "ok"}]
    assert sent(message) == expected
    json.dumps(message)


def test_what_an_sdk_did_not_understand_is_counted() -> None:
    """It could not be sent back."""
    unknown = delta(0, SDK_UNKNOWN_MEMBER={"name": "newThing"})
    message, notes = received(unknown, stop(0), delta(1, text="ok"), end())
    assert message["content_items"] == [TEXT]
    assert notes == {"unknown_event:block:newThing": 1}
    with pytest.raises(UnknownEventError):
        received({"mystery": {}}, debug=True)


def test_a_text_goes_back_with_what_it_cites() -> None:
    """Texts with citations have a block of their own."""
    cited = {"title": "t", "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 2}}}
    message, _ = received(delta(0, text="ok"), delta(0, citation=cited), stop(0), end())
    assert sent(message) == [{"citationsContent": {"content": [{"text": "ok"}], "citations": [cited]}}]


def test_an_image_comes_in_pieces() -> None:
    """It goes back as it came."""
    pieces = [delta(0, image={"source": {"bytes": piece}}) for piece in ("AKE=", "/34=")]
    message, _ = received(start(0, image={"format": "png"}), *pieces, stop(0), end())
    assert message["content_items"] == [
        {"type": "inline_data.done", "data": b"\x00\xa1\xff~", "mime_type": "image/png"}
    ]
    assert sent(message) == [{"image": {"format": "png", "source": {"bytes": "AKH/fg=="}}}]


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("model_context_window_exceeded", "length"), ("guardrail_intervened", "unknown"), ("stop_sequence", "stop")],
)
def test_why_a_response_ended(reason: str, finish: str) -> None:
    """In the words of the protocol."""
    message, _ = received(delta(0, text="ok"), end(reason))
    assert message["finish_reason"] == finish


def test_thinking_alone_is_no_turn() -> None:
    """It would be stored as an empty message, which fails every later call."""
    with pytest.raises(EmptyResponseError):
        received(delta(0, reasoningContent={"text": "A"}), end())


@pytest.mark.parametrize("partial", ['{"x":NaN}', '{"x":"\\ud83d"}', "[1]", '{"x":'])
def test_arguments_that_could_not_go_back_are_an_error(partial: str) -> None:
    """The turn is refused, and the history stays fit to be sent."""
    with pytest.raises(ToolCallArgumentParseError):
        received(start(0, toolUse={"toolUseId": "tu_1", "name": "f"}), delta(0, toolUse={"input": partial}), end())


# What goes out.


@pytest.mark.parametrize(
    "origin",
    [{"provider": "anthropic", "model": "claude-opus-5"}, {"provider": "bedrock", "model": "us.deepseek.r1-v1:0"}],
)
def test_state_of_another_issuer_stays_here(origin: Json) -> None:
    """Another platform is one, and so is another maker on this one."""
    message = assistant(thinking("A", signature="s1"), sealed(), TEXT, origin=origin)
    assert sent(message) == [{"text": "ok"}]
    assert {code for code, *_ in decisions(message)} <= {"foreign_state", "foreign_redacted", "unsigned_thinking"}
    assert len(sent(message | {"origin": {"provider": "bedrock", "model": "anthropic.claude-opus-5-v1:0"}})) == 3


def test_foreign_thinking_goes_unsigned_where_that_is_taken() -> None:
    """Nova takes it; the models of others refuse it."""
    message = assistant(thinking("A", signature="s1"), TEXT, origin={"provider": "bedrock", "model": CLAUDE})
    assert sent(message, NOVA)[0] == {"reasoningContent": {"reasoningText": {"text": "A"}}}
    assert sent(message, GPT) == [{"text": "ok"}]


@pytest.mark.parametrize(
    ("model", "maker"),
    [
        ("anthropic.claude-opus-5-v1:0", "anthropic"),
        ("us-gov.anthropic.claude-opus-5", "anthropic"),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-pro-v1:0", "amazon"),
        ("global.openai.gpt-5.6-terra", "openai"),
    ],
)
def test_the_maker_stands_in_the_id_of_a_model(model: str, maker: str) -> None:
    """With or without a region, or at the end of an ARN."""
    assert name_of_maker(model) == maker


@pytest.mark.parametrize("item", [thinking("A", signature=5), thinking("A", signature=""), sealed(None), sealed("")])
def test_state_of_another_shape_is_not_sent(item: Json) -> None:
    """Fidelity is anybody's."""
    message = assistant(item, TEXT)
    assert sent(message) == [{"text": "ok"}]
    assert len(decisions(message)) == 1


def test_no_message_ends_with_thinking() -> None:
    """Claude refuses one that does: a turn that was cut while thinking."""
    message = assistant(thinking("A", signature="s1"), TEXT, thinking("B", signature="s2"))
    assert sent(message)[-1] == {"text": "ok"}
    assert decisions(message) == [("orphan_thinking", "messages/1/content_items/2", "left_out")]


def test_blank_texts_are_left_out_and_blank_results_stood_in_for() -> None:
    """The API refuses both; a result is an answer, and must be there."""
    message: Any = {"role": "assistant", "content_items": [TEXT | {"text": " \n"}, TEXT]}
    assert sent(message) == [{"text": "ok"}]
    assert decisions(message) == [("blank_text", "messages/1/content_items/0", "left_out")]
    answer: Any = {"role": "user", "content_items": [{"type": "tool_result.done", "text": " ", "tool_call_id": "c"}]}
    assert decisions(answer) == [("blank_result", "messages/1/content_items/0", "added")]


@pytest.mark.parametrize(
    ("item", "error"),
    [
        ({"type": "image_url.done", "image_url": "https://a/b.png"}, InvalidMessageError),
        ({"type": "image_url.done", "image_url": "data:image/tiff;base64,AAAA"}, UnsupportedContentError),
        ({"type": "inline_data.done", "data": b"a", "mime_type": "model/gltf"}, UnsupportedContentError),
        ({"type": "embedding.done", "embedding": [0.5]}, InvalidMessageError),
    ],
)
def test_what_cannot_be_sent_is_refused(item: Json, error: type[Exception]) -> None:
    """Before anything goes out."""
    with pytest.raises(error):
        sent({"role": "user", "content_items": [item]})


def test_the_cache_point_moves_and_leaves_no_trace() -> None:
    """It stands at the end of the last user message, in a copy; not every maker's models have one."""
    wire = ostinato.wire(CLIENT, CLAUDE)
    groups = [wire.encode_message(message, None).items for message in (USER, assistant(TEXT), USER, assistant(TEXT))]
    before = copy.deepcopy(groups)
    marked = wire.body(groups, {"prompt_caching": "enhance"})["messages"]
    assert marked[2]["content"][-1] == {"cachePoint": {"type": "default", "ttl": "1h"}}
    assert json.dumps(marked).count("cachePoint") == 1
    assert groups == before
    assert "cachePoint" not in json.dumps(ostinato.wire(CLIENT, GPT).body(groups))


@pytest.mark.parametrize(
    ("model", "config", "setting"),
    [
        (CLAUDE, {"temperature": 0.5}, "temperature"),
        (CLAUDE, {"fast_mode": True}, "fast_mode"),
        (NOVA, {"prompt_caching": "enhance"}, "prompt_caching"),
        (GPT, {"thinking_level": "none"}, "thinking_level"),
        (GPT, {"tool_choice": "none"}, "tool_choice"),
        (GPT, {"tool_choice": ["a", "b"]}, "tool_choice"),
        ("anthropic.claude-opus-5-5", {"tool_choice": ["a"]}, "tool_choice"),
    ],
)
def test_settings_that_mean_nothing_are_refused(model: str, config: Any, setting: str) -> None:
    """By name, before anything is sent."""
    with pytest.raises(UnsupportedParameterError) as caught:
        ostinato.wire(CLIENT, model).body([], config)
    assert caught.value.parameter == setting


def test_tools_are_described_as_the_api_wants_them() -> None:
    """With a schema, and without a description rather than with an empty one."""
    tools: Any = [{"name": "f", "description": ""}, {"name": "g", "description": "d", "parameters": {"type": "object"}}]
    body = ostinato.wire(CLIENT, CLAUDE).body([], {"tools": tools, "tool_choice": ["g"]})
    empty = {"json": {"type": "object", "properties": {}}}
    assert body["toolConfig"] == {
        "tools": [
            {"toolSpec": {"name": "f", "inputSchema": empty}},
            {"toolSpec": {"name": "g", "description": "d", "inputSchema": {"json": {"type": "object"}}}},
        ],
        "toolChoice": {"tool": {"name": "g"}},
    }


BLOCKS: dict[str, list[Json]] = {
    "text": [{"text": "a"}],
    "signed": [{"reasoningContent": {"text": "A"}}, {"reasoningContent": {"signature": "s1"}}],
    "omitted": [{"reasoningContent": {"signature": "s2"}}],
    "sealed": [{"reasoningContent": {"redactedContent": "AKH/fg=="}}],
}
EXPECTED: dict[str, Json] = {
    "text": {"text": "a"},
    "signed": {"reasoningContent": {"reasoningText": {"text": "A", "signature": "s1"}}},
    "omitted": {"reasoningContent": {"reasoningText": {"text": "", "signature": "s2"}}},
    "sealed": {"reasoningContent": {"redactedContent": "AKH/fg=="}},
}


@given(st.lists(st.sampled_from(sorted(BLOCKS)), min_size=1, max_size=6))
def test_any_turn_goes_back_as_it_came(kinds: list[str]) -> None:
    """Whatever the blocks and their order, the next request holds them unchanged."""
    assume(kinds[-1] == "text")
    events = [
        event for n, kind in enumerate(kinds) for event in (*(delta(n, **piece) for piece in BLOCKS[kind]), stop(n))
    ]
    message, _ = received(*events, end())
    assert sent(message) == [EXPECTED[kind] for kind in kinds]
