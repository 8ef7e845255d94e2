"""Sessions of the OpenAI Agents SDK."""

from __future__ import annotations

import contextlib
import json
import pathlib
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostinato.errors import ReplayError
from ostinato.saved import load, load_all

Json = dict[str, Any]

USER = {"role": "user", "content": "q"}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAA-example"}
ANSWER = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "a", "annotations": []}],
}


def store(rows: list[tuple[int, str, Any]], *, table: str = "agent_messages") -> bytes:
    """A database of these rows of id, session and item (or text that is none)."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute("CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP)")
        made.execute(f'CREATE TABLE "{table}" (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT)')
        made.executemany(
            f'INSERT INTO "{table}" VALUES (?, ?, ?)',  # noqa: S608 - the name of a test
            [(n, session, item if isinstance(item, str | bytes) else json.dumps(item)) for n, session, item in rows],
        )
        return made.serialize()


def test_order_is_that_of_the_ids() -> None:
    """Rows are in the order of their ids, whatever the order in which they were written."""
    loaded = load(store([(11, "s", ANSWER), (10, "s", REASONING), (9, "s", USER)]))
    assert (loaded.format, loaded.wire, loaded.session) == ("openai-agents", "openai-responses", "s")
    assert loaded.items == [USER, REASONING, ANSWER]
    assert [(turn.role, turn.items) for turn in loaded.turns] == [("user", range(1)), ("assistant", range(1, 3))]
    assert loaded.report.findings == ()


def test_sessions_are_apart() -> None:
    """Several sessions are several conversations, and one has to be named."""
    data = store([(1, "one", USER), (2, "two", USER), (3, "one", ANSWER)])
    assert [(each.session, len(each.items)) for each in load_all(data)] == [("one", 2), ("two", 1)]
    assert load(data, session="two").items == [USER]
    with pytest.raises(ReplayError, match="several_sessions"):
        load(data)
    with pytest.raises(ReplayError, match="unknown_session"):
        load(data, session="three")


def test_table_of_another_name_is_found() -> None:
    """Applications may name the table as they like."""
    assert load(store([(1, "s", USER)], table="my 'messages' --")).items == [USER]


def test_rows_that_cannot_be_read_are_findings() -> None:
    """A bad row costs itself alone, and its id says which it was."""
    loaded = load(store([(1, "s", USER), (2, "s", "{"), (3, "s", '"text"'), (4, "s", b"\xff"), (5, "s", ANSWER)]))
    assert loaded.items == [USER, ANSWER]
    assert [(each.code, each.path) for each in loaded.report.findings] == [
        ("truncated_line", "agent_messages/2"),
        ("not_a_record", "agent_messages/3"),
        ("not_utf8", "agent_messages/4"),
    ]


CHAT = {"model": "claude-example", "response_id": "chatcmpl-1"}
BLOCKS = [
    {"type": "thinking", "thinking": "t", "signature": "sig-1"},
    {"type": "redacted_thinking", "data": "sealed"},
]


def chat_rows(**thinking: Any) -> list[Json]:
    """What the SDK stores of an answer of a chat model."""
    reasoning = {"type": "reasoning", "id": "__fake_id__", "summary": [{"type": "summary_text", "text": "t"}]}
    call = {"type": "function_call", "id": "__fake_id__", "call_id": "c1", "name": "f", "arguments": "{}"}
    return [
        USER,
        reasoning | {"provider_data": CHAT} | thinking,
        call | {"provider_data": CHAT | {"thought_signature": "sig-2"}},
        {"type": "function_call_output", "call_id": "c1", "output": "r"},
        ANSWER | {"id": "__fake_id__", "provider_data": CHAT},
    ]


def test_chat_models_get_their_own_wire() -> None:
    """Items made of a chat model's answer become the message it was, with blocks and signatures as they came."""
    rows = chat_rows(provider_data=CHAT | {"thinking_blocks": BLOCKS}, encrypted_content="sig-1")
    loaded = load(store([(number, "s", row) for number, row in enumerate(rows)]))
    assert loaded.wire == "openai-chat"
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    signed = call | {"extra_content": {"google": {"thought_signature": "sig-2"}}}
    assert loaded.items == [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "thinking_blocks": BLOCKS, "tool_calls": [signed]},
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
        {"role": "assistant", "content": "a"},
    ]
    assert loaded.turns[1].origin is not None
    assert (loaded.turns[1].origin.model, loaded.turns[1].id) == ("claude-example", "chatcmpl-1")


def test_reasoning_goes_back_into_its_field() -> None:
    """The field that reasoning came in is the one it is written to."""
    plain = load(store(list(enumerate_rows(chat_rows()))))
    assert plain.items[1]["reasoning_content"] == "t"
    data = CHAT | {"_chat_completions_reasoning_field": "reasoning"}
    content = [{"type": "reasoning_text", "text": "u"}]
    other = load(store(list(enumerate_rows(chat_rows(provider_data=data, content=content, summary=[])))))
    assert other.items[1]["reasoning"] == "u"


def enumerate_rows(rows: list[Json]) -> list[tuple[int, str, Json]]:
    """Rows with ids, of one session."""
    return [(number, "s", row) for number, row in enumerate(rows)]


def test_other_wires_leave_what_is_visible() -> None:
    """The last answer decides the wire; state of the other is named, its text and calls stay."""
    chat = chat_rows(provider_data=CHAT | {"thinking_blocks": BLOCKS})
    loaded = load(store(enumerate_rows([*chat, USER, REASONING, ANSWER])))
    assert loaded.wire == "openai-responses"
    assert loaded.items[-3:] == [USER, REASONING, ANSWER]
    assert loaded.report.counts == {"other_wire": 3}
    assert "sig" not in json.dumps(loaded.items)
    back = load(store(enumerate_rows([USER, REASONING, ANSWER, *chat])))
    assert back.wire == "openai-chat"
    assert back.report.counts == {"other_wire": 1}
    assert back.items[1] == {"role": "assistant", "content": "a"}


def test_file_of_a_real_run_is_whole(tmp_path: pathlib.Path) -> None:
    """A path gives what its bytes give."""
    data = store([(1, "s", USER)])
    (tmp_path / "a.db").write_bytes(data)
    assert load(tmp_path / "a.db").items == load(data).items


DATA = store(enumerate_rows(chat_rows(provider_data=CHAT | {"thinking_blocks": BLOCKS})))


@given(changes=st.lists(st.tuples(st.integers(0, len(DATA) - 1), st.binary(min_size=1, max_size=3)), max_size=12))
def test_damaged_database_never_breaks(changes: list[tuple[int, bytes]]) -> None:
    """Any bytes give conversations or a named error."""
    damaged = bytearray(DATA)
    for place, value in changes:
        damaged[place : place + len(value)] = value
    with contextlib.suppress(ReplayError):
        load_all(bytes(damaged), format="openai-agents")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3)
)
keys = st.sampled_from(
    ["type", "id", "role", "content", "summary", "provider_data", "thinking_blocks", "output", "text"]
)
words = st.sampled_from(["reasoning", "message", "function_call", "function_call_output", "__fake_id__", "assistant"])


@given(rows=st.lists(st.dictionaries(keys, values | words | st.dictionaries(keys, values), max_size=6), max_size=5))
def test_any_items_load(rows: list[Json]) -> None:
    """Items of any shape load, and turns cover them."""
    for loaded in load_all(store(enumerate_rows(rows))):
        assert [place for turn in loaded.turns for place in turn.items] == list(range(len(loaded.items)))
