"""A few hundred damaged files with every run; `python -m tests.store.fuzz 10000` is the long one."""

import pytest

from tests.store.fuzz import DAMAGES, fuzz


@pytest.mark.parametrize("seed", [1, 2])
def test_damage_loses_nothing_that_is_still_there(seed: int) -> None:
    """Nothing is raised but by name, nothing is read that was not written, and a writer goes on."""
    tally = fuzz(150, seed)
    assert tally["files"] == 150
    assert tally["turns read"] > 300
    assert all(tally[f"damage: {kind}"] for kind in DAMAGES)
