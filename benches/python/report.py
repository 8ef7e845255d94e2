"""Turns a record into tables: goals against results, then every row.

python benches/python/report.py benches/record/2026-11-30.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

COLUMNS = ("fast_agent", "orjson_tuned", "msgspec", "pydantic", "load_json")
HEADINGS = ("fast-agent codec", "orjson + tuned", "msgspec", "pydantic", "fast-agent loader")


def number(value: float) -> str:
    """Two significant places below ten, whole numbers above."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield "| " + " | ".join(headings) + " |"
    yield "|" + "---|" * len(list(headings))
    yield from ("| " + " | ".join(row) + " |" for row in rows)


def goals(record: dict[str, Any]) -> Iterator[str]:
    """Result / goal for every goal; a missed one is bold."""
    grouped: dict[tuple[str, ...], dict[str, str]] = {}
    for verdict in record["verdicts"]:
        key = tuple(verdict[name] for name in ("operation", "size", "charset", "input"))
        text = f"{number(verdict['ratio'])} / {number(verdict['goal'])}"
        grouped.setdefault(key, {})[verdict["peer"]] = text if verdict["reached"] else f"**{text}**"
    rows = [(*key, *(cells.get(peer, "") for peer in COLUMNS)) for key, cells in grouped.items()]
    yield from _table(("operation", "size", "text", "input", *HEADINGS), rows)


def times(record: dict[str, Any]) -> Iterator[str]:
    """Every measured row: our time, and the ratios with their 10-90 % range."""
    grouped: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in record["rows"]:
        key = tuple(str(row.get(name, "")) for name in ("operation", "size", "charset", "input"))
        grouped.setdefault(key, {})[row["peer"]] = row
    rows = []
    for key, cells in grouped.items():
        first = next(iter(cells.values()))
        ratios = (
            f"{number(cells[peer]['ratio'])} ({number(cells[peer]['p10'])}-{number(cells[peer]['p90'])})"
            if peer in cells
            else ""
            for peer in COLUMNS
        )
        rows.append((*key, f"{first['ours']:,} {first['unit']}", *ratios))
    yield from _table(("operation", "size", "text", "input", "ours", *HEADINGS), rows)


def facts(record: dict[str, Any]) -> Iterator[str]:
    """Single figures that are no ratios to a peer."""
    for name, value in record["figures"].items():
        yield f"- {name}: {value}"


def main() -> int:
    """Print the tables of a record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=Path)
    parser.add_argument("--all", action="store_true", help="every row too, not only the goals")
    options = parser.parse_args()
    record = json.loads(options.record.read_text())
    print("\n".join(goals(record)))
    print()
    print("\n".join(facts(record)))
    if options.all:
        print()
        print("\n".join(times(record)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
