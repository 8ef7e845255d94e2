"""The seed's list "Payload regression tests"."""

from __future__ import annotations

import json

import ostinato
from tests.seed.items import captured, item

ITEMS = [item(number, f"Summary {number}, first part.", f"Summary {number}, second part.") for number in range(8)]


def stored(*items: dict[str, object]) -> list[str]:
    """The texts that are kept of items."""
    return ostinato.serialize_reasoning_replay_envelopes(captured(*items))


def test_golden_canonical_envelope_byte_size() -> None:
    """194 bytes, of which 77 are the frame; a change of stored bytes is a change of the format."""
    (text,) = stored(item(1, "A"))
    assert len(text.encode()) == 194
    assert len(text) - len(json.dumps(item(1, "A"), separators=(",", ":"))) == 77


def test_no_empty_content_field() -> None:
    """Neither null nor an empty list costs a byte."""
    assert stored(item(content=None)) == stored(item(content=[])) == stored(item())
    assert "content" not in json.loads(stored(item())[0])["item"]


def test_multi_item_per_item_summaries_are_smaller_than_legacy_repeated_message_wide_fallback() -> None:
    """The reader of 0.10.4 put the joined summary of the message into each of its items."""
    joined = "\n".join(part["text"] for each in ITEMS for part in each["summary"])
    legacy = [each | {"summary": [{"type": "summary_text", "text": joined}]} for each in ITEMS]
    sent = ostinato.reasoning_replay_items_to_provider_input(captured(*ITEMS), as_json=True)
    repeated = ostinato.reasoning_replay_items_to_provider_input(captured(*legacy), as_json=True)
    assert len(sent) < len(repeated) / 2


def test_cumulative_replay_bytes_stay_bounded_on_a_synthetic_long_tool_loop() -> None:
    """Each turn adds its own item and nothing else: the sum over all requests is that of an arithmetic series."""
    turns = 200
    loop = captured(*(item(10_000 + number, "Step.") for number in range(turns)))
    each = len(ostinato.reasoning_replay_item_to_provider_input(loop[0], as_json=True))
    cumulative = 0
    for turn in range(1, turns + 1):
        kept = ostinato.dedupe(loop[:turn], provider="openai").items
        cumulative += len(ostinato.reasoning_replay_items_to_provider_input(kept, as_json=True)) - (turn + 1)
    assert cumulative == each * turns * (turns + 1) // 2


def test_structural_telemetry_matches_actual_serialized_bytes_without_exposing_content() -> None:
    """Figures only, and they are those of the bytes that go out."""
    items = captured(*ITEMS)
    told = ostinato.ReplayTelemetry.from_items(items).to_dict()
    sent = json.loads(ostinato.reasoning_replay_items_to_provider_input(items, as_json=True))
    texts = [part["text"] for each in sent for part in each["summary"]]
    assert told["reasoning_replay_item_count"] == len(sent)
    assert told["reasoning_replay_encrypted_bytes"] == sum(len(each["encrypted_content"].encode()) for each in sent)
    assert told["reasoning_replay_summary_parts"] == len(texts)
    assert told["reasoning_replay_summary_bytes"] == sum(len(text.encode()) for text in texts)
    assert told["reasoning_replay_content_parts"] == told["reasoning_replay_content_bytes"] == 0
    assert all(type(figure) is int for figure in told.values())
