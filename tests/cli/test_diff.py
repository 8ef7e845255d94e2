"""`ostinato diff` says where two files part, and tells it by its exit code."""

import json
import pathlib

import pytest

from tests.cli.running import ostinato
from tests.saved.test_openai_agents import store

SESSION = pathlib.Path(__file__).parents[1] / "data" / "codex"


def write(folder: pathlib.Path, name: str, *texts: str) -> pathlib.Path:
    """A file with a request of these turns."""
    turns = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]
    file = folder / name
    file.write_text(json.dumps({"model": "m", "system": "Be brief.", "messages": turns}))
    return file


def test_beginning_exits_with_0(tmp_path: pathlib.Path) -> None:
    """The next turn of a conversation is no difference."""
    code, out, _ = ostinato("diff", write(tmp_path, "a", "q", "r"), write(tmp_path, "b", "q", "r", "q2"))
    assert (code, out) == (0, b"extended: 2 items in common, of 2 and 3\n")


def test_difference_exits_with_1_and_shows_no_text(tmp_path: pathlib.Path) -> None:
    """Unless it is asked for."""
    files = write(tmp_path, "a", "q", "first words"), write(tmp_path, "b", "q", "first thoughts")
    code, out, _ = ostinato("diff", *files)
    assert (code, out) == (1, b"differs at messages/1/content, character 6 (changed); 1 items before it are the same\n")
    code, out, _ = ostinato("diff", "--show-text", *files)
    assert (code, out.splitlines()[1:]) == (1, [b"  a: first words", b"  b: first thoughts"])


def test_result_as_json(tmp_path: pathlib.Path) -> None:
    """For programs, and with texts only where they were asked for."""
    files = write(tmp_path, "a", "q"), write(tmp_path, "b", "other")
    code, out, _ = ostinato("diff", "--json", *files)
    found = json.loads(out)
    assert code == 1
    assert (found["schema"], found["version"], found["change"]["path"]) == ("ostinato.diff", 1, "messages/0/content")
    assert "text" not in found
    assert json.loads(ostinato("diff", "--json", "--show-text", *files)[1])["text"] == {"a": "q", "b": "other"}


def test_saved_histories_are_compared(tmp_path: pathlib.Path) -> None:
    """An older copy of a session is the beginning of the newer one."""
    whole = SESSION / "v0.104-one-item.jsonl"
    older = tmp_path / "older.jsonl"
    older.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:-4]))
    code, out, err = ostinato("diff", older, whole)
    assert (code, err) == (0, "")
    assert out.startswith((b"extended", b"equal"))


@pytest.mark.parametrize("text", ["", "nonsense", '{"a": 1}', '{"messages": 1}'])
def test_bad_input_exits_with_3(tmp_path: pathlib.Path, text: str) -> None:
    """A file that holds neither a request nor a history, without its text in the message."""
    (tmp_path / "bad").write_text(text)
    code, out, err = ostinato("diff", tmp_path / "bad", write(tmp_path, "b", "q"))
    assert (code, out) == (3, b"")
    assert err.startswith("ostinato diff: ")
    assert "nonsense" not in err


def test_file_that_is_not_there_exits_with_3(tmp_path: pathlib.Path) -> None:
    """As with every command."""
    assert ostinato("diff", tmp_path / "none", tmp_path / "none")[0] == 3


def test_sessions_of_one_file_are_told_apart(tmp_path: pathlib.Path) -> None:
    """A name for each side; without one the message says where the names are."""
    said = {name: {"role": "user", "content": name} for name in ("one", "two")}
    file = tmp_path / "sessions.db"
    file.write_bytes(store([(place, name, said[name]) for place, name in enumerate(said, 1)]))
    code, _, err = ostinato("diff", file, file)
    assert code == 3
    assert "--name-a" in err
    assert ostinato("diff", file, file, "--name-a", "one", "--name-b", "one")[0] == 0
    assert ostinato("diff", file, file, "--name-a", "one", "--name-b", "two")[0] == 1
    assert ostinato("diff", file, file, "--name-a", "one", "--name-b", "none")[0] == 3
