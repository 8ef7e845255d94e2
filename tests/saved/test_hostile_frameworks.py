"""Files that look like those of frameworks and are not: wrong types anywhere, damaged bytes, deep nesting."""

from __future__ import annotations

import io
import json
import pathlib
import sqlite3
import zipfile
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.saved import FORMATS
from ostinato.saved.file import SavedFile
from ostinato.saved.on_disk import read_file
from tests.budget import examples

MARK = "gAAAAAcanaryinthestate=="
ITEM = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": MARK}

PYDANTIC = [
    {
        "kind": "request",
        "instructions": "i",
        "parts": [{"part_kind": "user-prompt", "content": ["q", {"kind": "binary", "data": "x"}]}],
    },
    {
        "kind": "response",
        "provider_name": "openai",
        "provider_response_id": "resp_1",
        "parts": [
            {
                "part_kind": "thinking",
                "content": "t",
                "id": "rs_1",
                "signature": MARK,
                "provider_details": {"raw_content": ["r"]},
            },
            {
                "part_kind": "builtin-tool-call",
                "tool_name": "mcp_server:s",
                "tool_call_id": "k",
                "args": {"action": "call_tool"},
            },
            {
                "part_kind": "builtin-tool-return",
                "tool_name": "mcp_server:s",
                "tool_call_id": "k",
                "content": {"output": "o"},
            },
            {"part_kind": "tool-call", "tool_name": "f", "tool_call_id": "c", "args": {"a": 1}},
            {"part_kind": "compaction", "id": "cmp_1", "provider_details": {"encrypted_content": MARK}},
        ],
    },
    {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "f", "tool_call_id": "c", "content": {}}]},
]
GEMINI = [
    {
        "kind": "response",
        "provider_name": "google",
        "parts": [
            {"part_kind": "thinking", "content": "", "signature": MARK},
            {"part_kind": "text", "content": "x", "provider_details": {"thought_signature": MARK}},
            {"part_kind": "file", "content": {"data": "AA==", "media_type": "image/png"}},
        ],
    }
]
LANGCHAIN = [
    {
        "lc": 1,
        "type": "constructor",
        "id": ["HumanMessage"],
        "kwargs": {
            "type": "human",
            "content": [{"type": "image_url", "image_url": {"url": "data:a;base64,AA"}}],
        },
    },
    {
        "type": "ai",
        "data": {
            "content": [
                {"type": "reasoning", "id": "rs_1", "reasoning": "t", "extras": {"encrypted_content": MARK}},
                {"type": "server_tool_call", "name": "web_search", "id": "w", "args": {}},
                {"type": "server_tool_result", "tool_call_id": "w", "status": "success"},
                {"type": "text", "text": "x", "annotations": [{"type": "citation", "url": "u", "extras": {}}]},
            ],
            "additional_kwargs": {"reasoning": {"id": "rs_2", "encrypted_content": MARK}, "tool_outputs": [{}]},
            "response_metadata": {"id": "resp_1", "model_provider": "openai"},
            "tool_calls": [{"name": "f", "args": {}, "id": "c"}],
        },
    },
    {"type": "tool", "data": {"content": [{"type": "text", "text": "r"}], "tool_call_id": "c"}},
]
CLAUDE = [
    {
        "type": "ai",
        "content": [
            {"type": "thinking", "thinking": "t", "signature": MARK},
            {"type": "text", "text": "x", "citations": [{}]},
            {"type": "server_tool_result", "extras": {"block_type": "mcp_tool_result"}, "output": []},
        ],
        "additional_kwargs": {},
        "response_metadata": {"model_provider": "anthropic"},
        "tool_calls": [{"name": "f", "args": {}, "id": "c"}],
    }
]
VERCEL = [
    {
        "role": "assistant",
        "parts": [
            {
                "type": "reasoning",
                "text": "t",
                "providerMetadata": {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": MARK}},
            },
            {
                "type": "tool-f",
                "toolCallId": "c",
                "state": "output-available",
                "input": {},
                "output": {"type": "content", "value": []},
            },
            {"type": "tool-web_search", "toolCallId": "s", "providerExecuted": True, "output": [{"url": "u"}]},
            {"type": "step-start"},
            {"type": "file", "url": "data:a;base64,AA", "mediaType": "image/png"},
        ],
    },
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c", "output": {"type": "json", "value": 1}}]},
]
PI = [
    {"type": "session", "id": "s", "cwd": "/"},
    {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": "q"}},
    {"type": "compaction", "id": "b", "parentId": "a", "summary": "s", "firstKeptEntryIndex": 1},
    {
        "type": "message",
        "id": "c",
        "parentId": "b",
        "message": {
            "role": "assistant",
            "api": "openai-responses",
            "content": [
                {"type": "thinking", "thinking": "t", "thinkingSignature": json.dumps(ITEM)},
                {"type": "text", "text": "x", "textSignature": "{}"},
                {"type": "toolCall", "id": "c|fc", "name": "f", "arguments": {}},
            ],
        },
    },
    {
        "type": "message",
        "id": "d",
        "parentId": "c",
        "message": {"role": "toolResult", "toolCallId": "c", "content": []},
    },
]
SAMPLE = {
    "messages": [
        {"role": "user", "content": "attachment://a"},
        {
            "role": "assistant",
            "id": "m",
            "content": [
                {"type": "reasoning", "reasoning": MARK, "signature": "rs_1", "redacted": True, "internal": {}},
                {
                    "type": "tool_use",
                    "tool_type": "mcp_call",
                    "id": "t",
                    "name": "n",
                    "arguments": "{}",
                    "result": "[]",
                },
            ],
            "tool_calls": [{"id": "c", "function": "f", "arguments": {}}],
        },
        {"role": "tool", "content": [], "tool_call_id": "c", "error": {"message": "e"}},
    ],
    "events": [
        {
            "output": {"choices": [{"message": {"id": "m"}}]},
            "call": {
                "response": {"object": "response", "output": [{"type": "reasoning", "id": "rs_1", "summary": []}]}
            },
        }
    ],
    "attachments": {"a": "A"},
}
BLOCKS = [{"type": "thinking", "signature": MARK}]
ROWS = [
    {"role": "user", "content": [{"type": "input_text", "text": "q"}]},
    {
        "type": "reasoning",
        "id": "__fake_id__",
        "summary": [{"text": "t"}],
        "content": [{"text": "t"}],
        "provider_data": {"model": "m", "thinking_blocks": BLOCKS},
    },
    {
        "type": "function_call",
        "call_id": "c",
        "name": "f",
        "arguments": "{}",
        "provider_data": {"thought_signature": MARK},
    },
    {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "r"}]},
]

