"""Names from outside forge no log line and give a terminal no orders (log injection, CWE-117 and CWE-150)."""

from __future__ import annotations

import inspect
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
import ostinato.client  # its exceptions are counted too
from ostinato import OstinatoError, cli
from ostinato.errors import PrepareError
from ostinato.names import printable
from ostinato.policy import Decision, ReplayReport
from ostinato.table import grid
from tests.security.canary import ITEM

ESCAPE = "\x1b]0;owned\x07\x1b[2J"
FORGED = "\r\n2026-01-01 CRITICAL forged"
HOSTILE = f"name{ESCAPE}{FORGED}\u202e\u2028\x00\ud800\x9b31m"


@given(st.text())
def test_printable(text: str) -> None:
    """Every name becomes one line that any stream can write; what is printable stays as it is."""
    shown = printable(text)
    assert shown.isprintable()
    assert len(shown) == len(text)
    assert shown == printable(shown)
    assert not text.isprintable() or shown == text


def errors() -> Iterator[type[OstinatoError]]:
    """Every exception of the package."""
    left: list[type[OstinatoError]] = [OstinatoError]
    while left:
        kind = left.pop()
        yield kind
        left += kind.__subclasses__()


def argument(parameter: inspect.Parameter) -> Any:
    """A hostile value for a parameter of an exception, of the type that it has."""
    if parameter.name == "decision":
        return Decision(HOSTILE, HOSTILE, "refused", HOSTILE, ((HOSTILE, HOSTILE),))
    if parameter.name == "report":
        return ReplayReport()
    if "list" in str(parameter.annotation):
        return [HOSTILE]
    return 5 if "str" not in str(parameter.annotation) and "int" in str(parameter.annotation) else HOSTILE


