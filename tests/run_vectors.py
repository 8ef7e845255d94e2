"""Play a folder of recorded fast-agent vectors: `python tests/run_vectors.py DIR`.

One line per vector and surface; the exit status is 1 where an outcome is not one of the right ones.
"""

from __future__ import annotations

import argparse
import pathlib
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


def main() -> int:
    """Play every vector of the folder and count."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=pathlib.Path)
    folder = arguments.parse_args().folder
    counts = {"ok": 0, "MISS": 0, "unreachable": 0}
    for vector in load(folder):
        for surface in SURFACES:
            verdict, reason = judge(vector, surface)
            counts[verdict] += 1
            print(f"{verdict} {surface} {vector.name}{reason}")
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    # A folder without a vector is a mistake of the caller, not a success.
    return 1 if counts["MISS"] or not counts["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
