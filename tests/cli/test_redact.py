"""`ostinato redact` and `ostinato schema` as a user runs them."""

import contextlib
import gzip
import json
import os
import pathlib
import sqlite3
from typing import Any

import pytest

from ostinato._core import schema_names
from tests.cli.running import ostinato, start
from tests.playing.redaction import asked

CASES = [
    case
    for path in sorted((pathlib.Path(__file__).parents[1] / "cases").glob("redact-*.json"))
    if (case := json.loads(path.read_text()))["when"] == "redact"
]
FULL = pathlib.Path("/dev/full")
TOKEN = "gAAAAABn4rRGCANARYtqW9bLx0Zz8QkVd3f2aP7uHcMsJwYe"  # noqa: S105 - made up
LINE = json.dumps({"type": "thinking", "thinking": "so CANARY it is", "signature": TOKEN, "id": "x"}).encode() + b"\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.parametrize("way", ["file", "stdin", "pretty"])
def test_cases(case: dict[str, Any], way: str, tmp_path: pathlib.Path) -> None:
    """What must be absent is absent from output and report, from a file and from a pipe."""
    log, length_only = asked(case)
    options = ["--report", "--length-only"] if length_only else ["--report"]
    text = json.dumps(log, indent=2 if way == "pretty" else None).encode()
    file = tmp_path / "log.json"
    file.write_bytes(text)
    code, out, err = ostinato("redact", *options, file) if way == "file" else ostinato("redact", *options, stdin=text)
    assert code == 0
    for absent in case["then"]["absent"]:
        assert absent.encode() not in out
        assert absent not in err
    json.loads(out)
    assert json.loads(err)["values"] > 0


def test_lines_come_out_as_they_come_in() -> None:
    """A log that is followed is written line by line."""
    with start("redact") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for n in range(3):
            process.stdin.write(LINE)
            process.stdin.flush()
            line = process.stdout.readline()
            assert json.loads(line)["id"] == "x", n
            assert b"CANARY" not in line
        assert process.communicate(timeout=30) == (b"", b"")


def test_options() -> None:
    """Text may stay, and digests may go."""
    kept = json.loads(ostinato("redact", "--keep-text", "-", stdin=LINE)[1])
    assert kept["thinking"] == "so CANARY it is"
    assert set(kept["signature"]) == {"redacted", "bytes", "sha256"}
    assert json.loads(ostinato("redact", "--length-only", stdin=LINE)[1])["signature"] == {
        "redacted": True,
        "bytes": len(TOKEN),
    }


def test_a_file_that_is_not_there(tmp_path: pathlib.Path) -> None:
    """Is named, with exit code 3."""
    code, out, err = ostinato("redact", tmp_path / "missing.json")
    assert (code, out) == (3, b"")
    assert err == f"ostinato redact: {tmp_path}/missing.json: No such file or directory\n"


def test_a_folder_is_no_file(tmp_path: pathlib.Path) -> None:
    """Is named, with exit code 3."""
    assert ostinato("redact", tmp_path)[0] == 3


def _database(path: pathlib.Path) -> bytes:
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (x)")
    connection.close()
    return path.read_bytes()


@pytest.mark.parametrize("kind", ["gzip", "utf-16", "utf-16-be", "sqlite"])
def test_what_is_no_text_is_refused(kind: str, tmp_path: pathlib.Path) -> None:
    """Passing it through would leave the state in it; a way to make a text of it is named."""
    contents = {
        "gzip": lambda: gzip.compress(LINE),
        "utf-16": lambda: LINE.decode().encode("utf-16"),
        "utf-16-be": lambda: LINE.decode().encode("utf-16-be"),
        "sqlite": lambda: _database(tmp_path / "db"),
    }
    code, out, err = ostinato("redact", stdin=contents[kind]())
    assert (code, out) == (3, b"")
    assert "try:" in err


def test_no_input_is_no_output() -> None:
    """An empty text is a text."""
    assert ostinato("redact", "--report")[:2] == (0, b"")


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_output_that_cannot_be_written() -> None:
    """Is an error like input that cannot be read."""
    with FULL.open("wb") as full, start("redact", stdout=full) as process:
        _, err = process.communicate(LINE, timeout=30)
    assert process.returncode == 3
    assert err == b"ostinato redact: No space left on device\n"


def test_schemas_are_listed_and_printed() -> None:
    """Without a name the names, with a name the schema."""
    assert ostinato("schema")[1].decode().split() == schema_names()
    code, out, _ = ostinato("schema", schema_names()[0])
    assert code == 0
    assert json.loads(out)["title"] == schema_names()[0]


def test_an_unknown_schema_says_which_there_are() -> None:
    """With exit code 2."""
    code, out, err = ostinato("schema", "nonsense")
    assert (code, out) == (2, b"")
    assert all(name in err for name in schema_names())


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
@pytest.mark.parametrize("wanted", [True, False])
def test_a_terminal_is_told_how_far_the_work_is(wanted: bool, tmp_path: pathlib.Path) -> None:  # noqa: FBT001
    """A bar on stderr where that is a terminal and a file is read, taken away in the end; none where none is wanted."""
    file = tmp_path / "log"
    file.write_bytes(LINE * 1000)
    reader, terminal = os.openpty()
    options = [] if wanted else ["--no-progress"]
    with start("redact", file, *options, stderr=terminal) as process:
        os.close(terminal)
        assert process.stdout is not None
        process.stdout.read()
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody writes to it any more
        while more := os.read(reader, 1 << 16):
            shown += more
    os.close(reader)
    assert process.returncode == 0
    assert (b"100%" in shown) == wanted
    assert shown.endswith(b"\r\x1b[K") if wanted else not shown
