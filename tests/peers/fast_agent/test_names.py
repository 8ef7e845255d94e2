"""The drop-in module has every public name of the modules whose place it takes, with the same signatures and types."""

from __future__ import annotations

import inspect
import types
import typing
from typing import Any

import pytest
from fast_agent.llm.provider.openai import compaction_replay, reasoning_replay

from ostinato.compat import fast_agent as compat


def public_names(module: types.ModuleType) -> dict[str, Any]:
    """What a module defines itself, apart from its private names."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not isinstance(value, types.ModuleType)
        and getattr(value, "__module__", module.__name__) == module.__name__
        and name != "annotations"
    }


NAMES = public_names(reasoning_replay) | public_names(compaction_replay)
FUNCTIONS = [name for name, value in NAMES.items() if inspect.isfunction(value)]
TYPES = [name for name, value in NAMES.items() if typing.is_typeddict(value)]
CONSTANTS = sorted(NAMES.keys() - {*FUNCTIONS, *TYPES})


def test_names_are_the_same() -> None:
    """No name is missing, and none is added."""
    assert set(compat.__all__) == set(NAMES)
    assert (len(FUNCTIONS), len(TYPES), len(CONSTANTS)) == (5, 6, 4)


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_the_same(name: str) -> None:
    """Constants have the same value and type."""
    ours, theirs = getattr(compat, name), NAMES[name]
    assert (type(ours), ours) == (type(theirs), theirs)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_the_same(name: str) -> None:
    """Parameters have the same names, kinds and annotations."""
    assert inspect.signature(getattr(compat, name)) == inspect.signature(NAMES[name])


@pytest.mark.parametrize("name", TYPES)
def test_types_have_the_same_fields(name: str) -> None:
    """Typed dicts require and allow the same fields of the same types."""
    ours, theirs = getattr(compat, name), NAMES[name]
    assert ours.__required_keys__ == theirs.__required_keys__
    assert ours.__optional_keys__ == theirs.__optional_keys__
    assert described(ours) == described(theirs)


def described(shape: type) -> dict[str, str]:
    """Fields and their types; the types of one module and of the other are told by their names alone."""
    hints = typing.get_type_hints(shape)
    return {name: str(hint).replace(compat.__name__, "").replace(shape.__module__, "") for name, hint in hints.items()}
