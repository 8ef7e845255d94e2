"""generateContent beyond the recorded vectors: each signature on its part, and on no other."""

import copy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ostinato
from ostinato.errors import (
    EmptyResponseError,
    InvalidMessageError,
    ProviderStreamError,
    RefusalError,
    StreamProtocolError,
    ToolCallArgumentParseError,
    UnsupportedContentError,
    UnsupportedParameterError,
)

Json = dict[str, Any]
CLIENT, MODEL = "google-genai", "gemini-3.8-flash"
VERTEX = "https://aiplatform.googleapis.com/v1/projects/p/locations/global"
PLACEHOLDER = "skip_thought_signature_validator"
USER: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "Hi"}]}
TEXT: Json = {"type": "text.done", "text": "ok"}
CALL: Json = {"type": "tool_call.done", "name": "f", "arguments": {"x": 1}, "tool_call_id": "c1"}


def assistant(*items: Json, **extra: object) -> Any:
    """An assistant message."""
    return {"role": "assistant", "content_items": list(items), **extra}


def signed(item: Json, signature: object) -> Json:
    """An item with its signature."""
    return item | {"fidelity": {"signature": signature}}


def thought(text: str) -> Json:
    """A thinking item."""
    return {"type": "thinking.done", "thinking": text}


def sent(*messages: Any, endpoint: str | None = None) -> list[Json]:
    """The parts of the content after the user's greeting."""
    body = ostinato.wire(CLIENT, MODEL, endpoint=endpoint).encode([USER, *messages])
    parts: list[Json] = body["contents"][1]["parts"]
    return parts


def decisions(message: Any) -> list[tuple[str, str, str]]:
    """What was decided about one message."""
    wire = ostinato.wire(CLIENT, MODEL)
    return [tuple(made)[:3] for made in wire.encode_message(message, wire.start, 1).decisions]


def chunk(*parts: Json, **candidate: object) -> Json:
    """A chunk of a response."""
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **candidate}]}


END = chunk({"text": ""}, finishReason="STOP")


def received(*events: Json, debug: bool = False) -> tuple[Any, Any]:
    """The message of a response, and what was noted."""
    decoder = ostinato.wire(CLIENT, MODEL).decoder(debug=debug)
    for event in copy.deepcopy(list(events)):
        decoder.feed(event)
    decoder.finish()
    return decoder.message(), decoder.notes


def items(*events: Json) -> list[Json]:
    """The items of a response that ends well."""
    done: list[Json] = received(*events, END)[0]["content_items"]
    return done


# What arrives.


def test_texts_of_two_signatures_stay_two() -> None:
    """A signed text is never joined with what comes after it."""
    done = items(
        chunk({"text": "A", "thoughtSignature": "czE="}),
        chunk({"text": "B", "thoughtSignature": "czI="}),
        chunk({"text": "C"}),
    )
    assert done == [
        signed({"type": "text.done", "text": "A"}, "czE="),
        signed({"type": "text.done", "text": "B"}, "czI="),
        {"type": "text.done", "text": "C"},
    ]


def test_a_signature_after_a_call_is_a_part_of_its_own() -> None:
    """An empty text with a signature is state."""
    done = items(
        chunk({"functionCall": {"id": "c1", "name": "f", "args": {"x": 1}}}, {"text": "", "thoughtSignature": "cw=="})
    )
    assert done == [CALL, signed({"type": "text.done", "text": ""}, "cw==")]


def test_sound_of_another_kind_is_another_item() -> None:
    """Pieces are joined as long as they are of one MIME type."""
    pieces = [{"inlineData": {"mimeType": f"audio/{kind}", "data": "YQ=="}} for kind in ("a", "a", "b")]
    assert [item["data"] for item in items(chunk(*pieces))] == [b"aa", b"a"]


@pytest.mark.parametrize("spelling", ["-__-AA==", "-__-AA", "+//+AA=="])
def test_one_signature_has_one_spelling(spelling: str) -> None:
    """Kept as standard base64, and sent in the alphabet of Google's own client."""
    message, _ = received(chunk({"text": "A", "thoughtSignature": spelling}), END)
    assert message["content_items"][0]["fidelity"] == {"signature": "+//+AA=="}
    assert sent(message)[0]["thoughtSignature"] == "-__-AA=="


