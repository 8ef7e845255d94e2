"""Cases about what agent frameworks stored: rows of a session database, and one item through it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import ostinato
from tests.playing.verdict import Case, differ


def play(case: Case) -> list[str]:
    """What is wrong with what is loaded from what the case gives."""
    given = case["given"]
    if case["when"] != "load":
        raise NotImplementedError("nothing to load")
    if "rows" in given and all("message_data" in row for row in given["rows"]):
        return _rows(case)
    if "reasoning" in (given.get("item") or {}).get("type", ""):
        return _item(case)
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


def _rows(case: Case) -> list[str]:
    loaded = ostinato.load(_store(case["given"]["rows"]))
    output, wrong = case["then"]["output"], []
    if "order" in output:
        wrong += differ("order", [item.get("id") for item in loaded.items], output["order"])
    if "items" in output:
        wrong += differ("items", loaded.items, output["items"])
    if not output.keys() & {"order", "items"}:
        raise NotImplementedError("no order and no items")
    return wrong


def _item(case: Case) -> list[str]:
    row = {"message_data": json.dumps(case["given"]["item"], ensure_ascii=False)}
    return differ("item", ostinato.load(_store([row])).items[0], case["then"]["output"]["item"])
