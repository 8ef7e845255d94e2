"""Deltas become items by identity, and come out in one grammar whatever the order they arrived in."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostinato.errors import (
    EmptyResponseError,
    IncompleteStreamError,
    ProviderStreamError,
    RefusalError,
    StreamProtocolError,
    ToolCallArgumentParseError,
    TurnError,
    UnknownEventError,
)
from ostinato.messages import admit
from ostinato.stream import Stream, concat_uni_events_to_uni_message
from ostinato.wires._decoder import Decoder

Step = Callable[[Stream], None]
GROWS = {"text": "text", "thinking": "thinking", "tool_call": "arguments"}


def decode(*steps: Step, finish: str | None = "stop", debug: bool = False) -> tuple[list[Any], Any]:
    """The events and the message of a response in which each step is one event of the provider."""
    decoder = Decoder(Stream("test", debug=debug), lambda event, stream: event["do"](stream))
    events = [out for step in steps for out in decoder.feed({"do": step})]
    events += decoder.feed({"do": lambda stream: stream.report_finish(finish)})
    events += decoder.finish()
    return events, decoder.message()


def check_grammar(events: list[Any]) -> None:
    """Each item is an unbroken run of deltas and one done event that is their join; one stop at the end."""
    run: list[Any] = []
    *deltas, stop = events
    for event in deltas:
        assert event["event_type"] == "delta"
        (item,) = event["content_items"]
        kind, _, phase = item["type"].partition(".")
        assert not run or run[0]["type"] == f"{kind}.delta"
        if phase == "delta":
            run.append(item)
            continue
        assert run
        joined = "".join(delta[GROWS[kind]] for delta in run)
        assert item[GROWS[kind]] == (json.loads(joined.strip() or "{}") if kind == "tool_call" else joined)
        run = []
    assert not run
    assert (stop["event_type"], stop["content_items"]) == ("stop", [])


def text(key: object, chunk: str) -> Step:
    """A piece of text."""
    return lambda stream: stream.add(key, "text", chunk)


def call(key: object, chunk: str, **header: str) -> Step:
    """A piece of a call."""
    return lambda stream: stream.add(key, "tool_call", chunk, **header)


def start_call(key: str) -> Step:
    """A call whose end will be announced."""
    return lambda stream: stream.open(key, "tool_call", name=f"f_{key}", tool_call_id=key)


def close(key: str, whole: str | None = None) -> Step:
    """An item is complete."""
    return lambda stream: stream.close(key, whole)


def test_interleaved_calls_stay_apart() -> None:
    """Fragments go to the call that they name, and the second call waits for the first."""
    events, message = decode(
        start_call("a"), start_call("b"), call("a", '{"x":'), call("b", '{"y":'), call("a", "1}"), call("b", "2}")
    )
    check_grammar(events)
    assert [item["arguments"] for item in message["content_items"]] == [{"x": 1}, {"y": 2}]
    assert message["finish_reason"] == "tool_call"


def test_an_item_that_only_grows_ends_where_the_next_begins() -> None:
    """Without announced ends, text after thinking after text is three items."""
    thinking: Step = lambda stream: stream.add("r", "thinking", "b")  # noqa: E731 - a step is a function
    events, message = decode(text("t", "a"), thinking, text("t", "c"))
    check_grammar(events)
    assert [item["type"] for item in message["content_items"]] == ["text.done", "thinking.done", "text.done"]


@pytest.mark.parametrize(
    ("streamed", "whole", "result"),
    [("", '{"x":1}', '{"x":1}'), ('{"x"', '{"x":1}', '{"x":1}'), ('{"x": 1}', '{"x":1}', '{"x": 1}'), ("{}", "", "{}")],
)
def test_the_completed_item_fills_what_the_deltas_lacked(streamed: str, whole: str, result: str) -> None:
    """A prefix is completed, the same value in other spelling changes nothing, silence changes nothing."""
    events, message = decode(start_call("a"), call("a", streamed), close("a", whole))
    check_grammar(events)
    assert message["content_items"][0]["arguments"] == json.loads(result)


def test_a_contradiction_is_an_error() -> None:
    """A completed item that says something else than its deltas did."""
    with pytest.raises(StreamProtocolError):
        decode(start_call("a"), call("a", '{"x":1}'), close("a", '{"x":2}'))
    with pytest.raises(StreamProtocolError):
        decode(start_call("a"), call("a", "", tool_call_id="other"))
    with pytest.raises(StreamProtocolError):
        decode(start_call("a"), close("a", "{}"), call("a", "more"))
    with pytest.raises(StreamProtocolError):
        decode(start_call("a"), text("a", "of another kind"))


def test_a_call_needs_name_and_id() -> None:
    """Nothing of a call goes out before both are known; without them the stream is broken."""
    events, message = decode(call("a", '{"x":', tool_call_id="c"), call("a", "1}", name="f"))
    check_grammar(events)
    assert message["content_items"][0]["name"] == "f"
    with pytest.raises(StreamProtocolError):
        decode(call("a", "{}", tool_call_id="c"))


@pytest.mark.parametrize(
    "raw", ["[1]", '{"x":NaN}', '{"x":1e999}', '{"x":"\\ud83d"}', '{"x":"\ud83d"}', "{", "[" * 9999]
)
def test_arguments_that_could_not_go_back_are_refused(raw: str) -> None:
    """No object, NaN, an infinity, half a surrogate pair, or too deep: the error has the text in a field only."""
    with pytest.raises(ToolCallArgumentParseError) as caught:
        decode(start_call("a"), call("a", raw))
    assert (caught.value.tool_name, caught.value.tool_call_id) == ("f_a", "a")
    assert caught.value.raw_arguments_length == len(raw)
    assert raw not in f"{caught.value!r}"


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ('{"x": 1}', None),
        ("", None),
        ('{"x":1}', '{"x":1}'),
        ('{"x": 1e3}', '{"x": 1e3}'),
        ('{"a":1,"a":2}', '{"a":1,"a":2}'),
    ],
)
def test_argument_text_is_kept_where_writing_would_change_it(raw: str, kept: str | None) -> None:
    """What `json.dumps` would write anyway needs no copy."""
    _, message = decode(start_call("a"), call("a", raw))
    assert message["content_items"][0].get("fidelity", {}).get("arguments") == kept


def test_settled_calls_are_done_before_the_stream_is() -> None:
    """A call whose arguments are a whole object is closed on request; blanks after that do no harm."""
    settle: Step = lambda stream: stream.close_settled_calls()  # noqa: E731 - a step is a function
    events, _ = decode(
        start_call("a"), call("a", '{"x": 1}'), settle, call("a", "\n"), start_call("b"), call("b", "{}")
    )
    check_grammar(events)
    assert [event["content_items"][0]["type"] for event in events[:3]] == ["tool_call.delta"] * 2 + ["tool_call.done"]


def test_a_split_character_is_joined_and_a_lone_half_replaced() -> None:
    """Text that could not be encoded never gets into a history."""
    _, message = decode(text("t", "a\ud83d"), text("t", "\ude00b\udc00c\ud83d"))
    assert message["content_items"][0]["text"] == "a\U0001f600b\ufffdc\ufffd"


def test_usage_may_be_missing() -> None:
    """A response without usage is a complete turn whose counts are unknown."""
    _, message = decode(text("t", "a"))
    assert set(message["usage_metadata"].values()) == {None}


@pytest.mark.parametrize(
    ("steps", "finish", "error"),
    [
        ([text("t", "a")], None, IncompleteStreamError),
        ([start_call("a"), call("a", '{"x"')], None, IncompleteStreamError),
        ([], "stop", EmptyResponseError),
        ([lambda stream: stream.add("r", "thinking", "x")], "stop", EmptyResponseError),
        ([lambda stream: stream.add("t", "text", "", {"phase": "final"})], "stop", EmptyResponseError),
        ([text("t", "a"), lambda stream: stream.refuse("No.")], "stop", RefusalError),
        ([lambda stream: stream.fail("busy", "later")], "stop", ProviderStreamError),
        ([lambda _stream: {}["missing"]], "stop", StreamProtocolError),
        ([lambda _stream: None + 1], "stop", StreamProtocolError),  # type: ignore[operator]
    ],
)
def test_the_end_of_a_stream_is_a_stop_or_a_typed_error(steps: list[Step], finish: str | None, error: type) -> None:
    """Incomplete, empty, refused, failed, malformed."""
    with pytest.raises(error):
        decode(*steps, finish=finish)


def test_what_came_before_an_error_comes_out_first() -> None:
    """The error of an event that also brought a delta is raised by the next call, and by every one after it."""
    decoder = Decoder(Stream("test"), lambda event, stream: event["do"](stream))

    def speak_and_fail(stream: Stream) -> None:
        stream.add("t", "text", "a")
        stream.fail("busy", "later")

    assert len(decoder.feed({"do": speak_and_fail})) == 1
    for attempt in (decoder.flush, decoder.finish, lambda: decoder.feed({})):
        with pytest.raises(ProviderStreamError, match="busy: later"):
            attempt()


def test_unknown_events_are_counted_or_raised() -> None:
    """In debug mode an unknown event is an error, else it is counted by name."""
    decoder = Decoder(Stream("test"), lambda _event, stream: stream.unknown("mystery"))
    decoder.feed({})
    decoder.feed({})
    assert decoder.notes == {"unknown_event:mystery": 2}
    with pytest.raises(UnknownEventError):
        Decoder(Stream("test", debug=True), lambda _event, stream: stream.unknown("mystery")).feed({})


def test_events_and_messages_share_nothing() -> None:
    """Whatever a caller does to an event or a message, the next message is what was said."""
    keep: Step = lambda stream: stream.keep("a", {"state": {"deep": [1]}})  # noqa: E731 - a step is a function
    decoder = Decoder(Stream("test"), lambda event, stream: event["do"](stream), {"provider": "p"})
    finish: Step = lambda stream: stream.report_finish("stop")  # noqa: E731 - a step is a function
    events = [
        e for step in (start_call("a"), keep, call("a", '{"x": [1]}'), finish) for e in decoder.feed({"do": step})
    ]
    events += decoder.finish()
    before = json.dumps(decoder.message())
    for holder in (*events, decoder.message()):
        spoil(holder)
    assert json.dumps(decoder.message()) == before


def spoil(value: Any) -> None:
    """Change every container in a value."""
    if isinstance(value, dict):
        for part in list(value.values()):
            spoil(part)
        value["spoiled"] = True
    elif isinstance(value, list):
        for part in value:
            spoil(part)
        value.append("spoiled")


def test_concat_takes_done_items_and_the_stop() -> None:
    """The message of a stream, from its public events alone."""
    events, message = decode(text("t", "a"), start_call("a"))
    assert concat_uni_events_to_uni_message(events) == message
    assert concat_uni_events_to_uni_message(events[:-1])["finish_reason"] is None


KEYS = st.sampled_from("abcd")


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("text"), KEYS, st.text(max_size=3)),
            st.tuples(st.just("thinking"), KEYS, st.text(max_size=3)),
            st.tuples(st.just("call"), KEYS, st.sampled_from(["", " ", '{"x":', "1}", "{}"])),
            st.tuples(st.just("open"), KEYS, st.just("")),
            st.tuples(st.just("close"), KEYS, st.sampled_from(["", "{}"])),
            st.tuples(st.just("settle"), KEYS, st.just("")),
        ),
        max_size=20,
    )
)
def test_any_order_of_pieces_keeps_the_grammar(pieces: list[tuple[str, str, str]]) -> None:
    """Whatever arrives, the events follow the grammar and the message may go back, or a typed error says why not."""

    def step(kind: str, key: str, chunk: str) -> Step:
        return {
            "text": lambda s: s.add(("t", key), "text", chunk),
            "thinking": lambda s: s.add(("r", key), "thinking", chunk),
            "call": lambda s: s.add(key, "tool_call", chunk),
            "open": lambda s: s.open(key, "tool_call", name="f", tool_call_id=key),
            "close": lambda s: s.close(key, chunk),
            "settle": lambda s: s.close_settled_calls(),
        }[kind]

    try:
        events, message = decode(*(step(*piece) for piece in pieces))
    except TurnError:
        return
    check_grammar(events)
    assert admit(message) is message
