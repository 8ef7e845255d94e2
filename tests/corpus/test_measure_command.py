"""`ostinato measure` on the command line: output, exit codes, Ctrl-C."""

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ostinato.cli import main
from ostinato.cli.bar import Bar

DATA = Path(__file__).parents[1] / "data"
SAMPLE = DATA / "fast_agent" / "v0.10.48-codex_ws"

# The command in a process of its own, which says when it begins.
PROGRAM = "import sys; from ostinato.cli import main; print('begin', flush=True); sys.exit(main())"


def run(*arguments: str | Path) -> int:
    """The exit code of the command."""
    return main(["measure", *map(str, arguments)])


def test_the_table_is_what_people_see(capsys: pytest.CaptureFixture[str]) -> None:
    """Without options a table is printed, and nothing on stderr."""
    assert run(SAMPLE) == 0
    out, err = capsys.readouterr()
    assert out.startswith("ostinato measure: 3 files, ")
    assert "openai.reasoning" in out
    assert err == ""


def test_json_and_csv_are_the_whole_output(capsys: pytest.CaptureFixture[str]) -> None:
    """Both forms can be piped as they are."""
    assert run("--json", SAMPLE) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["version"]) == ("ostinato.measure", 1)
    assert run("--csv", SAMPLE) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 4
    assert rows[-1]["replay.requests"] == str(data["total"]["replay"]["requests"])


def test_one_bad_path_does_not_stop_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    """It is named on stderr, and the rest is measured."""
    assert run("no such file", SAMPLE, "--json") == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["total"]["files"] == 3
    assert err == "ostinato measure: not_found: no such file\n"


def test_nothing_to_measure_is_an_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files of other formats and paths that are not there leave nothing."""
    (tmp_path / "notes.txt").write_text("hello")
    assert run(tmp_path) == 3
    assert "notes.txt" in capsys.readouterr().out
    assert run(tmp_path / "missing") == 3


def test_strict_fails_when_something_needs_attention(tmp_path: Path) -> None:
    """A dead record or an open file is enough; a private and sound history passes."""
    path = tmp_path / "rollout.jsonl"
    path.write_text('{"type":"event_msg","payload":{"type":"user_message"}}\n')
    path.chmod(0o600)
    tmp_path.chmod(0o700)
    assert run("--strict", path) == 0
    with path.open("a") as file:
        file.write("not json\n")
    assert run("--strict", path) == 1
    assert run(path) == 0


@pytest.mark.parametrize(
    "arguments", [(), ("--json", "--csv", "x"), ("--threads", "-1", "x"), ("--threads", "two", "x")]
)
def test_a_wrong_command_line_is_exit_code_2(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """As argparse has it; the reason is on stderr."""
    assert run(*arguments) == 2
    assert "usage:" in capsys.readouterr().err


def test_the_bar_says_how_far_the_work_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Share, files, bytes, speed, on one line that is drawn over and over."""
    times = iter([0.0, 2.0])
    bar = Bar(clock=lambda: next(times))
    bar.draw(500_000, 2_000_000, "1/4 files")
    bar.clear()
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"\r[{'#' * 8}{'.' * 22}]  25%  1/4 files  500.0 kB  250.0 kB/s\x1b[K\r\x1b[K"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    """In the middle of a large file the work ends within a moment, without a traceback."""
    said = {"type": "message", "role": "user", "content": "x" * 100}
    lines = json.dumps({"type": "response_item", "payload": said}).encode() + b"\n"
    (tmp_path / "rollout.jsonl.gz").write_bytes(gzip.compress(lines * 5000) * 1000)  # most of a gigabyte
    arguments = [sys.executable, "-W", "ignore", "-c", PROGRAM, "measure", "--threads", "1", str(tmp_path)]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=paths) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begin\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        out, err = process.communicate(timeout=60)
        took = time.monotonic() - begin
    assert (process.returncode, out, err) == (130, "", "ostinato measure: stopped\n")
    assert took < 5
