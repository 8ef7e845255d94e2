"""Sessions that fast-agent saved are read to the same items, and stored again with the same bytes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fast_agent.constants import OPENAI_COMPACTION_ITEMS, OPENAI_REASONING_ENCRYPTED

import ostinato
from tests.compat.fast_agent_vectors import compact
from tests.peers.fast_agent.reference import read, read_compaction

SESSIONS = Path(__file__).parents[2] / "data" / "fast_agent"
READERS = {OPENAI_REASONING_ENCRYPTED: read, OPENAI_COMPACTION_ITEMS: read_compaction}
HISTORIES = sorted(path for path in SESSIONS.rglob("*.json*") if path.name != "session.json")


def records(path: Path) -> Iterator[tuple[str, str]]:
    """Channel and text of every stored replay record of a history."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for message in json.loads(data)["messages"]:
        for channel, blocks in (message.get("channels") or {}).items():
            if channel in READERS:
                yield from ((channel, block["text"]) for block in blocks)


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_saved_session_is_read_alike(path: Path) -> None:
    """Each record gives the item that the real package reads, or is refused by both with a reason."""
    for channel, text in records(path):
        theirs = READERS[channel](text)
        if theirs is None:
            with pytest.raises(ostinato.ReplayError) as refused:
                ostinato.parse_reasoning_replay_envelope(text)
            assert refused.value.code in {"legacy_minimal", "legacy_snapshot"}
            continue
        item = ostinato.parse_reasoning_replay_envelope(text)
        assert compact(ostinato.reasoning_replay_item_to_provider_input(item)) == compact(theirs)
        if channel == OPENAI_REASONING_ENCRYPTED:
            assert ostinato.serialize_reasoning_replay_envelope(item) == text


def test_sessions_hold_all_generations() -> None:
    """The samples hold records that are read and records of older versions that are not, of both kinds."""
    seen = {(channel, READERS[channel](text) is not None) for path in HISTORIES for channel, text in records(path)}
    assert seen == {
        (OPENAI_REASONING_ENCRYPTED, True),
        (OPENAI_REASONING_ENCRYPTED, False),
        (OPENAI_COMPACTION_ITEMS, True),
    }