OPENCODE = {
    "info": {"id": "s"},
    "messages": [
        {
            "info": {"role": "user"},
            "parts": [{"type": "text", "text": "q"}, {"type": "file", "url": "u", "mime": "a/b"}],
        },
        {
            "info": {"role": "assistant", "providerID": "openai", "modelID": "m"},
            "parts": [
                {
                    "type": "reasoning",
                    "text": "t",
                    "metadata": {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": MARK}},
                },
                {
                    "type": "tool",
                    "tool": "f",
                    "callID": "c",
                    "state": {"status": "completed", "input": {}, "output": "r"},
                },
            ],
        },
    ],
}
GROK = [
    {"type": "user", "content": [{"type": "text", "text": "q"}]},
    ITEM,
    {"type": "backend_tool_call", "kind": {"tool_type": "web_search", "id": "w"}},
    {"type": "assistant", "content": "x", "tool_calls": [{"id": "c", "name": "f", "arguments": "{}"}], "model_id": "m"},
    {"type": "tool_result", "tool_call_id": "c", "content": "r"},
]
EVENTS = [
    {"type": "session.start", "data": {"sessionId": "s"}},
    {"type": "user.message", "data": {"content": "q", "attachments": [{}]}},
    {
        "type": "assistant.message",
        "data": {
            "content": "x",
            "encryptedContent": MARK,
            "reasoningText": "t",
            "toolRequests": [{"toolCallId": "c", "name": "f", "arguments": {}}],
        },
    },
    {"type": "tool.execution_complete", "data": {"toolCallId": "c", "result": {"content": "r"}}},
]
CHATS = {
    "sessionId": "s",
    "projectHash": "h",
    "messages": [
        {"type": "user", "content": "q"},
        {
            "type": "gemini",
            "content": "x",
            "thoughts": [{"subject": "s"}],
            "toolCalls": [{"id": "c", "name": "f", "args": {}, "result": [{"functionResponse": {}}]}],
        },
    ],
}


def document(value: Any) -> bytes:
    """A JSON document."""
    return json.dumps(value).encode()


def lines(value: Any) -> bytes:
    """A document for each element."""
    return b"\n".join(map(document, value if isinstance(value, list) else [value]))


def archive(value: Any) -> bytes:
    """A log of one sample."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as members:
        members.writestr("header.json", json.dumps({"eval": {"model": "openai/m"}}))
        members.writestr("samples/1_epoch_1.json", json.dumps(value))
    return made.getvalue()


def store(value: Any) -> bytes:
    """A session of rows."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute("CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT)")
        rows = [("s", json.dumps(row)) for row in (value if isinstance(value, list) else [value])]
        made.executemany("INSERT INTO agent_messages (session_id, message_data) VALUES (?, ?)", rows)
        return made.serialize()


