"""Conversations to pass on: without state and marked, or with it and exact."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.exporting import WARNING, export_redacted, export_resumable
from ostinato.saved import EXPORT_MARK, Conversation, SavedTurn, load
from tests.doctor.sessions import CANARY, HEALTHY, rollout

SESSION = rollout(*HEALTHY)
STATE = "gAAAAAB"
TEXTS = st.text(max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ITEMS = st.lists(st.dictionaries(TEXTS, VALUES, max_size=3), max_size=6)
ORIGINS = st.none() | st.builds(ostinato.Origin, st.sampled_from(["openai", "xai"]), st.none() | st.just("api.x"))


def lines(data: bytes) -> list[Any]:
    """The records of an export."""
    return [json.loads(line) for line in data.splitlines()]


def same(one: Conversation, other: Conversation) -> bool:
    """Whether two conversations are the same, apart from where they were read."""
    return json.dumps(one.items) == json.dumps(other.items) and (
        one.wire,
        one.turns,
        one.origins,
        one.session,
        one.parent,
        one.system,
    ) == (other.wire, other.turns, other.origins, other.session, other.parent, other.system)


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Any conversation, in turns of any length."""
    items = draw(ITEMS)
    turns, start = [], 0
    while start < len(items):
        stop = draw(st.integers(start + 1, len(items)))
        role, origin = draw(st.sampled_from(["user", "assistant"])), draw(ORIGINS)
        turns.append(SavedTurn(role, range(start, stop), origin, draw(st.none() | st.just("resp_1"))))
        start = stop
    session = draw(st.none() | st.just("s"))
    return Conversation(
        format="codex", wire="openai-responses", items=items, turns=tuple(turns), session=session, system=draw(VALUES)
    )


@given(conversations())
def test_resumable_round_trip_is_exact(conversation: Conversation) -> None:
    """Items, turns, origins and instructions: spelling, key order and borders of turns included."""
    back = load(export_resumable(conversation))
    assert same(back, conversation)
    assert back.report.findings == ()
    assert export_resumable(replace(back, format="codex")) == export_resumable(conversation)


def test_resumable_export_prepares_as_its_session_does() -> None:
    """The same items for every target."""
    session, back = load(SESSION), load(export_resumable(load(SESSION)))
    for target in ("openai", "xai"):
        assert back.prepare(target).items == session.prepare(target).items


def test_resumable_export_warns_in_its_manifest() -> None:
    """In its first line, with what is in it."""
    mark = lines(export_resumable(load(SESSION)))[0][EXPORT_MARK]
    assert (mark["export"], mark["resumable"], mark["warning"]) == ("resumable", True, WARNING)
    assert (mark["turns"], mark["items"]) == (len(load(SESSION).turns), len(HEALTHY))


def test_redacted_export_holds_no_state() -> None:
    """Nor reasoning text, unless that is asked for; visible turns stay."""
    data = export_redacted(load(SESSION)).decode()
    assert STATE not in data
    assert f"{CANARY} summary" not in data
    assert f"{CANARY} answer" in data
    kept = export_redacted(load(SESSION), reasoning_text=True).decode()
    assert STATE not in kept
    assert f"{CANARY} summary" in kept


def test_redacted_export_has_lengths_and_digests_instead() -> None:
    """And structure: each item is where it was. Digests can be left out."""
    items = [item for record in lines(export_redacted(load(SESSION)))[2:] for item in record["items"]]
    assert [item["type"] for item in items] == [item["type"] for item in HEALTHY]
    state = items[1]["encrypted_content"]
    assert state["redacted"] is True
    assert state["bytes"] == len(HEALTHY[1]["encrypted_content"])
    assert len(state["sha256"]) == 64
    short = [item for record in lines(export_redacted(load(SESSION), length_only=True))[2:] for item in record["items"]]
    assert "sha256" not in short[1]["encrypted_content"]


@pytest.mark.parametrize("read", [ostinato.load, ostinato.load_all, ostinato.rescue])
def test_redacted_export_is_refused_by_every_reader(read: Any) -> None:
    """By its own name, in any shape of it: nothing of it can become provider input."""
    data = export_redacted(load(SESSION))
    first, rest = data.split(b"\n", 1)
    for shape in (data, first + rest, json.dumps(json.loads(first), indent=2).encode() + rest):
        with pytest.raises(ostinato.ReplayError) as caught:
            read(shape)
        assert caught.value.code == "redacted_export"


def test_redacted_items_are_refused_by_the_codec_too() -> None:
    """Also one by one, without the file around them."""
    items = [item for record in lines(export_redacted(load(SESSION)))[2:] for item in record["items"]]
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.canonicalize_completed_reasoning_output_item(items[1])
    assert caught.value.code == "redacted"


def test_an_edited_export_is_told() -> None:
    """It is loaded as it is, and its report says that it is not what was written."""
    data = export_resumable(load(SESSION)).replace(b"answer", b"reply!")
    assert load(data).report.counts == {"edited_export": 1}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda data: data.replace(b'"version":1', b'"version":2', 1), "unknown_version"),
        (lambda data: data[:-20], "truncated_line"),
        (lambda data: data.replace(b'"record":"turn"', b'"record":"other"', 1), "unknown_record"),
        (lambda data: data.replace(b'"items":[{', b'"items":[7,{', 1), "not_a_record"),
    ],
)
def test_damage_is_told_and_the_rest_is_loaded(change: Any, code: str) -> None:
    """Never an exception."""
    assert code in load(change(export_resumable(load(SESSION)))).report.counts


def test_items_that_are_no_json_are_refused() -> None:
    """Without a word of them."""
    conversation = replace(load(SESSION), items=[{"type": "reasoning", "encrypted_content": b"raw"}], turns=())
    for write in (export_resumable,):
        with pytest.raises(ostinato.ReplayError) as caught:
            write(conversation)
        assert caught.value.code == "type_mismatch"
