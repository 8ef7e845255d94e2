"""Chat Completions beyond the recorded vectors: nothing is lost, nothing is lent to another issuer."""

import copy
from typing import Any

import pytest

import ostinato
from ostinato.errors import (
    InvalidMessageError,
    ProviderStreamError,
    RefusalError,
    StreamProtocolError,
    ToolCallArgumentParseError,
    UnsupportedContentError,
    UnsupportedParameterError,
)
from ostinato.messages import admit
from ostinato.wires.openai_chat.dialects import DIALECTS

Json = dict[str, Any]
USER: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "Hi"}]}
TEXT: Json = {"type": "text.done", "text": "ok"}
CALL: Json = {"type": "tool_call.done", "name": "f", "arguments": {"x": 1}, "tool_call_id": "call_1"}
STOP: Json = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
SEALED: Json = {
    "type": "reasoning.encrypted",
    "data": "enc-1",
    "format": "google-gemini-v1",
    "id": "call_1",
    "index": 0,
}
SIGNED: Json = {"type": "reasoning.text", "text": "AB", "signature": "sig", "format": "anthropic-claude-v1", "index": 0}


def assistant(*items: Json, **extra: object) -> Any:
    """An assistant message."""
    return {"role": "assistant", "content_items": list(items), **extra}


def thinking(text: str, **fidelity: object) -> Json:
    """A thinking item with its fidelity."""
    return {"type": "thinking.done", "thinking": text, **({"fidelity": fidelity} if fidelity else {})}


def sent(client: str, *messages: Any, model: str = "m") -> list[Json]:
    """The wire messages of a conversation, without that of the user's greeting."""
    items: list[Json] = ostinato.wire(client, model).encode([USER, *messages])["messages"]
    return items[1:]


def last(client: str, *items: Json, model: str = "m", **extra: object) -> Json:
    """The wire message of one assistant message."""
    return sent(client, assistant(*items, **extra), model=model)[-1]


def chunk(**delta: object) -> Json:
    """A chunk with one delta."""
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def piece(index: int | None, arguments: str = "", name: str | None = None, call_id: str | None = None) -> Json:
    """A piece of a call, as a chunk."""
    call: Json = {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}
    return chunk(tool_calls=[{key: value for key, value in call.items() if value is not None}])


def received(client: str, *events: Json, end: Json = STOP, model: str = "m") -> tuple[Any, Any]:
    """The message of a response, and what was noted."""
    decoder = ostinato.wire(client, model).decoder()
    for event in [*events, end]:
        decoder.feed(event)
    decoder.finish()
    return decoder.message(), decoder.notes


def there_and_back(client: str, *events: Json) -> Json:
    """The wire message that a response comes back as."""
    message, _ = received(client, *events)
    assert admit(message) is message
    return sent(client, message)[0]


def details(*fragments: Json) -> list[Json]:
    """One chunk for each fragment of `reasoning_details`."""
    return [chunk(reasoning_details=[fragment]) for fragment in fragments]


def done(message: Any) -> list[tuple[str, Any]]:
    """Kind and content of each item."""
    grows = {"text.done": "text", "thinking.done": "thinking", "tool_call.done": "arguments"}
    return [(item["type"].partition(".")[0], item[grows[item["type"]]]) for item in message["content_items"]]


# Blocks of a gateway.


@pytest.mark.parametrize("client", ["openai-chat", "openai-chat-vllm-adapter", "openrouter"])
def test_fragments_of_one_block_become_one_block(client: str) -> None:
    """Text is put together by type and index, with the signature that comes last."""
    start: Json = {"type": "reasoning.text", "text": "A", "format": "anthropic-claude-v1", "index": 0}
    more: Json = {"type": "reasoning.text", "text": "B", "index": 0}
    signature: Json = {"type": "reasoning.text", "signature": "sig", "index": 0, "text": None}
    assert there_and_back(client, *details(start, more, signature), chunk(content="ok"))["reasoning_details"] == [
        SIGNED
    ]


