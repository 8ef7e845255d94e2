"""Every promise of SECURITY.md names tests, and they exist."""

from __future__ import annotations

import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISES = re.findall(r"^\| \*\*(.+?)\*\*.* \| (.+) \|$", PAGE, re.MULTILINE)
NAMED = sorted(set(re.findall(r"`(tests/[^`]+)`", PAGE)))


def test_every_promise_names_its_tests() -> None:
    """A promise that nothing holds anybody to is none."""
    assert len(PROMISES) >= 10
    for promise, tests in PROMISES:
        assert "`tests/" in tests, promise


@pytest.mark.parametrize("named", NAMED)
def test_the_named_tests_exist(named: str) -> None:
    """A test that was renamed is renamed on the page, too."""
    file, _, name = named.partition("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert name in functions if name else any(function.startswith("test_") for function in functions)
