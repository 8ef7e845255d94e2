"""OpenAI Responses beyond the recorded vectors: nothing is lost, nothing is lent to another issuer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.errors import (
    InvalidMessageError,
    ProviderStreamError,
    RefusalError,
    StreamProtocolError,
    UnknownEventError,
    UnsupportedContentError,
)

Json = dict[str, Any]
USER: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "Hi"}]}
TEXT: Json = {"type": "text.done", "text": "ok"}
CALL: Json = {"type": "tool_call.done", "name": "f", "arguments": {"x": 1}, "tool_call_id": "call_1"}
DONE: Json = {"type": "response.completed", "response": {"status": "completed", "output": []}}


def assistant(*items: Json, **extra: object) -> Any:
    """An assistant message."""
    return {"role": "assistant", "content_items": list(items), **extra}


def thinking(text: str, **fidelity: object) -> Json:
    """A thinking item with its fidelity."""
    return {"type": "thinking.done", "thinking": text, **({"fidelity": fidelity} if fidelity else {})}


def sent(client: str, *messages: Any, model: str = "m") -> list[Json]:
    """The input items of a conversation, without those of the user's greeting."""
    items: list[Json] = ostinato.wire(client, model).encode([USER, *messages])["input"]
    return items[1:]


def decisions(client: str, message: Any) -> list[tuple[str, str]]:
    """What was left out of one message, and where."""
    wire = ostinato.wire(client, "m")
    return [(made.code, made.path) for made in wire.encode_message(message, wire.start, 1).decisions]


def received(client: str, *events: Json, debug: bool = False) -> tuple[Any, Any]:
    """The message of a response, and what was noted."""
    decoder = ostinato.wire(client, "m").decoder(debug=debug)
    for event in events:
        decoder.feed(event)
    decoder.finish()
    return decoder.message(), decoder.notes


def item_done(item: Json, index: int | None = 0) -> Json:
    """The event of a completed item."""
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def added(item: Json, index: int | None = 0) -> Json:
    """The event of an item that begins."""
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def reasoning(item_id: str | None = "rs_1", *summary: str, state: str | None = "enc", **extra: object) -> Json:
    """A completed reasoning item."""
    parts = [{"type": "summary_text", "text": text} for text in summary]
    item: Json = {"type": "reasoning", "id": item_id, "summary": parts, "encrypted_content": state, **extra}
    return {name: value for name, value in item.items() if value is not None}


