"""A writer in a process of its own, so that it can be killed, limited, and held against another one.

It is told what to do in lines on stdin, and answers each with a line: `python -m tests.store.writer FOLDER`.
"""

import os
import pathlib
import resource
import signal
import subprocess
import sys
from typing import Any

from ostinato import StoreError
from tests.store.disks import Deadly
from tests.store.saved import store, turn

ROOT = pathlib.Path(__file__).parents[2]


def begin(folder: pathlib.Path) -> "subprocess.Popen[str]":
    """The process."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}", "PYTHONWARNINGS": "ignore"}
    pipe: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    return subprocess.Popen([sys.executable, "-m", "tests.store.writer", str(folder)], env=env, **pipe)


def tell(process: "subprocess.Popen[str]", command: str) -> str:
    """One line to it, and its answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(command + "\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def killed_at(folder: pathlib.Path, name: str, step: int, numbers: list[int]) -> str:
    """Append turns in a child that dies at a step: `done`, or the last turn that was confirmed before it died."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with store(folder, disk=Deadly(step)).open(name) as session:
                for number in numbers:
                    session.append(turn(number))
                    os.write(writing, bytes([number]))
        finally:
            os._exit(0)
    os.close(writing)
    confirmed = b""
    while piece := os.read(reading, 64):
        confirmed += piece
    os.close(reading)
    _, status = os.waitpid(child, 0)
    died = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return f"{'killed' if died else 'done'} {confirmed[-1] if confirmed else 0}"


def main(folder: pathlib.Path) -> None:
    """Do what each line says."""
    opened: Any = None
    for line in sys.stdin:
        command, *words = line.split()
        try:
            match command:
                case "open":
                    opened = store(folder).open(words[0])
                    answer = f"opened {len(opened.messages)}"
                case "append":
                    answer = f"turn {opened.append(turn(int(words[0])))}"
                case "limit":
                    resource.setrlimit(resource.RLIMIT_FSIZE, (int(words[0]), resource.RLIM_INFINITY))
                    answer = "limited"
                case "become":
                    os.setuid(int(words[0]))
                    answer = "became"
                case "fork":
                    answer = _in_a_fork(opened)
                case "kill":
                    answer = killed_at(folder, words[0], int(words[1]), [int(word) for word in words[2:]])
                case _:
                    opened.close()
                    answer = "closed"
        except StoreError as error:
            answer = f"{error.code} {error.reason}"
        print(answer, flush=True)


def _in_a_fork(opened: Any) -> str:
    """What a forked child is told that uses its parent's session."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            opened.append(turn(9))
            answer = "appended"
        except StoreError as error:
            answer = error.code
        opened.close()
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    answer = os.read(reading, 100).decode()
    os.close(reading)
    os.waitpid(child, 0)
    return answer


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
