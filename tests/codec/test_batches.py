"""The batch forms: one call over a list comes to what many calls over its elements come to."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import ostinato

GOOD: list[dict[str, Any]] = [
    {"type": "reasoning", "id": f"rs_{n}", "summary": [], "encrypted_content": f"state {n}"} for n in range(5)
]
ITEMS = [ostinato.canonicalize_completed_reasoning_output_item(item) for item in GOOD]
STORED = [ostinato.serialize_reasoning_replay_envelope(item) for item in ITEMS]
BAD_ITEM, BAD_TEXT = GOOD[0] | {"id": ""}, STORED[0][:-1]

Batch = Callable[..., Any]


def test_capture() -> None:
    """A batch of items, given in any form."""
    given = [GOOD[0], json.dumps(GOOD[1]), json.dumps(GOOD[2]).encode(), *GOOD[3:]]
    assert ostinato.canonicalize_completed_reasoning_output_items(given) == ITEMS


def test_capture_by_a_contract() -> None:
    """Wire, provider, status and limits hold for every element."""
    (item,) = ostinato.canonicalize_completed_reasoning_output_items(
        [{"type": "reasoning", "summary": [], "encrypted_content": "x"}], provider="xai", response_status="completed"
    )
    assert (item.provider, item.id, item.completion) == ("xai", None, "response_status")
    with pytest.raises(ostinato.ReplayError, match="too_large"):
        ostinato.canonicalize_completed_reasoning_output_items(GOOD, limits=ostinato.Limits(max_item_bytes=9))
    with pytest.raises(ostinato.ReplayError, match="unknown_wire"):
        ostinato.canonicalize_completed_reasoning_output_items([], wire="telegraph")


def test_serialize_and_parse() -> None:
    """A batch of items to texts and back, from `str` and from bytes."""
    assert ostinato.serialize_reasoning_replay_envelopes(ITEMS) == STORED
    assert ostinato.parse_reasoning_replay_envelopes(STORED) == ITEMS
    assert ostinato.parse_reasoning_replay_envelopes([text.encode() for text in STORED]) == ITEMS


def test_serialize_with_an_origin() -> None:
    """One origin for all."""
    texts = ostinato.serialize_reasoning_replay_envelopes(ITEMS, origin=ostinato.Origin(provider="openai"))
    origins = [item.origin for item in ostinato.parse_reasoning_replay_envelopes(texts)]
    assert origins == [{"provider": "openai"}] * len(ITEMS)


def test_provider_input() -> None:
    """A list of fresh dicts, or one JSON array that holds the same bytes as each item alone."""
    assert ostinato.reasoning_replay_items_to_provider_input(ITEMS) == GOOD
    array = ostinato.reasoning_replay_items_to_provider_input(ITEMS, as_json=True)
    alone = [ostinato.reasoning_replay_item_to_provider_input(item, as_json=True) for item in ITEMS]
    assert array == b"[" + b",".join(alone) + b"]"
    assert ostinato.reasoning_replay_items_to_provider_input([], as_json=True) == b"[]"


def test_dedupe_keys() -> None:
    """The key of every item."""
    keys = ostinato.reasoning_replay_dedupe_keys(ITEMS, provider="azure")
    assert keys == [ostinato.reasoning_replay_dedupe_key(item, provider="azure") for item in ITEMS]
    assert [(key.provider, key.id) for key in keys] == [("azure", f"rs_{n}") for n in range(5)]


READING: list[tuple[Batch, list[Any], Any]] = [
    (ostinato.canonicalize_completed_reasoning_output_items, GOOD, BAD_ITEM),
    (ostinato.parse_reasoning_replay_envelopes, STORED, BAD_TEXT),
]


@pytest.mark.parametrize(("batch", "good", "bad"), READING)
def test_a_refused_element_raises(batch: Batch, good: list[Any], bad: Any) -> None:
    """Unless asked otherwise, one refusal refuses the batch."""
    with pytest.raises(ostinato.ReplayError):
        batch([*good, bad])
    with pytest.raises(ostinato.ReplayError):
        batch([*good, bad], errors="raise")


@pytest.mark.parametrize(("batch", "good", "bad"), READING)
def test_a_refused_element_is_returned(batch: Batch, good: list[Any], bad: Any) -> None:
    """With `errors="return"` the refusal stands in the place of its element, and the others are as they were."""
    results = batch([bad, *good, bad], errors="return")
    assert results[1:-1] == ITEMS
    for refusal in (results[0], results[-1]):
        assert isinstance(refusal, ostinato.ReplayError)
        assert refusal.code in {"empty_value", "truncated"}


@pytest.mark.parametrize(("batch", "good", "bad"), READING)
def test_an_interrupt_is_raised_in_any_case(batch: Batch, good: list[Any], bad: Any) -> None:
    """Only refusals are returned."""
    del bad

    class Interrupting:
        """An SDK object during whose dump the user interrupts."""

        def model_dump(self, **_options: Any) -> Any:
            """Interrupt."""
            raise KeyboardInterrupt

    if batch is ostinato.canonicalize_completed_reasoning_output_items:
        with pytest.raises(KeyboardInterrupt):
            batch([*good, Interrupting()], errors="return")
    else:
        (refusal,) = batch([Interrupting()], errors="return")
        assert refusal.code == "type_mismatch"


@pytest.mark.parametrize("batch", [batch for batch, _, _ in READING])
def test_errors_has_two_words(batch: Batch) -> None:
    """Any other word is a mistake of the caller."""
    with pytest.raises(TypeError, match="errors must be"):
        batch([], errors="ignore")


@pytest.mark.parametrize(
    "batch",
    [
        ostinato.canonicalize_completed_reasoning_output_items,
        ostinato.parse_reasoning_replay_envelopes,
        ostinato.serialize_reasoning_replay_envelopes,
        ostinato.reasoning_replay_items_to_provider_input,
        ostinato.reasoning_replay_dedupe_keys,
    ],
)
def test_an_empty_batch(batch: Batch) -> None:
    """Nothing comes of nothing."""
    assert batch([]) == []


@pytest.mark.parametrize(
    "function",
    [
        ostinato.serialize_reasoning_replay_envelope,
        ostinato.reasoning_replay_item_to_provider_input,
        ostinato.reasoning_replay_dedupe_key,
    ],
)
def test_functions_of_items_take_items(function: Batch) -> None:
    """A dict is no canonical item; the error says what to do and does not show the dict."""
    with pytest.raises(TypeError, match="canonicalize or parse first") as caught:
        function(GOOD[0])
    assert "state 0" not in str(caught.value)
