"""The closed list of codes, the table of destinations, and the page that shows both."""

import re
from itertools import pairwise

import pytest

import ostinato
from tests.policy import pages

SOURCES = "".join(
    path.read_text(encoding="utf-8")
    for path in (pages.ROOT / "python" / "ostinato").rglob("*.py")
    if path.name != "decision.py"
)
CELLS = [
    pytest.param(profile, rule, cell, id=f"{profile.name}-{rule}")
    for profile in ostinato.PROFILES.values()
    for rule, cell in profile.cells()
]


def test_codes_stand_in_order() -> None:
    """A new code has one right place in the list."""
    assert all(before < after for before, after in pairwise(ostinato.DECISION_CODES))


@pytest.mark.parametrize("code", ostinato.DECISION_CODES)
def test_code_is_used(code: str) -> None:
    """What is listed can be met."""
    assert f'"{code}"' in SOURCES


@pytest.mark.parametrize(("code", "sentence"), ostinato.DECISION_CODES.items())
def test_code_has_a_sentence(code: str, sentence: str) -> None:
    """A code is a slug, and says in a sentence or two what it means."""
    assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", code)
    assert sentence[0].isupper()
    assert sentence.endswith(".")


def test_page_shows_the_tables_as_they_are() -> None:
    """`python tests/policy/pages.py` writes them: a new code or profile is on the page."""
    page = pages.PAGE.read_text(encoding="utf-8")
    assert sorted(pages.named(page)) == sorted(pages.tables())
    assert pages.written(page) == page


@pytest.mark.parametrize(("profile", "rule", "cell"), CELLS)
def test_rule_has_a_source(profile: ostinato.Profile, rule: str, cell: ostinato.Cell[object]) -> None:
    """Whoever reads a row can look up who says so and when it was seen."""
    assert ostinato.PROFILES[profile.name] is profile
    assert len(cell.source) > 10, rule
    assert re.fullmatch(r"20\d\d-\d\d", cell.seen), rule