def test_blocks_keep_their_order_index_id_and_format() -> None:
    """An id stays with the block it came with; nothing is thrown away for coming early."""
    plan: Json = {"type": "reasoning.summary", "summary": "Plan", "index": 6}
    sealed: Json = {
        "type": "reasoning.encrypted",
        "data": "gAAAAA",
        "id": "rs_1",
        "format": "openai-responses-v1",
        "index": 7,
    }
    searched: Json = {"type": "reasoning.server_tool_call", "tool_name": "web", "arguments": {"q": "x"}, "index": 8}
    message, _ = received("openrouter", *details(plan, sealed, searched), piece(0, "{}", "f", "call_1"))
    assert done(message) == [("thinking", "Plan"), ("tool_call", {})]
    assert sent("openrouter", message)[0]["reasoning_details"] == [plan, sealed, searched]


@pytest.mark.parametrize("index", [{}, {"index": 0}])
def test_sealed_blocks_side_by_side_stay_apart(index: Json) -> None:
    """Sealed blocks come whole, whatever their index; only an exact repeat is dropped, and counted."""
    first, second = ({"type": "reasoning.encrypted", "data": data, "format": "f", **index} for data in "ab")
    message, notes = received("openai-chat", *details(first, second, first), chunk(content="ok"))
    assert sent("openai-chat", message)[0]["reasoning_details"] == [first, second]
    assert notes["repeated_block"] == 1


def test_entries_without_an_index_pass_through() -> None:
    """Without an index nothing says what belongs together."""
    entries = [{"type": "reasoning.text", "text": text} for text in "ab"]
    assert there_and_back("openrouter", *details(*entries), chunk(content="ok"))["reasoning_details"] == entries


def test_entries_of_one_index_with_two_ids_are_two_blocks() -> None:
    """An index may be used again."""
    entries = [{"type": "reasoning.text", "text": text, "id": text, "index": 0} for text in "ab"]
    assert there_and_back("openrouter", *details(*entries), chunk(content="ok"))["reasoning_details"] == entries


def test_a_signature_that_comes_after_the_answer_signs_its_block() -> None:
    """It is kept where it came, and goes back in the block of its index."""
    unsigned = {name: value for name, value in SIGNED.items() if name != "signature"}
    late: Json = {"type": "reasoning.text", "signature": "sig", "index": 0}
    message, _ = received("openrouter", *details(unsigned), chunk(content="ok"), *details(late))
    assert done(message) == [("thinking", "AB"), ("text", "ok"), ("thinking", "")]
    assert sent("openrouter", message)[0]["reasoning_details"] == [SIGNED]


def test_runs_apart_are_not_mixed() -> None:
    """A second run may number its blocks from 0 again."""
    again: Json = {"type": "reasoning.text", "text": "C", "signature": "sig-2", "format": "f", "index": 0}
    events = [*details(SIGNED), piece(0, "{}", "f", "call_1"), *details(again), piece(1, "{}", "g", "call_2")]
    message, _ = received("openrouter", *events)
    assert done(message) == [("thinking", "AB"), ("tool_call", {}), ("thinking", "C"), ("tool_call", {})]
    assert sent("openrouter", message)[0]["reasoning_details"] == [SIGNED, again]


def test_a_lone_sealed_block_is_kept_under_the_names_of_mmsp() -> None:
    """Other readers of the history find it there."""
    message, _ = received("openai-chat", *details(SEALED), piece(0, "{}", "f", "call_1"))
    flat = {"encrypted_content": "enc-1", "format": "google-gemini-v1", "reasoning_id": "call_1", "index": 0}
    assert message["content_items"][0] == thinking("", **flat)
    assert sent("openai-chat", message)[0]["reasoning_details"] == [SEALED]


def test_a_sealed_block_without_format_goes_back_without_one() -> None:
    """As it is recorded by mmsp, which drops it on replay."""
    sealed = {"type": "reasoning.encrypted", "data": "enc-1"}
    assert there_and_back("openai-chat", *details(sealed), chunk(content="ok"))["reasoning_details"] == [sealed]
    recorded = thinking("", encrypted_content="enc-1", reasoning_id="call_1")
    assert last("openai-chat", recorded, TEXT)["reasoning_details"] == [sealed | {"id": "call_1"}]


