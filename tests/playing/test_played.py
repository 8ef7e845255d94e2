"""The cases of this repository, as the runner plays them."""

import json
import pathlib

import pytest

from tests.run_cases import play

CASES = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((pathlib.Path(__file__).parents[1] / "cases").glob("*.json"))
}


@pytest.mark.parametrize("name", CASES)
def test_no_case_is_missed(name: str) -> None:
    """A case that has a player is played right; `tests/run_cases.py` names those that have none."""
    verdict, reason = play(CASES[name])
    assert verdict != "MISS", reason
