"""docs/doctor.md says what the tables in the code say."""

from __future__ import annotations

import re
from pathlib import Path

from ostinato.diagnosis import SYMPTOMS, VERDICTS

PAGE = (Path(__file__).parents[2] / "docs" / "doctor.md").read_text(encoding="utf-8")


def rows(name: str) -> list[list[str]]:
    """The rows of a table of the page, without its head."""
    found = re.search(rf"<!-- table: {name} -->\n(.*?)<!-- end -->", PAGE, re.DOTALL)
    assert found is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()[2:]]


def test_every_verdict_is_on_the_page() -> None:
    """From good to bad."""
    assert rows("verdicts") == [[f"`{name}`", text] for name, text in VERDICTS.items()]


def test_every_symptom_is_on_the_page() -> None:
    """With its advice."""
    assert rows("symptoms") == [[f"`{name}`", kind.meaning, kind.advice] for name, kind in SYMPTOMS.items()]