def test_fields_without_a_meaning_are_dropped_and_counted() -> None:
    """The codec decides what of a block is state."""
    message, notes = received("openrouter", *details(SIGNED | {"cost": 1, "id": None}), chunk(content="ok"))
    assert sent("openrouter", message)[0]["reasoning_details"] == [SIGNED]
    assert notes["dropped_field:cost"] == 1


def test_a_block_of_an_unknown_kind_goes_back_as_it_came() -> None:
    """Left out, it would tear its run apart."""
    future: Json = {"type": "reasoning.hologram", "cube": {"x": [1]}, "index": 1}
    message, notes = received("openrouter", *details(SIGNED, future), chunk(content="ok"))
    assert sent("openrouter", message)[0]["reasoning_details"] == [SIGNED, future]
    assert notes["unknown_block:reasoning.hologram"] == 1


@pytest.mark.parametrize(
    ("block", "note"),
    [
        ({"type": "reasoning.encrypted", "data": ""}, "capture_refused:empty_value"),
        ({"type": "reasoning.summary"}, "capture_refused:missing_field"),
        ({"type": "reasoning.text", "text": "x", "signature": "\ud83d"}, "capture_refused:lone_surrogate"),
        ({"type": "reasoning.hologram", "cube": float("nan")}, "unknown_block:reasoning.hologram"),
    ],
)
def test_a_block_that_could_not_be_sent_back_is_left_out_and_counted(block: Json, note: str) -> None:
    """The turn is kept."""
    message, notes = received("openrouter", *details(block), chunk(content="ok"))
    assert notes[note] == 1
    assert "reasoning_details" not in sent("openrouter", message)[0]


def test_a_character_cut_in_two_is_whole_again_in_its_block() -> None:
    """Its halves come in two fragments."""
    halves = [{"type": "reasoning.text", "text": text, "index": 0} for text in ("a\ud83d", "\ude00b")]
    message, _ = received("openrouter", *details(*halves), chunk(content="ok"))
    assert done(message)[0] == ("thinking", "a\U0001f600b")
    assert sent("openrouter", message)[0]["reasoning_details"][0]["text"] == "a\U0001f600b"


def test_text_that_its_blocks_hold_goes_once_to_openrouter_and_beside_them_elsewhere() -> None:
    """OpenRouter takes one or the other; another gateway may know only the field."""
    told = thinking("AB", reasoning_details=[SIGNED])
    assert last("openrouter", told, TEXT) == {
        "role": "assistant",
        "content": [{"type": "text", "text": "ok"}],
        "reasoning_details": [SIGNED],
    }
    generic = last("openai-chat", told, TEXT)
    assert (generic["reasoning_content"], generic["reasoning"], generic["reasoning_details"]) == ("AB", "AB", [SIGNED])
    both = last("openrouter", thinking("Sum", encrypted_content="e", format="f"), TEXT)
    assert both["reasoning"] == "Sum"
    assert both["reasoning_details"] == [{"type": "reasoning.encrypted", "data": "e", "format": "f"}]


def test_blocks_in_the_history_are_not_touched() -> None:
    """The body is made of copies."""
    message = assistant(thinking("AB", reasoning_details=[SIGNED, {"type": "x", "deep": [1]}]), TEXT)
    before = copy.deepcopy(message)
    body = sent("openrouter", message)[0]
    body["reasoning_details"][1]["deep"].append(2)
    assert message == before


@pytest.mark.parametrize("details_kept", ["text", 5, [], ["x", 5]])
def test_fidelity_of_another_shape_is_no_block(details_kept: Any) -> None:
    """Fidelity may hold anything."""
    assert "reasoning_details" not in last("openai-chat", thinking("T", reasoning_details=details_kept), TEXT)


# Whose state it is.


