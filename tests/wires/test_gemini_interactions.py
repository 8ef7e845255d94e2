"""Gemini Interactions beyond the recorded vectors: every thought step with its signature, in its place."""

import copy
import itertools
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ostinato
from ostinato.errors import (
    IncompleteStreamError,
    InvalidMessageError,
    ProviderStreamError,
    StreamProtocolError,
    ToolCallArgumentParseError,
    UnknownEventError,
    UnsupportedContentError,
    UnsupportedParameterError,
)

Json = dict[str, Any]
CLIENT, MODEL = "google-official", "gemini-3.8-flash"
PLACEHOLDER: Json = {"type": "thought", "signature": "skip_thought_signature_validator"}
USER: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "Hi"}]}
TEXT: Json = {"type": "text.done", "text": "ok"}
CALL: Json = {"type": "tool_call.done", "name": "f", "arguments": {"x": 1}, "tool_call_id": "c1"}
SAID: Json = {"type": "model_output", "content": [{"type": "text", "text": "ok"}]}


def assistant(*items: Json, **extra: object) -> Any:
    """An assistant message."""
    return {"role": "assistant", "content_items": list(items), **extra}


def thought(text: str, **fidelity: object) -> Json:
    """A thinking item with its fidelity."""
    return {"type": "thinking.done", "thinking": text, **({"fidelity": fidelity} if fidelity else {})}


def sent(*messages: Any) -> list[Json]:
    """The steps after the user's greeting."""
    steps: list[Json] = ostinato.wire(CLIENT, MODEL).encode([USER, *messages])["input"]
    return steps[1:]


def decisions(message: Any) -> list[tuple[str, str, str]]:
    """What was decided about one message."""
    wire = ostinato.wire(CLIENT, MODEL)
    return [tuple(made)[:3] for made in wire.encode_message(message, wire.start, 1).decisions]


def start(index: int, kind: str, **fields: object) -> Json:
    """The event of a step that begins."""
    return {"event_type": "step.start", "index": index, "step": {"type": kind, **fields}}


