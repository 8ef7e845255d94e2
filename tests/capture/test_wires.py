"""What each wire's streams do that a reader must know, and what becomes of streams that are cut or damaged."""

from typing import Any

import pytest

import ostinato
from tests.capture.streams import capture, delta, said

WIRES = (
    "openai-responses",
    "openai-chat",
    "anthropic-messages",
    "gemini-generate-content",
    "gemini-interactions",
    "bedrock-converse",
)


def reasoning(item_id: str | None = "rs_1", state: str = "gAAAAAB-example-done", **more: Any) -> dict[str, Any]:
    """A completed reasoning item."""
    return ({"id": item_id} if item_id else {}) | {
        "type": "reasoning",
        "summary": [],
        "encrypted_content": state,
        **more,
    }


def done(index: int, item: dict[str, Any]) -> dict[str, Any]:
    """Its event."""
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def completed(*output: dict[str, Any], status: str = "completed") -> dict[str, Any]:
    """The final event."""
    return {"type": f"response.{status}", "response": {"status": status, "output": list(output)}}


MESSAGE = {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}


# Responses.


def test_added_item_is_never_state() -> None:
    """What was added and not done is reported, and nothing of it is kept."""
    added = {"type": "response.output_item.added", "output_index": 0, "item": reasoning(state="gAAAAAB-stub")}
    captured = capture("openai-responses", [added], ended_by="abort")
    assert captured.items == []
    assert said(captured) == [("incomplete_item", "output/0", "left_out")]
    assert captured.report.decisions[0].facts == (("id", "rs_1"),)


def test_final_response_without_output_keeps_the_done_items() -> None:
    """The backend of Codex ends with an empty list."""
    captured = capture("openai-responses", [done(0, reasoning()), done(1, MESSAGE), completed()])
    assert captured.items == [reasoning(), MESSAGE]
    assert captured.complete


def test_item_without_a_done_event_comes_from_the_final_response() -> None:
    """It is in its place."""
    captured = capture("openai-responses", [done(1, MESSAGE), completed(reasoning(), MESSAGE)])
    assert captured.items == [reasoning(), MESSAGE]


def test_renamed_items_are_joined_by_their_place() -> None:
    """Where an item has a new id in every event (GitHub Copilot), it is kept once, id and state of one event."""
    stream = [
        {"type": "response.output_item.added", "output_index": 0, "item": reasoning("id-one", "gAAAAAB-example-stub")},
        done(0, reasoning("id-two", "gAAAAAB-example-done")),
        completed(reasoning("id-three", "gAAAAAB-example-last")),
    ]
    captured = capture("openai-responses", stream)
    assert captured.items == [reasoning("id-two", "gAAAAAB-example-done")]
    assert said(captured) == [("re_encrypted", "output/0", "kept")]


def test_careless_places_do_not_join_items() -> None:
    """Servers that number every item 0 are read by id."""
    second = reasoning("rs_2", "gAAAAAB-example-next")
    captured = capture("openai-responses", [done(0, reasoning()), done(0, second), completed(reasoning(), second)])
    assert captured.items == [reasoning(), second]
    assert said(captured) == []


def test_two_states_of_one_id_are_a_conflict() -> None:
    """Another length is no new encryption of the same; the first is kept, and it is said."""
    captured = capture("openai-responses", [done(0, reasoning()), completed(reasoning(state="gAAAAAB-other"))])
    assert captured.items == [reasoning()]
    assert said(captured) == [("id_ciphertext_conflict", "output/0", "kept")]


@pytest.mark.parametrize("status", ["incomplete", "in_progress"])
def test_item_that_was_cut_short_is_left_out(status: str) -> None:
    """Its status says so, in a done event or in the final response."""
    for stream in ([done(0, reasoning(status=status))], [completed(reasoning(status=status), status="incomplete")]):
        captured = capture("openai-responses", stream)
        assert captured.items == []
        assert ("incomplete_item", "output/0", "left_out") in said(captured)


def test_done_item_of_an_incomplete_response_is_kept() -> None:
    """The response ran into its limit; what was done before is done."""
    captured = capture("openai-responses", [done(0, reasoning()), completed(reasoning(), status="incomplete")])
    assert captured.items == [reasoning()]
    assert ("incomplete_response", "", "kept") in said(captured)
    assert not captured.complete


def test_item_without_id_is_kept_and_said() -> None:
    """OpenAI gives none where responses are not stored; none is made up."""
    captured = capture("openai-responses", [done(0, reasoning(None))])
    assert captured.items == [reasoning(None)]
    assert said(captured) == [("id_missing", "output/0", "kept")]