def test_state_of_another_vendor_behind_the_same_gateway_stays_behind() -> None:
    """Its text goes on, its ciphertext and signatures do not, and that is said."""
    made = {"provider": "openrouter", "endpoint": "https://openrouter.ai/api/v1", "model": "anthropic/claude-opus-5-5"}
    call = {**CALL, "fidelity": {"arguments": '{"x":1}', "extra_content": {"google": {"thought_signature": "s"}}}}
    message = assistant(thinking("AB", reasoning_details=[SIGNED]), call, origin=made)
    wire = ostinato.wire("openrouter", "openai/gpt-6-astra")
    encoded = wire.encode_message(message, wire.start, 1)
    assert encoded.items[0] == {
        "role": "assistant",
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}],
        "reasoning": "AB",
    }
    assert [(made.code, made.path) for made in encoded.decisions] == [
        ("foreign_state", "messages/1/content_items/0"),
        ("foreign_state", "messages/1/content_items/1"),
    ]
    same = ostinato.wire("openrouter", "anthropic/claude-haiku-5-5").encode_message(message, frozenset(), 1)
    assert same.items[0]["reasoning_details"] == [SIGNED]
    assert not same.decisions


@pytest.mark.parametrize("client", DIALECTS)
def test_nothing_of_another_issuer_goes_out_but_its_text(client: str) -> None:
    """Neither as text nor as state."""
    kept: Json = {"reasoning_details": [SEALED], "encrypted_content": "enc-2", "format": "f", "signature": "sig"}
    message = assistant(
        thinking("_REDACTED_THINKING", signature="red"),
        thinking("T", reasoning_field="reasoning", **kept),
        {**TEXT, "fidelity": {"phase": "commentary"}},
        {**CALL, "fidelity": {"extra_content": {"google": {"thought_signature": "tsig"}}}},
        origin={"provider": "elsewhere"},
    )
    out = repr(sent(client, message))
    assert "'T'" in out
    for state in ("enc-", "sig", "red", "_REDACTED", "commentary", "extra_content"):
        assert state not in out.replace("reasoning_", "").replace("encrypted", "")


@pytest.mark.parametrize(
    "kept",
    [
        {"signature": "sig"},
        {"encrypted_content": "gAAAAAB"},
        {"channel": "summary", "encrypted_content": "enc", "format": "f", "signature": "s"},
        {"channel": "content", "encrypted_content": "enc"},
    ],
)
@pytest.mark.parametrize("client", DIALECTS)
def test_state_that_looks_like_another_wires_is_not_sent(client: str, kept: Json) -> None:
    """Histories without an origin are judged by the names of what they keep."""
    out = last(client, thinking("T", **kept), TEXT)
    assert set(out) <= {"role", "content", "reasoning_content", "reasoning"}


# The field that thinking came in.


def test_each_dialect_writes_thinking_where_its_server_reads_it() -> None:
    """Where the field is not known, the generic dialects write both."""
    fields = {client: set(last(client, thinking("T"), TEXT)) - {"role", "content"} for client in DIALECTS}
    both = {"reasoning_content", "reasoning"}
    assert fields == {
        "openai-chat": both,
        "openai-chat-vllm-adapter": both,
        "moonshot-official": both,
        "zai-official": both,
        "openrouter": {"reasoning"},
        "qwen": {"reasoning_content"},
    }


def test_a_silent_turn_that_calls_tools_follows_the_turns_before_it() -> None:
    """Only what came before counts, and only where there was thinking."""
    quiet = assistant({**CALL, "tool_call_id": "call_2"})
    thought = assistant(thinking("T", reasoning_field="reasoning"), CALL)
    assert "reasoning" not in sent("openai-chat", quiet, thought)[0]
    assert sent("openai-chat", thought, quiet)[1]["reasoning"] == ""
    assert "reasoning" not in sent("openai-chat", thought, assistant(TEXT))[1]
    assert "reasoning" not in sent("openrouter", thought, quiet)[1]


# Sealed reasoning of Qwen.


def test_sealed_reasoning_goes_back_with_its_message() -> None:
    """The text is only a summary; the ciphertext is the state. It may come in pieces, and after the text."""
    expected = {
        "role": "assistant",
        "content": [{"type": "text", "text": "391"}],
        "reasoning_content": "Multiplied.",
        "encrypted_content": "QWEN-1",
    }
    summary, answer = chunk(reasoning_content="Multiplied."), chunk(content="391")
    assert there_and_back("qwen", summary, chunk(encrypted_content="QWEN-1"), answer) == expected
    assert (
        there_and_back("qwen", summary, chunk(encrypted_content="QWE"), chunk(encrypted_content="N-1"), answer)
        == expected
    )
    assert there_and_back("qwen", summary, answer, chunk(encrypted_content="QWEN-1")) == expected


