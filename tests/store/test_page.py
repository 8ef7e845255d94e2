"""The page of the sessions has the tables of the code."""

import pathlib

from ostinato.error_codes import STORE_CODES
from ostinato.store import SESSION_FINDING_CODES

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "sessions.md"


def tables() -> list[list[str]]:
    """What the page must say of findings and of errors."""
    findings = [f"| `{code}` | {meaning} |" for code, meaning in SESSION_FINDING_CODES.items()]
    refusals = [f"| `{code}` | {what} | {advice} |" for code, (what, advice) in sorted(STORE_CODES.items())]
    return [findings, refusals]


def test_the_page_lists_every_code_with_its_meaning() -> None:
    """Findings and errors, each in one table, in the order of the alphabet."""
    text = PAGE.read_text(encoding="utf-8")
    for rows in tables():
        assert "\n".join(rows) + "\n" in text
