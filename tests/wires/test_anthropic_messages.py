"""Anthropic Messages beyond the recorded vectors: every block in its place, and state only to its issuer."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.errors import (
    EmptyResponseError,
    IncompleteStreamError,
    InvalidMessageError,
    ProviderStreamError,
    RefusalError,
    StreamProtocolError,
    ToolCallArgumentParseError,
    UnknownEventError,
    UnsupportedParameterError,
)

Json = dict[str, Any]
OFFICIAL, OTHERS = "anthropic-official", "ant-messages"
BEDROCK = "bedrock://us-east-1"
USER: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "Hi"}]}
TEXT: Json = {"type": "text.done", "text": "ok"}
CALL: Json = {"type": "tool_call.done", "name": "f", "arguments": {"x": 1}, "tool_call_id": "toolu_1"}
SEARCH: Json = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}}
FOUND: Json = {
    "type": "web_search_tool_result",
    "tool_use_id": "srv_1",
    "content": [{"type": "web_search_result", "encrypted_content": "enc", "url": "u", "title": "t", "page_age": None}],
}


def assistant(*items: Json, **extra: object) -> Any:
    """An assistant message."""
    return {"role": "assistant", "content_items": list(items), **extra}


def thinking(text: str, **fidelity: object) -> Json:
    """A thinking item with its fidelity."""
    return {"type": "thinking.done", "thinking": text, **({"fidelity": fidelity} if fidelity else {})}


def sent(client: str, *messages: Any, endpoint: str | None = None) -> list[Json]:
    """The blocks of the message after the user's greeting."""
    body = ostinato.wire(client, "m", endpoint=endpoint).encode([USER, *messages])
    blocks: list[Json] = body["messages"][1]["content"]
    return blocks


def decisions(client: str, message: Any) -> list[tuple[str, str]]:
    """What was left out of one message, and where."""
    wire = ostinato.wire(client, "m")
    return [(made.code, made.path) for made in wire.encode_message(message, wire.start, 1).decisions]


def start(index: int, block: Json) -> Json:
    """The event of a block that begins."""
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: object) -> Json:
    """The event of a piece of a block."""
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index: int) -> Json:
    """The event of a block that ends."""
    return {"type": "content_block_stop", "index": index}


def whole(index: int, block: Json) -> list[Json]:
    """A block that comes in its start event."""
    return [start(index, block), stop(index)]


def signed(index: int, text: str, signature: str) -> list[Json]:
    """A thinking block as it is streamed."""
    return [
        start(index, {"type": "thinking", "thinking": "", "signature": ""}),
        delta(index, "thinking_delta", thinking=text),
        delta(index, "signature_delta", signature=signature),
        stop(index),
    ]


def end(reason: str = "end_turn", **extra: object) -> list[Json]:
    """The events that end a response."""
    return [{"type": "message_delta", "delta": {"stop_reason": reason, **extra}, "usage": {}}, {"type": "message_stop"}]


def received(*events: Json, client: str = OFFICIAL, debug: bool = False) -> tuple[Any, Any]:
    """The message of a response, and what was noted."""
    decoder = ostinato.wire(client, "m").decoder(debug=debug)
    for event in copy.deepcopy(list(events)):
        decoder.feed(event)
    decoder.finish()
    return decoder.message(), decoder.notes


def items(*events: Json, client: str = OFFICIAL) -> list[Json]:
    """The items of a response."""
    message, _ = received(*events, client=client)
    done: list[Json] = message["content_items"]
    return done


# What arrives.


def test_blocks_that_come_whole_in_their_start_event() -> None:
    """Text, thinking with its signature, and the input of a call are read where they stand."""
    done = items(
        *whole(0, {"type": "thinking", "thinking": "Hm", "signature": "sig"}),
        *whole(1, {"type": "text", "text": "Hello"}),
        *whole(2, {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"x": 1}}),
        *end("tool_use"),
    )
    assert done == [thinking("Hm", signature="sig"), {"type": "text.done", "text": "Hello"}, CALL]


def test_the_input_of_a_start_event_is_not_taken_twice() -> None:
    """A server that repeats it in deltas says it once."""
    block = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"x": 1}}
    (call,) = items(start(0, block), delta(0, "input_json_delta", partial_json='{"x":1}'), stop(0), *end())
    assert call["arguments"] == {"x": 1}


