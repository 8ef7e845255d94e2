"""The tables of docs/policy.md, as the code has them. `python tests/policy/pages.py` writes them into the page."""

from __future__ import annotations

import pathlib
import re
import sys
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "policy.md"
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "python"), str(ROOT)]

import ostinato  # noqa: E402

TABLE = re.compile(r"(<!-- table: ([a-z0-9-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def tables() -> dict[str, str]:
    """Every table of the page by its name."""
    by_wire = {f"profiles-{wire}": "\n".join(_profiles(wire)) for wire in _wires()}
    return {"codes": "\n".join(_codes()), **by_wire}


def written(page: str) -> str:
    """The page with its tables as they should be."""
    fresh = tables()
    return TABLE.sub(lambda found: f"{found[1]}{fresh[found[2]]}\n{found[3]}", page)


def named(page: str) -> list[str]:
    """The tables that the page has."""
    return [found[2] for found in TABLE.finditer(page)]


def _codes() -> Iterator[str]:
    yield "| code | it says |"
    yield "| --- | --- |"
    for code, sentence in ostinato.DECISION_CODES.items():
        yield f"| `{code}` | {sentence} |"


def _wires() -> list[str]:
    return list(dict.fromkeys(profile.wire for profile in ostinato.PROFILES.values()))


def _profiles(wire: str) -> Iterator[str]:
    """Each rule with its values, the destinations that have them, and who says so."""
    rows = [profile for profile in ostinato.PROFILES.values() if profile.wire == wire]
    rules = [name for name, _cell in rows[0].cells()]
    yield "| rule | value | destinations | source | seen |"
    yield "| --- | --- | --- | --- | --- |"
    for rule in rules:
        where: dict[tuple[str, str, str], list[str]] = {}
        for profile in rows:
            cell = dict(profile.cells())[rule]
            value = _value(cell.value) + ("" if cell.certain else " (?)")
            where.setdefault((value, cell.source, cell.seen), []).append(f"`{profile.name}`")
        for (value, source, seen), names in where.items():
            everywhere = "all" if len(names) == len(rows) else ", ".join(names)
            yield f"| `{rule}` | {value} | {everywhere} | {source.replace('|', '/')} | {seen} |"


def _value(value: Any) -> str:
    """A value as a reader of the table needs it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in {(), ""}:
        return "none"
    if not isinstance(value, tuple):
        return str(value)
    return ", ".join(": ".join(part) if isinstance(part, tuple) else str(part) for part in value)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
