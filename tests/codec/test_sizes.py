"""Golden sizes: what a stored item weighs, and that telemetry says the same as the bytes that are really written."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

import pytest

import ostinato
from tests.codec.vectors import Vector, compact, load

ITEM: dict[str, Any] = {
    "type": "reasoning",
    "id": "rs_0123456789",
    "summary": [{"type": "summary_text", "text": "A"}],
    "encrypted_content": "gAAAAAB-state",
}
STORED = [vector for vector in load("accept") if vector.is_value and vector.fields["canonical"]]


def store(**changed: Any) -> str:
    """The stored text of the item with some fields changed."""
    return ostinato.serialize_reasoning_replay_envelope(
        ostinato.canonicalize_completed_reasoning_output_item(ITEM | changed)
    )


def test_golden_envelope() -> None:
    """The text that fast-agent 0.10.48 writes for this item, byte for byte: 77 bytes around it."""
    assert store() == (
        '{"schema":"fast-agent.openai-responses.reasoning-replay","version":1,"item":{"type":"reasoning",'
        '"id":"rs_0123456789","summary":[{"type":"summary_text","text":"A"}],"encrypted_content":"gAAAAAB-state"}}'
    )
    assert len(store()) - len(compact(ITEM)) == 77


def test_golden_envelope_inside_a_history_file() -> None:
    """As a string of another JSON text the frame weighs 85: its eight quotes are escaped."""
    assert len(json.dumps(store())) - len(json.dumps(compact(ITEM))) == 85


@pytest.mark.parametrize("extra", [{"content": None}, {"content": []}, {"status": None}, {"status": "completed"}])
def test_nothing_empty_is_stored(extra: dict[str, Any]) -> None:
    """Nulls, empty content and status add no byte."""
    assert store(**extra) == store()


OPAQUE = {"encrypted_content", "signature", "data", "thoughtSignature", "redactedContent"}
TEXT = {"thinking", "text", "reasoning", "reasoning_content"}


def count(fields: dict[str, Any]) -> Counter[str]:
    """What telemetry should count of an item, by the names of its fields."""
    counts: Counter[str] = Counter()
    for name, value in fields.items():
        weight = len(value.encode()) if isinstance(value, str) else 0
        if name in OPAQUE:
            counts["encrypted_bytes"] += weight
        elif name in {"summary", "content"} and isinstance(value, list):
            counts[f"{name}_parts"] += len(value)
            counts[f"{name}_bytes"] += sum(len(part.get("text", "").encode()) for part in value)
        elif name in TEXT or name == "summary":
            counts["content_parts"] += 1
            counts["content_bytes"] += weight
        elif name in {"reasoningContent", "reasoningText"}:
            counts += count(value)
    return counts


@pytest.mark.parametrize("vector", STORED, ids=[vector.name for vector in STORED])
def test_telemetry_is_what_is_written(vector: Vector) -> None:
    """The bytes that telemetry counts are those of the decoded texts in the stored text."""
    item = ostinato.parse_reasoning_replay_envelope(vector.text)
    counted = ostinato.ReplayTelemetry.from_items([item])
    expected = {f"reasoning_replay_{name}": number for name, number in count(json.loads(vector.text)["item"]).items()}
    assert counted == ostinato.ReplayTelemetry(reasoning_replay_item_count=1, **expected)


def turn(number: int, items: int) -> list[dict[str, Any]]:
    """The reasoning items of one turn: each with a summary of its own of a few parts."""
    return [
        {
            "type": "reasoning",
            "id": f"rs_{number}_{place}",
            "summary": [
                {
                    "type": "summary_text",
                    "text": f"**Step {number}.{place}.{part}**\n\n" + "Weighing what is left. " * 8,
                }
                for part in range(2)
            ],
            "encrypted_content": "gAAAAAB" + hashlib.sha256(f"{number} {place}".encode()).hexdigest() * 12,
        }
        for place in range(items)
    ]


def message_wide(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same items as fast-agent 0.10.4 rebuilt them: every item with the summaries of the whole message."""
    joined = "\n".join(part["text"] for item in items for part in item["summary"])
    return [item | {"summary": [{"type": "summary_text", "text": joined}]} for item in items]