def test_an_input_of_which_both_say_something_else_is_an_error() -> None:
    """Neither could be trusted."""
    block = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"x": 1}}
    with pytest.raises(StreamProtocolError):
        received(start(0, block), delta(0, "input_json_delta", partial_json='{"x":2}'), stop(0), *end())


def test_blocks_that_take_turns_stay_apart() -> None:
    """Each delta goes to the block whose index it has, and items come out one after the other."""
    calls = [start(n, {"type": "tool_use", "id": f"toolu_{n}", "name": "f", "input": {}}) for n in (0, 1)]
    done = items(
        *calls,
        delta(1, "input_json_delta", partial_json='{"x":'),
        delta(0, "input_json_delta", partial_json='{"y":1}'),
        delta(1, "input_json_delta", partial_json="2}"),
        stop(1),
        stop(0),
        *end(),
    )
    assert [item["arguments"] for item in done] == [{"y": 1}, {"x": 2}]


def test_a_server_that_numbers_every_block_zero() -> None:
    """A block that begins ends the one of the same index."""
    done = items(*signed(0, "A", "s1"), *whole(0, {"type": "text", "text": "B"}), *end())
    assert done == [thinking("A", signature="s1"), {"type": "text.done", "text": "B"}]


def test_a_server_that_ends_no_block() -> None:
    """The end of the response ends its blocks, and their state is taken then."""
    streamed = [event for event in signed(0, "A", "s1") if event["type"] != "content_block_stop"]
    done = items(*streamed, delta(1, "text_delta", text="B"), *end())
    assert done == [thinking("A", signature="s1"), {"type": "text.done", "text": "B"}]


@pytest.mark.parametrize(
    "event",
    [delta(0, "text_delta", text="x"), delta(0, "input_json_delta", partial_json="x"), delta(7, "input_json_delta")],
)
def test_a_delta_of_the_wrong_block_is_an_error(event: Json) -> None:
    """Text is never added to thinking."""
    with pytest.raises(StreamProtocolError):
        received(signed(0, "A", "s1")[0], event)


def test_a_cut_signature_is_never_kept() -> None:
    """Until the block stops, its signature may be half of one."""
    decoder = ostinato.wire(OFFICIAL, "m").decoder()
    events = [event for event in signed(0, "Half", "sig-ca")[:3] for event in decoder.feed(event)]
    assert not any("fidelity" in item for event in events for item in event["content_items"])
    with pytest.raises(IncompleteStreamError):
        decoder.finish()


def test_a_thinking_block_without_signature_is_noted() -> None:
    """Its text stays; what could go back is not there."""
    message, notes = received(*signed(0, "A", ""), *whole(1, {"type": "text", "text": "B"}), *end())
    assert message["content_items"][0] == thinking("A")
    assert notes["unsigned_thinking"] == 1


def test_a_redacted_block_without_data_is_not_kept() -> None:
    """It could not be sent back, and stands for nothing."""
    message, notes = received(
        *whole(0, {"type": "redacted_thinking"}), *whole(1, {"type": "text", "text": "B"}), *end()
    )
    assert message["content_items"] == [{"type": "text.done", "text": "B"}]
    assert notes["capture_refused:missing_field"] == 1


def test_blocks_of_unknown_kinds_are_kept_word_for_word() -> None:
    """A server's own tools, a compaction, whatever comes next: counted, kept in place, sent back as they came."""
    compaction = {"type": "compaction", "content": None, "signature": "sig"}
    message, notes = received(
        *whole(0, compaction | {"content": "Sum", "tool_changes": []}),
        start(1, SEARCH | {"input": {}}),
        delta(1, "input_json_delta", partial_json='{"query":'),
        delta(1, "input_json_delta", partial_json='"x"}'),
        stop(1),
        *whole(2, FOUND),
        start(3, compaction),
        delta(3, "compaction_delta", content="Sum", encrypted_content="enc"),
        stop(3),
        *whole(4, {"type": "text", "text": "B"}),
        *end(),
    )
    assert notes["kept_block:compaction"] == 2
    assert sent(OFFICIAL, message) == [
        compaction | {"content": "Sum", "tool_changes": []},
        SEARCH,
        FOUND,
        compaction | {"content": "Sum", "encrypted_content": "enc"},
        {"type": "text", "text": "B"},
    ]


def test_a_turn_of_nothing_but_unknown_blocks_is_a_turn() -> None:
    """A paused turn may hold a call of the server's tool alone; it goes on from there."""
    message, _ = received(*whole(0, SEARCH), *end("pause_turn"))
    assert message["finish_reason"] == "unknown"
    assert sent(OFFICIAL, message) == [SEARCH]


