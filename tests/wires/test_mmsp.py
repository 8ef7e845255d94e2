"""MMSP as a wire beyond the recorded vectors."""

import base64
import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.errors import (
    IncompleteStreamError,
    InvalidMessageError,
    StreamProtocolError,
    TurnError,
    UnsupportedParameterError,
    UpstreamError,
)
from ostinato.messages import admit

Json = dict[str, Any]
WIRE = ostinato.wire("mmsp", "claude")
COUNTS = {"cached_tokens": 4, "prompt_tokens": 16, "thoughts_tokens": 10, "response_tokens": 20}
USER: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "Hi"}]}


def delta(*items: Json) -> Json:
    """An event of the public stream."""
    return {"role": "assistant", "event_type": "delta", "content_items": list(items), "created_at": 1}


def stop(reason: str | None = "stop", usage: Json | None = COUNTS) -> Json:
    """The last event."""
    return {"event_type": "stop", "content_items": [], "usage_metadata": usage, "finish_reason": reason}


def received(*events: Json, end: Json | None = None) -> tuple[Any, Any, list[Any]]:
    """The message, what was noted, and the events that went out."""
    decoder = WIRE.decoder()
    given_out = [made for event in [*events, end or stop()] for made in decoder.feed(copy.deepcopy(event))]
    given_out += decoder.finish()
    return decoder.message(), decoder.notes, given_out


def test_a_message_goes_out_as_it_is() -> None:
    """Fidelity of any wire, what was counted, where it was made, and what others put on it; bytes as base64."""
    message: Any = {
        "role": "assistant",
        "content_items": [
            {"type": "thinking.done", "thinking": "_REDACTED_THINKING", "fidelity": {"signature": b"\xff", "x": (1,)}},
            {"type": "inline_data.done", "data": b"\x00\xff", "mime_type": "audio/wav"},
        ],
        "usage_metadata": COUNTS,
        "finish_reason": "stop",
        "created_at": 5,
        "origin": {"provider": "anthropic"},
        "note": {"mine": [True]},
    }
    before = copy.deepcopy(message)
    body = WIRE.encode([message], {"thinking_level": "high", "trace_id": "t"})
    sent = body["messages"][0]
    assert sent["content_items"][0]["fidelity"] == {"signature": "/w==", "x": [1]}
    assert sent["content_items"][1]["data"] == "AP8="
    assert {name: value for name, value in sent.items() if name != "content_items"} == {
        name: value for name, value in message.items() if name != "content_items"
    }
    assert (body["model"], body["config"]) == ("claude", {"thinking_level": "high", "trace_id": "t"})
    sent["note"]["mine"].append(False)
    assert message == before


def test_what_cannot_be_written_as_json_is_refused_by_name() -> None:
    """Before the request, wherever it stands."""
    with pytest.raises(InvalidMessageError) as message_error:
        WIRE.encode([USER, {**USER, "note": float("nan")}])
    assert message_error.value.message_index == 1
    with pytest.raises(UnsupportedParameterError) as config_error:
        WIRE.encode([USER], {"temperature": float("inf")})
    assert config_error.value.parameter == "temperature"


def test_nothing_is_foreign_to_a_relay() -> None:
    """Its server knows whose state it can use."""
    message: Any = {
        "role": "assistant",
        "content_items": [
            {"type": "thinking.done", "thinking": "", "fidelity": {"signature": "s"}},
            {"type": "text.done", "text": "x"},
        ],
        "origin": {"provider": "anthropic", "endpoint": "https://api.anthropic.com"},
    }
    encoded = WIRE.encode_message(message, WIRE.start, 0)
    assert encoded.items == [message]
    assert not encoded.decisions


def test_a_recorded_turn_has_no_origin() -> None:
    """Who made it is not known here."""
    message, _, _ = received(delta({"type": "text.done", "text": "x"}))
    assert message["content_items"] == [{"type": "text.done", "text": "x"}]
    assert "origin" not in message


def test_done_items_are_reconciled_with_their_deltas() -> None:
    """What only the done item holds is taken; what it says differently is an error."""
    message, _, events = received(
        delta({"type": "thinking.delta", "thinking": "a"}),
        delta({"type": "thinking.done", "thinking": "ab", "fidelity": {"signature": "s"}}),
        delta({"type": "tool_call.delta", "name": "f", "arguments": '{"x": ', "tool_call_id": "c"}),
        delta({"type": "tool_call.delta", "name": "", "arguments": "1.0}", "tool_call_id": ""}),
        delta({"type": "tool_call.done", "name": "f", "arguments": {"x": 1.0}, "tool_call_id": "c"}),
    )
    assert message["content_items"] == [
        {"type": "thinking.done", "thinking": "ab", "fidelity": {"signature": "s"}},
        {"type": "tool_call.done", "name": "f", "arguments": {"x": 1.0}, "tool_call_id": "c"},
    ]
    assert [event["content_items"][0]["type"] for event in events[:-1]] == [
        *["thinking.delta"] * 3,
        "thinking.done",
        *["tool_call.delta"] * 2,
        "tool_call.done",
    ]
    for kind, early, late in [
        ("text", {"text": "a"}, {"text": "b"}),
        ("inline_data", {"data": "AP8=", "mime_type": "m"}, {"data": "AP4=", "mime_type": "m"}),
        ("embedding", {"embedding": [1.0]}, {"embedding": [2.0]}),
    ]:
        with pytest.raises(StreamProtocolError):
            received(delta({"type": f"{kind}.delta", **early}), delta({"type": f"{kind}.done", **late}))


