"""The recorded behaviour of fast-agent 0.10.48, on both surfaces."""

from __future__ import annotations

import pathlib

import pytest

from tests.compat.fast_agent_vectors import STEPS, SURFACES, NotReachableError, Vector, load, play

FOLDER = pathlib.Path(__file__).parents[1] / "vectors" / "fast-agent"
VECTORS = list(load(FOLDER))

# Texts that end inside Python's own JSON reader, so that the drop-in module never sees them.
UNREACHABLE = {
    "parse/version_int_over_digit_limit",
    "poison records/nested_object_200000_deep",
    "poison records/nested_list_in_unknown_200000",
}


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_outcome_is_the_recorded_one_or_a_noted_difference(vector: Vector, surface: str) -> None:
    """Each input gives what fast-agent gave, or what differences.json allows instead."""
    if surface == "compat" and vector.name in UNREACHABLE:
        with pytest.raises(NotReachableError):
            play(vector, surface)
        return
    got = play(vector, surface)
    assert vector.accepts(surface, got), f"got {got}; recorded {vector.recorded}"


def test_every_family_is_played() -> None:
    """No family of vectors is left out by a change of its name."""
    assert {vector.name.split("/")[0] for vector in VECTORS} == set(STEPS)
