"""The uses that mypy checks run as they stand."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

from tests.typing import api


@pytest.mark.parametrize(
    "use",
    [
        api.capture,
        api.attributes,
        api.store_and_read,
        api.provider_input,
        api.identity,
        api.diagnostics,
        api.streams_and_requests,
        api.errors,
    ],
)
def test_use(use: Callable[[], object]) -> None:
    """What has these types when it is checked works when it runs."""
    use()


def test_sessions(tmp_path: pathlib.Path) -> None:
    """So do sessions, which need a folder."""
    api.sessions(str(tmp_path / "sessions"))


def test_mistakes() -> None:
    """What a checker refuses raises when it runs all the same."""
    assert api.mistakes() == [AttributeError, TypeError, TypeError, TypeError]
