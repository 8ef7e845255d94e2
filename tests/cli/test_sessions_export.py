"""`ostinato sessions export` and `restore`: to pass a session on without its state, or to have it back as it was."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

import ostinato
from ostinato.exporting import WARNING
from tests.cli.running import ostinato as run
from tests.store.saved import saved

STATE = "gAAAAAB-example"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The file of a session with state that holds a marker."""
    return saved(tmp_path, 2, "monday")


def test_redacted_export_holds_no_state(session: Path) -> None:
    """It is the default, and no reader takes it for a session."""
    assert STATE in session.read_text()
    code, out, err = run("sessions", "export", session.parent, "monday")
    assert (code, err) == (0, "")
    assert STATE.encode() not in out
    assert json.loads(out.splitlines()[0])["ostinato"]["resumable"] is False
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.load(out)
    assert caught.value.code == "redacted_export"


def test_resumable_export_is_put_back_byte_for_byte(session: Path, tmp_path: Path) -> None:
    """Into another store, under the same name; it warns, and every file of it is private."""
    backup, other = tmp_path / "backup.jsonl", tmp_path / "other"
    code, _out, err = run("sessions", "export", session.parent, "monday", "--resumable", "-o", backup)
    assert code == 0
    assert WARNING in err
    assert run("sessions", "restore", other, "monday", backup)[0] == 0
    assert (other / "monday.jsonl").read_bytes() == session.read_bytes()
    assert stat.S_IMODE((other / "monday.jsonl").stat().st_mode) == stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert (
        ostinato.SessionStore(other).read("monday").messages
        == ostinato.SessionStore(session.parent).read("monday").messages
    )
    with ostinato.SessionStore(other).open("monday") as again:
        assert again.findings == ()


def test_restore_overwrites_nothing(session: Path, tmp_path: Path) -> None:
    """A session of the name stays what it is."""
    backup = tmp_path / "backup.jsonl"
    run("sessions", "export", session.parent, "monday", "--resumable", "-o", backup)
    before = session.read_bytes()
    code, _out, err = run("sessions", "restore", session.parent, "monday", backup)
    assert code == 3
    assert "session_exists" in err
    assert session.read_bytes() == before


@pytest.mark.parametrize("data", [b"", b"hello", b'{"ostinato": {"export": "redacted", "resumable": false}}', b"{}"])
def test_what_is_no_session_is_not_put_back(tmp_path: Path, data: bytes) -> None:
    """Nothing is made of it."""
    (tmp_path / "file").write_bytes(data)
    code, _out, err = run("sessions", "restore", tmp_path / "store", "monday", tmp_path / "file")
    assert code == 3
    assert "unknown_format" in err or "redacted_export" in err
    assert not (tmp_path / "store" / "monday.jsonl").exists()


def test_a_session_that_another_has_open_is_not_put_back_over(session: Path, tmp_path: Path) -> None:
    """Its writer keeps its place."""
    backup, other = tmp_path / "backup.jsonl", tmp_path / "other"
    run("sessions", "export", session.parent, "monday", "--resumable", "-o", backup)
    with ostinato.SessionStore(other).open("monday"):
        code, _out, err = run("sessions", "restore", other, "monday", backup)
    assert code == 3
    assert "session_locked" in err


@pytest.mark.parametrize("name", ["../monday", "nobody"])
def test_names_are_checked(session: Path, name: str) -> None:
    """Before anything is read."""
    code, out, err = run("sessions", "export", session.parent, name)
    assert (code, out) == (3, b"")
    assert "name_invalid" in err or "session_missing" in err