def delta(index: int, kind: str, **fields: object) -> Json:
    """The event of a piece of a step."""
    return {"event_type": "step.delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index: int) -> Json:
    """The event of a step that ends."""
    return {"event_type": "step.stop", "index": index}


def end(status: str = "completed", **extra: object) -> Json:
    """The event that ends a response."""
    return {"event_type": "interaction.completed", "interaction": {"status": status, **extra}}


def summary(index: int, text: str) -> Json:
    """A piece of the summary of a thought."""
    return delta(index, "thought_summary", content={"type": "text", "text": text})


def received(*events: Json, debug: bool = False) -> tuple[Any, Any]:
    """The message of a response, and what was noted."""
    decoder = ostinato.wire(CLIENT, MODEL).decoder(debug=debug)
    for event in copy.deepcopy(list(events)):
        decoder.feed(event)
    decoder.finish()
    return decoder.message(), decoder.notes


# What arrives.


def test_what_a_start_event_holds_is_read() -> None:
    """Summary, signature, text and arguments may stand there."""
    parts = [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]
    message, _ = received(
        start(0, "thought", summary=parts, signature="czE="),
        stop(0),
        start(1, "model_output", content=[{"type": "text", "text": "ok"}]),
        stop(1),
        start(2, "function_call", id="c1", name="f", arguments={"x": 1}),
        stop(2),
        end("requires_action"),
    )
    assert message["content_items"] == [thought("A"), thought("B", signature="czE="), TEXT, CALL]
    assert sent(message)[0] == {"type": "thought", "summary": parts, "signature": "czE="}


def test_arguments_that_come_twice_count_once() -> None:
    """In the start event and in pieces: they must be the same."""
    begun = start(0, "function_call", id="c1", name="f", arguments={"x": 1})
    message, _ = received(begun, delta(0, "arguments_delta", arguments='{"x":1}'), stop(0), end("requires_action"))
    assert message["content_items"] == [CALL]
    with pytest.raises(StreamProtocolError):
        received(begun, delta(0, "arguments_delta", arguments='{"x":2}'), stop(0))


def test_steps_that_only_the_interaction_repeats_are_kept() -> None:
    """Without an event of their own, they come from its end."""
    steps = [
        {"type": "thought", "summary": [{"type": "text", "text": "A"}], "signature": "czE="},
        SAID,
        {"type": "function_call", "id": "c1", "name": "f", "arguments": {"x": 1}},
    ]
    message, _ = received(end("requires_action", steps=steps))
    assert message["content_items"] == [thought("A", signature="czE="), TEXT, CALL]
    assert sent(message) == steps


def test_a_cut_signature_is_never_kept() -> None:
    """Until the step stops, its signature may be half of one."""
    decoder = ostinato.wire(CLIENT, MODEL).decoder()
    cut = [start(0, "thought"), summary(0, "A"), delta(0, "thought_signature", signature="cz")]
    events = [event for one in cut for event in decoder.feed(one)]
    assert not any("fidelity" in item for event in events for item in event["content_items"])
    with pytest.raises(IncompleteStreamError):
        decoder.finish()


def test_a_server_that_announces_no_step() -> None:
    """A piece begins the step that it belongs to, and the end of the response ends it."""
    message, _ = received(
        summary(0, "A"), delta(0, "thought_signature", signature="czE="), delta(1, "text", text="ok"), end()
    )
    assert message["content_items"] == [thought("A", signature="czE="), TEXT]
    with pytest.raises(StreamProtocolError):
        received(delta(0, "arguments_delta", arguments="{}"))


def test_steps_that_take_turns_stay_apart() -> None:
    """Each delta goes to the step whose index it has."""
    calls = [start(n, "function_call", id=f"c{n}", name="f") for n in (0, 1)]
    message, _ = received(
        *calls,
        delta(1, "arguments_delta", arguments='{"x":'),
        delta(0, "arguments_delta", arguments='{"y":1}'),
        delta(1, "arguments_delta", arguments="2}"),
        stop(1),
        stop(0),
        end(),
    )
    assert [item["arguments"] for item in message["content_items"]] == [{"y": 1}, {"x": 2}]
    assert message["finish_reason"] == "tool_call"


def test_a_signed_step_of_an_unknown_kind_is_kept_whole() -> None:
    """A built-in tool's call is state: it goes back in its place. One without a signature is counted only."""
    message, notes = received(
        start(0, "google_search_call", id="s1", arguments={}),
        delta(0, "google_search_call", arguments={"queries": ["x"]}, signature="czE="),
        stop(0),
        start(1, "google_search_result", call_id="s1"),
        stop(1),
        start(2, "model_output"),
        delta(2, "text", text="ok"),
        stop(2),
        end(),
    )
    assert notes == {"unknown_event:step:google_search_call": 1, "unknown_event:step:google_search_result": 1}
    call = {"type": "google_search_call", "id": "s1", "arguments": {"queries": ["x"]}, "signature": "czE="}
    assert sent(message) == [PLACEHOLDER, call, SAID]
    assert "google_search" not in repr(ostinato.wire("openai-responses", "m").encode([USER, message]))


def test_events_and_deltas_of_unknown_kinds_are_counted() -> None:
    """They end no response, unless one is looking for them."""
    known = [start(0, "model_output"), delta(0, "text", text="ok")]
    for event, name in (({"event_type": "x"}, "x"), (delta(0, "y"), "delta:y"), ({"type": "keepalive"}, "keepalive")):
        _, notes = received(*known, event, stop(0), end())
        assert notes == {f"unknown_event:{name}": 1}
        with pytest.raises(UnknownEventError):
            received(*known, event, debug=True)


@pytest.mark.parametrize(
    "event",
    [
        {"event_type": "error", "error": {"code": "overloaded", "message": "Too much"}},
        end("failed", error={"code": "overloaded", "message": "Too much"}),
    ],
)
def test_an_error_of_the_provider_has_its_words(event: Json) -> None:
    """As an event, or in the interaction that failed."""
    with pytest.raises(ProviderStreamError, match="overloaded: Too much"):
        received(start(0, "model_output"), delta(0, "text", text="ok"), event)


def test_a_response_without_counts_is_a_turn() -> None:
    """Its counts are unknown."""
    message, _ = received(start(0, "model_output"), delta(0, "text", text="ok"), end("failed"))
    assert set(message["usage_metadata"].values()) == {None}
    assert message["finish_reason"] == "unknown"


@pytest.mark.parametrize("partial", ['{"x":NaN}', '{"x":"\\ud83d"}', "[1]", '{"x":'])
def test_arguments_that_could_not_go_back_are_an_error(partial: str) -> None:
    """The turn is refused, and the history stays fit to be sent."""
    with pytest.raises(ToolCallArgumentParseError):
        received(start(0, "function_call", id="c1", name="f"), delta(0, "arguments_delta", arguments=partial), end())


# What goes out.


@pytest.mark.parametrize("provider", ["vertex", "anthropic", "openai"])
def test_state_of_another_issuer_stays_here(provider: str) -> None:
    """The turn opens with the placeholder, which is said, and its thoughts are unsigned."""
    message = assistant(thought("T", signature="czE="), TEXT, origin={"provider": provider})
    plain = {"type": "thought", "summary": [{"type": "text", "text": "T"}]}
    assert sent(message) == [PLACEHOLDER, plain, SAID]
    assert decisions(message) == [
        ("foreign_state", "messages/1/content_items/0", "left_out"),
        ("placeholder_used", "messages/1", "added"),
    ]


def test_what_generate_content_recorded_goes_back() -> None:
    """The same issuer through another wire: the signature of a call stands in a thought before it."""
    recorded = ostinato.wire("google-genai", MODEL).origin
    message = assistant(thought("T"), CALL | {"fidelity": {"signature": "czE="}}, origin=recorded)
    call = {"type": "function_call", "name": "f", "arguments": {"x": 1}, "id": "c1"}
    opening = {"type": "thought", "signature": "czE=", "summary": [{"type": "text", "text": "T"}]}
    assert sent(message) == [opening, {"type": "thought", "signature": "czE="}, call]


@pytest.mark.parametrize("signature", ["", 5, []])
def test_a_signature_of_another_shape_is_not_sent(signature: object) -> None:
    """Fidelity is anybody's."""
    assert sent(assistant(thought("T", signature=signature), TEXT))[0] == PLACEHOLDER


@pytest.mark.parametrize("url", ["https://a/b.png", "data:image/png;base64,!"])
def test_an_image_that_cannot_be_read_is_refused(url: str) -> None:
    """What was not fetched, or is not base64, is refused before anything is sent."""
    message: Any = {"role": "user", "content_items": [{"type": "image_url.done", "image_url": url}]}
    with pytest.raises(InvalidMessageError):
        sent(message)


def test_a_dialogue_is_one_block_per_turn() -> None:
    """Gemini 3.8 takes speakers apart from what they say; other generations read the names themselves."""
    script: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "Joe: Hi\nAnn: Yo"}]}
    config: Any = {"tts_config": [{"voice": "Puck", "speaker": "Joe"}, {"voice": "Kore", "speaker": "Ann"}]}
    body = ostinato.wire(CLIENT, "gemini-3.8-flash-tts").encode([script], config)
    assert body["input"][0]["content"] == [
        {"type": "text", "text": text, "annotations": [{"type": "speech_metadata", "speaker": speaker}]}
        for speaker, text in (("Joe", "Hi"), ("Ann", "Yo"))
    ]
    assert body["generation_config"]["speech_config"] == [
        {"speaker": "Joe", "voice": "Puck"},
        {"speaker": "Ann", "voice": "Kore"},
    ]
    other = ostinato.wire(CLIENT, "gemini-3.1-flash-tts-preview").encode([script], config)
    assert other["input"][0]["content"] == [{"type": "text", "text": "Joe: Hi\nAnn: Yo"}]


