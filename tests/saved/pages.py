"""The table of docs/load.md, as the code has it. `python tests/saved/pages.py` writes it into the page."""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "load.md"
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "python")]

import ostinato  # noqa: E402

TABLE = re.compile(r"(<!-- table: findings -->\n).*?(<!-- end -->)", re.DOTALL)


def written(page: str) -> str:
    """The page with its table as it should be."""
    rows = [f"| `{code}` | {sentence} |" for code, sentence in ostinato.FINDING_CODES.items()]
    table = "\n".join(["| code | it says |", "| --- | --- |", *rows])
    return TABLE.sub(lambda found: f"{found[1]}{table}\n{found[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