def made(kind: type[OstinatoError]) -> Exception:
    """An exception that was given hostile names wherever it takes one."""
    if kind is OstinatoError:
        return kind(HOSTILE)
    parameters = [
        parameter
        for parameter in inspect.signature(kind).parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    positional = [argument(parameter) for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
    named = {
        parameter.name: argument(parameter) for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY
    }
    return kind(*positional, **named)


@pytest.mark.parametrize("kind", sorted(set(errors()), key=lambda kind: kind.__name__), ids=lambda kind: kind.__name__)
def test_errors(kind: type[OstinatoError]) -> None:
    """The text of every exception is one printable line, whatever names are in it."""
    if kind is OstinatoError or kind.__module__.startswith("ostinato"):
        error = made(kind)
        assert str(error).isprintable()
        assert repr(error).isprintable()


def test_decisions_and_tables() -> None:
    """What reports draw is printable line by line."""
    decision = Decision(HOSTILE, HOSTILE, "left_out", HOSTILE, (("name", HOSTILE),))
    assert str(decision).isprintable()
    assert str(ReplayReport((decision,))).count("\n") == 1
    assert all(line.isprintable() for line in grid("title", ["a", "b"], [[HOSTILE, HOSTILE]]).splitlines())
    assert str(PrepareError(decision, ReplayReport(), HOSTILE)).isprintable()


def test_names_of_fields() -> None:
    """The names of fields that were dropped, and of fields that were refused, are names or nothing."""
    item = ostinato.canonicalize_completed_reasoning_output_item(ITEM | {HOSTILE.replace("\ud800", ""): 1})
    assert repr(item).isprintable()
    assert all(name.isprintable() for name in item.dropped_fields)
    stored = json.loads(ostinato.serialize_reasoning_replay_envelope(item))
    stored["item"][HOSTILE.replace("\ud800", "")] = 1
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.parse_reasoning_replay_envelope(json.dumps(stored))
    assert caught.value.path.isprintable()


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """Histories, sound and broken, whose files and fields have hostile names."""
    name = f"a{ESCAPE}\n2026-01-01 CRITICAL forged\x9b".replace("/", "")
    meta = {"type": "session_meta", "payload": {"id": HOSTILE, "cwd": HOSTILE, "model_provider": HOSTILE, HOSTILE: 1}}
    item = {"type": "response_item", "payload": ITEM | {"id": HOSTILE, HOSTILE: HOSTILE}}
    call = {"type": "response_item", "payload": {"type": "function_call", "name": HOSTILE, "call_id": HOSTILE}}
    lines = [json.dumps(line) for line in (meta, item, call, {"type": HOSTILE, "payload": {HOSTILE: 1}})]
    (tmp_path / f"{name}.jsonl").write_text("\n".join([*lines, lines[1][:-30]]), encoding="utf-8")
    claude = {
        "type": "assistant",
        "sessionId": HOSTILE,
        "uuid": HOSTILE,
        "message": {"id": HOSTILE, "role": "assistant"},
    }
    claude["message"] |= {"model": HOSTILE, "content": [{"type": "thinking", "thinking": "x", HOSTILE: 1}]}  # type: ignore[operator]
    (tmp_path / f"b{name}.jsonl").write_text(json.dumps(claude) + "\n", encoding="utf-8")
    (tmp_path / f"c{name}.json").write_text(
        json.dumps({"messages": [{"role": HOSTILE, HOSTILE: []}]}), encoding="utf-8"
    )
    for file, text in (("x", "a"), ("y", "b")):
        called = {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": HOSTILE, "name": "n", "input": {HOSTILE: text}}],
        }
        body = json.dumps({"model": "m", "system": "s", "messages": [called]})
        (tmp_path / f"{file}.json").write_text(body, encoding="utf-8")
    (tmp_path / f"d{name}.jsonl").symlink_to(tmp_path / "nowhere")
    return tmp_path


COMMANDS = [
    ["measure", "."],
    ["measure", ".", "--json"],
    ["measure", ".", "--csv"],
    ["doctor", "."],
    ["doctor", ".", "--json"],
    ["measure", f"no{ESCAPE}{FORGED}"],
    ["doctor", f"no{ESCAPE}{FORGED}"],
    ["redact", f"no{ESCAPE}{FORGED}"],
    ["rescue", f"no{ESCAPE}{FORGED}", "-o", "x"],
    ["diff", f"no{ESCAPE}{FORGED}", "x"],
    ["diff", "x.json", "y.json"],
    ["diff", "x.json", "y.json", "--json"],
    ["export", f"no{ESCAPE}{FORGED}"],
    ["export", "x.json", "--name", f"no{ESCAPE}{FORGED}", "-o", f"to{ESCAPE}{FORGED}"],
    ["sessions", "list", "."],
    ["sessions", "list", ".", "--json"],
    ["sessions", "verify", "."],
    ["sessions", "show", ".", f"no{ESCAPE}{FORGED}"],
    ["sessions", "purge", f"no{ESCAPE}{FORGED}", "--yes"],
    ["schema", f"no{ESCAPE}{FORGED}"],
    [f"no{ESCAPE}{FORGED}"],
    ["measure", ".", f"--x{ESCAPE}{FORGED}"],
    ["doctor", ".", "--target", f"no{ESCAPE}{FORGED}"],
    ["completion", f"no{ESCAPE}{FORGED}"],
]


@pytest.mark.parametrize(
    "command", COMMANDS, ids=[" ".join(command).encode("unicode_escape").decode()[:40] for command in COMMANDS]
)
def test_commands(
    command: list[str], folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """No command sends a terminal anything but lines of printable characters, whatever files are called."""
    monkeypatch.chdir(folder)
    cli.main(command)
    run = capfdbinary.readouterr()
    printed = (run.out + run.err).decode("utf-8", "surrogateescape")
    assert printed
    assert [line for line in printed.split("\n") if not line.isprintable()] == []
    assert not [line for line in printed.split("\n") if line.startswith("2026-01-01 CRITICAL")]


def test_every_command_is_tested_here() -> None:
    """A command that is added must be added to this file."""
    commands = {module.__name__.rpartition(".")[2] for module in cli.COMMANDS}
    assert commands <= {command[0] for command in COMMANDS}
