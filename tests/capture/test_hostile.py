"""Whatever comes as an event, a capture gives a result that can be stored, and says nothing of what it held."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import examples
from tests.capture.streams import RECORDED, capture, events, wire

MARK = "MARKER-of-state"
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.integers(5000, 5000).map(lambda digits: 10**digits),
    st.just(float("nan")),
    st.just("\ud83d"),
    st.just(MARK),
    st.just(b"\x00\xff"),
    st.just(object()),
)
NAMES = sorted(
    {
        name
        for recorded in RECORDED
        for event in events(recorded)
        for name in json.dumps(event).split('"')
        if name.replace("_", "").isalpha() and len(name) < 24
    }
)
VALUES = st.recursive(
    LEAVES | st.sampled_from(NAMES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


def check(wire: str, stream: list[Any]) -> None:
    """A result, which prints no state, and whose items are JSON."""
    captured = capture(wire, stream)
    shown = f"{captured!r}{captured.report}{captured.report.to_dict()}"
    assert MARK not in shown
    if wire != "bedrock-converse":
        json.dumps(captured.items, allow_nan=False, ensure_ascii=False).encode()


@given(data=st.data(), name=st.sampled_from(sorted(RECORDED)))
@examples(100)
def test_damaged_streams_give_a_result(data: st.DataObject, name: str) -> None:
    """A real stream with something else in one of its places."""
    stream = copy.deepcopy(events(name))[:40]
    for _ in range(data.draw(st.integers(1, 3))):
        _damage(data, stream)
    check(wire(name), stream)


@given(st.sampled_from(sorted({wire(name) for name in RECORDED})), st.lists(VALUES, max_size=4))
@examples(100)
def test_any_values_give_a_result(wire: str, stream: list[Any]) -> None:
    """Events that no provider sends."""
    check(wire, stream)


def _damage(data: st.DataObject, stream: list[Any]) -> None:
    """Put a value of any kind in a place of the stream."""
    holder: Any = stream
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        inner = holder[key]
        if not isinstance(inner, (dict, list)) or data.draw(st.integers(0, 3)) == 0:
            holder[key] = data.draw(VALUES)
            return
        holder = inner


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_deep_values_give_a_result(name: str) -> None:
    """No event is too deep for a result, and none of it is kept."""
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    stream = events(name)[:10]
    for event in stream:
        check(wire(name), [*stream, {**event, "index": deep, "delta": deep, "item": deep, "candidates": deep}])


def test_damaged_block_is_not_kept() -> None:
    """A block that lost one of its pieces is not what the model made, whatever follows."""
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}
    stream = [
        start,
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": MARK}},
        {"type": "content_block_stop", "index": 0},
    ]
    captured = capture("anthropic-messages", stream)
    assert captured.items == []
    assert [made.code for made in captured.report.decisions] == ["incomplete_item", "unreadable_event"]
