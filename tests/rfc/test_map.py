"""The map of the RFC in docs/rfc-0004.md: every rule has its tests, and every test its rule."""

import ast
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "rfc-0004.md"

# How many sentences of each section say MUST or MUST NOT.
MUSTS = {"3": 3, "4": 1, "5": 1, "6.1": 1, "6.2": 1, "6.4": 2, "6.5": 2}


class Rule(NamedTuple):
    """One row of the page."""

    section: str
    text: str
    tests: list[str]


def rules() -> list[Rule]:
    """The rows of both tables."""
    rows = (line.strip("|").split("|") for line in PAGE.read_text().splitlines() if line.startswith("|"))
    cells = ([cell.strip() for cell in row] for row in rows)
    return [Rule(row[0], row[1], re.findall(r"`(test_\w+)`", row[2])) for row in cells if row[0][:1].isdigit()]


def written() -> set[str]:
    """The tests that are there."""
    trees = [ast.parse(path.read_text()) for path in FOLDER.glob("test_rfc_*.py")]
    return {
        node.name
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name[:5] == "test_"
    }


def test_every_must_of_the_rfc_is_on_the_page() -> None:
    """As many as the RFC has, section by section."""
    assert Counter(rule.section for rule in rules() if re.search(r"\bMUST\b", rule.text)) == MUSTS


def test_every_rule_has_tests_that_exist_and_are_named_after_its_section() -> None:
    """A test that was renamed or removed leaves its rule without one."""
    for rule in rules():
        assert rule.tests
        assert set(rule.tests) <= written()
        assert all(name.startswith(f"test_{rule.section.replace('.', '_')}_") for name in rule.tests)


def test_every_test_stands_for_a_rule() -> None:
    """The page leaves none out."""
    assert written() == {name for rule in rules() for name in rule.tests}