@pytest.mark.parametrize("partial", ['{"query":', '{"query":NaN}', '{"query":"\\ud83d"}'])
def test_an_unknown_block_that_could_not_go_back_is_left_out(partial: str) -> None:
    """A history must stay fit to be sent."""
    message, notes = received(
        start(0, SEARCH),
        delta(0, "input_json_delta", partial_json=partial),
        stop(0),
        *whole(1, {"type": "text", "text": "B"}),
        *end(),
    )
    assert sent(OFFICIAL, message) == [{"type": "text", "text": "B"}]
    assert notes["capture_refused:not_json"] == 1


def test_unknown_blocks_go_to_their_wire_only() -> None:
    """Anywhere else they mean nothing, and are left out with a word."""
    message, _ = received(*whole(0, SEARCH), *whole(1, {"type": "text", "text": "B"}), *end())
    body = ostinato.wire("openai-official", "m").encode([USER, message])
    assert "srv_1" not in repr(body)
    assert decisions("openai-official", message) == [("foreign_state", "messages/1/content_items/0")]


def test_what_stands_beside_a_text_or_call_goes_back() -> None:
    """Citations and callers are parts of the prefix."""
    cited = {"type": "char_location", "cited_text": "c"}
    caller = {"type": "code_execution_20260120", "tool_id": "srv_1"}
    message, _ = received(
        start(0, {"type": "text", "text": "", "citations": []}),
        delta(0, "citations_delta", citation=cited),
        delta(0, "text_delta", text="B"),
        stop(0),
        *whole(1, {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"x": 1}, "caller": caller}),
        *end("tool_use"),
    )
    assert sent(OFFICIAL, message) == [
        {"type": "text", "text": "B", "citations": [cited]},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"x": 1}, "caller": caller},
    ]


def test_events_and_deltas_of_unknown_kinds_are_counted() -> None:
    """They end no response, unless one is looking for them."""
    text = start(0, {"type": "text", "text": "B"})
    unknown = [{"type": "message_mystery"}, delta(0, "mystery_delta")]
    _, notes = received(text, *unknown, stop(0), *end())
    assert notes == {"unknown_event:message_mystery": 1, "unknown_event:mystery_delta": 1}
    for event in unknown:
        with pytest.raises(UnknownEventError):
            received(text, event, debug=True)


def test_an_error_of_the_provider_has_its_words() -> None:
    """Inside the stream, after whatever came before it."""
    event = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(ProviderStreamError, match="overloaded_error: Overloaded"):
        received(start(0, {"type": "text", "text": "B"}), event)


def test_an_exception_of_the_event_stream_has_its_words() -> None:
    """Bedrock ends a stream with a message of another kind."""
    with pytest.raises(ProviderStreamError, match="throttlingException: Too many"):
        received({"throttlingException": {"message": "Too many"}})


def test_a_refusal_without_an_answer_has_its_words() -> None:
    """There is no turn to record."""
    details = {"type": "refusal", "category": "bio", "explanation": "Not this."}
    with pytest.raises(RefusalError, match="Not this"):
        received(*signed(0, "A", "s1"), *end("refusal", stop_details=details))


def test_thinking_alone_is_no_turn() -> None:
    """No provider takes it back."""
    with pytest.raises(EmptyResponseError):
        received(*signed(0, "A", "s1"), *end())


@pytest.mark.parametrize("partial", ['{"x":NaN}', '{"x":"\\ud83d"}', "[1]", '{"x":'])
def test_arguments_that_could_not_go_back_are_an_error(partial: str) -> None:
    """The turn is refused, and the history stays fit to be sent."""
    block = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    with pytest.raises(ToolCallArgumentParseError):
        received(start(0, block), delta(0, "input_json_delta", partial_json=partial), stop(0), *end())


def test_state_that_the_provider_dropped_is_counted() -> None:
    """The history stays as it is: without the block the prefix would be another one."""
    dropped = [{"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_binding_mismatch"}]
    message_start = {"type": "message_start", "message": {"input_transformations": dropped}}
    _, notes = received(message_start, *whole(0, {"type": "text", "text": "B"}), *end())
    assert notes["provider_dropped_state:prefix_binding_mismatch"] == 1


