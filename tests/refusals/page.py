"""The table of docs/explain.md, as the code has it. `python tests/refusals/page.py` writes it into the page."""

from __future__ import annotations

import pathlib
import re
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "explain.md"
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "python"), str(ROOT)]

from ostinato.refusals.patterns import PATTERNS  # noqa: E402

TABLE = re.compile(r"(<!-- table -->\n).*?(<!-- end -->)", re.DOTALL)


def table() -> Iterator[str]:
    """One row per refusal."""
    yield "| refusal of | code | reason | action | reported in |"
    yield "| --- | --- | --- | --- | --- |"
    for row in PATTERNS:
        where = row.profile or row.wire or "several"
        yield f"| `{where}` | `{row.code}` | {row.reason or ''} | `{row.action}` | {row.source} |"


def written(page: str) -> str:
    """The page with its table as it should be."""
    fresh = "\n".join(table())
    return TABLE.sub(lambda found: f"{found[1]}{fresh}\n{found[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
