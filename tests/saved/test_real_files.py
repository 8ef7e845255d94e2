"""Every sample of a known format loads, nothing in it is dropped in silence, and its state is all there."""

import functools
import json
import pathlib
from collections import Counter
from typing import Any

import pytest

import ostinato
from ostinato.saved.file import SavedFile

DATA = pathlib.Path(__file__).parents[1] / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))["files"]
FORMATS = {"codex": "codex", "claude_code": "claude-code", "fast_agent": "fast-agent"}
FILES = sorted(
    path.relative_to(DATA).as_posix()
    for folder in FORMATS
    for path in (DATA / folder).rglob("*")
    if path.is_file() and path.name != "session.json"
)
FOLDED = {
    # What is not sent any more, or stands there twice, is in the report and not in the items.
    **{name: "legacy_record" for name in FILES if name.startswith("fast_agent/v0.10.4-")},
    **{name: "legacy_record" for name in FILES if name.startswith("fast_agent/v0.10.11-")},
    "fast_agent/v0.10.48-other_providers/history_anthropic.json": "display_copy",
    "claude_code/v2.0.76-compact-boundary.jsonl.gz": "compacted_away",
    "claude_code/v2.1.220-many-record-types-a.jsonl": "other_branch",
    "claude_code/v2.1.220-many-record-types-b-older.jsonl": "other_branch",
    "codex/v0.146-replacement-history.jsonl": "compacted_away",
    "codex/v0.146-small.jsonl": "compacted_away",
    "codex/v0.146-spawned-thread-compacted.jsonl": "compacted_away",
}


def state_of(conversation: ostinato.Conversation) -> Counter[str]:
    """The replay items of a conversation, under the names of the expected figures."""
    found: Counter[str] = Counter()
    for item in conversation.items:
        blocks = item.get("content") if conversation.wire == "anthropic-messages" else [item]
        for block in blocks if isinstance(blocks, list) else []:
            if block["type"] in {"reasoning", "compaction"}:
                found[f"openai.{block['type']}"] += 1
            elif block["type"] in {"thinking", "redacted_thinking"}:
                found[f"anthropic.{block['type']}"] += 1
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_is_told_and_loaded(name: str) -> None:
    """Its format is told by content, and items, turns, origins and sources fit together."""
    for conversation in ostinato.load_all(DATA / name):
        assert conversation.format == FORMATS[name.partition("/")[0]]
        assert [place for turn in conversation.turns for place in turn.items] == list(range(len(conversation.items)))
        assert len(conversation.origins) == len(conversation.sources) == len(conversation.items)


@pytest.mark.parametrize("name", FILES)
def test_no_record_of_a_real_file_is_dropped_in_silence(name: str) -> None:
    """Each record of the file is in the items or in the findings, exactly once."""
    values = [value.value for value in SavedFile((DATA / name).read_bytes()).values()]
    lists = [value["messages"] for value in values if isinstance(value, dict) and "messages" in value]
    records = len(lists[0]) if lists else len(values)
    assert sum(conversation.report.records for conversation in ostinato.load_all(DATA / name)) == records


@pytest.mark.parametrize("name", FILES)
def test_all_state_of_a_real_file_is_loaded(name: str) -> None:
    """The items hold the state that an independent reader counted, where nothing was folded away."""
    found = ostinato.load_all(DATA / name)
    if name in FOLDED:
        assert FOLDED[name] in {code for conversation in found for code in conversation.report.counts}
        return
    state = sum((state_of(conversation) for conversation in found), Counter[str]())
    assert state == EXPECTED[name]["items"]


@pytest.mark.parametrize("name", FILES)
def test_a_source_is_where_the_item_stands(name: str) -> None:
    """The bytes of each source are the record it was read from, and its path leads to something in it."""
    data = SavedFile((DATA / name).read_bytes()).data
    record = functools.cache(lambda start, stop: json.loads(data[start:stop]))
    for conversation in ostinato.load_all(DATA / name):
        for sources in conversation.sources:
            for source in sources:
                value = record(source.start, source.stop)
                for step in source.path.split("/") if source.path else ():
                    value = value[int(step)] if isinstance(value, list) else value[step]


@pytest.mark.parametrize("name", FILES)
def test_the_text_of_a_loaded_conversation_shows_no_state(name: str) -> None:
    """`repr` holds no state and nothing that was said."""
    for conversation in ostinato.load_all(DATA / name):
        shown = repr(conversation)
        for item in conversation.items:
            blocks = item["content"] if isinstance(item.get("content"), list) else []
            for part in [item, *(block for block in blocks if isinstance(block, dict))]:
                for key in ("encrypted_content", "signature", "thinking", "text", "arguments"):
                    value = part.get(key)
                    assert not (isinstance(value, str) and len(value) > 40 and value in shown)


@pytest.mark.parametrize("name", FILES)
def test_a_loaded_conversation_goes_to_any_target_of_its_wire(name: str) -> None:
    """`prepare` takes it as it is; what it changes is a decision, what it refuses is an error with a code."""
    for conversation in ostinato.load_all(DATA / name):
        for target, row in ostinato.PROFILES.items():
            if row.wire != conversation.wire:
                continue
            try:
                prepared = conversation.prepare(target)
            except ostinato.PrepareError as refused:
                assert refused.code in ostinato.DECISION_CODES  # noqa: PT017 - an answer too
            else:
                assert len(prepared.items) <= len(conversation.items) or prepared.report.decisions
