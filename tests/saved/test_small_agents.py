"""Histories of opencode, and of the Copilot, Grok and Gemini CLIs."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

import ostinato

Json = dict[str, Any]

DATA = pathlib.Path(__file__).parents[1] / "data" / "frameworks"
FILES = {
    "gemini_cli/small-pretty.jsonl": ("gemini-cli", "gemini-generate-content", 4),
    "gemini_cli/v0.40-lines.jsonl": ("gemini-cli", "gemini-generate-content", 4),
    "other_agents/copilot-cli-events.jsonl": ("copilot-cli", "openai-responses", 15),
    "other_agents/grok-chat-history.jsonl": ("grok-cli", "openai-responses", 12),
    "other_agents/opencode-reasoning-part.json": ("opencode", "openai-chat", 1),
}


@pytest.mark.parametrize("name", FILES)
def test_real_files_are_told_and_loaded(name: str) -> None:
    """Each is told by its content, on the wire of its program."""
    loaded = ostinato.load(DATA / name)
    assert (loaded.format, loaded.wire, len(loaded.items)) == FILES[name]
    assert [place for turn in loaded.turns for place in turn.items] == list(range(len(loaded.items)))


def export(*messages: Json) -> ostinato.Conversation:
    """What `opencode export` writes, loaded."""
    return ostinato.load(json.dumps({"info": {"id": "ses_1"}, "messages": list(messages)}).encode())


def test_opencode_parts_of_one_item_are_joined() -> None:
    """Summaries of one item are parts of one id, a tool keeps its call and its result, and the provider is named."""
    own = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "gAAAAA-example"}}
    loaded = export(
        {"info": {"role": "user"}, "parts": [{"type": "text", "text": "q"}]},
        {
            "info": {"role": "assistant", "providerID": "github-copilot", "modelID": "m"},
            "parts": [
                {"type": "step-start"},
                {"type": "reasoning", "text": "A", "metadata": {"openai": {"itemId": "rs_1"}}},
                {"type": "reasoning", "text": "B", "metadata": own},
                {
                    "type": "tool",
                    "tool": "f",
                    "callID": "c1",
                    "state": {"status": "completed", "input": {"a": 1}, "output": "r"},
                    "metadata": {"openai": {"itemId": "fc_1"}},
                },
                {"type": "step-finish"},
            ],
        },
    )
    summary = [{"type": "summary_text", "text": "A"}, {"type": "summary_text", "text": "B"}]
    assert loaded.session == "ses_1"
    assert loaded.items[1:] == [
        {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "gAAAAA-example"},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": '{"a":1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "r"},
    ]
    assert loaded.turns[1].origin == ostinato.Origin("copilot", model="m")
    assert loaded.report.counts == {"arguments_rebuilt": 1, "not_sent": 1}


def test_grok_items_are_those_of_xai() -> None:
    """Bare items are items, what xAI ran is a call of it, and the model is that of the answer's last record."""
    records = [
        {"type": "user", "content": "q"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk", "status": "completed"},
        {"type": "backend_tool_call", "kind": {"tool_type": "web_search", "id": "ws_1", "status": "completed"}},
        {
            "type": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "name": "f", "arguments": "{}"}],
            "model_id": "m",
        },
        {"type": "tool_result", "tool_call_id": "c1", "content": "r"},
        {"type": "newest"},
    ]
    loaded = ostinato.load("\n".join(map(json.dumps, records)).encode())
    assert loaded.items[1:] == [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "r"},
    ]
    assert [turn.origin for turn in loaded.turns] == [None, ostinato.Origin("xai", model="m"), None]
    assert loaded.report.counts == {"unknown_record": 1}


def test_gemini_cli_has_no_state_and_says_so() -> None:
    """Calls and their results are there; thoughts were kept for display alone."""
    back = {"functionResponse": {"id": "c1", "name": "f", "response": {"output": "r"}}}
    answer = {
        "type": "gemini",
        "content": "x",
        "thoughts": [{"subject": "s", "description": "d"}],
        "model": "m",
        "toolCalls": [{"id": "c1", "name": "f", "args": {"a": 1}, "result": [back]}],
    }
    document = {
        "sessionId": "s1",
        "projectHash": "h",
        "messages": [{"type": "user", "content": "q"}, answer, {"type": "info"}],
    }
    loaded = ostinato.load(json.dumps(document).encode())
    assert loaded.items == [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [{"text": "x"}, {"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}}]},
        {"role": "user", "parts": [back]},
    ]
    assert loaded.report.counts == {"display_copy": 1, "not_sent": 1}
    assert loaded.report.records == 3


def event(kind: str, **data: Any) -> Json:
    """An event of the Copilot CLI."""
    return {"type": kind, "data": data, "id": "e", "parentId": None}


def events(*records: Json) -> ostinato.Conversation:
    """The events of a session, loaded."""
    return ostinato.load("\n".join(map(json.dumps, records)).encode())


def test_copilot_keeps_state_of_two_wires() -> None:
    """Encrypted content is an item without an id, opaque reasoning a field; the last answer decides."""
    asked = event("user.message", content="q", transformedContent="Q")
    call = {"toolCallId": "c1", "name": "f", "arguments": "{}"}
    sealed = event(
        "assistant.message", content="", encryptedContent="c2VhbGVk", reasoningText="t", toolRequests=[call], model="m"
    )
    back = event("tool.execution_complete", toolCallId="c1", success=True, result={"content": "r"})
    loaded = events(event("session.start", sessionId="s1"), asked, sealed, back, event("assistant.turn_end"))
    assert (loaded.wire, loaded.session) == ("openai-responses", "s1")
    assert loaded.items[1:] == [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}], "encrypted_content": "c2VhbGVk"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "r"},
    ]
    assert loaded.turns[1].origin == ostinato.Origin("copilot", model="m")
    assert loaded.report.counts == {"not_sent": 1}
    opaque = event("assistant.message", content="x", reasoningOpaque="c2VhbGVk", reasoningText="t", toolRequests=[])
    chat = events(asked, sealed, back, opaque)
    assert chat.items[-1] == {
        "role": "assistant",
        "content": "x",
        "reasoning_text": "t",
        "reasoning_opaque": "c2VhbGVk",
    }
    assert chat.report.counts == {"other_wire": 1}


def test_copilot_subagents_are_apart() -> None:
    """What a subagent said is not in its parent's conversation."""
    loaded = events(
        event("session.start", sessionId="s1"),
        event("user.message", content="q"),
        event("assistant.message", content="x", parentToolCallId="c1", toolRequests=[]),
        event("assistant.message", content="y", toolRequests=[]),
    )
    assert [item["content"] for item in loaded.items] == ["q", "y"]
    assert loaded.report.counts == {"other_branch": 1}
