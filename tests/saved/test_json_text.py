"""JSON as files hold it: a stream of values, wherever its lines end."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostinato.saved import json_text
from ostinato.saved.json_text import Value, elements, parse, values

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('aé\n"\\\U0001f600', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(params=[json_text._WINDOW, 1, 7])
def _window(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with other amounts of text at a time."""
    monkeypatch.setattr(json_text, "_WINDOW", request.param)


def read(data: bytes) -> list[tuple[int, Any]]:
    """Line, and value or fault, of each value."""
    return [(value.line, value.fault or value.value) for value in values(data)]


@pytest.mark.usefixtures("_window")
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b" \n\t\r\n", []),
        (b'\xef\xbb\xbf{"a":1}', [(1, {"a": 1})]),
        (b'{"a":1}\n\n{"b":2}', [(1, {"a": 1}), (3, {"b": 2})]),
        (b'{"a":1}{"b":2}\n[3]', [(1, {"a": 1}), (1, {"b": 2}), (2, [3])]),
        (b'{\n "a": [\n  1\n ]\n}\n{"b":2}\n', [(1, {"a": [1]}), (6, {"b": 2})]),
        (b'{"a":1}\n{"b":\n', [(1, {"a": 1}), (2, "truncated_line")]),
        (b'{"a":1}\n{"b":"\xe4', [(1, {"a": 1}), (2, "truncated_line")]),
        (b'{"a":1}\n{b}\n{"c":3}\n', [(1, {"a": 1}), (2, "unreadable_line"), (3, {"c": 3})]),
        (b'{"a":1,"a":2}\n1', [(1, "duplicate_key"), (2, 1)]),
        (b'{"a":NaN}\n1e999\n1', [(1, "not_finite"), (2, "not_finite"), (3, 1)]),
        (b'"\xff"\n1', [(1, "not_utf8"), (2, 1)]),
        (b'"\\ud83d"\n"\\ud83d\\ude00"', [(1, "lone_surrogate"), (2, "\U0001f600")]),
        (b"[" * 300 + b"]" * 300 + b"\n1", [(1, "too_deep"), (2, 1)]),
        (b"[" * 200 + b"]" * 200 + b"\n1", [(1, json.loads("[" * 200 + "]" * 200)), (2, 1)]),
        (b"1" * 5000 + b"\n1", [(1, "unreadable_line"), (2, 1)]),
    ],
)
def test_values_are_read_or_named(data: bytes, expected: list[tuple[int, Any]]) -> None:
    """Each value with its line; a damaged one costs its line, and reading goes on behind it."""
    assert read(data) == expected


@pytest.mark.usefixtures("_window")
def test_half_of_a_pair_has_a_place() -> None:
    """Path and offset of the character."""
    (found,) = values(b'{"a": [1, {"b": "xy\\ud800"}]}')
    assert found.place is not None
    assert (found.place.path, found.place.offset) == ("a/1/b", 2)


@given(st.lists(st.tuples(JSON, st.sampled_from([None, 1])), max_size=6), st.sampled_from(["\n", "\n\n", " \n"]))
def test_bytes_of_a_value_are_its_text(written: list[tuple[Any, int | None]], between: str) -> None:
    """Whatever the layout: the range of a value parses to it, and lines count up."""
    data = between.join(json.dumps(value, indent=indent, ensure_ascii=False) for value, indent in written).encode()
    found: list[Value] = list(values(data))
    assert [value.value for value in found] == [value for value, _indent in written]
    for value in found:
        assert json.loads(data[value.start : value.stop]) == value.value
        assert value.line == data.count(b"\n", 0, value.start) + 1


@given(st.lists(JSON, max_size=5), st.integers(1, 30))
def test_the_amount_of_text_at_a_time_changes_nothing(written: list[Any], window: int) -> None:
    """Long values take more of the file, short ones come one by one."""
    data = "\n".join(json.dumps(value, indent=1) for value in written).encode() + b"\n{"
    whole = list(values(data))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(json_text, "_WINDOW", window)
        assert list(values(data)) == whole


def test_elements_are_those_before_the_damage() -> None:
    """Of a list in a document that is cut."""
    data = b'{"x": 1, "list": [{"a": "\xc3\xa9"},\n [2], {"c": '
    found = list(elements(data, "list"))
    assert [value.fault or value.value for value in found] == [{"a": "é"}, [2], "truncated_line"]
    assert json.loads(data[found[1].start : found[1].stop]) == [2]
    assert list(elements(data, "other")) == []


@pytest.mark.parametrize("text", ["", " ", "1 2", "{", "[1] x"])
def test_a_text_is_one_value_or_none(text: str) -> None:
    """What is in a string is a whole JSON text."""
    assert parse(text).fault is not None
