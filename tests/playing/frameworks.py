"""Cases about what agent frameworks stored: messages, lines of a session, rows of a database, a sample of a log."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from contextlib import closing
from typing import Any

import ostinato
from ostinato.saved import FORMATS
from ostinato.saved.file import SavedFile
from tests.playing.verdict import Case, absent, differ, unanswered

LAYOUTS = frozenset({"openai-agents", "inspect", "pi", "pydantic-ai", "langchain", "vercel-ai", "opencode"})


def play(case: Case) -> list[str]:
    """What is wrong with what is loaded from what the case gives."""
    if case["when"] != "load":
        raise NotImplementedError("nothing to load")
    data = _file(_completed(case))
    layout = next((known.name for known in FORMATS if known.sniff(SavedFile(data))), None)
    if layout not in LAYOUTS:
        raise NotImplementedError("nothing that a framework stored")
    loaded = ostinato.load(data)
    said = [finding.to_dict() for finding in loaded.report.findings]
    misses = unanswered(case, said) + absent(case, loaded, loaded.report)
    for name, wanted in case["then"].get("output", {}).items():
        if name in _OUTPUTS:
            misses += differ(name, _OUTPUTS[name](loaded), wanted)
    return misses


def _completed(case: Case) -> dict[str, Any]:
    """What a case gives; a message or parts of it without their envelope get the one that the case's wire names."""
    given, wire = case["given"], case["wire"]
    for name, many in (("row", [given.get("row")]), ("history", given.get("history"))):
        if name in given and isinstance(many, list):
            return {"rows" if name == "row" else "messages": many}
    if "pydantic" in wire and isinstance(given.get("parts"), list):
        return {"message": {"kind": "response", "parts": given["parts"]}}
    message = given.get("message")
    if "inspect" in wire and isinstance(given.get("content"), dict):
        message = {"role": "assistant", "content": [given["content"]]}
    if not isinstance(message, dict):
        return dict(given)
    for name, envelope in _ENVELOPES.items():
        if name in wire:
            return {"message": envelope | message}
    return {"sample": {"messages": [message]}} if "inspect" in wire else dict(given)


_ENVELOPES = {"langchain": {"type": "ai"}, "pydantic": {"kind": "response"}}


def _file(given: dict[str, Any]) -> bytes:
    """What a case gives, as the file it stands for."""
    match given:
        case {"rows": [{"message_data": _}, *_] as rows}:
            return _store(rows)
        case {"item": {"type": "reasoning"} as item}:
            return _store([{"message_data": json.dumps(item, ensure_ascii=False)}])
        case {"sample": sample}:
            return _archive(sample)
        case {"messages": list(messages)}:
            return json.dumps(messages, ensure_ascii=False).encode()
        case {"message": message}:
            return json.dumps([message], ensure_ascii=False).encode()
        case {"lines": lines}:
            return "\n".join(lines).encode()
    raise NotImplementedError("nothing that a framework stored")


def _store(rows: list[dict[str, Any]]) -> bytes:
    """A session database of openai-agents with these rows, written in their order."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute(
            "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT, created_at TEXT)"
        )
        for row in rows:
            values = (row.get("id"), row.get("session_id", "s"), row["message_data"], row.get("created_at"))
            made.execute("INSERT INTO agent_messages VALUES (?, ?, ?, ?)", values)
        return made.serialize()


def _archive(sample: dict[str, Any]) -> bytes:
    """A log of one sample."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample))
    return made.getvalue()


def _state(loaded: ostinato.Conversation) -> list[dict[str, Any]]:
    """Reasoning items, blocks and parts, in order."""
    found = []
    for item in loaded.items:
        places = ("parts", "content", "thinking_blocks")
        blocks = next((item[name] for name in places if isinstance(item.get(name), list)), [])
        for one in [item, *blocks]:
            kind = one.get("type")
            if kind in {"reasoning", "thinking", "redacted_thinking"} or "thoughtSignature" in one:
                found.append(one)
    return found


_OUTPUTS = {
    "reasoning": _state,
    "blocks": _state,
    "items": lambda loaded: loaded.items,
    "item": lambda loaded: loaded.items[0],
    "messages": lambda loaded: loaded.items,
    "parts": lambda loaded: loaded.items[0]["parts"],
    "order": lambda loaded: [item.get("id") for item in loaded.items],
}
"""What a case asks for."""
