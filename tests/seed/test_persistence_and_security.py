"""The seed's list "Persistence and security tests"."""

from __future__ import annotations

import logging
import os
import stat
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ostinato
from ostinato import privacy
from tests.cli.running import ostinato as command
from tests.client.provider import Provider
from tests.rfc.exchanges import EXCHANGES, QUESTION
from tests.rfc.talking import answers, client_of, result, run, say, text

CLIENT = "openai-official"
(STATE,) = EXCHANGES[CLIENT].state[:1] or ("",)


@pytest.fixture
def open_umask() -> Iterator[None]:
    """A process whose files anyone may read and write, unless it says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def converse(server: Provider, folder: Path, **options: Any) -> None:
    """A conversation with state in it, in a session and with whatever else is asked for."""
    server.play(*answers(CLIENT))

    async def scene() -> None:
        with ostinato.SessionStore(folder).open("monday") as session:
            client = client_of(server, CLIENT, session=session, **options)
            for message in (text(QUESTION), result()):
                await say(client, message)

    run(server, scene)


@pytest.mark.usefixtures("open_umask")
def test_session_directory_mode_is_0700(server: Provider, tmp_path: Path) -> None:
    """Whatever the umask, and so are the folders that had to be made above it."""
    converse(server, tmp_path / "deep" / "sessions")
    for folder in (tmp_path / "deep", tmp_path / "deep" / "sessions"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.usefixtures("open_umask")
def test_history_file_mode_is_0600(server: Provider, tmp_path: Path) -> None:
    """Of every file that is made."""
    converse(server, tmp_path / "sessions")
    files = list((tmp_path / "sessions").iterdir())
    assert files
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_normal_debug_logs_do_not_contain_ciphertext(
    server: Provider, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither this library's, nor the provider's SDK's at its most talkative, once the filter is installed."""
    caplog.set_level(logging.DEBUG)
    privacy.install()
    try:
        converse(server, tmp_path / "sessions")
        logging.getLogger("openai").debug("Responses request: %s", server.bodies[-1].decode())
    finally:
        privacy.uninstall()
    assert STATE in server.bodies[-1].decode()
    assert caplog.records
    assert STATE not in caplog.text


def test_default_stream_captures_redact_replay_state(server: Provider, tmp_path: Path) -> None:
    """They hold structure: names, lengths, digests."""
    converse(server, tmp_path / "sessions", capture=privacy.StreamCapture(tmp_path / "captures"))
    written = "".join(file.read_text() for file in (tmp_path / "captures").iterdir())
    assert STATE not in written
    assert QUESTION not in written
    assert "sha256" in written


def test_unsafe_raw_capture_requires_an_explicit_opt_in(server: Provider, tmp_path: Path) -> None:
    """By a parameter that says so; it warns, and its files are private."""
    with pytest.warns(privacy.CaptureWarning):
        capture = privacy.StreamCapture(tmp_path / "captures", unsafe_raw=True)
    converse(server, tmp_path / "sessions", capture=capture)
    files = list((tmp_path / "captures").iterdir())
    assert any(STATE in file.read_text() for file in files)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        privacy.StreamCapture(tmp_path / "captures")


def test_redacted_export_is_clearly_non_resumable(server: Provider, tmp_path: Path) -> None:
    """It says so in its first line, holds no state, and is refused by every reader."""
    converse(server, tmp_path / "sessions")
    exported = ostinato.export_redacted(ostinato.load(tmp_path / "sessions" / "monday.jsonl"))
    assert b'"resumable":false' in exported.splitlines()[0]
    assert STATE.encode() not in exported
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.load(exported)
    assert caught.value.code == "redacted_export"


@pytest.mark.usefixtures("open_umask")
def test_resumable_export_warns_and_preserves_private_permissions(server: Provider, tmp_path: Path) -> None:
    """On the terminal and in the file."""
    converse(server, tmp_path / "sessions")
    session, target = tmp_path / "sessions" / "monday.jsonl", tmp_path / "out.jsonl"
    code, _out, err = command("export", session, "--resumable", "-o", target)
    assert code == 0
    assert "WARNING" in err
    assert "warning" in target.read_text().splitlines()[0]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert ostinato.load(target).items == ostinato.load(session).items