FILES = {
    "copilot-cli": ("copilot-cli", EVENTS, lines),
    "gemini-cli": ("gemini-cli", CHATS, document),
    "grok-cli": ("grok-cli", GROK, lines),
    "opencode": ("opencode", OPENCODE, document),
    "inspect": ("inspect", SAMPLE, archive),
    "langchain": ("langchain", LANGCHAIN, document),
    "langchain-claude": ("langchain", CLAUDE, document),
    "openai-agents": ("openai-agents", ROWS, store),
    "pi": ("pi", PI, lines),
    "pydantic-ai": ("pydantic-ai", PYDANTIC, document),
    "pydantic-ai-gemini": ("pydantic-ai", GEMINI, document),
    "vercel-ai": ("vercel-ai", VERCEL, document),
}

KEYS = st.sampled_from(("type", "id", "content", "text", "parts", "role"))
WORDS = st.sampled_from(("reasoning", "thinking", "text", "assistant", "tool", "google", "rs_1", "", "\ud800", "{"))
PLAIN = st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | st.text(max_size=3) | WORDS
STRANGE = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with another at one place; as it was where the place has gone."""
    if not path:
        return new
    if isinstance(value, dict) and path[0] in value:
        return {key: changed(one, path[1:], new) if key == path[0] else one for key, one in value.items()}
    if isinstance(value, list) and isinstance(path[0], int) and path[0] < len(value):
        return [changed(one, path[1:], new) if place == path[0] else one for place, one in enumerate(value)]
    return value


def check(data: bytes, layout: str) -> None:
    """A file loads or is refused by name; what is loaded fits together and shows nothing."""
    try:
        found = ostinato.load_all(data, format=layout)
    except ostinato.ReplayError as error:
        assert error.code in ostinato.ERROR_CODES  # noqa: PT017 - most examples raise nothing
        return
    for conversation in found:
        assert [place for turn in conversation.turns for place in turn.items] == list(range(len(conversation.items)))
        assert len(conversation.sources) == len(conversation.items)
        said = json.dumps([finding.to_dict() for finding in conversation.report.findings])
        assert {finding.code for finding in conversation.report.findings} <= ostinato.FINDING_CODES.keys()
        assert MARK not in said + repr(conversation)


@pytest.mark.parametrize("name", FILES)
def test_the_example_is_told_and_loads(name: str) -> None:
    """The examples that are spoiled below are good ones: told by their content, and with all their state."""
    layout, value, write = FILES[name]
    (loaded,) = ostinato.load_all(write(value))
    assert loaded.format == layout
    assert json.dumps(loaded.items).count(MARK) == json.dumps(value).count(MARK)


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@examples(30)
def test_wrong_types_anywhere_never_break(name: str, data: st.DataObject) -> None:
    """Any value at any place gives conversations or a named error."""
    layout, value, write = FILES[name]
    for place in data.draw(st.lists(st.sampled_from(places(value)), min_size=1, max_size=3)):
        value = changed(value, place, data.draw(STRANGE))
    check(write(value), layout)


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@examples(20)
def test_damaged_bytes_never_break(name: str, data: st.DataObject) -> None:
    """Any bytes give conversations or a named error."""
    layout, value, write = FILES[name]
    damaged = bytearray(write(value))
    for place in data.draw(st.lists(st.integers(0, len(damaged) - 1), max_size=6)):
        damaged[place] = data.draw(st.integers(0, 255))
    check(bytes(damaged[: data.draw(st.integers(0, len(damaged)))]), layout)


@pytest.mark.parametrize("name", FILES)
def test_deep_nesting_is_refused_by_name(name: str) -> None:
    """A value nested deeper than any history costs its record, and no more."""
    layout, value, write = FILES[name]
    deep: Any = []
    for _level in range(900):
        deep = [deep]
    check(write([value, deep] if isinstance(value, dict) else [*value, deep]), layout)


def test_real_files_do_not_look_like_each_other() -> None:
    """Every sample is told by one layout alone, so that the order in which they are tried does not matter."""
    folder = pathlib.Path(__file__).parents[1] / "data" / "frameworks"
    for path in sorted(folder.rglob("*.*")):
        if path.suffix != ".db-wal":
            file = SavedFile(read_file(path))
            told = {known.name for known in FORMATS if known.sniff(file)}
            assert told == {conversation.format for conversation in ostinato.load_all(path)}, path.name
