"""What may be shown of replay state: structure, never content."""

import json
from typing import Any

import pytest

import ostinato

STATE, TEXT = "gAAAAAB-canary-state", "canary text"
ITEM = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": TEXT}],
    "encrypted_content": STATE,
}
STORED = ostinato.serialize_reasoning_replay_envelope(ostinato.canonicalize_completed_reasoning_output_item(ITEM))


@pytest.mark.parametrize(
    "value",
    [ostinato.parse_reasoning_replay_envelope(STORED), STORED, STORED.encode(), json.loads(STORED)],
    ids=["item", "str", "bytes", "mapping"],
)
def test_an_item_and_its_envelope_have_the_same_view(value: Any) -> None:
    """Field names, byte lengths, digests and part counts; nothing else."""
    view = ostinato.redact_reasoning_replay_for_diagnostics(value)
    digest = ostinato.reasoning_replay_dedupe_key(ostinato.parse_reasoning_replay_envelope(STORED)).sha256
    assert view == {
        "wire": "openai-responses",
        "kind": "reasoning",
        "fields": {
            "type": "reasoning",
            "id": "rs_1",
            "summary": {"parts": 1, "bytes": len(TEXT)},
            "encrypted_content": {"redacted": True, "bytes": len(STATE), "sha256": digest},
        },
    }


@pytest.mark.parametrize(
    "value",
    [ITEM, [ITEM], STORED[:-1], STORED.replace('"version":1', '"version":7'), f"log line {json.dumps(ITEM)}", None, 5],
)
def test_any_other_value_is_redacted_and_reported(value: Any) -> None:
    """A provider's item, a list, a damaged envelope, a log line: content never comes through."""
    view = ostinato.redact_reasoning_replay_for_diagnostics(value)
    assert "value" in view
    assert STATE not in json.dumps(view)
    assert TEXT not in json.dumps(view)


def test_a_damaged_envelope_says_why_it_was_refused() -> None:
    """Whoever debugs a history sees the code beside the redacted text."""
    view = ostinato.redact_reasoning_replay_for_diagnostics(STORED.replace('"version":1', '"version":7'))
    assert view["refused"] == {"code": "version_unknown", "path": "version"}


def test_lengths_alone_can_be_asked_for() -> None:
    """A digest can be linked from log to log."""
    assert "sha256" not in json.dumps(ostinato.redact_reasoning_replay_for_diagnostics(STORED, length_only=True))


def test_the_batch_is_the_same_for_each() -> None:
    """One view per value, in order."""
    values = [STORED, 5]
    views = ostinato.redact_reasoning_replays_for_diagnostics(values)
    assert views == [ostinato.redact_reasoning_replay_for_diagnostics(value) for value in values]
