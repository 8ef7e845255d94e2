"""The seed's list "Canonicalization tests"."""

from __future__ import annotations

from typing import Any

import pytest

import ostinato
from tests.seed.items import ALLOWED, captured, item, replayed, without

capture = ostinato.canonicalize_completed_reasoning_output_item


def test_exact_field_allowlist() -> None:
    """Four fields, and a fifth where there is content; in the order in which they are stored."""
    assert list(captured(item())[0].to_dict()) == ALLOWED
    content = [{"type": "reasoning_text", "text": "Thought."}]
    assert list(captured(item(content=content))[0].to_dict()) == [*ALLOWED, "content"]


def test_unknown_sdk_fields_are_dropped() -> None:
    """By name: what was dropped can be counted."""
    kept = capture(item(created_at=1, usage={"tokens": 3}, async_=None))
    assert kept == capture(item())
    assert sorted(kept.dropped_fields) == ["async_", "created_at", "usage"]


def test_status_is_dropped() -> None:
    """It is a state of the response, and the API refuses it as input."""
    assert capture(item(status="completed")) == capture(item())


@pytest.mark.parametrize("content", [None, []])
def test_null_or_empty_content_is_omitted(content: Any) -> None:
    """Absent is safer than null."""
    assert "content" not in capture(item(content=content)).to_dict()


def test_valid_nonempty_content_is_preserved() -> None:
    """Part by part."""
    content = [{"type": "reasoning_text", "text": text} for text in ("One.", "", "Two.")]
    assert replayed(item(content=content))[0]["content"] == content


def test_missing_id_is_rejected() -> None:
    """By the name of the field."""
    with pytest.raises(ostinato.ReplayError) as caught:
        capture(without(item(), "id"))
    assert (caught.value.code, caught.value.path) == ("missing_field", "id")


@pytest.mark.parametrize("state", [None, ""])
def test_missing_or_empty_encrypted_content_is_rejected(state: Any) -> None:
    """An item without state has nothing to replay."""
    for given in (item(encrypted_content=state), without(item(), "encrypted_content")):
        with pytest.raises(ostinato.ReplayError) as caught:
            capture(given)
        assert caught.value.path == "encrypted_content"


def test_summary_part_order_and_boundaries_round_trip_exactly() -> None:
    """White space, empty parts, line separators and accents included."""
    texts = ["  First.\n", "", "naive\u0301\u2028", "\U0001f600 last\t"]
    assert [part["text"] for part in replayed(item(1, *texts))[0]["summary"]] == texts


@pytest.mark.parametrize("status", ["in_progress", "incomplete"])
def test_capture_is_sourced_from_a_completed_output_item(status: str) -> None:
    """The item of an `added` event is refused, and so is one of a response that was cut."""
    with pytest.raises(ostinato.ReplayError) as caught:
        capture(item(status=status))
    assert caught.value.code == "not_completed"
    with pytest.raises(ostinato.ReplayError) as caught:
        capture(item(), response_status="incomplete")
    assert caught.value.code == "response_incomplete"