@pytest.mark.parametrize("streamed", [True, False])
def test_arguments_stay_as_the_model_wrote_them(streamed: bool) -> None:  # noqa: FBT001 - two ways of one test
    """Whether the server streams them, or knows the text of a call it gives whole."""
    text = '{"x":1e3}'
    call: Json = {"type": "tool_call.done", "name": "f", "arguments": {"x": 1000.0}, "tool_call_id": "c"}
    call["fidelity"] = {"arguments": text}
    part = {"type": "tool_call.delta", "name": "f", "arguments": text, "tool_call_id": "c"}
    message, _, _ = received(*([delta(part)] if streamed else []), delta(call))
    assert message["content_items"] == [call]


def test_items_without_deltas_and_deltas_without_done_items() -> None:
    """A server may leave out either."""
    message, _, _ = received(
        delta({"type": "text.delta", "text": "a"}),
        delta({"type": "thinking.delta", "thinking": "b"}, {"type": "thinking.delta", "thinking": "c"}),
        delta({"type": "inline_data.done", "data": b"\x00", "mime_type": "image/png"}),
        delta({"type": "embedding.delta", "embedding": [0.5]}),
        delta({"type": "embedding.done", "embedding": [0.5]}),
    )
    assert [item["type"] for item in message["content_items"]] == [
        "text.done",
        "thinking.done",
        "inline_data.done",
        "embedding.done",
    ]
    assert message["content_items"][2]["data"] == b"\x00"


def test_two_items_of_one_kind_stay_two() -> None:
    """Each done event ends one."""
    message, _, _ = received(
        *[delta({"type": f"text.{phase}", "text": text}) for text in "ab" for phase in ("delta", "done")]
    )
    assert [item["text"] for item in message["content_items"]] == ["a", "b"]


def test_what_is_not_known_is_counted() -> None:
    """Events and items of kinds not known here."""
    _, notes, _ = received(
        {"type": "ping"}, delta({"type": "hologram.done"}), delta({"type": "text.done", "text": "x"}), delta()
    )
    assert dict(notes) == {"unknown_event:ping": 1, "unknown_event:hologram.done": 1}


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        ({"type": "UpstreamError", "message": "boom", "status": 429, "error_type": "x"}, "UpstreamError", 429),
        ({"type": "RefusalError", "message": "boom"}, "RefusalError", None),
        ("boom", None, None),
    ],
)
def test_an_error_event_has_the_servers_type_status_and_words(error: Any, kind: str | None, status: int | None) -> None:
    """As mmsp's own client gives it."""
    with pytest.raises(UpstreamError, match="boom") as caught:
        received(delta({"type": "text.delta", "text": "a"}), {"error": error})
    assert (caught.value.error_type, caught.value.status) == (kind, status)


def test_a_stream_without_its_stop_is_incomplete() -> None:
    """Nothing is recorded."""
    with pytest.raises(IncompleteStreamError):
        received(delta({"type": "text.done", "text": "a"}), end=stop(None))
    message, _, _ = received(delta({"type": "text.done", "text": "a"}), end=stop(usage=None))
    assert set(message["usage_metadata"].values()) == {None}


ITEM = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            [f"{kind}.{phase}" for kind in ("text", "tool_call", "inline_data") for phase in ("delta", "done")] + ["x"]
        )
    },
    optional={
        "text": st.one_of(st.text(max_size=3), st.integers()),
        "data": st.one_of(st.binary(max_size=3).map(base64.b64encode).map(bytes.decode), st.just("!")),
        "mime_type": st.sampled_from(["a", "b"]),
        "name": st.sampled_from(["", "f"]),
        "tool_call_id": st.sampled_from(["", "c"]),
        "arguments": st.sampled_from(["", "{", '{"a":1}', {"a": 1}, 5]),
        "fidelity": st.sampled_from([None, {"a": 1}, {"a": 2}, {"arguments": 5}, "x"]),
    },
)


@given(events=st.lists(st.lists(ITEM, max_size=2).map(lambda items: delta(*items)), max_size=5))
def test_whatever_arrives_gives_a_sound_message_or_a_typed_error(events: list[Any]) -> None:
    """No event of any shape raises anything else."""
    try:
        message, _, given_out = received(*events)
    except TurnError:
        return
    assert admit(message) is message
    json.dumps(WIRE.encode([USER, message]))
    assert [event["event_type"] for event in given_out][-1] == "stop"