def test_unknown_fields_and_status_are_dropped_by_name() -> None:
    """The schema's fields go into the history; a status is no part of an input item."""
    captured = capture("openai-responses", [done(0, reasoning(status="completed", extra=1))])
    assert captured.items == [reasoning()]
    assert said(captured) == [("unknown_field_dropped", "output/0/extra", "left_out")]


def test_built_in_call_keeps_its_status() -> None:
    """Its input type requires it."""
    call = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}}
    assert capture("openai-responses", [done(0, call)]).items == [call]


def test_xai_keeps_the_final_response() -> None:
    """Its page says to take the items from there; where it has none, the done events count."""
    final = reasoning(state="gAAAAAB-example-last")
    both = [done(0, reasoning()), completed(final)]
    assert capture("openai-responses", both, profile="xai").items == [final]
    assert capture("openai-responses", [done(0, reasoning()), completed()], profile="xai").items == [reasoning()]


def test_xai_keeps_what_was_cut_and_says_so() -> None:
    """An incomplete response goes back as it is, with a word about the item that was cut."""
    cut = reasoning(None, status="incomplete")
    captured = capture("openai-responses", [completed(cut, status="incomplete")], profile="xai")
    assert captured.items == [reasoning(None)]
    assert said(captured) == [("incomplete_response", "", "kept"), ("incomplete_item", "output/0", "kept")]


def test_caller_chooses_the_form_that_is_kept() -> None:
    """The profile's rule is a choice like the others."""
    final = reasoning(state="gAAAAAB-example-last")
    chosen = ostinato.PROFILES["openai"].but(captured="final")
    assert capture("openai-responses", [done(0, reasoning()), completed(final)], profile=chosen).items == [final]


def test_items_of_codex_have_no_id_and_nothing_is_said() -> None:
    """That is how they are there."""
    captured = capture("openai-responses", [done(0, reasoning(None))], profile="codex")
    assert captured.items == [reasoning(None)]
    assert said(captured) == []


# Anthropic Messages.


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any], stop: bool = True) -> list[dict[str, Any]]:
    """The events of a block."""
    events: list[dict[str, Any]] = [{"type": "content_block_start", "index": index, "content_block": start}]
    events += [{"type": "content_block_delta", "index": index, "delta": one} for one in deltas]
    return [*events, {"type": "content_block_stop", "index": index}] if stop else events


THINKING = {"type": "thinking", "thinking": "", "signature": ""}
SIGNED = {"type": "signature_delta", "signature": "c2ln"}


def test_consecutive_thinking_stays_apart() -> None:
    """One block per index, in order, each with its own signature."""
    second = {"type": "signature_delta", "signature": "c2lnMg=="}
    think = {"type": "thinking_delta", "thinking": "a"}
    captured = capture("anthropic-messages", [*block(0, THINKING, think, SIGNED), *block(1, THINKING, second)])
    assert captured.items[0]["content"] == [
        {"type": "thinking", "thinking": "a", "signature": "c2ln"},
        {"type": "thinking", "thinking": "", "signature": "c2lnMg=="},
    ]


def test_second_signature_is_the_whole_again() -> None:
    """It is assigned, not appended."""
    whole = {"type": "signature_delta", "signature": "c2lnMg=="}
    captured = capture("anthropic-messages", block(0, THINKING, SIGNED, whole))
    assert captured.items[0]["content"][0]["signature"] == "c2lnMg=="


def test_thinking_that_never_stops_is_not_state() -> None:
    """Not even where the message stops: a relay says so of streams that were cut."""
    captured = capture(
        "anthropic-messages", [*block(0, THINKING, SIGNED, stop=False), *block(1, {"type": "text", "text": "Hi"})]
    )
    assert captured.items[0]["content"] == [{"type": "text", "text": "Hi"}]
    assert said(captured) == [("incomplete_item", "content/0", "left_out")]


def test_unsigned_thinking_is_kept_and_said() -> None:
    """Servers of other vendors sign nothing; what a target does with it is decided when it is sent."""
    captured = capture("anthropic-messages", block(0, THINKING, {"type": "thinking_delta", "thinking": "a"}))
    assert captured.items[0]["content"] == [{"type": "thinking", "thinking": "a"}]
    assert captured.state == ()
    assert said(captured)[0] == ("unsigned_thinking", "content/0", "kept")