def test_sealed_reasoning_is_only_qwens() -> None:
    """No other dialect reads or sends it."""
    message, notes = received("openai-chat", chunk(content="x", encrypted_content="QWEN-1"))
    assert notes["ignored_field:encrypted_content"] == 1
    assert done(message) == [("text", "x")]
    sealed = thinking("T", reasoning_field="reasoning_content", encrypted_content="QWEN-1")
    assert "encrypted_content" not in last("openai-chat", sealed, TEXT)
    assert last("qwen", sealed, TEXT)["encrypted_content"] == "QWEN-1"


def test_sealed_reasoning_that_is_no_text_is_left_out_and_counted() -> None:
    """The turn is kept."""
    message, notes = received("qwen", chunk(reasoning_content="T", encrypted_content="\ud83d"), chunk(content="x"))
    assert notes["capture_refused:lone_surrogate"] == 1
    assert "encrypted_content" not in sent("qwen", message)[0]


# Calls.


def test_interleaved_calls_are_put_together_by_index() -> None:
    """Pieces of two calls take turns; both come out whole, one after the other."""
    message, _ = received(
        "openai-chat",
        piece(0, "", "f", "call_1"),
        piece(1, "", "g", "call_2"),
        piece(0, '{"a":'),
        piece(1, '{"b":'),
        piece(0, "1}"),
        piece(1, "2}"),
    )
    assert [(item["name"], item["arguments"]) for item in message["content_items"]] == [
        ("f", {"a": 1}),
        ("g", {"b": 2}),
    ]
    assert message["finish_reason"] == "tool_call"


def test_a_call_is_done_when_the_next_one_begins() -> None:
    """A caller need not wait for the end of the response."""
    decoder = ostinato.wire("openai-chat", "m").decoder()
    decoder.feed(piece(0, '{"a":1}', "f", "call_1"))
    events = decoder.feed(piece(1, "", "g", "call_2"))
    assert [event["content_items"][0]["type"] for event in events] == ["tool_call.done", "tool_call.delta"]


@pytest.mark.parametrize("call_id", ["", None, "other"])
def test_a_piece_without_a_name_continues_its_call_whatever_its_id(call_id: str | None) -> None:
    """Some servers make up an id for every piece."""
    message, _ = received("openai-chat", piece(0, '{"a":', "f", "call_1"), piece(0, "1}", None, call_id))
    assert message["content_items"] == [
        {"type": "tool_call.done", "name": "f", "arguments": {"a": 1}, "tool_call_id": "call_1"}
        | {"fidelity": {"arguments": '{"a":1}'}}
    ]


def test_calls_that_are_all_numbered_0_are_told_apart_by_their_ids() -> None:
    """Some servers never count."""
    message, _ = received(
        "openai-chat", piece(0, '{"a":1}', "f", "call_1"), piece(0, '{"b":', "f", "call_2"), piece(0, "2}")
    )
    assert [item["tool_call_id"] for item in message["content_items"]] == ["call_1", "call_2"]
    assert done(message) == [("tool_call", {"a": 1}), ("tool_call", {"b": 2})]


def test_calls_without_an_index_are_told_apart_by_name_and_id() -> None:
    """A name begins a call, unless its id is known."""
    message, _ = received(
        "openai-chat",
        piece(None, '{"a":', "f", "call_1"),
        piece(None, "1"),
        piece(None, "}", "f", "call_1"),
        piece(None, '{"b":2}', "f", "call_2"),
    )
    assert done(message) == [("tool_call", {"a": 1}), ("tool_call", {"b": 2})]


def test_calls_without_an_id_go_by_their_name_and_stay_apart() -> None:
    """Two calls of one function must not share an id; an id that comes late is not taken."""
    message, notes = received(
        "openai-chat",
        piece(0, '{"a":1}', "f"),
        piece(1, "{}", "g"),
        piece(2, '{"b":', "f"),
        piece(2, "2}", None, "late"),
    )
    assert [item["tool_call_id"] for item in message["content_items"]] == ["f", "g", "f_2"]
    assert notes["call_id_missing"] == 3