def said(text: str, item_id: str = "msg_1", **extra: object) -> Json:
    """A completed message."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": item_id, "role": "assistant", "content": content, **extra}


def called(arguments: str, item_id: str = "fc_1", call_id: str = "call_1") -> Json:
    """A completed call."""
    return {"type": "function_call", "id": item_id, "call_id": call_id, "name": "f", "arguments": arguments}


# What arrives.


def test_items_that_only_the_response_repeats_are_kept() -> None:
    """Without a single event of their own, items come from the completed response, in order."""
    output = [reasoning("rs_1", "A", "B"), said("Hello"), called('{"x":1}')]
    message, _ = received("openai-official", DONE | {"response": {"status": "completed", "output": output}})
    assert [item["type"] for item in message["content_items"]] == ["thinking.done", "text.done", "tool_call.done"]
    assert message["content_items"][0]["fidelity"] == {
        "channel": "summary",
        "encrypted_content": "enc",
        "summary": ["A", "B"],
        "id": "rs_1",
    }
    assert message["finish_reason"] == "tool_call"


def test_items_known_from_events_are_not_taken_twice() -> None:
    """The response repeats them, under ids a relay may have changed, with ciphertext that may be new."""
    output = [reasoning("rs_9", "A", state="enc-again"), said("Hello", "msg_9")]
    response = {"status": "completed", "output": output}
    message, _ = received(
        "openai-official",
        item_done(reasoning("rs_1", "A"), 0),
        item_done(said("Hello"), 1),
        DONE | {"response": response},
    )
    assert [item["type"] for item in message["content_items"]] == ["thinking.done", "text.done"]
    assert message["content_items"][0]["fidelity"]["encrypted_content"] == "enc"


def test_state_encrypted_again_is_noted_and_the_first_one_kept() -> None:
    """The same item in the response has another ciphertext."""
    response = {"status": "completed", "output": [reasoning("rs_1", state="enc-again"), said("x")]}
    message, notes = received("openai-official", item_done(reasoning()), DONE | {"response": response})
    assert message["content_items"][0]["fidelity"]["encrypted_content"] == "enc"
    assert notes["re_encrypted"] == 1


def test_ids_that_change_from_event_to_event() -> None:
    """The place in the output tells which item is meant."""
    message, _ = received(
        "openai-official",
        added({"type": "message", "id": "a", "content": []}),
        {"type": "response.output_text.delta", "item_id": "b", "output_index": 0, "delta": "He"},
        {"type": "response.output_text.delta", "item_id": "c", "output_index": 0, "delta": "llo"},
        item_done(said("Hello", "d")),
        DONE,
    )
    assert message["content_items"] == [{"type": "text.done", "text": "Hello"}]


@pytest.mark.parametrize("index", [0, None])
def test_places_that_never_change(index: int | None) -> None:
    """Where a server numbers every item 0, or not at all, the ids tell them apart."""
    message, _ = received(
        "openai-responses",
        added({"type": "reasoning", "id": "rs_1", "summary": []}, index),
        item_done(reasoning("rs_1", "A"), index),
        added({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": ""}, index),
        added({"type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "f", "arguments": ""}, index),
        {
            "type": "response.function_call_arguments.delta",
            "item_id": "fc_2",
            "output_index": index,
            "delta": '{"y":2}',
        },
        {
            "type": "response.function_call_arguments.delta",
            "item_id": "fc_1",
            "output_index": index,
            "delta": '{"x":1}',
        },
        item_done(called('{"x":1}', "fc_1", "call_1"), index),
        item_done(called('{"y":2}', "fc_2", "call_2"), index),
        DONE,
    )
    assert [item.get("arguments") for item in message["content_items"]] == [None, {"x": 1}, {"y": 2}]


def test_a_place_is_free_again_once_its_item_is_done() -> None:
    """Another id at the place of a completed item is another item, announced or not."""
    message, _ = received(
        "openai-responses",
        item_done(said("One.", "msg_1")),
        {"type": "response.output_text.delta", "item_id": "msg_2", "output_index": 0, "delta": "Two."},
        DONE,
    )
    assert [item["text"] for item in message["content_items"]] == ["One.", "Two."]


@pytest.mark.parametrize(
    "events",
    [
        [item_done(said("Hello"))],
        [
            added(said("")),
            {"type": "response.output_text.done", "item_id": "msg_1", "output_index": 0, "text": "Hello"},
        ],
        [
            {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "delta": "He"},
            item_done(said("Hello")),
        ],
    ],
)
def test_text_that_only_a_done_event_brings(events: list[Json]) -> None:
    """The completed part or item fills what the deltas lacked."""
    message, _ = received("openai-official", *events, DONE)
    assert message["content_items"] == [{"type": "text.done", "text": "Hello"}]


def test_a_completed_part_that_says_something_else() -> None:
    """A contradiction is an error; white space at the ends is none."""
    delta = {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "delta": "Hello\n"}
    received("openai-official", delta, item_done(said("Hello")), DONE)
    with pytest.raises(StreamProtocolError):
        received("openai-official", delta, item_done(said("Goodbye")), DONE)


def test_summary_and_content_stay_apart() -> None:
    """An item with both goes back with both, each in its parts."""
    item = reasoning("rs_1", "S1", "S2", content=[{"type": "reasoning_text", "text": "C"}])
    message, _ = received("openai-responses", item_done(item), item_done(said("x"), 1), DONE)
    assert message["content_items"][0]["thinking"] == "S1S2C"
    assert sent("openai-responses", message)[0] == {name: item[name] for name in item if name != "status"}


@pytest.mark.parametrize("status", ["in_progress", "incomplete"])
def test_an_item_that_was_cut_short_is_no_state(status: str) -> None:
    """Its text is shown, its ciphertext is not kept, and that is noted."""
    message, notes = received(
        "openai-official", item_done(reasoning("rs_1", "A", status=status)), item_done(said("x"), 1), DONE
    )
    assert "encrypted_content" not in message["content_items"][0]["fidelity"]
    assert notes["capture_refused:not_completed"] == 1


def test_an_item_without_id_is_kept_and_none_is_made_up() -> None:
    """OpenAI promises an id; where it is missing the state replays all the same."""
    message, notes = received("openai-official", item_done(reasoning(None, "A")), item_done(said("x"), 1), DONE)
    assert notes["id_missing"] == 1
    assert "id" not in sent("openai-official", message)[0]
    assert sent("openai-official", message)[0]["encrypted_content"] == "enc"


def test_a_refusal_is_an_error_with_the_models_words() -> None:
    """Streamed, or only in the completed item."""
    part = {"type": "refusal", "refusal": "I will not."}
    with pytest.raises(RefusalError, match="I will not"):
        received("openai-official", item_done({"type": "message", "id": "m", "content": [part]}), DONE)
    with pytest.raises(RefusalError, match="I will not"):
        received("openai-official", {"type": "response.refusal.delta", "item_id": "m", "delta": "I will not."}, DONE)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": "overloaded", "message": "Try later"},
        {"type": "error", "error": {"type": "overloaded", "message": "Try later"}},
        {"type": "response.failed", "response": {"error": {"code": "overloaded", "message": "Try later"}}},
    ],
)
def test_an_error_inside_the_stream_keeps_the_providers_words(event: Json) -> None:
    """Code and text are the provider's."""
    with pytest.raises(ProviderStreamError, match="Try later") as caught:
        received("openai-official", event)
    assert caught.value.code == "overloaded"


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "unknown"),
        ({"status": "completed"}, "stop"),
        ({"status": "strange"}, "unknown"),
    ],
)
def test_finish_reasons(response: Json, reason: str) -> None:
    """Why the response ended, in the words of the protocol."""
    message, _ = received(
        "openai-official", item_done(said("x")), {"type": "response.incomplete", "response": response}
    )
    assert message["finish_reason"] == reason


