"""The uses that mypy checks run as they stand."""

from __future__ import annotations

import inspect
import pathlib
import re
from collections.abc import Callable

import pytest

import ostinato
from tests.typing import api, conversations


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
        conversations.requests,
        conversations.rules,
        conversations.histories,
        conversations.wires,
        conversations.clients,
    ],
)
def test_use(use: Callable[[], object]) -> None:
    """What has these types when it is checked works when it runs."""
    use()


def test_sessions(tmp_path: pathlib.Path) -> None:
    """So do sessions, which need a folder."""
    api.sessions(str(tmp_path / "sessions"))
    conversations.stored(str(tmp_path / "sessions"))


def test_health(tmp_path: pathlib.Path) -> None:
    """So does what examines files."""
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(conversations.SAVED)
    conversations.health(str(path))


def test_every_public_name_is_used() -> None:
    """A name that is added to the package has a type that is looked at; errors have the types of their bases."""
    used = "".join(inspect.getsource(module) for module in (api, conversations))
    names = [name for name in ostinato.__all__ if not name.startswith("__") and not _is_error(getattr(ostinato, name))]
    assert [name for name in names if not re.search(rf"ostinato\.{name}\b", used)] == []


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)


def test_mistakes() -> None:
    """What a checker refuses raises when it runs all the same."""
    assert api.mistakes() == [AttributeError, TypeError, TypeError, TypeError]
