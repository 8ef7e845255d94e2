"""What the players of field cases share: comparing without showing, and how a case names what we say."""

from __future__ import annotations

import json
from typing import Any

import ostinato

Case = dict[str, Any]

SAID = {"at": "path"}
"""How a case names a fact of a decision, where the name differs."""


def at(value: Any, path: str) -> Any:
    """What stands at a path such as `items/0/id`."""
    for step in path.split("/"):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def differ(what: str, found: object, expected: object) -> list[str]:
    """A miss where two values differ, numbers and their types included. Says nothing of the values."""
    same = json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)
    return [] if same else [f"{what} differs"]


def reported(case: Case, report: ostinato.ReplayReport) -> list[str]:
    """A miss for every row of the case's report that no decision answers, fact by fact."""
    decisions = [decision.to_dict() for decision in report.decisions]
    misses = []
    for row in case["then"].get("report", []):
        wanted = {SAID.get(name, name): fact for name, fact in row.items()}
        if not any(all(decision.get(name) == fact for name, fact in wanted.items()) for decision in decisions):
            misses.append(f"not reported: {row['code']}")
    return misses


def refused(case: Case, error: ostinato.PrepareError | ostinato.ReplayError) -> list[str]:
    """Where an error is not the one that the case expects, or the case expects none."""
    wanted = case["then"].get("error")
    if wanted is None:
        return [f"refused: {error.code}"]
    said = {"code": error.code, "at": error.path}
    return [f"error {name} differs" for name, value in wanted.items() if said.get(name, value) != value]


def absent(case: Case, *values: object) -> list[str]:
    """Where something is left that the case wants nowhere."""
    shown = "".join(f"{value!r}{value}" for value in values)
    shown += "".join(_json(value) for value in values)
    return [f"left: {len(text)} characters" for text in case["then"].get("absent", []) if text in shown]


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except TypeError:  # a report or an error, of which only what it prints counts
        return ""
