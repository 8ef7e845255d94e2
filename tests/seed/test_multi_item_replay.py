"""The seed's list "Multi-item replay tests"."""

from __future__ import annotations

import ostinato
from ostinato.compat import fast_agent
from tests.seed.items import captured, item, replayed

ITEMS = (item(1, "A1", "A2"), item(2, "B"), item(3))


def texts(replay: dict[str, object]) -> list[str]:
    """The summary of an item, part by part."""
    parts = replay["summary"]
    assert isinstance(parts, list)
    return [part["text"] for part in parts]


def test_two_reasoning_items_retain_distinct_summaries() -> None:
    """Each has its own."""
    first, second = replayed(*ITEMS[:2])
    assert (texts(first), texts(second)) == (["A1", "A2"], ["B"])


def test_no_canonical_item_receives_message_wide_fallback() -> None:
    """An item without a summary stays without one, whatever its neighbours have."""
    assert texts(replayed(*ITEMS)[2]) == []


def test_multipart_summaries_remain_multipart() -> None:
    """Parts are not joined."""
    assert len(texts(replayed(ITEMS[0])[0])) == 2


def test_provider_request_order_matches_response_and_history_order() -> None:
    """Through capture, storage, batch and dedupe."""
    kept = ostinato.dedupe(captured(*ITEMS), provider="openai").items
    sent = ostinato.reasoning_replay_items_to_provider_input(kept)
    assert [each["id"] for each in sent] == [each["id"] for each in ITEMS]
    assert sent == replayed(*ITEMS)


def test_display_summary_derivation_does_not_alter_replay_items() -> None:
    """Text for people is read from an item, and the item stays what it was."""
    (kept,) = captured(ITEMS[0])
    before = ostinato.serialize_reasoning_replay_envelope(kept)
    shown = kept.to_dict()
    shown["summary"][0]["text"] = "edited for display"
    assert ostinato.serialize_reasoning_replay_envelope(kept) == before
    envelope = fast_agent.capture_reasoning_replay(ITEMS[0])
    assert envelope is not None
    envelope["item"]["summary"][0]["text"] = "edited for display"
    assert captured(ITEMS[0]) == [kept]