def test_usage_of_another_shape_does_not_lose_the_turn() -> None:
    """What is no count is unknown."""
    response = {
        "status": "completed",
        "usage": {"input_tokens": "9", "output_tokens": 3, "output_tokens_details": None},
    }
    message, _ = received("openai-official", item_done(said("x")), DONE | {"response": response})
    usage = message["usage_metadata"]
    assert (usage["prompt_tokens"], usage["response_tokens"], usage["thoughts_tokens"]) == (None, 3, None)


def test_unknown_items_parts_and_events_are_counted() -> None:
    """By name, and without losing the turn; unknown events are raised in debug mode."""
    odd = said("x")
    odd["content"].append({"type": "hologram"})
    events = (
        item_done({"type": "web_search_call", "id": "ws_1"}),
        {"type": "response.mystery"},
        item_done(odd, 1),
        DONE,
    )
    _, notes = received("openai-official", *events)
    assert notes == {"unknown_item:web_search_call": 1, "unknown_event:response.mystery": 1, "unknown_part:hologram": 1}
    with pytest.raises(UnknownEventError):
        received("openai-official", *events, debug=True)


def test_a_phase_that_only_the_completed_message_has() -> None:
    """It is kept like one from the beginning."""
    message, _ = received("openai-official", added(said("")), item_done(said("x", phase="final_answer")), DONE)
    assert message["content_items"][0]["fidelity"] == {"phase": "final_answer"}


@given(st.lists(st.integers(0, 40), max_size=6))
def test_the_message_does_not_depend_on_how_it_was_cut(cuts: list[int]) -> None:
    """Any cutting of text, summary and arguments into deltas gives the same message."""
    pieces = {
        "response.reasoning_summary_text.delta": ("rs_1", 0, "Think \U0001f600 twice"),
        "response.output_text.delta": ("msg_1", 1, "Say \U0001f600 once"),
        "response.function_call_arguments.delta": ("fc_1", 2, '{"x": [1.50, "caf\\u00e9"]}'),
    }
    events = [
        {"type": kind, "item_id": item_id, "output_index": index, "delta": whole[start:end]}
        for kind, (item_id, index, whole) in pieces.items()
        for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(whole)], strict=True)
    ]
    done = [
        reasoning("rs_1", "Think \U0001f600 twice"),
        said("Say \U0001f600 once"),
        called('{"x": [1.50, "caf\\u00e9"]}'),
    ]
    whole, _ = received("openai-official", DONE | {"response": {"status": "completed", "output": done}})
    completed = [item_done(item, index) for index, item in enumerate(done)]
    assert received("openai-official", *events, *completed, DONE)[0] == whole