@pytest.mark.parametrize("count", [2, 3, 8])
def test_summaries_of_their_own_are_smaller(count: int) -> None:
    """Items with their own summaries weigh less than items that repeat the message's."""
    items = turn(0, count)
    captured = ostinato.canonicalize_completed_reasoning_output_items(items)
    own = ostinato.reasoning_replay_items_to_provider_input(captured, as_json=True)
    assert json.loads(own) == items
    assert len(own) < len(compact(message_wide(items)).encode())


def test_replay_of_a_long_tool_loop_is_bounded() -> None:
    """Over 200 turns, the replay of every turn weighs its items and nothing else, and resuming adds nothing.

    What is sent with turn n is what n turns made: cumulative bytes grow with the square of the turns and no faster.
    """
    history: list[str] = []
    sent: list[int] = []
    for number in range(200):
        items = ostinato.parse_reasoning_replay_envelopes(list(history))
        replayed = ostinato.dedupe(items + items, provider="openai")  # as if resumed in the middle
        sent.append(len(ostinato.reasoning_replay_items_to_provider_input(replayed.items, as_json=True)))
        assert replayed.report.counts.get("exact_duplicate", 0) == len(items)
        captured = ostinato.canonicalize_completed_reasoning_output_items(turn(number, 2))
        history += ostinato.serialize_reasoning_replay_envelopes(captured)
    heaviest = max(len(text) - 77 for text in history) + 1
    assert all(bytes_sent <= 2 + number * 2 * heaviest for number, bytes_sent in enumerate(sent))
    assert sum(sent) <= len(sent) ** 2 * heaviest + 2 * len(sent)


def test_stored_history_grows_by_its_items_only() -> None:
    """A history of n items weighs n envelopes: the frame is all that storage adds."""
    items = [item for number in range(50) for item in turn(number, 2)]
    captured = ostinato.canonicalize_completed_reasoning_output_items(items)
    stored = ostinato.serialize_reasoning_replay_envelopes(captured)
    assert sum(map(len, stored)) == sum(len(compact(item)) + 77 for item in items)
    counted = ostinato.ReplayTelemetry.from_items(captured)
    assert counted.reasoning_replay_encrypted_bytes == sum(len(item["encrypted_content"]) for item in items)


def test_telemetry_adds_up() -> None:
    """Counters of two turns are those of both together; the schema version is not a counter."""
    items = ostinato.canonicalize_completed_reasoning_output_items(turn(0, 3))
    one, rest = ostinato.ReplayTelemetry.from_items(items[:1]), ostinato.ReplayTelemetry.from_items(items[1:])
    assert one + rest == ostinato.ReplayTelemetry.from_items(items)
    assert (one + rest).canonical_schema_version == 1


def test_telemetry_counts_repeats() -> None:
    """Exact repeats and conflicts are counted from the report of dedupe."""
    conflict = ITEM | {"encrypted_content": "another"}
    deduped = ostinato.dedupe([ITEM, ITEM, conflict], provider="xai")
    counted = ostinato.ReplayTelemetry.from_items(
        ostinato.canonicalize_completed_reasoning_output_items(deduped.items), report=deduped.report
    )
    assert counted.reasoning_replay_item_count == 2
    assert counted.replay_deduplicated_exact_count == 1
    assert counted.replay_id_ciphertext_conflict_count == 1


def test_telemetry_has_the_nine_counters() -> None:
    """The names of the counters are the promise; there is no other field, and none can hold a text."""
    counted = ostinato.ReplayTelemetry().to_dict()
    assert list(counted) == [
        "reasoning_replay_item_count",
        "reasoning_replay_encrypted_bytes",
        "reasoning_replay_summary_parts",
        "reasoning_replay_summary_bytes",
        "reasoning_replay_content_parts",
        "reasoning_replay_content_bytes",
        "replay_deduplicated_exact_count",
        "replay_id_ciphertext_conflict_count",
        "canonical_schema_version",
    ]
    assert set(map(type, counted.values())) == {int}