@pytest.mark.parametrize("signature", ["not base64!", 5, "a"])
def test_a_signature_that_cannot_be_one_is_noted(signature: object) -> None:
    """The text stays."""
    message, notes = received(chunk({"text": "A", "thoughtSignature": signature}), END)
    assert message["content_items"] == [{"type": "text.done", "text": "A"}]
    assert sum(count for name, count in notes.items() if name.startswith("capture_refused:")) == 1


def test_a_signed_part_of_an_unknown_kind_is_kept_whole() -> None:
    """It is state: it goes back in its place. One without a signature is counted only."""
    code = {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "cw=="}
    message, notes = received(chunk(code, {"codeExecutionResult": {"output": "1"}}, {"text": "A"}), END)
    assert notes == {"unknown_event:part:executableCode": 1, "unknown_event:part:codeExecutionResult": 1}
    assert sent(message) == [code, {"text": "A"}]
    assert "executableCode" not in repr(ostinato.wire("ant-messages", "m").encode([USER, message]))


def test_a_call_in_pieces_is_an_error() -> None:
    """Half of its arguments would be lost without a word."""
    with pytest.raises(StreamProtocolError):
        received(chunk({"functionCall": {"name": "f", "willContinue": True}}))


@pytest.mark.parametrize("args", [{"x": float("nan")}, {"x": "\ud83d"}])
def test_arguments_that_could_not_go_back_are_an_error(args: Json) -> None:
    """The turn is refused, and the history stays fit to be sent."""
    with pytest.raises(ToolCallArgumentParseError):
        received(chunk({"functionCall": {"name": "f", "args": args}}), END)


def test_data_that_is_not_base64_is_an_error() -> None:
    """An image is never kept empty."""
    with pytest.raises(StreamProtocolError):
        received(chunk({"inlineData": {"mimeType": "image/png", "data": "!"}}))