# What is sent.


def test_the_id_goes_back_to_its_issuer_alone() -> None:
    """The same message, with the origin of another issuer, goes without id and ciphertext."""
    item = thinking("A", channel="summary", encrypted_content="enc", id="rs_1")
    own = assistant(item, TEXT, origin={"provider": "openai", "model": "other"})
    foreign = assistant(item, TEXT, origin={"provider": "xai"})
    assert sent("openai-official", own)[0] == {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "A"}],
        "encrypted_content": "enc",
    }
    for client in ("openai-official", "xai-responses", "openai-responses"):
        body = json.dumps(sent(client, assistant(item, TEXT, origin={"provider": "elsewhere"})))
        assert "enc" not in body.replace("reasoning", "")
        assert "rs_1" not in body
    assert [item["type"] for item in sent("openai-official", foreign)] == ["message"]


def test_a_generic_dialect_has_one_issuer_per_endpoint() -> None:
    """State of one server is not another's, though both speak the same dialect."""
    here, there = (ostinato.wire("openai-responses", "m", endpoint=f"https://{host}.test/v1") for host in "ab")
    message = assistant(thinking("A", channel="summary", encrypted_content="enc"), TEXT, origin=here.origin)
    assert "enc" in json.dumps(here.encode([USER, message])["input"][1])
    assert "encrypted_content" not in there.encode([USER, message])["input"][1]


def test_an_endpoint_keeps_its_secrets_out_of_origins() -> None:
    """Neither password nor query of a base URL is recorded."""
    wire = ostinato.wire("openai-responses", "m", endpoint="https://me:secret@a.test/v1?key=secret#secret")
    assert wire.origin == {"provider": "openai-responses", "endpoint": "https://a.test/v1", "model": "m"}


def test_what_openai_would_refuse_is_left_out_and_told() -> None:
    """Plain reasoning, an id too long, reasoning that nothing follows."""
    plain = assistant(thinking("Foreign."), TEXT)
    assert [item["type"] for item in sent("openai-official", plain)] == ["message"]
    assert decisions("openai-official", plain) == [("not_replayable", "messages/1/content_items/0")]
    long_id = assistant(thinking("A", encrypted_content="enc", id="r" * 65), TEXT)
    assert "id" not in sent("openai-official", long_id)[0]
    assert decisions("openai-official", long_id) == [("id_omitted", "messages/1/content_items/0")]
    orphan = assistant(TEXT, thinking("A", encrypted_content="enc"))
    assert [item["type"] for item in sent("openai-official", orphan)] == ["message"]
    assert decisions("openai-official", orphan) == [("orphan_reasoning", "messages/1/content_items/1")]


