"""Histories of fast-agent, of three generations."""

import json
import pathlib
from typing import Any

import ostinato

DATA = pathlib.Path(__file__).parents[1] / "data" / "fast_agent"
ITEM = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "S"}],
    "encrypted_content": "gAAAAA-1",
}


def text(value: Any) -> dict[str, Any]:
    """A text block of a text, or of a value as JSON."""
    return {"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}


def envelope(item: Any) -> dict[str, Any]:
    """A stored envelope, in its block."""
    return text({"schema": "fast-agent.openai-responses.reasoning-replay", "version": 1, "item": item})


def said(role: str, words: str, **fields: Any) -> dict[str, Any]:
    """A message."""
    return {"role": role, "content": [text(words)] if words else [], "is_template": False, **fields}


def history(*messages: Any) -> bytes:
    """A document of these messages."""
    return json.dumps({"messages": messages}, indent=2).encode()


def state(*records: Any) -> dict[str, Any]:
    """The channel of reasoning state."""
    return {"reasoning": [text("S")], "openai-reasoning-encrypted": list(records)}


def test_load_fast_agent_envelope() -> None:
    """The envelope is JSON text in a text block; the display channel is a copy."""
    loaded = ostinato.load(history(said("assistant", "ok", channels=state(envelope(ITEM)))))
    assert loaded.items[0] == ITEM
    assert loaded.items[1]["content"] == [{"type": "output_text", "text": "ok"}]
    assert "display_copy" in loaded.report.counts


def test_resp_per_item_summary() -> None:
    """The text for display of a whole message never becomes the summary of an item."""
    second = {**ITEM, "id": "rs_2", "summary": [], "encrypted_content": "gAAAAA-2"}
    loaded = ostinato.load(history(said("assistant", "ok", channels=state(envelope(ITEM), envelope(second)))))
    assert loaded.items[:2] == [ITEM, second]


def test_records_of_older_versions_are_named_and_never_sent() -> None:
    """A minimal record of 0.10.4 and a snapshot of 0.10.6 are no input; the turn they are in is loaded."""
    minimal = text({"type": "reasoning", "encrypted_content": "gAAAAA-old"})
    snapshot = text({**ITEM, "content": None, "encrypted_content": "gAAAAA-old"})
    loaded = ostinato.load(history(said("assistant", "ok", channels=state(minimal, snapshot))))
    assert [item["type"] for item in loaded.items] == ["message"]
    found = [finding for finding in loaded.report.findings if finding.code == "legacy_record"]
    assert [dict(finding.facts)["reason"] for finding in found] == ["legacy_minimal", "legacy_snapshot"]
    assert [finding.path for finding in found] == [
        f"messages/0/channels/openai-reasoning-encrypted/{place}" for place in (0, 1)
    ]
    assert "gAAAAA-old" not in repr(loaded)


def test_resp_unknown_canonical_field() -> None:
    """An unknown field in a stored item is a fault with its place, not something to pass on."""
    loaded = ostinato.load(history(said("assistant", "ok", channels=state(envelope({**ITEM, "extra": "x"})))))
    found = [finding.to_dict() for finding in loaded.report.findings if finding.code == "unsound_record"]
    assert [(finding["reason"], finding["at"]) for finding in found] == [("unknown_field", "item/extra")]


def test_calls_and_results_are_what_fast_agent_would_send() -> None:
    """Ids of calls keep their pairs, and arguments are written as fast-agent writes them."""
    calls = {"call_1": {"method": "tools/call", "params": {"name": "lookup", "arguments": {"q": "ü"}}}}
    results = {"call_1": {"content": [text("a"), text("b")], "isError": False}}
    loaded = ostinato.load(
        history(said("user", "q"), said("assistant", "", tool_calls=calls), said("user", "", tool_results=results))
    )
    assert loaded.items[1:] == [
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "lookup", "arguments": '{"q": "\\u00fc"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "a\nb"},
    ]
    assert [turn.role for turn in loaded.turns] == ["user", "assistant", "tool"]
    assert loaded.report.counts == {"arguments_rebuilt": 1, "wire_assumed": 1}


def test_a_compaction_stands_for_its_text() -> None:
    """The checkpoint is sent in place of the text that explains it."""
    loaded = ostinato.load(DATA / "v0.10.48-native_compaction" / "history_coder.json")
    assert [item["type"] for item in loaded.items[:2]] == ["compaction", "message"]
    assert "COMPACTED" not in json.dumps(loaded.items)


def test_anthropic_blocks_come_from_one_channel() -> None:
    """Thinking is stored three times; the raw content is the one that is sent, without the nulls of the dump."""
    loaded = ostinato.load(DATA / "v0.10.48-other_providers" / "history_anthropic.json")
    assert loaded.wire == "anthropic-messages"
    assert [item["role"] for item in loaded.items] == ["user", "assistant", "user", "assistant"]
    kinds = [block["type"] for block in loaded.items[1]["content"]]
    assert kinds == ["thinking", "redacted_thinking", "thinking", "text", "tool_use"]
    assert all(value is not None for block in loaded.items[1]["content"] for value in block.values())


def test_the_origin_is_the_provider_of_the_last_attempt() -> None:
    """Route and model are in the usage channel."""
    usage = {
        "provider_attempts": [
            {"provider": "codexresponses", "model": "gpt-5.3-codex", "raw_usage": {"output_tokens": 5}}
        ]
    }
    loaded = ostinato.load(
        history(said("assistant", "ok", channels={**state(envelope(ITEM)), "fast-agent-usage": [text(usage)]}))
    )
    assert loaded.origins[0] == ostinato.Origin("openai", "chatgpt.com", None, "gpt-5.3-codex")
    assert loaded.turns[0].usage == {"output_tokens": 5}


def test_a_document_that_is_cut_gives_its_messages() -> None:
    """What stands before the damage is loaded, and the cut is named."""
    whole = history(*(said("user", f"question {number}") for number in range(5)))
    loaded = ostinato.load(whole[: whole.index(b"question 3")])
    assert [item["content"][0]["text"] for item in loaded.items] == ["question 0", "question 1", "question 2"]
    assert loaded.report.counts["truncated_line"] == 1


def test_state_of_two_wires_is_loaded_for_the_last() -> None:
    """A session that changed its provider goes on with the newer one; the older state is named."""
    thinking = {"type": "thinking", "thinking": "t", "signature": "c2ln"}
    loaded = ostinato.load(
        history(
            said("assistant", "old", channels={"anthropic-thinking-raw": [text(thinking)]}),
            said("assistant", "new", channels=state(envelope(ITEM))),
        )
    )
    assert [item["type"] for item in loaded.items] == ["message", "reasoning", "message"]
    assert loaded.report.counts["other_wire"] == 1


def test_content_without_a_known_form_is_named() -> None:
    """Images and files have one; sounds do not."""
    blocks = [
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///a/notes.txt", "mimeType": "text/plain", "text": "n"}},
        {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
    ]
    loaded = ostinato.load(history({"role": "user", "content": blocks, "is_template": False}))
    assert loaded.items[0]["content"] == [
        {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
        {
            "type": "input_text",
            "text": '<fastagent:file title="notes.txt" mimetype="text/plain">\nn\n</fastagent:file>',
        },
    ]
    assert loaded.report.counts["not_rebuilt"] == 1