@pytest.mark.parametrize(
    ("client", "usage", "counts"),
    [
        (OTHERS, {"input_tokens": 5, "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}, (5, 4, 5)),
        (OTHERS, {"output_tokens": 3, "output_tokens_details": {"thinking_tokens": 4}}, (None, 4, 3)),
        (OTHERS, {}, (None, None, None)),
        (OFFICIAL, {"input_tokens": 5, "output_tokens": 9}, (None, None, 9)),
    ],
)
def test_counts_of_the_last_report(client: str, usage: Json, counts: tuple[int | None, ...]) -> None:
    """Servers that know nothing at the beginning say it at the end; what nobody says is not known."""
    last = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}
    message, _ = received(*whole(0, {"type": "text", "text": "B"}), last, client=client)
    names = ("prompt_tokens", "thoughts_tokens", "response_tokens")
    assert tuple(message["usage_metadata"][name] for name in names) == counts


# What goes out.


def test_a_turn_goes_back_block_by_block() -> None:
    """Interleaved thinking, redacted blocks, omitted text: the same blocks in the same order."""
    blocks: list[Json] = [
        {"type": "thinking", "thinking": "", "signature": "s1"},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"x": 1.0}},
        {"type": "redacted_thinking", "data": "cmVk"},
        {"type": "thinking", "thinking": "B\n", "signature": "s2"},
        {"type": "text", "text": "ok"},
    ]
    message, _ = received(*(event for n, block in enumerate(blocks) for event in whole(n, block)), *end())
    assert sent(OFFICIAL, message) == blocks


@pytest.mark.parametrize("provider", ["bedrock", "gemini", "openai"])
def test_state_of_another_issuer_stays_here(provider: str) -> None:
    """Neither as a signature nor as text: the API drops or refuses it."""
    message = assistant(
        thinking("A", signature="s1"),
        thinking("_REDACTED_THINKING", signature="cmVk"),
        TEXT,
        origin={"provider": provider},
    )
    assert sent(OFFICIAL, message) == [{"type": "text", "text": "ok"}]
    places = [path for _, path in decisions(OFFICIAL, message)]
    assert set(places) == {"messages/1/content_items/0", "messages/1/content_items/1"}


def test_bedrock_takes_what_bedrock_made() -> None:
    """The same models elsewhere are another issuer."""
    message = assistant(thinking("A", signature="s1"), TEXT, origin={"provider": "bedrock"})
    assert len(sent(OFFICIAL, message, endpoint=BEDROCK)) == 2
    assert len(sent(OFFICIAL, message | {"origin": {"provider": "anthropic"}}, endpoint=BEDROCK)) == 1


def test_a_server_of_the_wire_takes_what_was_made_at_its_endpoint() -> None:
    """Elsewhere the text goes out, unsigned."""
    message = assistant(thinking("A", signature="s1"), TEXT, origin={"provider": OTHERS, "endpoint": "https://a"})
    assert sent(OTHERS, message, endpoint="https://a")[0] == {"type": "thinking", "thinking": "A", "signature": "s1"}
    assert sent(OTHERS, message, endpoint="https://b")[0] == {"type": "thinking", "thinking": "A"}


@pytest.mark.parametrize("signature", [b"raw", "", 5, None, []])
def test_a_signature_of_another_shape_is_not_sent(signature: object) -> None:
    """Fidelity is anybody's."""
    message = assistant(thinking("A", signature=signature), TEXT)
    assert sent(OFFICIAL, message) == [{"type": "text", "text": "ok"}]
    assert decisions(OFFICIAL, message) == [("unsigned_thinking", "messages/1/content_items/0")]


def test_no_message_ends_with_thinking() -> None:
    """The API refuses one that does: a turn that was cut while thinking."""
    message = assistant(thinking("A", signature="s1"), TEXT, thinking("B", signature="s2"))
    assert [block["type"] for block in sent(OFFICIAL, message)] == ["thinking", "text"]
    assert decisions(OFFICIAL, message) == [("orphan_thinking", "messages/1/content_items/2")]
    assert len(sent(OTHERS, message)) == 3


def test_what_stands_beside_a_block_never_replaces_it() -> None:
    """Only what the item does not say is taken from the fidelity."""
    item = TEXT | {"fidelity": {"block": {"text": "other", "type": "x", "cache_control": {}, "citations": []}}}
    assert sent(OFFICIAL, assistant(item)) == [{"type": "text", "text": "ok", "citations": []}]


@pytest.mark.parametrize("url", ["data:image/png,raw", "data:;base64,AAAA"])
def test_an_image_that_cannot_be_read_is_refused(url: str) -> None:
    """A data URL is base64 and names its type."""
    message = {"role": "user", "content_items": [{"type": "image_url.done", "image_url": url}]}
    with pytest.raises(InvalidMessageError) as caught:
        ostinato.wire(OFFICIAL, "m").encode([message])  # type: ignore[list-item]
    assert caught.value.item_type == "image_url"


