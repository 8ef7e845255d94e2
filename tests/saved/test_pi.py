"""Sessions of pi."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

import ostinato

Json = dict[str, Any]

DATA = pathlib.Path(__file__).parents[1] / "data" / "frameworks" / "pi_sessions"
HEAD = {"type": "session", "id": "s1", "version": 3, "cwd": "/", "timestamp": "2026-01-05T10:00:00Z"}


def entry(known: str, parent: str | None, **fields: Any) -> Json:
    """An entry of the tree."""
    return {"type": "message", "id": known, "parentId": parent, **fields}


def user(text: str) -> Json:
    """A message of the user."""
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def answer(api: str, *content: Json, provider: str = "p", model: str = "m") -> Json:
    """A message of a model."""
    return {"role": "assistant", "api": api, "provider": provider, "model": model, "content": list(content)}


def load(*entries: Json) -> ostinato.Conversation:
    """The entries as a file, loaded."""
    loaded = ostinato.load("\n".join(map(json.dumps, entries)).encode())
    assert loaded.format == "pi"
    assert loaded.report.records == len(entries)
    return loaded


@pytest.mark.parametrize(
    ("name", "items", "states"), [("one-message.json", 1, 1), ("two-models-window.jsonl.gz", 77, 7)]
)
def test_real_sessions_are_loaded(name: str, items: int, states: int) -> None:
    """Blocks and signatures of Anthropic are all there."""
    loaded = ostinato.load(DATA / name)
    blocks = [block for item in loaded.items for block in item["content"] if block["type"] == "thinking"]
    assert (loaded.wire, len(loaded.items)) == ("anthropic-messages", items)
    assert sum(bool(block["signature"]) for block in blocks) == states
    assert loaded.turns[-1].origin or loaded.turns[-2].origin == ostinato.Origin("anthropic", model="claude-opus-4-5")


def test_the_path_of_the_last_entry_is_loaded() -> None:
    """Branches that were given up are named, and not sent."""
    loaded = load(
        HEAD,
        entry("a", None, message=user("q")),
        entry("b", "a", message=answer("anthropic-messages", {"type": "text", "text": "left"})),
        {"type": "model_change", "id": "k", "parentId": "a", "provider": "p", "modelId": "m"},
        entry("c", "k", message=answer("anthropic-messages", {"type": "text", "text": "taken"})),
    )
    assert [item["content"][0]["text"] for item in loaded.items] == ["q", "taken"]
    assert loaded.report.counts == {"other_branch": 1, "not_sent": 1}
    assert loaded.session == "s1"


@pytest.mark.parametrize("version", [1, 3])
def test_compaction_keeps_what_pi_would_send(version: int) -> None:
    """The summary comes first, then what was kept, then what came after."""
    entries = [
        entry("a", None, message=user("old")),
        entry("b", "a", message=user("kept")),
        {"type": "compaction", "id": "c", "parentId": "b", "summary": "sum", "firstKeptEntryId": "b"},
        entry("d", "c", message=user("new")),
    ]
    head = HEAD
    if version == 1:
        head = {"type": "session", "id": "s1", "cwd": "/"}
        entries = [{key: value for key, value in one.items() if key not in {"id", "parentId"}} for one in entries]
        entries[2] = {"type": "compaction", "summary": "sum", "firstKeptEntryIndex": 2}
    loaded = load(
        head,
        *entries,
        entry("e", "d", message=answer("anthropic-messages", {"type": "text", "text": "x"}))
        if version == 3
        else {"type": "message", "message": answer("anthropic-messages", {"type": "text", "text": "x"})},
    )
    assert [item["content"][0]["text"] for item in loaded.items] == ["sum", "kept", "new", "x"]
    assert loaded.report.counts == {"compacted_away": 1, "compaction_rebuilt": 1}


def test_parent_that_is_not_there_is_said() -> None:
    """An entry whose parent is missing follows the one before it."""
    loaded = load(HEAD, entry("a", None, message=user("q")), entry("b", "elsewhere", message=user("r")))
    assert (len(loaded.items), loaded.report.counts) == (2, {"missing_parent": 1})


ITEM = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAA-example"}
WIRES: list[tuple[str, list[Json], list[Json]]] = [
    (
        "openai-responses",
        [
            {"type": "thinking", "thinking": "t", "thinkingSignature": json.dumps(ITEM)},
            {"type": "text", "text": "x", "textSignature": json.dumps({"v": 1, "id": "msg_1", "phase": "commentary"})},
            {"type": "text", "text": "y", "textSignature": "msg_2"},
            {"type": "toolCall", "id": "c1|fc_1", "name": "f", "arguments": {"a": 1}},
        ],
        [
            ITEM,
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "x", "annotations": []}],
                "phase": "commentary",
            },
            {
                "type": "message",
                "id": "msg_2",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "y", "annotations": []}],
            },
            {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": '{"a":1}'},
        ],
    ),
    (
        "google-generative-ai",
        [
            {"type": "thinking", "thinking": "t", "thinkingSignature": "c2lnMQ=="},
            {"type": "text", "text": "x", "textSignature": "c2lnMg=="},
            {"type": "toolCall", "id": "c1", "name": "f", "arguments": {}, "thoughtSignature": "c2lnMw=="},
        ],
        [
            {
                "role": "model",
                "parts": [
                    {"text": "t", "thought": True, "thoughtSignature": "c2lnMQ=="},
                    {"text": "x", "thoughtSignature": "c2lnMg=="},
                    {"functionCall": {"id": "c1", "name": "f", "args": {}}, "thoughtSignature": "c2lnMw=="},
                ],
            }
        ],
    ),
    (
        "openai-completions",
        [
            {"type": "thinking", "thinking": "t", "thinkingSignature": "reasoning_content"},
            {
                "type": "toolCall",
                "id": "c1",
                "name": "f",
                "arguments": {},
                "thoughtSignature": '{"type": "reasoning.encrypted", "id": "c1", "data": "sealed"}',
            },
        ],
        [
            {
                "role": "assistant",
                "content": None,
                "reasoning_content": "t",
                "reasoning_details": [{"type": "reasoning.encrypted", "id": "c1", "data": "sealed"}],
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            }
        ],
    ),
    (
        "anthropic-messages",
        [
            {"type": "thinking", "thinking": "t", "thinkingSignature": "c2ln"},
            {"type": "thinking", "thinking": "[Reasoning redacted]", "thinkingSignature": "ZGF0YQ==", "redacted": True},
        ],
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "t", "signature": "c2ln"},
                    {"type": "redacted_thinking", "data": "ZGF0YQ=="},
                ],
            }
        ],
    ),
]


@pytest.mark.parametrize(("api", "content", "items"), WIRES)
def test_a_signature_is_what_the_interface_makes_it(api: str, content: list[Json], items: list[Json]) -> None:
    """One field holds a signature, a whole item, or the name of a field."""
    assert load(HEAD, entry("a", None, message=answer(api, *content))).items == items


def test_other_roles_are_sent_as_pi_sends_them() -> None:
    """Commands and messages of extensions are the user's; what is excluded is not sent."""
    command = {"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0}
    loaded = load(
        HEAD,
        entry("a", None, message=command),
        entry("b", "a", message=command | {"excludeFromContext": True}),
        {"type": "custom_message", "id": "c", "parentId": "b", "customType": "k", "content": "note", "display": False},
        {"type": "custom", "id": "d", "parentId": "c", "customType": "k", "data": {}},
    )
    assert [item["content"] for item in loaded.items] == ["ls\na", "note"]
    assert loaded.report.counts == {"not_rebuilt": 1, "not_sent": 2}


@pytest.mark.parametrize(
    ("provider", "state", "found"),
    [
        ("anthropic", "c2ln", {"type": "thinking", "thinking": "t", "signature": "c2ln"}),
        ("p", "c2ln", {"type": "thinking", "thinking": "t", "signature": "c2ln"}),
        ("p", json.dumps(ITEM), ITEM),
        ("p", "reasoning_content", {"role": "assistant", "content": "ok", "reasoning_content": "t"}),
    ],
)
def test_entry_that_does_not_name_its_interface(provider: str, state: str, found: Json) -> None:
    """It is read by what its state is, which never becomes the name of a field."""
    thinking = {"type": "thinking", "thinking": "t", "thinkingSignature": state}
    one = answer("", thinking, {"type": "text", "text": "ok"}, provider=provider)
    del one["api"]
    item = load(HEAD, entry("a", None, message=one)).items[0]
    content = item.get("content")
    assert found in [item, *(content if isinstance(content, list) else [])]


def test_state_of_another_wire_is_no_name_of_a_field() -> None:
    """An entry that says Chat Completions, with what is no name there: the text goes out, the state does not."""
    thinking = {"type": "thinking", "thinking": "t", "thinkingSignature": "c2ln"}
    one = answer("openai-completions", thinking, {"type": "text", "text": "ok"})
    assert "c2ln" not in json.dumps(load(HEAD, entry("a", None, message=one)).items)
