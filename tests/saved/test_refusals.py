"""Files that are readable and still give no conversation: each is refused by its own code."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import ostinato
from ostinato.saved import on_disk


def test_a_store_without_a_session_holds_no_conversation(tmp_path: Path) -> None:
    """The tables are there, and nothing is in them."""
    path = tmp_path / "sessions.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE agent_sessions (session_id TEXT, created_at TEXT, updated_at TEXT)")
        database.execute(
            "CREATE TABLE agent_messages (id INTEGER, session_id TEXT, message_data TEXT, created_at TEXT)"
        )
    database.close()
    assert ostinato.load_all(path) == []
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.load(path)
    assert caught.value.code == "no_conversation"


def test_a_database_that_never_rests_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its log is begun anew between every two looks at it: what would be read was never there at one time."""
    path = tmp_path / "sessions.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE agent_messages (id INTEGER)")
    database.close()
    logs = (bytes([number]) * 32 for number in range(250))
    monkeypatch.setattr(on_disk, "_read", lambda _log, _size=-1: next(logs))
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.load(path)
    assert caught.value.code == "file_changing"


def test_a_session_that_is_not_there_is_named(tmp_path: Path) -> None:
    """In a file that holds others."""
    path = tmp_path / "rollout.jsonl"
    path.write_text(json.dumps({"type": "session_meta", "timestamp": "t", "payload": {"id": "a"}}) + "\n")
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.load(path, session="b")
    assert caught.value.code == "unknown_session"
