"""Play a folder of field cases: `python tests/run_cases.py DIR`.

One line per case. Played are the cases that the codec, dedupe and redaction answer alone; the others (building
requests, streams, loading whole histories) are named as not played. The exit status is 1 on a miss, and where nothing
was played.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Callable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT)]

import ostinato  # noqa: E402
from tests.codec.test_cases import CONTRACTS  # noqa: E402

Case = dict[str, Any]


def capture(case: Case) -> list[str]:
    """What is wrong with what capture makes of the item."""
    given, then = case["given"], case["then"]
    value = next((given[key] for key in ("item", "part") if key in given), None)
    if value is None:
        raise NotImplementedError("no single item")
    wire, provider = CONTRACTS[case["wire"]]
    if case["policy"] and "id_missing" in str(then.get("report")):
        provider = "codex"  # the contract under which an item without id is kept
    try:
        item = ostinato.canonicalize_completed_reasoning_output_item(value, wire=wire, provider=provider)
    except ostinato.ReplayError as error:
        wanted = then.get("error") or {}
        return _differ(
            "error", {"code": error.code, "at": error.path}, {key: wanted.get(key) for key in ("code", "at")}
        )
    expected = next(iter(then["output"].values()))
    dropped = [row["at"] for row in then.get("report", []) if row["code"] == "unknown_field_dropped"]
    return _differ("item", item.to_dict(), expected) + _differ("dropped", list(item.dropped_fields), dropped)


def load(case: Case) -> list[str]:
    """What is wrong with how a single stored record is read."""
    if "schema" not in case["given"].get("record", {}):
        raise NotImplementedError("no envelope of ours")
    try:
        ostinato.parse_reasoning_replay_envelope(json.dumps(case["given"]["record"]))
    except ostinato.ReplayError as error:
        return _differ("error", {"code": error.code, "at": error.path}, case["then"]["error"])
    return ["the record was accepted"]


def dedupe(case: Case) -> list[str]:
    """What is wrong with what stays of a sequence, and with what is reported."""
    given, then = case["given"], case["then"]
    if "items" not in given:
        raise NotImplementedError("several providers")
    provider = "codex" if case["wire"] == "codex-rollout" else "openai"
    deduped = ostinato.dedupe(given["items"], provider=provider)
    codes = {repeat.code for repeat in deduped.report.repeats}
    wrong = [f"not reported: {row['code']}" for row in then.get("report", []) if row["code"] not in codes]
    if "items" in then["output"]:
        wrong += _differ("items", deduped.items, then["output"]["items"])
    return wrong


def redact(case: Case) -> list[str]:
    """What is left that must be absent, and where the structure is not what it should be."""
    value = case["given"].get("log", case["given"].get("items"))
    redacted = ostinato.redact(value)
    left = [f"left: {len(text)} characters" for text in case["then"].get("absent", []) if text in repr(redacted)]
    for path, expected in case["then"].get("output", {}).items():
        if not path.endswith("_prefix"):
            left += _differ(path, _at(redacted.value, path), expected)
    return left


PLAYERS: dict[str, Callable[[Case], list[str]]] = {"capture": capture, "load": load, "dedupe": dedupe, "redact": redact}


def _at(value: Any, path: str) -> Any:
    for step in path.split("/"):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _differ(what: str, found: object, expected: object) -> list[str]:
    return [] if found == expected else [f"{what} differs"]


def play(case: Case) -> tuple[str, str]:
    """The verdict on a case (`ok`, `MISS` or `not played`) and the reason."""
    player = PLAYERS.get(case["when"])
    if player is None:
        return "not played", f"when: {case['when']}"
    try:
        wrong = player(case)
    except (NotImplementedError, KeyError) as reason:
        return "not played", str(reason)
    return ("MISS", "; ".join(wrong)) if wrong else ("ok", "")


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
