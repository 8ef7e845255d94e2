"""The prefix guard says where a request first differs from the one before it, and nothing of what it holds."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostinato import PrefixChangedError, PrefixChangedWarning
from ostinato.prefix import PrefixChange, PrefixGuard, first_difference
from tests.client.provider import Provider, responses
from tests.client.test_history import client_of, run, say

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    """Equal values have no first difference."""
    assert first_difference(value, value) is None


@given(JSON, JSON)
def test_values_that_are_written_differently_have_a_first_difference(one: Any, other: Any) -> None:
    """Key order, and the spelling of numbers, count as the wire's bytes do."""
    assert (first_difference(one, other) is None) == (json.dumps(one) == json.dumps(other))


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ({"a": [{"t": "abc"}]}, {"a": [{"t": "abd"}]}, ("a/0/t", 2)),
        ({"a": 1}, {"a": 1.0}, ("a", None)),
        ({"a": 1}, {"a": True}, ("a", None)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, ("b", None)),
        ([1], [1, 2], ("1", None)),
        ({"a": 1}, {"a": 1, "b": 2}, ("b", None)),
    ],
)
def test_the_first_difference_has_a_path_and_an_offset(old: Any, new: Any, place: Any) -> None:
    """The place is the first one in reading order."""
    assert first_difference(old, new) == place


def test_a_shortened_conversation_changed_where_it_ends() -> None:
    """A message that is missing is a change at its place."""
    guard = PrefixGuard()
    guard.remember({}, [["a"], ["b"]])
    change = guard.change({}, [["a"]])
    assert change is not None
    assert (change.message, change.kept, change.now) == (1, 1, "")


def test_a_changed_system_prompt_is_told_apart_from_a_changed_message(server: Provider) -> None:
    """What stands before the messages is part of the prefix; the warning does not quote it."""
    server.play(responses(), responses())

    async def scene() -> None:
        client = client_of(server)
        await say(client, "a", config={"system_prompt": "Be brief."})
        with pytest.warns(PrefixChangedWarning, match="instructions, character 3") as caught:
            await say(client, "b", config={"system_prompt": "Be kind."})
        assert "kind" not in str(caught[0].message)

    run(server, scene)


def test_raise_refuses_before_anything_is_sent(server: Provider) -> None:
    """The caller who wants no cache miss gets an error with the place, and the history stays."""
    server.play(responses())
    tool = {"name": "look", "description": "d"}

    async def scene() -> None:
        client = client_of(server, on_prefix_change="raise")
        await say(client, "a")
        with pytest.raises(PrefixChangedError) as caught:
            await say(client, "b", config={"tools": [tool]})
        assert isinstance(caught.value.change, PrefixChange)
        assert caught.value.change.path == "tools"
        assert len(client.get_history()) == 2

    run(server, scene)
    assert len(server.requests) == 1


def test_a_callback_gets_the_change(server: Provider) -> None:
    """Whoever keeps count of cache misses passes a function."""
    server.play(responses(), responses())
    seen: list[PrefixChange] = []

    async def scene() -> None:
        client = client_of(server, on_prefix_change=seen.append)
        await say(client, "a")
        await say(client, "b", config={"system_prompt": "x"})

    run(server, scene)
    assert [change.path for change in seen] == ["instructions"]