@pytest.mark.parametrize(
    ("wire", "stream", "path"),
    [
        ("anthropic-messages", block(0, THINKING, SIGNED), "content/0"),
        (
            "bedrock-converse",
            [
                {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "c2ln"}}}},
                {"contentBlockStop": {"contentBlockIndex": 0}},
            ],
            "content/0",
        ),
        ("openai-chat", [{"choices": [{"delta": {"reasoning_content": "a"}, "finish_reason": "length"}]}], "message"),
    ],
)
def test_answer_that_is_thinking_alone_is_said(wire: str, stream: list[Any], path: str) -> None:
    """It is kept, since the state is whole; no provider takes it back as it is."""
    captured = capture(wire, stream)
    assert len(captured.items) == 1
    assert ("orphan_thinking", path, "kept") in said(captured)


def test_redacted_block_without_its_data_is_no_state() -> None:
    """It is refused at the place where the data should be."""
    captured = capture("anthropic-messages", block(0, {"type": "redacted_thinking"}))
    assert captured.items == []
    assert said(captured) == [("unsound_state", "content/0/data", "left_out")]


def test_unknown_blocks_are_kept_whole() -> None:
    """They are part of the prefix that is checked."""
    start = {"type": "compaction", "content": None}
    captured = capture("anthropic-messages", block(0, start, {"type": "compaction_delta", "content": "short"}))
    assert captured.items[0]["content"] == [{"type": "compaction", "content": "short"}]


def test_call_keeps_the_text_of_its_arguments() -> None:
    """The block holds an object; spelling of numbers and order of keys are in the text."""
    text = '{"b": 1e-7, "a": 1}'
    pieces = [{"type": "input_json_delta", "partial_json": part} for part in (text[:5], text[5:])]
    start = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    captured = capture("anthropic-messages", block(0, start, *pieces))
    assert captured.items[0]["content"] == [
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"b": 1e-7, "a": 1}}
    ]
    assert dict(captured.arguments) == {"toolu_1": text}


def test_call_with_broken_arguments_is_left_out() -> None:
    """There is no object to send back."""
    start = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    captured = capture("anthropic-messages", block(0, start, {"type": "input_json_delta", "partial_json": '{"a":'}))
    assert captured.items == []
    assert said(captured) == [("unsound_arguments", "content/0", "left_out")]


# Gemini.