def test_bedrock_takes_no_image_by_url() -> None:
    """The client fetches it; what was not fetched is refused before anything is sent."""
    message: Any = {"role": "user", "content_items": [{"type": "image_url.done", "image_url": "https://a/b.png"}]}
    wire = ostinato.wire(OFFICIAL, "m", endpoint=BEDROCK)
    assert wire.inlines_images
    with pytest.raises(InvalidMessageError):
        wire.encode([message])


def test_the_marker_on_bedrock_moves_and_leaves_no_trace() -> None:
    """It marks the last block of the last user message, on a copy."""
    wire = ostinato.wire(OFFICIAL, "m", endpoint=BEDROCK)
    groups = [wire.encode_message(message, None).items for message in (USER, assistant(TEXT), USER, assistant(TEXT))]
    before = copy.deepcopy(groups)
    marked = wire.body(groups)["messages"]
    assert [n for n, message in enumerate(marked) if "cache_control" in message["content"][-1]] == [2]
    assert "cache_control" not in repr(wire.body(groups, {"prompt_caching": "disable"}))
    assert groups == before
    assert wire.items_key is None


def test_a_model_of_bedrock_is_a_part_of_the_path() -> None:
    """An ARN has slashes of its own."""
    wire = ostinato.wire(OFFICIAL, "arn:aws:bedrock:eu-west-1:1:inference-profile/é", endpoint=BEDROCK)
    assert wire.path == ("/model/arn:aws:bedrock:eu-west-1:1:inference-profile%2F%C3%A9/invoke-with-response-stream")
    assert set(wire.body([])) == {"anthropic_version", "max_tokens", "messages"}


@pytest.mark.parametrize(
    ("config", "setting"),
    [
        ({"prompt_caching": "bogus"}, "prompt_caching"),
        ({"thinking_level": "bogus"}, "thinking_level"),
        ({"tool_choice": "bogus"}, "tool_choice"),
        ({"tool_choice": ["a", "b"]}, "tool_choice"),
    ],
)
def test_settings_that_mean_nothing_are_refused(config: Any, setting: str) -> None:
    """By name, before anything is sent."""
    with pytest.raises(UnsupportedParameterError) as caught:
        ostinato.wire(OFFICIAL, "m").body([], config)
    assert caught.value.parameter == setting


def test_fast_mode_is_a_beta() -> None:
    """The setting and its header travel together."""
    for client in (OFFICIAL, OTHERS):
        wire = ostinato.wire(client, "claude-opus-5")
        assert wire.body([], {"fast_mode": True})["speed"] == "fast"
        assert wire.headers({"fast_mode": True})["anthropic-beta"] == "fast-mode-2026-02-01"
        assert set(wire.headers()) == {"anthropic-version"}


@pytest.mark.parametrize("client", [OFFICIAL, OTHERS])
def test_one_tool_is_asked_for_by_name(client: str) -> None:
    """As a choice of the tool, not of any."""
    body = ostinato.wire(client, "claude-opus-5").body([], {"tool_choice": ["f"]})
    assert body["tool_choice"] == {"type": "tool", "name": "f"}


@given(st.lists(st.sampled_from(["thinking", "redacted", "text", "call", "search", "found"]), min_size=1, max_size=8))
def test_any_turn_goes_back_as_it_came(kinds: list[str]) -> None:
    """Whatever the blocks and their order, the next request holds them unchanged."""
    made = {
        "thinking": lambda n: {"type": "thinking", "thinking": f"t{n}", "signature": f"s{n}"},
        "redacted": lambda n: {"type": "redacted_thinking", "data": f"d{n}"},
        "text": lambda n: {"type": "text", "text": f"x{n}"},
        "call": lambda n: {"type": "tool_use", "id": f"c{n}", "name": "f", "input": {"n": n}},
        "search": lambda n: SEARCH | {"id": f"srv_{n}"},
        "found": lambda n: FOUND | {"tool_use_id": f"srv_{n}"},
    }
    blocks = [*(made[kind](n) for n, kind in enumerate(kinds)), {"type": "text", "text": "end"}]
    message, _ = received(*(event for n, block in enumerate(blocks) for event in whole(n, block)), *end())
    assert sent(OFFICIAL, message) == blocks
