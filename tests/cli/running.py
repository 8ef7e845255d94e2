"""Runs the command line as a user does: over files in place of its streams, or in a process of its own."""

import io
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any
from unittest import mock

from ostinato import cli

ROOT = pathlib.Path(__file__).parents[2]


def start(*args: object, shell_suffix: str = "", **options: Any) -> subprocess.Popen[bytes]:
    """A process of `ostinato ARGS` with pipes, through a shell where it is to redirect something.

    For what needs a process: signals, a reader that goes away, a stream that is missing.
    """
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "ostinato", *map(str, args)]
    if shell_suffix:
        command = ["sh", "-c", f'exec "$@" {shell_suffix}', "sh", *command]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=env, **{"stdin": pipe, "stdout": pipe, "stderr": pipe, **options})


def ostinato(*args: object, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """The exit code, the output and what was said on stderr, of a command that runs in this process."""
    with ExitStack() as stack:
        given, out, err = (stack.enter_context(_stream(name)) for name in ("stdin", "stdout", "stderr"))
        given.write(stdin)
        given.seek(0)
        code = cli.main([*map(str, args)])
        sys.stdout.flush()
        sys.stderr.flush()
        return code, _written(out), _written(err).decode()


@contextmanager
def _stream(name: str) -> Iterator[IO[bytes]]:
    """A file in the place of a standard stream."""
    with tempfile.TemporaryFile() as file:
        text = io.TextIOWrapper(file, encoding="utf-8")
        with mock.patch.object(sys, name, text):
            yield file
        text.detach()


def _written(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
