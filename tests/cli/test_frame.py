"""The frame of the command line: help, versions, exit codes, shells."""

import pathlib
import re
import shlex
import shutil
import signal
import subprocess

import pytest

from ostinato import __version__
from ostinato.cli import COMMANDS, main
from tests.cli.running import ostinato, start


def test_help_teaches() -> None:
    """The help names every command, gives examples and says what exit codes mean."""
    code, out, _ = ostinato("--help")
    assert code == 0
    for word in (b"measure", b"redact", b"schema", b"completion", b"examples:", b"exit codes:", b"130"):
        assert word in out


@pytest.mark.parametrize("command", [command.__name__.rpartition(".")[2] for command in COMMANDS])
def test_every_command_explains_itself(command: str) -> None:
    """A command has help of its own."""
    code, out, _ = ostinato(command, "--help")
    assert code == 0
    assert f"usage: ostinato {command}".encode() in out


@pytest.mark.parametrize("command", ["", *(command.__name__.rpartition(".")[2] for command in COMMANDS)])
def test_help_fits_a_terminal_of_80_columns(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No line of it is broken by the terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main([command, "--help"] if command else ["--help"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []


def test_the_version_is_the_one_of_the_core() -> None:
    """`--version` prints it."""
    assert ostinato("--version")[:2] == (0, f"ostinato {__version__}\n".encode())


@pytest.mark.parametrize(
    "wrong", [[], ["nonsense"], ["redact", "--nonsense"], ["redact", "a", "b"], ["completion", "csh"]]
)
def test_a_wrong_command_line_exits_with_2(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """And says what is wrong, without a traceback."""
    assert main(wrong) == 2
    assert "usage:" in capsys.readouterr().err


def test_every_command_has_its_two_functions() -> None:
    """The tuple of commands is what the help lists."""
    assert all(callable(command.add_parser) and callable(command.run) for command in COMMANDS)


def test_a_reader_that_stops_reading_is_no_error(tmp_path: pathlib.Path) -> None:
    """`ostinato ... | head` ends quietly."""
    file = tmp_path / "log"
    file.write_bytes(b"a line of a log\n" * 100_000)
    with start("redact", file) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.parametrize(("closed", "said"), [("<&-", "input"), (">&-", "output")])
def test_a_missing_stream_is_named(closed: str, said: str) -> None:
    """A shell can start a program without standard input or output."""
    with start("redact", shell_suffix=closed) as process:
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err.decode()) == (3, f"ostinato redact: there is no standard {said}\n")


def test_ctrl_c_ends_with_130() -> None:
    """Without a traceback."""
    with start("redact") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"line\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"line\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"ostinato redact: stopped\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command_and_option(shell: str) -> None:
    """The script is made from the parsers themselves, and the shell can read it where there is one."""
    code, out, _ = ostinato("completion", shell)
    assert code == 0
    for word in (b"measure", b"redact", b"schema", b"completion", b"length-only", b"report"):
        assert word in out
    if program := shutil.which(shell):
        assert subprocess.run([program, "-n"], input=out, check=False, capture_output=True).returncode == 0


def completed(*words: str) -> set[str]:
    """What bash offers for the last word."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    script = ostinato("completion", "bash")[1].decode()
    script += f"COMP_WORDS=(ostinato {shlex.join(words)}); COMP_CWORD={len(words)}; _ostinato; echo ${{COMPREPLY[@]}}"
    done = subprocess.run([bash, "-c", script], check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("redact", "--le"), {"--length-only"}),
        (("doc",), {"doctor"}),
        (("sessions", ""), {"list", "show", "verify", "migrate", "export", "restore", "purge"}),
        (("sessions", "purge", "folder", "--y"), {"--yes"}),
        (("sessions", "ex"), {"export"}),
        (("doctor", "file", "--target", "xai"), {"xai", "xai-chat"}),
        (("rescue", "--target", "azure-"), {"azure-project"}),
        (("diff", "--wire", "bed"), {"bedrock-converse"}),
        (("completion", "z"), {"zsh"}),
        (("schema", "ostinato.bed"), {"ostinato.bedrock-converse.reasoning"}),
        (("rescue", "file", "-o", "an"), set()),
        (("measure", ""), set()),
    ],
)
def test_bash_completes(words: tuple[str, ...], offered: set[str]) -> None:
    """Commands, actions, options and the words they take; where there are none, bash offers files."""
    assert completed(*words) == offered


@pytest.mark.parametrize("command", [command.__name__.rpartition(".")[2] for command in COMMANDS])
def test_bash_completes_all_that_the_help_names(command: str) -> None:
    """No option is missing."""
    named = set(re.findall(r"--[a-z][a-z-]+", ostinato(command, "--help")[1].decode().partition("options:")[0]))
    assert named <= completed(command, "-")
    assert "--help" in completed(command, "--h")
