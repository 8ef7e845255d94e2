"""`ostinato export`: what is secret goes nowhere that others could read."""

from __future__ import annotations

import os
import pty
import stat
import subprocess
from pathlib import Path

import pytest

from ostinato.exporting import WARNING, export_redacted, export_resumable
from ostinato.saved import load
from tests.cli.running import ostinato as run
from tests.cli.running import start
from tests.doctor.sessions import HEALTHY, rollout


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A saved session."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(rollout(*HEALTHY))
    return path


def test_redacted_is_the_default(session: Path) -> None:
    """To standard output, for an issue or a mail."""
    code, out, err = run("export", session)
    assert (code, err) == (0, "")
    assert out == export_redacted(load(session))
    assert run("export", session, "--redacted")[1] == out


def test_resumable_warns_and_is_private(session: Path, tmp_path: Path) -> None:
    """Whatever the umask."""
    before = os.umask(0)
    try:
        code, _out, err = run("export", session, "--resumable", "-o", tmp_path / "out")
    finally:
        os.umask(before)
    assert code == 0
    assert WARNING in err
    assert (tmp_path / "out").read_bytes() == export_resumable(load(session))
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_resumable_goes_into_a_pipe(session: Path) -> None:
    """To be packed or encrypted; the warning goes beside it."""
    code, out, err = run("export", session, "--resumable")
    assert code == 0
    assert out == export_resumable(load(session))
    assert WARNING in err


@pytest.mark.parametrize("force", [False, True])
def test_a_terminal_gets_no_state(session: Path, *, force: bool) -> None:
    """Unless it is forced."""
    reader, writer = pty.openpty()
    process = start("export", session, "--resumable", *(["--force"] if force else []), stdout=writer)
    os.close(writer)
    shown = b""
    try:
        while chunk := os.read(reader, 4096):
            shown += chunk
    except OSError:  # how a terminal ends
        pass
    _out, err = process.communicate(timeout=60)
    os.close(reader)
    assert process.returncode == (0 if force else 2)
    assert (b"gAAAAAB" in shown) == force
    assert force or b"the output is a terminal" in err


def test_a_file_that_others_may_read_gets_no_state(session: Path, tmp_path: Path) -> None:
    """As a shell makes it for `>`; with a private one it may."""
    for mode, expected in ((0o644, 2), (0o600, 0)):
        target = tmp_path / f"out{mode}"
        target.touch()
        target.chmod(mode)
        with target.open("wb") as out:
            process = start("export", session, "--resumable", stdout=out, stderr=subprocess.PIPE)
            process.communicate(timeout=60)
        assert process.returncode == expected
        assert bool(target.stat().st_size) == (expected == 0)


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_nothing_is_overwritten(session: Path, tmp_path: Path, kind: str) -> None:
    """Without --force; with it the new file is private all the same, and a link is replaced, not followed."""
    other = tmp_path / "other"
    other.write_bytes(b"mine")
    other.chmod(0o644)
    target = tmp_path / "out"
    if kind == "file":
        target.write_bytes(b"old")
        target.chmod(0o644)
    elif kind == "link":
        target.symlink_to(other)
    else:
        target.mkdir()
    code, _out, err = run("export", session, "--resumable", "-o", target)
    assert code == 2
    assert "is there already" in err
    if kind != "folder":
        assert run("export", session, "--resumable", "-o", target, "--force")[0] == 0
        assert stat.S_IMODE(target.lstat().st_mode) == 0o600
        assert other.read_bytes() == b"mine"


def test_a_folder_that_others_may_write_to_is_refused(session: Path, tmp_path: Path) -> None:
    """They could take the file's place."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    code, _out, err = run("export", session, "--resumable", "-o", shared / "out")
    assert code == 2
    assert "others may write to its folder" in err
    shared.chmod(0o1777)
    assert run("export", session, "--resumable", "-o", shared / "out")[0] == 0


def test_what_cannot_be_read_has_an_exit_code(tmp_path: Path, session: Path) -> None:
    """A redacted export among it."""
    redacted = tmp_path / "redacted"
    assert run("export", session, "-o", redacted)[0] == 0
    code, _out, err = run("export", redacted)
    assert code == 3
    assert "redacted_export" in err
    assert run("export", tmp_path / "nowhere")[0] == 3
    assert run("export", session, "--redacted", "--resumable")[0] == 2


def test_a_folder_that_takes_no_file_is_named(session: Path, tmp_path: Path) -> None:
    """By its own name, not by that of a file which nobody asked for."""
    code, _out, err = run("export", session, "-o", tmp_path / "missing" / "out", "--force")
    assert code == 3
    assert err == f"ostinato export: {tmp_path / 'missing'}: No such file or directory\n"
