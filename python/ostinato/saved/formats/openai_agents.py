"""Sessions of the OpenAI Agents SDK in SQLite (openai-agents 0.24.0, read 2026-11).

A row is one input item of Responses as JSON, in the order of `id`: rows of one turn share their time. Chat models are
converted to such items before they are stored, with a stand-in id and what they really sent in `provider_data`.
"""

import sqlite3
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final, NamedTuple

from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation
from ostinato.saved.draft import Draft, label
from ostinato.saved.fields import each, listing, mapping, text
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.json_text import parse
from ostinato.saved.native import conversation
from ostinato.saved.parts import Call, Media, Message, Native, Part, Result, Text, Thinking
from ostinato.saved.responses_items import is_item, role_of
from ostinato.saved.sqlite_file import MAGIC, opened

__all__ = ["OPENAI_AGENTS"]

Json = dict[str, Any]

_NAME: Final = "openai-agents"
_WIRE: Final = "openai-responses"
_COLUMNS: Final = frozenset({b"id", b"session_id", b"message_data"})
_STAND_IN: Final = "__fake_id__"
"""The id that the SDK gives to items of providers that have none."""
_FIELD: Final = "_chat_completions_reasoning_field"
"""Where the SDK notes that reasoning came in the field `reasoning`; otherwise it was `reasoning_content`."""


class _Row(NamedTuple):
    path: str
    item: Json


class _Session(NamedTuple):
    draft: Draft
    rows: list[_Row]


def _sniff(file: SavedFile) -> bool:
    return file.data.startswith(MAGIC) and b"message_data" in file.data and b"session_id" in file.data


def _read(file: SavedFile) -> list[Conversation]:
    sessions: dict[str, _Session] = {}
    damaged = False
    try:
        with opened(file.data) as database:
            for table in _tables(database):
                for name, path, stored in _rows(database, table):
                    _take(sessions.setdefault(name, _Session(Draft(_NAME, _WIRE), [])), path, stored)
    except (sqlite3.Error, UnicodeDecodeError):  # the module itself decodes names, and messages about them
        damaged = True
    made = []
    for name, session in (sessions or ({"": _Session(Draft(_NAME, _WIRE), [])} if damaged else {})).items():
        session.draft.session = name or None
        if damaged:
            session.draft.say("damaged_database")
        made.append(_conversation(session))
    return made


def _tables(database: sqlite3.Connection) -> list[str]:
    """The tables of messages: applications may name them. Views are no tables, and are not run."""
    found = []
    for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"):
        table = str(name, "utf-8", "replace") if isinstance(name, bytes) else ""
        columns = database.execute("SELECT name FROM pragma_table_info(?)", (table,))
        if _COLUMNS.issubset(column for (column,) in columns):
            found.append(table)
    return found


def _rows(database: sqlite3.Connection, table: str) -> Iterator[tuple[str, str, Any]]:
    quoted = table.replace('"', '""')
    query = f'SELECT session_id, id, message_data FROM "{quoted}" ORDER BY id'  # noqa: S608 - a quoted identifier
    for session, number, stored in database.execute(query):
        name = str(session, "utf-8", "replace") if isinstance(session, bytes) else str(session)
        yield name, f"agent_messages/{number if isinstance(number, int) else '?'}", stored


def _take(session: _Session, path: str, stored: Any) -> None:  # noqa: ANN401 - SQLite columns have any type
    """One row; what is no item is a finding."""
    try:
        value = parse(stored.decode()) if isinstance(stored, bytes) else None
    except UnicodeDecodeError:
        session.draft.say("not_utf8", path, records=1)
        return
    if value is None or not isinstance(value.value, dict):
        session.draft.say((value and value.fault) or "not_a_record", path, records=1)
    elif not _known(value.value):
        session.draft.say("unknown_record", path, records=1, type=label(value.value.get("type")))
    else:
        session.rows.append(_Row(path, value.value))


def _known(item: Json) -> bool:
    """Whether it is an input item, or a message in the short form that has a role alone."""
    role = item.get("role")
    if item.get("type") is None:
        return isinstance(role, str)
    return (role is None or isinstance(role, str)) and is_item(item)


