"""Laws of the codec in Python: round trips, idempotence, and a result or a `ReplayError` for anything at all."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import ostinato
from tests import oracle
from tests.budget import examples
from tests.codec.strategies import HALVES, ORIGINS, sent, stored

LAWS = examples(100)
ORIGIN_OR_NONE = st.none() | ORIGINS


@LAWS
@given(sent(), ORIGIN_OR_NONE)
def test_round_trip(given_item: tuple[str, str, Any], origin: dict[str, str] | None) -> None:
    """What is captured is stored, read and stored again without a change (rules E1, C1)."""
    wire, provider, value = given_item
    try:
        item = ostinato.canonicalize_completed_reasoning_output_item(oracle.spell(value), wire=wire, provider=provider)
    except ostinato.ReplayError:
        return
    text = ostinato.serialize_reasoning_replay_envelope(item, origin=origin)
    again = ostinato.parse_reasoning_replay_envelope(text)
    assert again == item
    assert hash(again) == hash(item)
    assert again.origin == origin
    assert ostinato.serialize_reasoning_replay_envelope(again) == text
    given_json = ostinato.reasoning_replay_item_to_provider_input(item, as_json=True)
    recaptured = ostinato.canonicalize_completed_reasoning_output_item(given_json, wire=wire, provider=provider)
    assert recaptured == item
    assert recaptured.dropped_fields == ()


@LAWS
@given(stored())
def test_dict_is_captured_as_itself(record: tuple[str, dict[str, Any], dict[str, str] | None]) -> None:
    """The dict of an item, given back, is the same item, and is a fresh dict each time."""
    item = ostinato.parse_reasoning_replay_envelope(oracle.envelope(*record))
    fields = item.to_dict()
    providers = {"openai-responses": "openrouter", "openai-chat": "openrouter"}
    again = ostinato.canonicalize_completed_reasoning_output_item(
        fields, wire=item.wire, provider=providers.get(item.wire)
    )
    assert again.to_dict() == fields
    fields.clear()
    assert item.to_dict() == again.to_dict()


@LAWS
@given(st.one_of(st.binary(), st.text(st.characters() | HALVES), st.binary().map(lambda tail: b'{"schema":' + tail)))
def test_any_text(text: str | bytes) -> None:
    """Any text and any bytes give an item or a `ReplayError`, from every function that reads."""
    for read in (ostinato.parse_reasoning_replay_envelope, ostinato.canonicalize_completed_reasoning_output_item):
        try:
            read(text)
        except ostinato.ReplayError as error:
            assert error.code in ostinato.ERROR_CODES  # noqa: PT017 - that it raises is not the point


OBJECTS = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.complex_numbers(),
        st.text(st.characters() | HALVES),
        st.binary(),
        st.dates(),
        st.decimals(),
        st.uuids(),
        st.just(object()),
        st.just(print),
        st.just(int),
    ),
    lambda inner: st.one_of(
        st.lists(inner),
        st.tuples(inner, inner),
        st.sets(st.integers()),
        st.dictionaries(
            st.one_of(st.sampled_from(["type", "id", "summary", "encrypted_content", "schema", "item"]), st.integers()),
            inner,
        ),
    ),
)


@LAWS
@given(OBJECTS)
def test_any_object(value: Any) -> None:
    """Any object gives an item or a `ReplayError`, on every wire."""
    for wire in (
        "openai-responses",
        "anthropic-messages",
        "gemini-generate-content",
        "gemini-interactions",
        "openai-chat",
        "bedrock-converse",
    ):
        for given_value in (
            value,
            {"type": "reasoning", "summary": value},
            {"functionCall": value, "thoughtSignature": "eA=="},
        ):
            try:
                item = ostinato.canonicalize_completed_reasoning_output_item(given_value, wire=wire)
            except ostinato.ReplayError:
                continue
            text = ostinato.serialize_reasoning_replay_envelope(item)
            assert json.loads(text)["item"] == json.loads(
                ostinato.reasoning_replay_item_to_provider_input(item, as_json=True)
            )