def test_plain_reasoning_goes_to_servers_that_take_it() -> None:
    """On an open server the text is the state."""
    (item, _) = sent("openai-responses", assistant(thinking("Thought."), TEXT))
    assert item == {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Thought."}]}


def test_the_block_of_a_chat_gateway_is_not_sent() -> None:
    """Without an origin, what it looks like tells that it was made elsewhere."""
    item = thinking("A", encrypted_content="enc-1", format="google-gemini-v1", reasoning_id="r")
    assert "enc-1" not in json.dumps(sent("openai-responses", assistant(item, TEXT)))
    assert [item["type"] for item in sent("openai-official", assistant(item, TEXT))] == ["message"]


def test_a_changed_text_is_not_sent_in_its_old_parts() -> None:
    """Parts are what the text was; once it was edited they mean nothing."""
    item = thinking("Edited.", channel="summary", encrypted_content="enc", summary=["Part one.", "Part two."])
    assert sent("openai-official", assistant(item, TEXT))[0]["summary"] == [{"type": "summary_text", "text": "Edited."}]


@pytest.mark.parametrize(
    "fidelity", [{"encrypted_content": 5}, {"id": []}, {"summary": "x"}, {"phase": 1}, {"format": b""}]
)
def test_fidelity_of_another_shape_is_not_sent(fidelity: Json) -> None:
    """Fidelity is anybody's: values of other types never reach a request."""
    (item, message) = sent(
        "openai-responses", assistant(thinking("A", channel="summary", **fidelity), TEXT | {"fidelity": fidelity})
    )
    assert item == {"type": "reasoning", "summary": [{"type": "summary_text", "text": "A"}]}
    assert set(message) == {"type", "role", "content"}


def test_phases_are_never_lent() -> None:
    """A text without phase after a call and a phased text has none."""
    phased = TEXT | {"fidelity": {"phase": "commentary"}}
    items = sent("openai-official", assistant(phased, TEXT, CALL, TEXT, phased))
    assert [item.get("phase") for item in items] == ["commentary", None, None, None, "commentary"]


def test_argument_text_goes_back_verbatim() -> None:
    """The model's own characters, until the object is changed."""
    raw = '{"b": 1.0,"a":1e3, "s": "caf\\u00e9"}'
    message, _ = received("openai-official", item_done(called(raw)), DONE)
    assert sent("openai-official", message)[0]["arguments"] == raw
    message["content_items"][0]["arguments"]["b"] = 2
    assert sent("openai-official", message)[0]["arguments"] == '{"b": 2, "a": 1000.0, "s": "caf\u00e9"}'


def test_text_only_models_refuse_images_by_name() -> None:
    """Before anything is sent; an empty list of images is none."""
    image = {"type": "image_url.done", "image_url": "https://x.test/a.png"}
    with pytest.raises(UnsupportedContentError) as caught:
        sent("deepseek-official", {"role": "user", "content_items": [TEXT, image]}, model="x/DeepSeek-V4-Pro")
    assert (caught.value.message_index, caught.value.item_index) == (1, 1)


def test_items_of_no_use_here_are_refused_by_type() -> None:
    """Bytes have no form on this wire."""
    data = {"type": "inline_data.done", "data": b"x", "mime_type": "image/png"}
    with pytest.raises(InvalidMessageError) as caught:
        sent("openai-official", {"role": "user", "content_items": [data]})
    assert caught.value.item_type == "inline_data.done"


def test_xai_items_go_back_as_they_came() -> None:
    """With their id where they have one, without where they have none."""
    for item_id in ("rs_1", None):
        item = reasoning(item_id, "A")
        message, _ = received("xai-responses", item_done(item), item_done(said("x"), 1), DONE)
        assert sent("xai-responses", message)[0] == item


def test_an_item_that_was_sent_before_is_not_sent_again() -> None:
    """OpenAI refuses two items of one id, so the first one stays; it is told, and the rest of the turn goes out."""
    first, again = thinking("", id="rs_1", encrypted_content="one"), thinking("", id="rs_1", encrypted_content="two")
    history = [assistant(first, TEXT), assistant(first, again, CALL), assistant(first, TEXT)]
    assert [item["type"] for item in sent("openai-official", *history)] == [
        "reasoning",
        "message",
        "function_call",
        "message",
    ]
    wire = ostinato.wire("openai-official", "m")
    carry = wire.encode_message(history[0], wire.start, 0).carry
    codes = [(made.code, made.path) for made in wire.encode_message(history[1], carry, 1).decisions]
    assert codes == [
        ("exact_duplicate", "messages/1/content_items/0"),
        ("id_ciphertext_conflict", "messages/1/content_items/1"),
    ]


@pytest.mark.parametrize("client", ["xai-responses", "openai-responses"])
def test_where_ids_are_reused_other_state_is_sent(client: str) -> None:
    """An exact repeat is left out, another ciphertext under the same id is not."""
    first, again = thinking("", id="rs_1", encrypted_content="one"), thinking("", id="rs_1", encrypted_content="two")
    items = sent(client, assistant(first, TEXT), assistant(first, again, TEXT))
    assert [item["encrypted_content"] for item in items if item["type"] == "reasoning"] == ["one", "two"]


def test_items_that_nothing_identifies_are_all_sent() -> None:
    """Without an id, or without state, no item is taken for another."""
    lone, plain = thinking("", encrypted_content="one"), thinking("Hm.", id="rs_1")
    items = sent("openai-responses", assistant(lone, plain, TEXT), assistant(lone, plain, TEXT))
    assert [item["type"] for item in items] == ["reasoning", "reasoning", "message"] * 2


def test_an_item_that_was_left_out_may_be_sent_later() -> None:
    """An orphan was not sent, so its id is free."""
    state = thinking("", id="rs_1", encrypted_content="one")
    assert [item["type"] for item in sent("openai-official", assistant(TEXT, state), assistant(state, TEXT))] == [
        "message",
        "reasoning",
        "message",
    ]