@pytest.mark.parametrize(
    ("event", "code", "words", "status"),
    [
        ({"error": {"code": 503, "status": "UNAVAILABLE", "message": "Overloaded"}}, "UNAVAILABLE", "Overloaded", 503),
        ({"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "No."}}, "SAFETY", "No.", None),
        ({"promptFeedback": {"blockReason": "OTHER"}}, "OTHER", "the prompt was blocked", None),
    ],
)
def test_an_error_of_the_provider_has_its_words(event: Json, code: str, words: str, status: int | None) -> None:
    """Inside the stream, and for a prompt that was blocked."""
    with pytest.raises(ProviderStreamError) as caught:
        received(event)
    assert (caught.value.code, caught.value.provider_message, caught.value.status) == (code, words, status)


def test_a_refusal_has_its_words() -> None:
    """A response that a filter stopped before it said anything."""
    with pytest.raises(RefusalError, match="Not this"):
        received(chunk({"text": "hm", "thought": True}, finishReason="SAFETY", finishMessage="Not this"))
    with pytest.raises(EmptyResponseError):
        received(chunk({"text": "hm", "thought": True}, finishReason="SAFETY"))


# What goes out.


@pytest.mark.parametrize("provider", ["vertex", "anthropic", "openai"])
def test_state_of_another_issuer_stays_here(provider: str) -> None:
    """Its texts go out unsigned, and the first call with the placeholder, which is said."""
    message = assistant(signed(thought("T"), "czE="), signed(CALL, "czI="), CALL, origin={"provider": provider})
    call = {"functionCall": {"id": "c1", "name": "f", "args": {"x": 1}}}
    assert sent(message) == [{"text": "T", "thought": True}, call | {"thoughtSignature": PLACEHOLDER}, call]
    assert ("placeholder_used", "messages/1/content_items/1", "added") in decisions(message)


def test_vertex_and_the_gemini_api_are_two_issuers() -> None:
    """Each refuses the other's signatures."""
    message = assistant(signed(TEXT, "czE="), origin={"provider": "vertex"})
    assert sent(message, endpoint=VERTEX) == [{"text": "ok", "thoughtSignature": "czE="}]
    assert sent(message) == [{"text": "ok"}]
    path = ostinato.wire(CLIENT, MODEL, endpoint=VERTEX).path
    assert path == f"/publishers/google/models/{MODEL}:streamGenerateContent?alt=sse"


def test_siblings_of_a_signed_call_get_nothing() -> None:
    """Only the first of parallel calls is signed by design."""
    parts = sent(assistant(signed(CALL, "czE="), CALL, CALL))
    assert [part.get("thoughtSignature") for part in parts] == ["czE=", None, None]


@pytest.mark.parametrize("literal", [PLACEHOLDER, "context_engineering_is_the_way_to_go"])
def test_a_recorded_placeholder_stays_what_it_is(literal: str) -> None:
    """It is a word, and base64 by accident: no alphabet is changed in it."""
    assert sent(assistant(signed(CALL, literal)))[0]["thoughtSignature"] == literal


def test_the_signature_of_the_nearest_thought_signs_what_follows() -> None:
    """Histories of the Interactions API hold it on the thought; an earlier one keeps its own."""
    parts = sent(assistant(signed(thought("a"), "czE="), signed(thought("b"), "czI="), TEXT))
    assert [part.get("thoughtSignature") for part in parts] == ["czE=", None, "czI="]


def test_thoughts_that_take_turns_sign_what_each_precedes() -> None:
    """No signature crosses another thought."""
    parts = sent(assistant(signed(thought("a"), "czE="), TEXT, signed(thought("b"), "czI="), TEXT))
    assert [part.get("thoughtSignature") for part in parts] == [None, "czE=", None, "czI="]


@pytest.mark.parametrize("signature", ["not base64!", b"", 5, []])
def test_a_signature_of_another_shape_is_not_sent(signature: object) -> None:
    """Fidelity is anybody's."""
    message = assistant(signed(TEXT, signature))
    assert sent(message) == [{"text": "ok"}]
    assert decisions(message) == [("unsound_state", "messages/1/content_items/0", "left_out")]


def test_names_of_calls_are_remembered_across_messages() -> None:
    """A result says the name of the call that it answers."""
    result: Any = {"role": "user", "content_items": [{"type": "tool_result.done", "text": "1", "tool_call_id": "c1"}]}
    body = ostinato.wire(CLIENT, MODEL).encode([USER, assistant(CALL), USER, assistant(TEXT), result])
    assert body["contents"][-1]["parts"][0]["functionResponse"]["name"] == "f"


@pytest.mark.parametrize("url", ["https://a/b.png", "data:image/png;base64,!", "data:image/png,raw", "b.png"])
def test_an_image_that_cannot_be_read_is_refused(url: str) -> None:
    """What was not fetched, or is not base64, is refused before anything is sent."""
    message: Any = {"role": "user", "content_items": [{"type": "image_url.done", "image_url": url}]}
    with pytest.raises(InvalidMessageError) as caught:
        sent(message)
    assert caught.value.item_type == "image_url"


def test_a_schema_that_has_no_words_there_goes_as_it_is() -> None:
    """GenerateContent knows a part of JSON Schema, and takes the rest under another name."""
    city = {"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]}
    rich = {"type": "object", "properties": {"n": {"type": ["integer", "null"]}}, "additionalProperties": False}
    tools: Any = [{"name": "f", "description": "", "parameters": schema} for schema in (city, rich)]
    declared = ostinato.wire(CLIENT, MODEL).body([], {"tools": tools})["tools"][0]["functionDeclarations"]
    assert declared[0]["parameters"] == {
        "type": "OBJECT",
        "properties": {"type": {"type": "STRING"}},
        "required": ["type"],
    }
    assert declared[1]["parametersJsonSchema"] == rich


# Speech.

VOICES: Any = [{"voice": "Puck", "speaker": "Joe"}, {"voice": "Kore", "speaker": "Ann"}]


def said(text: str) -> Any:
    """A message of one text."""
    return {"role": "user", "content_items": [{"type": "text.done", "text": text}]}


def test_a_dialogue_is_one_part_per_turn() -> None:
    """Gemini 3.8 takes speakers apart from what they say."""
    body = ostinato.wire(CLIENT, "gemini-3.8-flash-tts").encode(
        [said("Joe: Hi\nthere\nAnn:  Yo ")], {"tts_config": VOICES}
    )
    assert body["contents"][0]["parts"] == [
        {"text": "Hi\nthere", "speechMetadata": {"speaker": "Joe"}},
        {"text": "Yo", "speechMetadata": {"speaker": "Ann"}},
    ]
    voices = body["generationConfig"]["speechConfig"]["multiSpeakerVoiceConfig"]["speakerVoiceConfigs"]
    assert [voice["speaker"] for voice in voices] == ["Joe", "Ann"]


def test_other_generations_take_the_script_as_it_is() -> None:
    """They read the names themselves."""
    body = ostinato.wire(CLIENT, "gemini-3.1-flash-tts-preview").encode([said("Joe: Hi")], {"tts_config": VOICES})
    assert body["contents"][0]["parts"] == [{"text": "Joe: Hi"}]


def test_a_script_begins_with_a_speaker() -> None:
    """Nobody would say the first line."""
    with pytest.raises(InvalidMessageError):
        ostinato.wire(CLIENT, "gemini-3.8-flash-tts").encode([said("Hi")], {"tts_config": VOICES})


def test_what_was_said_before_stays_out_of_a_request_for_speech() -> None:
    """Sound of earlier turns is no obstacle; in the newest message nothing but text may stand."""
    sound = {"type": "inline_data.done", "data": b"a", "mime_type": "audio/wav"}
    wire = ostinato.wire(CLIENT, "gemini-3.8-flash-tts")
    assert wire.encode([said("a"), assistant(sound), said("b")])["contents"][0]["parts"] == [{"text": "b"}]
    with pytest.raises(UnsupportedContentError) as caught:
        wire.encode([said("a"), assistant(sound)])
    assert (caught.value.item_type, caught.value.message_index) == ("inline_data.done", 1)


@pytest.mark.parametrize(
    ("config", "setting"),
    [
        ({"temperature": 1.0}, "temperature"),
        ({"fast_mode": True}, "fast_mode"),
        ({"prompt_caching": "enhance"}, "prompt_caching"),
        ({"thinking_level": "bogus"}, "thinking_level"),
        ({"tools": [], "tool_choice": "bogus"}, "tool_choice"),
    ],
)
def test_settings_that_mean_nothing_are_refused(config: Any, setting: str) -> None:
    """By name, before anything is sent."""
    with pytest.raises(UnsupportedParameterError) as caught:
        ostinato.wire(CLIENT, MODEL).body([], config)
    assert caught.value.parameter == setting


PART = st.one_of(
    st.fixed_dictionaries({"text": st.sampled_from(["a", "b"])}, optional={"thought": st.just(value=True)}),
    st.builds(lambda n: {"functionCall": {"id": f"c{n}", "name": "f", "args": {"n": n}}}, st.integers(0, 9)),
    st.just({"inlineData": {"mimeType": "image/png", "data": "YQ=="}}),
).flatmap(lambda part: st.sampled_from([part, part | {"thoughtSignature": "czE="}]))


@given(st.lists(PART, min_size=1, max_size=6))
def test_signatures_come_back_on_the_parts_they_came_with(parts: list[Json]) -> None:
    """A turn of Gemini goes back as it came, up to texts whose pieces are joined and what a call must have."""
    parts = [{"text": "begin", "thoughtSignature": "cw=="}, *parts, {"text": "end", "thoughtSignature": "cw=="}]
    # The signature of a thought that is shown may move to what follows.
    assume(not any(part.get("thought") and "thoughtSignature" in part for part in parts))
    message, _ = received(chunk(*parts), END)
    expected: list[Json] = []
    first_call = next((part for part in parts if "functionCall" in part), {})
    for part in parts:
        last = expected[-1] if expected else {"thoughtSignature": ""}
        joins = "text" in part and "text" in last and part.get("thought") == last.get("thought")
        if joins and "thoughtSignature" not in last:
            expected[-1] = last | part | {"text": last["text"] + part["text"]}
        else:
            expected.append(part | ({"thoughtSignature": PLACEHOLDER} | part if part is first_call else {}))
    assert sent(message) == expected
