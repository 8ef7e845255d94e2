"""Runs the command line as a user does: in a process of its own."""

import os
import pathlib
import subprocess
import sys
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]


def start(*args: object, shell_suffix: str = "", **options: Any) -> subprocess.Popen[bytes]:
    """A process of `ostinato ARGS` with pipes, through a shell where it is to redirect something."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "ostinato", *map(str, args)]
    if shell_suffix:
        command = ["sh", "-c", f'exec "$@" {shell_suffix}', "sh", *command]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=env, **{"stdin": pipe, "stdout": pipe, "stderr": pipe, **options})


def ostinato(*args: object, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """The exit code, the output and what was said on stderr."""
    with start(*args) as process:
        out, err = process.communicate(stdin, timeout=60)
    assert b"Traceback" not in err, err.decode()
    return process.returncode, out, err.decode()
