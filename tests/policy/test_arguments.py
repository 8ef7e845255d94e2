"""What a caller gets wrong about target and origin is told by name and place, before anything is decided."""

from __future__ import annotations

from typing import Any

import pytest

import ostinato

ITEMS = [{"role": "user", "content": "Is 7 prime?"}, {"role": "user", "content": "And 8?"}]


@pytest.mark.parametrize(
    ("target", "code", "path"),
    [
        ("opnai", "unknown_profile", ""),
        (None, "type_mismatch", "target"),
        (ostinato.PROFILES["openai"], "type_mismatch", "target"),
        (ostinato.Target(profile="openai"), "type_mismatch", "target/profile"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_target_is_refused(target: Any, code: str, path: str) -> None:
    """Whatever else it is."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.prepare(ITEMS, target)
    assert (caught.value.code, caught.value.path) == (code, path)


@pytest.mark.parametrize("origins", [[], [None], [None, None, None]])
def test_origins_that_do_not_fit_the_items_are_refused(origins: list[None]) -> None:
    """They would say of one item what is true of another."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.prepare(ITEMS, "openai", origin=origins)
    assert (caught.value.code, caught.value.path) == ("origins_differ", "origin")


def test_a_stream_of_another_wire_than_its_sender_speaks_is_refused() -> None:
    """The wire is known, and so is the destination; they do not go together."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.Capture("openai-responses", "anthropic")
    assert (caught.value.code, caught.value.path) == ("target_of_other_wire", "profile")
