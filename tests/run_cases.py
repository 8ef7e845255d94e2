"""Play a folder of field cases: `python tests/run_cases.py DIR`.

One line per case. A case is played by the first player of `tests/playing` whose kind it is, by what the case gives and
not by its name; one that is of nobody's kind is named as not played. The exit status is 1 on a miss, and where nothing
was played.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT)]

from tests.playing import (  # noqa: E402
    call_arguments,
    codec,
    comparing,
    frameworks,
    gemini_chat,
    load,
    measuring,
    redaction,
    responses,
    streams,
    thinking,
)
from tests.playing.verdict import Case, notes  # noqa: E402

# Tried in turn. One line per player.
PLAYERS: list[Callable[[Case], list[str]]] = [
    codec.play,
    frameworks.play,
    responses.play,
    redaction.play,
    thinking.play,
    streams.play,
    gemini_chat.play,
    measuring.play,
    call_arguments.play,
    comparing.play,
    load.play,
]


def play(case: Case) -> tuple[str, str]:
    """The verdict on a case (`ok`, `MISS` or `not played`) and the reason."""
    for player in PLAYERS:
        try:
            notes.clear()
            wrong = player(case)
        except NotImplementedError:
            continue
        except Exception as error:  # noqa: BLE001 - one case that breaks a player must not hide the others
            return "MISS", f"raised {type(error).__name__}"
        return ("MISS", "; ".join(wrong)) if wrong else ("ok", "; ".join(dict.fromkeys(notes)))
    return "not played", f"when: {case['when']}"


def main() -> int:
    """Play every case of the folder."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=pathlib.Path)
    counts = {"ok": 0, "MISS": 0, "not played": 0}
    for path in sorted(arguments.parse_args().folder.glob("*.json")):
        verdict, reason = play(json.loads(path.read_text(encoding="utf-8")))
        counts[verdict] += 1
        print(f"{verdict} {path.stem}" + (f": {reason}" if reason else ""))
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["MISS"] or not counts["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