def test_images_are_asked_for_beside_text() -> None:
    """An image alone would suppress the text."""
    config: Any = {"image_config": {"aspect_ratio": "16:9"}, "fast_mode": True}
    body = ostinato.wire(CLIENT, MODEL).body([], config)
    assert body["response_format"] == [{"type": "text"}, {"type": "image", "aspect_ratio": "16:9"}]
    assert body["service_tier"] == "priority"


@pytest.mark.parametrize(
    ("config", "setting"),
    [
        ({"temperature": 1.0}, "temperature"),
        ({"prompt_caching": "disable"}, "prompt_caching"),
        ({"thinking_level": "bogus"}, "thinking_level"),
        ({"tools": [], "tool_choice": "bogus"}, "tool_choice"),
    ],
)
def test_settings_that_mean_nothing_are_refused(config: Any, setting: str) -> None:
    """By name, before anything is sent."""
    with pytest.raises(UnsupportedParameterError) as caught:
        ostinato.wire(CLIENT, MODEL).body([], config)
    assert caught.value.parameter == setting


STEP = st.sampled_from(
    [
        {"type": "thought", "summary": [], "signature": "czE="},
        {"type": "thought", "summary": [{"type": "text", "text": "A"}], "signature": "czI="},
        {
            "type": "thought",
            "summary": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}],
            "signature": "eA==",
        },
        {"type": "function_call", "id": "c1", "name": "f", "arguments": {"x": 1}},
        {"type": "google_search_call", "id": "s1", "arguments": {}, "signature": "czM="},
        {
            "type": "model_output",
            "content": [{"type": "text", "text": "a"}, {"type": "image", "data": "YQ==", "mime_type": "image/png"}],
        },
    ]
)