def _conversation(session: _Session) -> Conversation:
    """The wire is that of the last answer. What a Responses model had a part in is as the rows have it."""
    said = [row.item for row in session.rows if role_of(row.item) == "assistant"]
    wire = "openai-chat" if said and _of_chat(said[-1]) else _WIRE
    if not session.rows:
        return session.draft.conversation()
    return conversation([*_messages(session.rows, wire)], session.draft)


def _of_chat(item: Json) -> bool:
    made = item.get("id") == _STAND_IN or isinstance(item.get("provider_data"), dict)
    return made and role_of(item) == "assistant"


def _messages(rows: list[_Row], wire: str) -> Iterator[Message]:
    """Rows as messages: an answer is what a model said in one go."""
    for (role, chat), group in groupby(rows, key=lambda row: (role_of(row.item), _of_chat(row.item))):
        run = list(group)
        as_it_is = wire == _WIRE and not chat
        parts = [part for row in run for part in ([Native(row.path, wire, row.item)] if as_it_is else _parts(row))]
        if role != "assistant":
            yield Message(run[0].path, role, parts, records=len(run))
            continue
        data = mapping(run[0].item, "provider_data")
        yield Message(
            run[0].path,
            role,
            parts,
            wire="openai-chat" if chat else _WIRE,
            origin=Origin(model=model) if (model := text(data, "model")) else None,
            id=text(data, "response_id"),
            records=len(run),
        )


def _parts(row: _Row) -> Iterator[Part]:
    match row.item.get("type"):
        case "reasoning":
            yield from _thinking(row)
        case "function_call":
            data = mapping(row.item, "provider_data")
            signature = text(data, "thought_signature")
            name = text(row.item, "name") or ""
            yield Call(row.path, text(row.item, "call_id"), name, row.item.get("arguments"), state=signature)
        case "function_call_output":
            output = row.item.get("output")
            contents = [*_contents(row.item, "output", row.path)]
            yield Result(row.path, text(row.item, "call_id"), output if isinstance(output, str) else contents)
        case "message" | None:
            yield from _contents(row.item, "content", row.path)
        case _:
            yield Native(row.path, _WIRE, row.item)


def _thinking(row: _Row) -> Iterator[Part]:
    """Reasoning of a chat model, in the field it came in. Its blocks are the state; the rest is made of them."""
    data = mapping(row.item, "provider_data")
    blocks = [block for block in listing(data, "thinking_blocks") if isinstance(block, dict)]
    texts = tuple(t for _p, one in each(row.item, "content", row.path) if (t := text(one, "text")) is not None)
    summary = tuple(t for _p, one in each(row.item, "summary", row.path) if (t := text(one, "text")) is not None)
    sealed = text(row.item, "encrypted_content")
    if not blocks and sealed is not None and data.get(_FIELD) is None:  # stored before blocks were kept
        signatures = sealed.split("\n")
        signed = [*signatures, *[None] * len(texts)]
        blocks = [{"type": "thinking", "thinking": t, "signature": s} for t, s in zip(texts, signed, strict=False)]
    for block in blocks:
        yield Thinking(row.path, state=text(block, "signature", "data"), field="thinking_blocks", fields=block)
    if not blocks and data.get(_FIELD) == "reasoning":
        yield Thinking(row.path, texts, field="reasoning")
    elif not blocks and summary:
        yield Thinking(row.path, ("\n".join(summary),), field="reasoning_content")
    elif not blocks:
        yield Thinking(row.path)


def _contents(item: Json, name: str, path: str) -> Iterator[Text | Media | Native]:
    for place, one in each(item, name, path):
        if isinstance(one, str):
            yield Text(place, one)
        elif (said := text(one, "text")) is not None:
            yield Text(place, said)
        elif (url := text(one, "image_url")) is not None:
            yield Media(place, None, url=url)
        else:
            yield Native(place, _WIRE, one if isinstance(one, dict) else {})


OPENAI_AGENTS: Final = Format(_NAME, _sniff, _read)
