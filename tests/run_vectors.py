"""Play a folder of vectors: `python tests/run_vectors.py DIR`.

What the folder holds decides: recorded fast-agent vectors (one line per vector and surface), recorded MMSP vectors
(files that name their client), or vectors of stored records by schema (`<schema>/v1/...`). The exit status is 1 where
an outcome is not one of the right ones, and where nothing was played.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The tree it belongs to, not whatever an environment has installed; tests are imported as `tests.<module>`.
sys.path[:0] = [str(ROOT / "python"), str(ROOT)]

from tests.compat.fast_agent_vectors import SURFACES, NotReachableError, Vector, load, play  # noqa: E402


def judge(vector: Vector, surface: str) -> tuple[str, str]:
    """The verdict on one vector (`ok`, `MISS` or `unreachable`) and the reason for a miss."""
    try:
        got = play(vector, surface)
    except NotReachableError as why:
        return "unreachable", f": {why}"
    except LookupError as unknown:
        return "MISS", f": {unknown}"
    except AssertionError as broken:
        return "MISS", f": {broken or 'text, round trip or input changed'}"
    if vector.accepts(surface, got):
        return "ok", ""
    return "MISS", f": got {got}; recorded {vector.recorded}"


def play_fast_agent(folder: pathlib.Path) -> int:
    """Play the recorded fast-agent vectors of the folder and count."""
    counts = {"ok": 0, "MISS": 0, "unreachable": 0}
    for vector in load(folder):
        for surface in SURFACES:
            verdict, reason = judge(vector, surface)
            counts[verdict] += 1
            print(f"{verdict} {surface} {vector.name}{reason}")
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["MISS"] or not counts["ok"] else 0


def play_with_pytest(suite: str, variable: str, folder: pathlib.Path) -> int:
    """Play the folder with the tests that play our own: one line per vector."""
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", str(ROOT / suite)]
    return subprocess.run(command, check=False, cwd=ROOT, env={**os.environ, variable: str(folder)}).returncode


def main() -> int:
    """Play whatever the folder holds."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=pathlib.Path)
    folder = arguments.parse_args().folder.resolve()
    heads = [path.read_text(encoding="utf-8")[:400] for path in sorted(folder.glob("*.json"))]
    outcomes = []
    if any('"family"' in head for head in heads):
        outcomes.append(play_fast_agent(folder))
    if any('"client"' in head for head in heads):
        outcomes.append(play_with_pytest("tests/wires/test_vectors.py", "OSTINATO_MMSP_VECTORS", folder))
    if any(folder.glob("*/v1")):
        outcomes.append(play_with_pytest("tests/codec/test_vectors.py", "OSTINATO_VECTORS", folder))
    if not outcomes:
        print(f"no vectors in {folder}")
    # A folder without a vector is a mistake of the caller, not a success.
    return max(outcomes, default=1)


if __name__ == "__main__":
    sys.exit(main())