@pytest.mark.parametrize("client", ["moonshot-official", "zai-official", "openrouter", "qwen"])
def test_elsewhere_a_call_without_an_id_is_an_error(client: str) -> None:
    """A vendor's own server gives every call an id; a result could not be told from another without one."""
    with pytest.raises(StreamProtocolError):
        received(client, piece(0, "{}", "f"))


def test_text_after_a_call_does_not_wait_for_the_end() -> None:
    """A call whose arguments are whole is done when something else begins."""
    decoder = ostinato.wire("openai-chat", "m").decoder()
    decoder.feed(piece(0, "{}", "f", "call_1"))
    assert [event["content_items"][0]["type"] for event in decoder.feed(chunk(content="x"))] == [
        "tool_call.done",
        "text.delta",
    ]


def test_more_arguments_after_a_whole_object_are_an_error() -> None:
    """What was given out cannot be taken back; blanks mean nothing."""
    events = [piece(0, "{}", "f", "call_1"), piece(1, "{}", "g", "call_2")]
    message, _ = received("openai-chat", *events, piece(0, " "))
    assert done(message) == [("tool_call", {}), ("tool_call", {})]
    with pytest.raises(StreamProtocolError):
        received("openai-chat", *events, piece(0, "x"))


@pytest.mark.parametrize("arguments", ['{"a":', '{"a":NaN}', '["a"]', '{"a":"\\ud83d"}'])
def test_arguments_that_could_not_be_sent_back_are_a_typed_error(arguments: str) -> None:
    """The error names the call."""
    with pytest.raises(ToolCallArgumentParseError) as caught:
        received("openai-chat", piece(0, arguments, "f", "call_1"))
    assert (caught.value.tool_name, caught.value.tool_call_id) == ("f", "call_1")


def test_arguments_go_back_as_the_model_wrote_them() -> None:
    """Spacing, number forms and repeated keys are part of the prefix."""
    text = '{"b":1.0,"big":1e3,"dup":1,"dup":2}'
    back = there_and_back("zai-official", piece(0, text, "f", "call_1"))
    assert back["tool_calls"][0]["function"]["arguments"] == text


def test_state_that_a_call_carries_goes_back_on_it() -> None:
    """Gemini's route for this wire signs calls; without the signature it refuses the next request."""
    signed: Json = {"google": {"thought_signature": "U0lH"}}
    call = {"index": 0, "id": "call_1", "function": {"name": "f", "arguments": "{}"}, "extra_content": signed}
    message, _ = received("openai-chat", chunk(tool_calls=[call]), chunk(tool_calls=[call | {"function": {}}]))
    assert message["content_items"][0]["fidelity"] == {"extra_content": signed}
    assert sent("openai-chat", message)[0]["tool_calls"][0]["extra_content"] == signed
    assert "extra_content" not in sent("qwen", assistant(*message["content_items"]))[0]["tool_calls"][0]


def test_state_of_a_call_that_is_no_json_is_left_out_and_counted() -> None:
    """The turn is kept."""
    call = {"index": 0, "id": "call_1", "function": {"name": "f"}, "extra_content": {"x": float("inf")}}
    message, notes = received("openai-chat", chunk(tool_calls=[call]))
    assert notes["capture_refused:extra_content"] == 1
    assert "fidelity" not in message["content_items"][0]


# What else arrives.


def test_an_error_inside_the_stream_has_the_providers_code_and_words() -> None:
    """Whatever its shape."""
    for error, code, status in [
        ({"error": {"message": "boom", "code": 502, "metadata": {}}, "choices": []}, 502, 502),
        ({"error": {"message": "boom", "type": "server_error"}}, "server_error", None),
        ({"error": "boom"}, None, None),
        ({"object": "error", "message": "boom", "code": 400}, 400, 400),
    ]:
        with pytest.raises(ProviderStreamError, match="boom") as caught:
            received("openai-chat", chunk(content="Hi"), error)
        assert (caught.value.code, caught.value.status) == (code, status)


