"""Cases about two requests, or two spellings of one stored text: how far they are the same."""

from __future__ import annotations

from typing import Any

import ostinato
from tests.playing.verdict import Case, absent, differ

PAIRS = (("previous", "now"), ("previous_request", "request"), ("first", "second"), ("before", "after"), ("a", "b"))
"""Under which names a case gives two requests, or their items."""


def play(case: Case) -> list[str]:
    """What is wrong with what is said about the two."""
    given = case["given"]
    two = next(
        ([given[name] for name in names] for names in PAIRS if given.keys() >= set(names)), given.get("requests")
    )
    if case["when"] not in ("replay", "measure") or not isinstance(two, list) or len(two) != len(PAIRS[0]):
        raise NotImplementedError("no two requests")
    if not all(isinstance(one, dict | list) for one in two):
        raise NotImplementedError("no two requests")
    found = ostinato.diff(*map(_body, two))
    output = case["then"]["output"]
    unknown = output.keys() - FIGURES.keys()
    if unknown:
        raise NotImplementedError(f"no figure {sorted(unknown)}")
    wrong = []
    for name, expected in output.items():
        figure = FIGURES[name](found)
        if isinstance(expected, dict):  # a place, fact by fact
            figure = {part: FIGURES[part](found) if part in FIGURES else None for part in expected}
        wrong += differ(name, figure, expected)
    return wrong + absent(case, found)


def _body(value: Any) -> Any:
    """A request; bare messages are those of one."""
    is_list = isinstance(value, list) and value and isinstance(value[0], dict) and "role" in value[0]
    return {"messages": value} if is_list and "type" not in value[0] else value


def _offset(found: ostinato.Diff) -> int | None:
    return None if found.change is None else found.change.offset


def _changed(found: ostinato.Diff) -> list[str | None]:
    return [] if found.change is None else [found.path]


FIGURES: dict[str, Any] = {
    "prefix_equal": lambda found: found.is_prefix,
    "common_prefix_messages": lambda found: found.common,
    "common_prefix": lambda found: found.common,
    "common_prefix_length": lambda found: found.common,
    "equal": lambda found: found.relation == "equal",
    "identical": lambda found: found.relation == "equal",
    "first_difference": lambda found: found.path,
    "path": lambda found: found.path,
    "at": lambda found: found.path,
    "message": lambda found: None if found.change is None else found.change.message,
    "first_differing_message": lambda found: None if found.change is None else found.change.message,
    "byte": _offset,
    "first_differing_byte": _offset,
    "offset": _offset,
    "changed": _changed,
}
