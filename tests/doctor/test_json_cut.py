"""Cutting pieces out of a JSON text."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostinato.json_cut import cut

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)
STYLES: tuple[dict[str, Any], ...] = ({}, {"separators": (",", ":")}, {"indent": 2}, {"ensure_ascii": False})


def places(value: Any, prefix: str = "") -> list[str]:
    """Every path in a value whose steps can be told from each other."""
    inside = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    found = []
    for step, part in inside:
        if "/" not in str(step):
            found += [f"{prefix}{step}", *places(part, f"{prefix}{step}/")]
    return found


def expected(value: Any, path: str) -> Any:
    """The value without what stands at a path."""
    changed = copy.deepcopy(value)
    *above, last = path.split("/")
    holder = changed
    for step in above:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    del holder[int(last) if isinstance(holder, list) else last]
    return changed


@given(JSON, st.sampled_from(STYLES), st.data())
def test_the_rest_is_what_it_was(value: Any, style: dict[str, Any], data: st.DataObject) -> None:
    """Whatever the spelling, one piece is gone and nothing else."""
    text = json.dumps(value, **style)
    there = places(value)
    if not there:
        assert cut(text, ["0", "x/y"]) == text
        return
    path = data.draw(st.sampled_from(there))
    assert json.loads(cut(text, [path])) == expected(value, path)


@pytest.mark.parametrize(
    ("text", "paths", "left"),
    [
        ("[1, 2 ,3]", ["0"], "[ 2 ,3]"),
        ("[1,2,3]", ["2"], "[1,2]"),
        ("[1,2,3]", ["0", "1", "2"], "[]"),
        ('{"a": 1.0, "b": [1e5, "\\u00e9"]}', ["a"], '{ "b": [1e5, "\\u00e9"]}'),
        ('{"a":{"b":[{"c":1},{"c":2}]}}', ["a/b/0", "a/b/1/c"], '{"a":{"b":[{}]}}'),
        ("[\n  1,\n  2\n]\n", ["1"], "[\n  1\n]\n"),
        ('{"a":1}', ["b", "a/b", "0"], '{"a":1}'),
        ('{"a":[1]}', ["a", "a/0"], "{}"),
        ("7", ["0"], "7"),
    ],
)
def test_bytes_beside_it_stay(text: str, paths: list[str], left: str) -> None:
    """Numbers, escapes and spaces are those of the text."""
    assert cut(text, paths) == left


@pytest.mark.parametrize("text", ["", "[", "[1", '{"a"', '{"a":', "[1 2]"])
def test_no_json_is_refused(text: str) -> None:
    """By the error of the standard library."""
    with pytest.raises(ValueError, match=r"Expecting|Extra"):
        cut(text, ["0/0"])
