"""Rollouts of the Codex CLI."""

import json
from typing import Any

import ostinato

META = {"type": "session_meta", "payload": {"id": "th_1", "model_provider": "openai"}}


def lines(*records: Any) -> bytes:
    """A file of these records."""
    return "\n".join(json.dumps(record) for record in records).encode()


def item(**fields: Any) -> dict[str, Any]:
    """A record of an item."""
    return {"type": "response_item", "payload": fields}


def reasoning(state: str) -> dict[str, Any]:
    """A record of a reasoning item."""
    return item(type="reasoning", summary=[], content=None, encrypted_content=state)


def said(role: str, text: str) -> dict[str, Any]:
    """A record of a message."""
    return item(type="message", role=role, content=[{"type": "input_text", "text": text}])


def event(**fields: Any) -> dict[str, Any]:
    """A record of an event."""
    return {"type": "event_msg", "payload": fields}


def codes(conversation: ostinato.Conversation) -> set[str]:
    """What the report says."""
    return set(conversation.report.counts)


def test_load_codex_rollout() -> None:
    """State is in the items; events repeat it for display; there is no id, and content is null."""
    summary = [{"type": "summary_text", "text": "S"}]
    call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "call_1"}
    loaded = ostinato.load(
        lines(
            META,
            item(type="reasoning", summary=summary, content=None, encrypted_content="gAAAAA-1"),
            event(type="agent_reasoning", text="S"),
            item(**call),
        )
    )
    assert loaded.items == [{"type": "reasoning", "summary": summary, "encrypted_content": "gAAAAA-1"}, call]
    assert loaded.origins == [ostinato.Origin("openai")] * 2
    assert [finding.to_dict() for finding in loaded.report.findings] == [
        {"code": "display_copy", "line": 3, "records": 1, "type": "agent_reasoning"}
    ]
    assert (loaded.session, loaded.wire) == ("th_1", "openai-responses")


def test_load_truncated_last_line() -> None:
    """A crash while writing leaves half a line; the rest of the file is good."""
    loaded = ostinato.load(lines(reasoning("gAAAAA-1")) + b'\n{"type":"response_item","payload":{"type":"mess')
    assert len(loaded.items) == 1
    assert [(finding.code, finding.line) for finding in loaded.report.findings] == [("truncated_line", 2)]


def test_unicode_lone_surrogate_line() -> None:
    """A line that is no text is counted and named, and the others are loaded."""
    loaded = ostinato.load(lines(reasoning("gAAAAA-1"), said("assistant", "cut \ud83d"), said("user", "go on")))
    assert len(loaded.items) == 2
    assert [(finding.code, finding.line) for finding in loaded.report.findings] == [("lone_surrogate", 2)]


def test_each_turn_has_the_model_of_its_context() -> None:
    """A change of model in the middle is the origin of what follows."""
    records = [META]
    for model in ("gpt-5.5", "gpt-5.6"):
        records += [
            {"type": "turn_context", "payload": {"model": model}},
            said("user", "q"),
            reasoning(f"gAAAAA-{model}"),
        ]
    loaded = ostinato.load(lines(*records))
    assert [(turn.role, turn.origin and turn.origin.model) for turn in loaded.turns] == [
        ("user", None),
        ("assistant", "gpt-5.5"),
        ("user", None),
        ("assistant", "gpt-5.6"),
    ]


def test_a_compaction_replaces_what_was_before() -> None:
    """What is loaded is what would be resumed: the replacement, and what came after it."""
    replacement = [said("user", "q")["payload"], {"type": "compaction", "encrypted_content": "gAAAAA-c"}]
    loaded = ostinato.load(
        lines(
            META,
            said("user", "q"),
            reasoning("gAAAAA-1"),
            {"type": "compacted", "payload": {"message": "", "replacement_history": replacement}},
            reasoning("gAAAAA-2"),
        )
    )
    assert [entry.get("encrypted_content") for entry in loaded.items] == [None, "gAAAAA-c", "gAAAAA-2"]
    assert [finding.to_dict() for finding in loaded.report.findings] == [
        {"code": "compacted_away", "line": 2, "records": 2}
    ]
    assert loaded.sources[1][0].path == "payload/replacement_history/1"


def test_a_compaction_without_replacement_keeps_what_the_user_said() -> None:
    """Older versions go on from the user's messages and the summary, which is said in the report."""
    compacted = {"type": "compacted", "payload": {"message": "the summary"}}
    loaded = ostinato.load(lines(META, said("user", "q"), reasoning("gAAAAA-1"), said("assistant", "a"), compacted))
    assert [entry["content"][0]["text"] for entry in loaded.items] == ["q", "the summary"]
    assert codes(loaded) == {"compaction_rebuilt", "compacted_away"}


def test_a_second_compaction_drops_the_summary_of_the_first() -> None:
    """It stands for what the second one sums up again; what the user said stays."""
    compactions = [{"type": "compacted", "payload": {"message": f"summary {number}"}} for number in (1, 2)]
    loaded = ostinato.load(lines(META, said("user", "q"), compactions[0], said("user", "r"), compactions[1]))
    assert [entry["content"][0]["text"] for entry in loaded.items] == ["q", "r", "summary 2"]
    assert loaded.report.records == 5


def test_the_oldest_rollouts_hold_bare_items() -> None:
    """A head without type, items without a frame, and marks of the program."""
    head = {"id": "th_old", "timestamp": "2025-05-01T10:00:00Z", "instructions": None}
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAA-1"}
    loaded = ostinato.load(lines(head, {"record_type": "state"}, thought, {"role": "user", "content": "q"}))
    assert loaded.session == "th_old"
    assert loaded.items == [thought, {"type": "message", "role": "user", "content": "q"}]
    assert loaded.report.records == 4


def test_a_subagent_names_the_thread_that_started_it() -> None:
    """The parent is in the head, in one of two places."""
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "th_0", "depth": 1}}}
    meta = {"type": "session_meta", "payload": {"id": "th_1", "source": spawned}}
    assert ostinato.load(lines(meta, said("user", "q"))).parent == "th_0"


def test_usage_is_that_of_the_turn_before() -> None:
    """The running count of tokens belongs to the answer it follows."""
    usage = {"input_tokens": 9, "output_tokens": 5, "reasoning_output_tokens": 3}
    counted = event(type="token_count", info={"last_token_usage": usage, "total_token_usage": {"input_tokens": 99}})
    loaded = ostinato.load(lines(META, said("user", "q"), reasoning("gAAAAA-1"), said("assistant", "a"), counted))
    assert loaded.turns[-1].usage == usage


def test_state_that_the_codec_refuses_is_kept_and_named() -> None:
    """Text without ciphertext is no state; it stays as it is, and `prepare` decides about it."""
    plain = {"type": "reasoning", "summary": [], "content": "thinking aloud", "encrypted_content": None}
    loaded = ostinato.load(lines(META, item(**plain)))
    assert loaded.items == [plain]
    assert [dict(finding.facts)["reason"] for finding in loaded.report.findings] == ["missing_field"]


def test_records_of_unknown_types_are_counted_by_name() -> None:
    """Nothing is dropped in silence, and a name that looks like anything but one is not shown."""
    strange = "x" * 200
    loaded = ostinato.load(
        lines(META, {"type": "hologram", "payload": {}}, item(type="telepathy"), {"type": strange, "payload": {}})
    )
    assert [dict(finding.facts)["type"] for finding in loaded.report.findings] == [
        "hologram",
        "response_item/telepathy",
        "<key of 200 bytes>",
    ]
    assert strange not in repr(loaded.report)