@given(st.lists(STEP, max_size=6))
def test_any_turn_goes_back_as_it_came(steps: list[Json]) -> None:
    """Whatever the steps and their order, the next request holds them unchanged."""
    opening = {"type": "thought", "summary": [], "signature": "cw=="}
    turn = [opening, *(step for n, step in enumerate(steps) if n == 0 or step != steps[n - 1]), SAID]
    # What is said side by side is one step.
    assume(not any(one["type"] == other["type"] == "model_output" for one, other in itertools.pairwise(turn)))
    message, _ = received(
        *(event for n, step in enumerate(turn) for event in (start(n, **_fields(step)), stop(n))), end()
    )
    assert sent(message) == turn


def _fields(step: Json) -> Json:
    return {"kind" if name == "type" else name: value for name, value in step.items()}


# Models that embed.


@pytest.mark.parametrize("client", [CLIENT, "google-genai"])
def test_vectors_of_several_messages_come_in_one_request(client: str) -> None:
    """One content per message, and one vector for each."""
    wire = ostinato.wire(client, "gemini-embedding-2")
    picture = {"type": "image_url.done", "image_url": "data:image/png;base64,/+7/"}
    body = wire.encode(
        [USER, {"role": "user", "content_items": [TEXT, picture]}], {"embedding_config": {"dimensions": 8}}
    )  # type: ignore[list-item]
    inline = {"inlineData": {"mimeType": "image/png", "data": "_-7_"}}
    assert [request["content"]["parts"] for request in body["requests"]] == [[{"text": "Hi"}], [{"text": "ok"}, inline]]
    assert {(request["model"], request["outputDimensionality"]) for request in body["requests"]} == {
        ("models/gemini-embedding-2", 8)
    }
    assert wire.path == "/v1/models/gemini-embedding-2:batchEmbedContents"
    decoder = wire.decoder()
    decoder.feed({"embeddings": [{"values": [0.5], "statistics": {"tokenCount": 3}}, {"values": []}]})
    decoder.finish()
    message = decoder.message()
    assert [item["embedding"] for item in message["content_items"]] == [[0.5], []]
    assert message["usage_metadata"]["prompt_tokens"] == 3
    assert message["finish_reason"] == "stop"


def test_a_call_cannot_be_embedded() -> None:
    """Texts and media can."""
    with pytest.raises(UnsupportedContentError):
        ostinato.wire(CLIENT, "gemini-embedding-2").encode([assistant(CALL)])
