"""`ostinato sessions` shows what a store holds, and never its state."""

import contextlib
import io
import json
import pathlib
import sys
from typing import Any

import pytest

from ostinato import cli
from tests.cli import running
from tests.store.saved import MARKER, answer, saved, store, turn, user


def ostinato(*args: object) -> tuple[int, bytes, str]:
    """Runs a command in this process: the exit code, the output and what was said on stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main([str(arg) for arg in args])
    return code, out.getvalue().encode(), err.getvalue()


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> str:
    """A store with two sessions, one of them with state that holds a marker, and with what models are given."""
    path = saved(tmp_path, 2, "monday")
    call = {"type": "tool_call.done", "name": "look", "arguments": {"at": "\x1b[31m7"}, "tool_call_id": "call_1"}
    image = {"type": "inline_data.done", "data": b"12345", "mime_type": "image/png"}
    result = {"type": "tool_result.done", "text": "prime", "tool_call_id": "call_1", "images": ["https://h/i.png"]}
    asked: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "Look."}, image]}
    called: Any = {"role": "assistant", "content_items": [*answer("", MARKER)["content_items"], call]}
    with store(tmp_path).open("tuesday") as session:
        session.append([asked, called, {"role": "user", "content_items": [result]}])  # type: ignore[list-item]
    return str(path.parent)


def test_list_says_what_there_is(folder: str) -> None:
    """Names, times, sizes; in a table and as JSON."""
    code, out, err = running.ostinato("sessions", "list", folder)
    assert (code, err) == (0, "")
    text = out.decode()
    assert "monday" in text
    assert "2023-11-14 22:1" in text
    assert "2 sessions, " in text
    code, out, _ = ostinato("sessions", "list", folder, "--json")
    found = json.loads(out)
    assert (found["schema"], found["version"]) == ("ostinato.sessions.list", 1)
    assert [info["name"] for info in found["sessions"]] == ["monday", "tuesday"]


def test_list_of_nothing_is_no_error(tmp_path: pathlib.Path) -> None:
    """A store that was never written to has no sessions."""
    (tmp_path / "none").mkdir(mode=0o700)
    assert ostinato("sessions", "list", tmp_path / "none") == (0, b"0 sessions, 0 B\n", "")


def test_list_names_what_is_no_session(folder: str) -> None:
    """And exits with 1."""
    pathlib.Path(folder, "broken.jsonl").write_text("no session\n")
    code, out, _ = ostinato("sessions", "list", folder)
    assert code == 1
    assert "header_damaged" in out.decode()


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize("reasoning", [(), ("--show-reasoning",)])
def test_show_never_prints_state(folder: str, form: tuple[str, ...], reasoning: tuple[str, ...]) -> None:
    """And the text of the reasoning only when it is asked for; a terminal is given nothing to obey."""
    code, out, err = ostinato("sessions", "show", folder, "tuesday", *form, *reasoning)
    assert (code, err) == (0, "")
    text = out.decode()
    assert MARKER not in text
    assert ("Only 1 and 7 divide it." in text) == bool(reasoning)
    assert "Look." in text
    assert "prime" in text
    assert "\x1b" not in text
    assert "rs_1" not in text
    assert "https://h/i.png" not in text


def test_show_tells_turns_apart(folder: str) -> None:
    """Each has its number and its time; a history that begins anew says so."""
    with store(pathlib.Path(folder).parent).open("monday") as session:
        session.restart(turn(9))
    _, out, _ = ostinato("sessions", "show", folder, "monday")
    heads = [line for line in out.decode().splitlines() if line.startswith("---")]
    assert [head.split(",")[0] for head in heads] == ["--- turn 1", "--- turn 2", "--- turn 3"]
    assert heads[2].endswith("the history begins anew")


def test_show_says_what_is_not_shown(folder: str) -> None:
    """What is left out is told on stderr, and by the exit code."""
    path = pathlib.Path(folder, "monday.jsonl")
    path.write_bytes(path.read_bytes().replace(b"Answer 1", b"Answer X"))
    code, out, err = ostinato("sessions", "show", folder, "monday")
    assert code == 1
    assert "digest_mismatch turn 1" in err
    assert "Question 2" in out.decode()


def test_verify_says_that_all_is_well(folder: str) -> None:
    """And exits with 0."""
    code, out, err = ostinato("sessions", "verify", folder)
    assert (code, err) == (0, "")
    assert out.decode().count("sound") == 2


def test_verify_says_what_is_wrong_where_and_what_it_means(folder: str) -> None:
    """Codes, turns and places in a table and as JSON; exit code 1."""
    path = pathlib.Path(folder, "monday.jsonl")
    path.write_bytes(path.read_bytes().replace(b"Answer 1", b"Answer X"))
    code, out, _ = ostinato("sessions", "verify", folder)
    text = out.decode()
    assert code == 1
    assert "digest_mismatch turn 1 byte" in text
    assert "What is stored is not what was written." in text
    code, out, _ = ostinato("sessions", "verify", folder, "monday", "--json")
    (result,) = json.loads(out)["sessions"]
    assert code == 1
    assert [finding["code"] for finding in result["findings"]] == ["digest_mismatch", "turn_missing"]


def test_verify_names_what_cannot_be_read(folder: str) -> None:
    """A file of a later version; exit code 3."""
    pathlib.Path(folder, "later.jsonl").write_text('{"schema":"ostinato.session","version":7}\n')
    code, out, _ = ostinato("sessions", "verify", folder)
    assert code == 3
    assert "version_unknown" in out.decode()


def test_verify_mends_modes_when_asked(folder: str) -> None:
    """Once: then all is well."""
    pathlib.Path(folder, "monday.jsonl").chmod(0o644)
    assert ostinato("sessions", "verify", folder, "monday")[0] == 1
    assert ostinato("sessions", "verify", folder, "monday", "--mend")[0] == 1
    assert ostinato("sessions", "verify", folder, "monday")[0] == 0


def test_purge_does_nothing_unasked(folder: str) -> None:
    """Without a terminal there is nobody to ask, and the answer is no."""
    code, out, err = ostinato("sessions", "purge", folder, "monday")
    assert (code, out) == (2, b"")
    assert "--yes" in err
    assert pathlib.Path(folder, "monday.jsonl").exists()


@pytest.mark.parametrize(("typed", "gone"), [("y\n", True), ("n\n", False), ("\n", False), ("", False)])
def test_purge_asks(folder: str, monkeypatch: pytest.MonkeyPatch, typed: str, gone: bool) -> None:  # noqa: FBT001 - a row
    """On a terminal; anything but yes is no."""

    class Terminal:
        """A terminal at which somebody types."""

        def isatty(self) -> bool:
            """It is one."""
            return True

        def readline(self) -> str:
            """What was typed."""
            return typed

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert cli.main(["sessions", "purge", folder]) == (0 if gone else 2)
    assert pathlib.Path(folder, "monday.jsonl").exists() != gone
    assert pathlib.Path(folder, "tuesday.jsonl").exists() != gone


def test_purge_takes_away_what_is_named(folder: str) -> None:
    """And nothing else; what cannot be taken away is named, and exits with 3."""
    code, out, err = ostinato("sessions", "purge", folder, "monday", "nothing", "--yes", "--json")
    assert code == 3
    assert json.loads(out)["purged"] == ["monday"]
    assert json.loads(out)["failed"] == [{"session": "nothing", "error": "session_missing"}]
    assert "session_missing" in err
    assert sorted(entry.name for entry in pathlib.Path(folder).iterdir()) == ["tuesday.jsonl", "tuesday.lock"]


def test_a_session_that_is_held_is_not_purged(folder: str) -> None:
    """Whoever writes to it is named."""
    with store(pathlib.Path(folder).parent).open("monday") as session:
        session.append([user()])
        code, _, err = ostinato("sessions", "purge", folder, "monday", "--yes")
    assert code == 3
    assert "session_locked" in err


@pytest.mark.parametrize("action", ["show", "verify", "migrate"])
def test_a_session_that_is_not_there_is_named(folder: str, action: str) -> None:
    """With the path, the reason and what to do; exit code 3."""
    code, _, err = ostinato("sessions", action, folder, "nothing")
    assert code == 3
    assert "session_missing" in err
    assert "ostinato sessions list" in err


def test_a_name_that_is_none_is_refused(folder: str) -> None:
    """It leads nowhere."""
    code, _, err = ostinato("sessions", "show", folder, "../etc/passwd")
    assert code == 3
    assert "name_invalid" in err
    assert "passwd" not in err


def test_migrate_leaves_the_present_version_alone(folder: str) -> None:
    """There is nothing to do yet."""
    before = pathlib.Path(folder, "monday.jsonl").read_bytes()
    assert ostinato("sessions", "migrate", folder, "monday")[:2] == (0, b"monday was of version 1\n")
    assert pathlib.Path(folder, "monday.jsonl").read_bytes() == before


def test_without_an_action_the_usage_is_told(folder: str) -> None:
    """Exit code 2."""
    assert ostinato("sessions")[0] == 2
    assert ostinato("sessions", "list", folder, "--nothing")[0] == 2


def test_a_folder_that_is_not_there_is_no_empty_store(tmp_path: pathlib.Path) -> None:
    """A name that was mistyped is told, instead of no sessions."""
    code, out, err = ostinato("sessions", "list", tmp_path / "nowhere")
    assert (code, out) == (3, b"")
    assert "nowhere: No such file or directory" in err


def test_a_folder_of_other_files_is_told_apart(tmp_path: pathlib.Path) -> None:
    """What reads them is named."""
    (tmp_path / "rollout.jsonl").write_text('{"type": "session_meta"}\n')
    tmp_path.chmod(0o700)
    code, out, _ = ostinato("sessions", "list", tmp_path)
    assert code == 1
    assert b"ostinato doctor" in out