def parts(*parts: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """A chunk."""
    return {
        "candidates": [
            {"content": {"role": "model", "parts": list(parts)}} | ({"finishReason": finish} if finish else {})
        ]
    }


def test_unsigned_text_is_put_together_and_signed_parts_never() -> None:
    """A signature belongs to the part it came on, be its text empty."""
    stream = [
        parts({"text": "think ", "thought": True}),
        parts({"text": "more", "thought": True}),
        parts({"text": "An"}),
        parts({"text": "swer"}),
        parts({"text": "!", "thoughtSignature": "c2ln"}),
        parts({"text": ""}),
        parts({"text": "", "thoughtSignature": "c2lnMg=="}, finish="STOP"),
    ]
    captured = capture("gemini-generate-content", stream)
    assert captured.items == [
        {
            "role": "model",
            "parts": [
                {"text": "think more", "thought": True},
                {"text": "Answer"},
                {"text": "!", "thoughtSignature": "c2ln"},
                {"text": "", "thoughtSignature": "c2lnMg=="},
            ],
        }
    ]
    assert captured.complete
    assert len(captured.state) == 2


def test_parallel_calls_stay_in_one_content() -> None:
    """Only the first has a signature, and the others get none."""
    calls = [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"}, {"functionCall": {"name": "g"}}]
    assert capture("gemini-generate-content", [parts(calls[0]), parts(calls[1])]).items[0]["parts"] == calls


def test_signature_that_is_no_base64_is_not_kept() -> None:
    """Its part stays: a call is visible, whatever its signature was."""
    captured = capture("gemini-generate-content", [parts({"functionCall": {"name": "f"}, "thoughtSignature": "a b"})])
    assert captured.items[0]["parts"] == [{"functionCall": {"name": "f"}}]
    assert said(captured) == [("unsound_state", "parts/0/thoughtSignature", "left_out")]


def test_text_at_the_cut_is_left_out() -> None:
    """It may have gone on; signed parts and calls are whole."""
    stream = [parts({"functionCall": {"name": "f"}, "thoughtSignature": "c2ln"}), parts({"text": "An"})]
    captured = capture("gemini-generate-content", stream, ended_by="abort")
    assert [list(part) for part in captured.items[0]["parts"]] == [["functionCall", "thoughtSignature"]]
    assert said(captured) == [("incomplete_item", "parts/1", "left_out")]


def test_older_names_of_interaction_events_are_read() -> None:
    """Streams of 2025 call a step a content."""
    stream = [
        {"event_type": "content.start", "index": 0, "content": {"type": "thought"}},
        {"event_type": "content.delta", "index": 0, "delta": {"type": "thought_signature", "signature": "c2ln"}},
        {"event_type": "content.stop", "index": 0},
        {"event_type": "content.start", "index": 1, "content": {"type": "text"}},
        {"event_type": "content.delta", "index": 1, "delta": {"type": "text", "text": "Hi "}},
        {"event_type": "content.delta", "index": 1, "delta": {"type": "text", "text": "there"}},
        {"event_type": "content.stop", "index": 1},
        {"event_type": "interaction.complete", "interaction": {"status": "completed"}},
    ]
    captured = capture("gemini-interactions", stream)
    assert captured.items == [{"type": "thought", "signature": "c2ln"}, {"type": "text", "text": "Hi there"}]
    assert captured.complete


def test_summary_of_a_thought_is_put_together_by_part() -> None:
    """Texts that follow one another are pieces of one part; an image between them is a part."""
    summary = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, {"type": "image", "data": "AA=="}]
    deltas = [{"type": "thought_summary", "content": part} for part in [*summary, {"type": "text", "text": "c"}]]
    deltas.append({"type": "thought_signature", "signature": "c2ln"})
    stream = [{"event_type": "step.start", "index": 0, "step": {"type": "thought", "signature": ""}}]
    stream += [{"event_type": "step.delta", "index": 0, "delta": one} for one in deltas]
    cut = capture("gemini-interactions", stream, ended_by="abort")
    assert cut.items == []
    assert said(cut) == [("incomplete_item", "steps/0", "left_out")]
    whole = capture("gemini-interactions", [*stream, {"event_type": "step.stop", "index": 0}])
    assert whole.items == [
        {
            "type": "thought",
            "signature": "c2ln",
            "summary": [
                {"type": "text", "text": "ab"},
                {"type": "image", "data": "AA=="},
                {"type": "text", "text": "c"},
            ],
        }
    ]


# Chat Completions.


def test_details_of_one_index_are_one_block() -> None:
    """Text grows, the last signature counts, and format and id are not repeated."""
    text = {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1"}
    stream = [
        delta(role="assistant", content="", reasoning="Th", reasoning_details=[{**text, "text": "Th"}]),
        delta(reasoning="ink", reasoning_details=[{**text, "text": "ink"}]),
        delta(reasoning_details=[{**text, "text": "", "signature": "c2ln"}]),
        delta(content="Hi"),
    ]
    captured = capture("openai-chat", stream)
    assert captured.items == [
        {
            "role": "assistant",
            "content": "Hi",
            "reasoning": "Think",
            "reasoning_details": [{**text, "text": "Think", "signature": "c2ln"}],
        }
    ]
    assert len(captured.state) == 1


def test_details_without_index_stand_for_themselves() -> None:
    """MiniMax numbers nothing."""
    entries = [{"type": "reasoning.text", "text": "a"}, {"type": "reasoning.text", "text": "b"}]
    captured = capture("openai-chat", [delta(reasoning_details=[one]) for one in entries])
    assert captured.items[0]["reasoning_details"] == entries


def test_calls_are_told_apart_by_index_or_by_name() -> None:
    """Interleaved pieces go to their calls; a server that numbers every call 0 begins one with each name."""
    pieces = [
        {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": ""}},
        {"index": 1, "id": "call_2", "type": "function", "function": {"name": "g", "arguments": '{"x'}},
        {"index": 0, "function": {"arguments": "{}"}},
        {"index": 1, "function": {"arguments": '":1}'}},
        {"index": 0, "id": "call_3", "function": {"name": "f", "arguments": "{}"}},
    ]
    calls = capture("openai-chat", [delta(tool_calls=[piece]) for piece in pieces]).items[0]["tool_calls"]
    assert [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in calls] == [
        ("call_1", "f", "{}"),
        ("call_2", "g", '{"x":1}'),
        ("call_3", "f", "{}"),
    ]


def test_state_of_a_call_stays_on_it() -> None:
    """Gemini's route for this wire puts its signature beside the function."""
    extra = {"google": {"thought_signature": "c2ln"}}
    piece = {"index": 0, "id": "call_1", "function": {"name": "f", "arguments": "{}"}, "extra_content": extra}
    assert capture("openai-chat", [delta(tool_calls=[piece])]).items[0]["tool_calls"][0]["extra_content"] == extra


def test_thinking_blocks_of_a_gateway_end_with_their_signature() -> None:
    """LiteLLM hands on Anthropic's blocks in pieces without index; one that was never signed gets no null."""
    pieces = [
        {"type": "thinking", "thinking": "a", "signature": None},
        {"type": "thinking", "thinking": "b", "signature": None},
        {"type": "thinking", "thinking": "", "signature": "c2ln"},
        {"type": "thinking", "thinking": "c", "signature": None},
    ]
    captured = capture("openai-chat", [delta(thinking_blocks=[piece]) for piece in pieces])
    assert captured.items[0]["thinking_blocks"] == [
        {"type": "thinking", "thinking": "ab", "signature": "c2ln"},
        {"type": "thinking", "thinking": "c"},
    ]


def test_sealed_reasoning_is_state() -> None:
    """Qwen seals it beside a summary in the usual field."""
    captured = capture("openai-chat", [delta(reasoning_content="s", encrypted_content="QUJD"), delta(content="Hi")])
    assert captured.items[0]["encrypted_content"] == "QUJD"
    assert "QUJD" in [state.get("encrypted_content") for state in captured.state]


def test_empty_reasoning_stays_beside_a_call_alone() -> None:
    """DeepSeek wants the field back on a turn that called a tool, be it empty."""
    call = {"index": 0, "id": "call_1", "function": {"name": "f", "arguments": "{}"}}
    with_call = capture("openai-chat", [delta(reasoning_content=""), delta(tool_calls=[call])])
    assert with_call.items[0]["reasoning_content"] == ""
    without = capture("openai-chat", [delta(reasoning_content=""), delta(content="Hi")])
    assert "reasoning_content" not in without.items[0]


def test_message_that_was_cut_is_not_kept() -> None:
    """Nothing says where its parts end; each is named."""
    stream = [delta(reasoning_content="Th"), delta(content="H")]
    captured = capture("openai-chat", stream, ended_by="abort")
    assert captured.items == []
    assert {code for code, _path, _action in said(captured)} == {"incomplete_item"}
    finished = [*stream, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
    assert capture("openai-chat", finished, ended_by="abort").items


def test_other_answers_are_left_out_and_said_once() -> None:
    """A history goes on with one."""
    other = {"choices": [{"index": 1, "delta": {"content": "No"}}]}
    captured = capture("openai-chat", [delta(content="Yes"), other, other])
    assert captured.items == [{"role": "assistant", "content": "Yes"}]
    assert said(captured) == [("other_answer", "choices", "left_out")]


# All of them.


@pytest.mark.parametrize("wire", WIRES)
def test_empty_stream_gives_nothing(wire: str) -> None:
    """No event, no item, and no end."""
    captured = capture(wire, [])
    assert (captured.items, captured.state, captured.complete, said(captured)) == ([], (), False, [])


def test_unknown_wire_is_refused() -> None:
    """So is a profile of another wire, or of no name."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.Capture("openai")
    assert caught.value.code == "unknown_wire"
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.Capture("openai-chat", "nobody")
    assert caught.value.code == "unknown_profile"


def test_finished_capture_takes_no_more() -> None:
    """It belongs to one response; asking again gives the same."""
    capture = ostinato.Capture("openai-chat")
    assert capture.finish() is capture.finish()
    with pytest.raises(RuntimeError):
        capture.feed({})


def test_an_item_that_no_json_can_hold_is_left_out() -> None:
    """Half of a surrogate pair in a text would make every later request fail; the rest of the message stays."""
    half = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a\ud83d"}}
    whole = {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "b"}}
    stops = [{"type": "content_block_stop", "index": index} for index in (0, 1)]
    captured = capture("anthropic-messages", [half, whole, *stops, {"type": "message_stop"}])
    assert captured.items == [{"role": "assistant", "content": [{"type": "text", "text": "b"}]}]
    assert said(captured) == [("unsound_item", "content/0", "left_out")]


def test_a_block_without_a_type_is_no_thinking() -> None:
    """It is kept as it came, and the end of the response is as for any other block."""
    captured = capture(
        "anthropic-messages",
        [
            {"type": "content_block_start", "index": 0, "content_block": {"text": "a"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_stop"},
        ],
    )
    assert captured.items == [{"role": "assistant", "content": [{"text": "a"}]}]
    assert captured.report.counts == {}
