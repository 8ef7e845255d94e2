"""`check_json`: what no JSON text could carry is refused, with its place."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def refusal(value: Any) -> tuple[str, str, int | None] | None:
    """Code, path and offset of what is wrong with a value."""
    try:
        ostinato.check_json(value)
    except ostinato.ReplayError as error:
        return error.code, error.path, error.offset
    return None


def test_unicode_lone_surrogate_capture() -> None:
    """Half of a pair in the arguments of a call is found before they are stored, with its place."""
    call = json.loads('{"type":"tool_use","id":"toolu_1","name":"ask","input":{"d":"x\\ud99c y"}}')
    assert refusal(call) == ("lone_surrogate", "input/d", 1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": [1, {"b": math.nan}]}, ("not_finite", "a/1/b", None)),
        ({"a": 10**5000}, ("too_large", "a", None)),
        ({"a": {1: 2}}, ("type_mismatch", "a", None)),
        ({"a": b"x"}, ("type_mismatch", "a", None)),
        ({"a": {"\ud800": 1}}, ("lone_surrogate", "a", None)),
        ({"no name of a field": "\ud800"}, ("lone_surrogate", "<key of 18 bytes>", 0)),
    ],
)
def test_what_json_cannot_hold_has_a_place(value: Any, expected: tuple[str, str, int | None]) -> None:
    """Numbers, keys and types that are not JSON's, and no key that could be content."""
    assert refusal(value) == expected


def test_depth_is_limited_and_loops_end() -> None:
    """A value that contains itself is deeper than any limit."""
    loop: list[Any] = []
    loop.append(loop)
    assert refusal(loop) == ("too_deep", "", None)


@given(VALUES)
def test_what_passes_can_be_written_and_read_back(value: Any) -> None:
    """A value without a fault survives UTF-8 JSON; one with a fault does not."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        assert refusal(value) is not None
    else:
        assert refusal(value) is None
        assert json.loads(text) == value