def test_a_refusal_is_an_error_with_the_models_words() -> None:
    """They are not lost."""
    with pytest.raises(RefusalError, match="No, never"):
        received("openai-chat", chunk(refusal="No, "), chunk(refusal="never"))


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 3}, [None, 5, None, 3]),
        ({"completion_tokens": 26, "completion_tokens_details": {"reasoning_tokens": 196}}, [None, None, 196, 26]),
        ({"prompt_tokens": None, "prompt_tokens_details": None}, [None, None, None, None]),
        ({"prompt_tokens": "many"}, [None, None, None, None]),
        (None, [None, None, None, None]),
    ],
)
def test_tokens_that_were_not_counted_stay_unknown(usage: Any, counts: list[Any]) -> None:
    """And no count is ever below zero: a server that counts thinking beside the completion is read so."""
    message, _ = received("openai-chat", chunk(content="x"), end=STOP | {"usage": usage})
    assert list(message["usage_metadata"].values()) == counts


def test_usage_may_stand_in_the_choice() -> None:
    """Where some servers put it."""
    end = {"choices": [{"delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 5}}]}
    message, _ = received("moonshot-official", chunk(content="x"), end=end)
    assert message["usage_metadata"]["prompt_tokens"] == 5


def test_what_is_not_known_is_counted() -> None:
    """Heartbeats, fields and content parts of kinds not known here."""
    parts = [{"type": "text", "text": "x"}, {"type": "thinking", "thinking": []}]
    message, notes = received("openai-chat", {"type": "ping"}, chunk(content=parts, audio={"id": "1"}, annotations=[]))
    assert done(message) == [("text", "x")]
    assert dict(notes) == {"unknown_event:ping": 1, "unknown_part:thinking": 1, "ignored_field:audio": 1}


def test_blocks_where_no_gateway_is_are_not_read() -> None:
    """Moonshot and Z.ai say their thinking in a field."""
    message, notes = received("zai-official", chunk(reasoning="T", reasoning_details=[SIGNED]), chunk(content="x"))
    assert message["content_items"][0] == thinking("T", reasoning_field="reasoning")
    assert notes["ignored_field:reasoning_details"] == 1


def test_a_stream_shares_nothing_with_the_message() -> None:
    """Whoever edits an event, or what the provider sent, edits no history."""
    call = {
        "index": 0,
        "id": "c",
        "function": {"name": "f", "arguments": "{}"},
        "extra_content": {"google": {"s": "1"}},
    }
    events = [chunk(reasoning_details=[copy.deepcopy(SIGNED)]), chunk(tool_calls=[call]), copy.deepcopy(STOP)]
    decoder = ostinato.wire("openai-chat", "m").decoder()
    given = [made for event in events for made in decoder.feed(event)] + decoder.finish()
    message = decoder.message()
    for made in given:
        for item in made["content_items"]:
            item.get("fidelity", {}).clear()
    events[0]["choices"][0]["delta"]["reasoning_details"][0]["text"] = "EVIL"
    call["extra_content"]["google"]["s"] = "EVIL"
    assert decoder.message() == message
    assert message["content_items"][0]["fidelity"] == {"reasoning_details": [SIGNED]}
    assert message["content_items"][1]["fidelity"] == {"extra_content": {"google": {"s": "1"}}}


# Messages and settings.


def test_results_come_first_and_their_images_ride_in_the_message_that_follows() -> None:
    """A result is a message of its own, and holds text only."""
    picture = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
    result = {"type": "tool_result.done", "text": "r", "tool_call_id": "call_1", "images": [picture]}
    assert sent("openai-chat", {"role": "user", "content_items": [TEXT, result]}) == [
        {"role": "tool", "tool_call_id": "call_1", "content": "r"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "ok"}, {"type": "image_url", "image_url": {"url": picture}}],
        },
    ]


def test_a_model_without_eyes_refuses_images() -> None:
    """By name, before the request."""
    picture = {"type": "image_url.done", "image_url": "https://example.org/x.png"}
    message: Any = {"role": "user", "content_items": [picture]}
    with pytest.raises(UnsupportedContentError) as caught:
        sent("zai-official", message, model="glm-5.2")
    assert (caught.value.message_index, caught.value.item_index) == (1, 0)
    assert sent("zai-official", message, model="GLM-5.3-Flash")


def test_items_that_this_wire_cannot_say_are_refused() -> None:
    """None is dropped."""
    sound = {"type": "inline_data.done", "data": b"x", "mime_type": "audio/wav"}
    with pytest.raises(InvalidMessageError) as caught:
        sent("openrouter", assistant(TEXT, sound))
    assert (caught.value.item_type, caught.value.item_index) == ("inline_data.done", 1)


def body(client: str, model: str = "m", **config: Any) -> Json:
    """What the settings add to a body."""
    whole = ostinato.wire(client, model).body([], config)
    common = {"model", "messages", "stream", "stream_options", "tool_stream"}
    return {name: value for name, value in whole.items() if name not in common}


@pytest.mark.parametrize(
    ("client", "config", "added"),
    [
        ("openrouter", {"thinking_level": "max"}, {"reasoning": {"effort": "max"}}),
        (
            "openrouter",
            {"thinking_level": "low", "thinking_summary": True},
            {"reasoning": {"effort": "low", "summary": "concise"}},
        ),
        ("openrouter", {"tool_choice": ["f"]}, {"tool_choice": {"type": "function", "function": {"name": "f"}}}),
        ("openrouter", {"fast_mode": True, "max_tokens": 5}, {"service_tier": "priority", "max_completion_tokens": 5}),
        ("qwen", {"thinking_level": "none", "temperature": 0.5}, {"enable_thinking": False, "temperature": 0.5}),
        ("qwen", {"thinking_level": "high"}, {"enable_thinking": True, "preserve_thinking": True}),
        ("qwen", {"tool_choice": "none", "tools": []}, {"tool_choice": "none"}),
        ("openai-chat", {"thinking_level": "high", "thinking_summary": True}, {}),
    ],
)
def test_what_settings_add(client: str, config: Json, added: Json) -> None:
    """Beyond those in the recorded vectors."""
    assert body(client, **config) == added


@pytest.mark.parametrize(
    ("client", "model", "config"),
    [
        ("moonshot-official", "kimi-k2.6", {"tool_choice": "required"}),
        ("moonshot-official", "kimi-k2.6", {"prompt_caching": "enhance"}),
        ("moonshot-official", "kimi-k3", {"prompt_caching": "disable"}),
        ("moonshot-official", "kimi-k3", {"fast_mode": True}),
        ("moonshot-official", "kimi-k3", {"thinking_level": "huge"}),
        ("zai-official", "glm-5.3", {"tool_choice": "none"}),
        ("openai-chat", "m", {"tool_choice": []}),
        ("openai-chat", "m", {"tool_choice": "sometimes"}),
        ("openai-chat", "m", {"prompt_caching": "enhance"}),
        ("openrouter", "m", {"tool_choice": ["f", "g"]}),
        ("qwen", "m", {"tool_choice": "required"}),
        ("qwen", "m", {"fast_mode": True}),
    ],
)
def test_settings_that_a_server_lacks_are_refused_by_name(client: str, model: str, config: Json) -> None:
    """Nothing is sent in their place."""
    with pytest.raises(UnsupportedParameterError) as caught:
        body(client, model, **config)
    assert [caught.value.parameter] == list(config)


def test_rows_are_not_touched_by_bodies() -> None:
    """A body may be edited."""
    for client, dialect in DIALECTS.items():
        before = copy.deepcopy(dialect.levels)
        for value in body(client, thinking_level="high", thinking_summary=True).values():
            if isinstance(value, dict):
                value.clear()
        assert dialect.levels == before


def test_the_system_prompt_stands_before_cached_messages() -> None:
    """So that a body can be put together from cached items."""
    wire = ostinato.wire("openai-chat", "m")
    empty = wire.body([], {"system_prompt": "Be brief."})
    assert wire.items_key == "messages"
    assert [*empty["messages"], {"role": "user", "content": [{"type": "text", "text": "Hi"}]}] == wire.encode(
        [USER], {"system_prompt": "Be brief."}
    )["messages"]
