"""docs/seed-tests.md: every item of the lists has its tests, and every test stands for an item."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "seed-tests.md"
ELSEWHERE = (ROOT / "tests" / "rfc", ROOT / "tests" / "peers" / "openai_sdk")
# How many items each list has; of the mocked transport, the lines that ask for something to hold.
ITEMS = {
    "Canonicalization": 9,
    "Multi-item replay": 5,
    "Strict reader": 5,
    "Provider compatibility": 5,
    "Deduplication": 5,
    "Persistence and security": 7,
    "Payload regression": 5,
    "Mocked transport integration": 7,
}


def rows() -> list[tuple[str, list[str]]]:
    """The list that a row is of, and its tests."""
    found, heading = [], ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        heading = line.removeprefix("## ") if line.startswith("## ") else heading
        if line.startswith("| ") and not line.startswith("| required"):
            found.append((heading, re.findall(r"`(test_\w+)`", line)))
    return found


def written(*folders: Path) -> set[str]:
    """The tests that are there."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for folder in folders for path in folder.glob("test_*.py")]
    functions = [node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name for node in functions if node.name.startswith("test_")}


def test_every_item_of_the_lists_is_on_the_page() -> None:
    """List by list."""
    assert Counter(heading for heading, _tests in rows()) == ITEMS


def test_every_item_has_tests_that_exist() -> None:
    """A test that was renamed or removed leaves its item without one."""
    there = written(Path(__file__).parent, *ELSEWHERE)
    for _heading, tests in rows():
        assert tests
        assert set(tests) <= there


def test_every_test_stands_for_an_item() -> None:
    """The page leaves none out."""
    named = {name for _heading, tests in rows() for name in tests}
    mine = {
        name
        for name in written(Path(__file__).parent)
        if not name.endswith(("_on_the_page", "_that_exist", "_for_an_item"))
    }
    assert mine <= named
