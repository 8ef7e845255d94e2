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
    pair = next((names for names in PAIRS if given.keys() >= set(names)), None)
    if pair is None or case["when"] not in ("replay", "measure"):
        raise NotImplementedError("no two requests")
    found = ostinato.diff(*(_body(given[name]) for name in pair))
    output = case["then"]["output"]
    unknown = output.keys() - FIGURES.keys()
    if unknown:
        raise NotImplementedError(f"no figure {sorted(unknown)}")
    wrong = [miss for name, expected in output.items() for miss in differ(name, FIGURES[name](found), expected)]
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
    "first_difference": lambda found: found.path,
    "first_differing_byte": _offset,
    "offset": _offset,
    "changed": _changed,
}
