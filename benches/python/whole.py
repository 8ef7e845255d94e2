"""The command `ostinato measure` as users run it, in a process of its own: peak memory, and what threads bring.

python benches/python/whole.py memory PATH     peak resident memory and CPU seconds of one pass
python benches/python/whole.py threads PATH    wall seconds with one and two threads, best of several
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from time import perf_counter

COMMAND = Path(sys.executable).with_name("ostinato")


def one_run(*arguments: str) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds and peak resident bytes of one run of the command."""
    out = os.open(os.devnull, os.O_WRONLY)
    begin = perf_counter()
    pid = os.posix_spawn(COMMAND, [str(COMMAND), *arguments], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
    _, status, usage = os.wait4(pid, 0)
    wall = perf_counter() - begin
    os.close(out)
    if status != 0:
        raise SystemExit(f"ostinato {' '.join(arguments)}: status {os.waitstatus_to_exitcode(status)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def memory(path: Path) -> dict[str, object]:
    """One pass over everything under a path."""
    size = sum(found.stat().st_size for found in path.rglob("*") if found.is_file())
    wall, cpu, peak = one_run("measure", "--json", str(path))
    text = f"{peak / 1e6:.0f} MB for {size / 1e6:.0f} MB, {cpu:.2f} CPU s, {wall:.2f} s"
    return {"name": f"peak memory, {path.name}", "bytes": size, "peak": peak, "cpu": cpu, "wall": wall, "text": text}


def threads(path: Path, runs: int = 15) -> list[dict[str, object]]:
    """One thread against two, alternating; the best of each."""
    best: dict[int, float] = {1: float("inf"), 2: float("inf")}
    for _ in range(runs):
        for count, so_far in best.items():
            best[count] = min(so_far, one_run("measure", "--json", "--threads", str(count), str(path))[0])
    text = f"{best[1] / best[2]:.2f}x ({best[1]:.3f} s and {best[2]:.3f} s, best of {runs})"
    return [{"name": "two threads against one, wall", "text": text}]


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("memory", "threads"))
    parser.add_argument("path", type=Path)
    options = parser.parse_args()
    for line in [memory(options.path)] if options.what == "memory" else threads(options.path):
        print(json.dumps(line))
    return 0


if __name__ == "__main__":
    sys.exit(main())
