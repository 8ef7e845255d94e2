"""What holds for every Responses conversation and every destination."""

from __future__ import annotations

import copy
import json
from collections import Counter
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.policy.responses.units import units
from tests.policy.responses_strategies import CONVERSATIONS, HOSTILE, ORIGINS, TARGETS

WIRE = "openai-responses"
Json = dict[str, Any]


def ids(items: list[Json]) -> Counter[str]:
    """How often every id is there."""
    return Counter(item["id"] for item in items if isinstance(item.get("id"), str) and item["id"])


def places(before: list[Json], after: list[Json]) -> list[int]:
    """Where each item that went out stood: the same object, or one that differs in whole fields only."""
    found, start = [], 0
    for item in after:
        start = next(place for place in range(start, len(before)) if _descends(before[place], item))
        found.append(start)
        start += 1
    return found


def _descends(given: Json, sent: Json) -> bool:
    if sent is given:
        return True
    return all(name == "summary" or _same(given.get(name), value) for name, value in sent.items())


def _same(given: Any, sent: Any) -> bool:
    if isinstance(sent, list) and isinstance(given, list):
        return len(sent) == len(given)
    return bool(given == sent)


@given(CONVERSATIONS, TARGETS, ORIGINS)
def test_what_was_given_is_not_changed(items: list[Json], target: ostinato.Target, origin: ostinato.Origin) -> None:
    """A conversation can be prepared for one target after the other."""
    before = copy.deepcopy(items)
    ostinato.prepare(items, target, origin=origin)
    ostinato.trim(items, keep=2, wire=WIRE)
    ostinato.strip_state(items, wire=WIRE)
    assert items == before


@given(CONVERSATIONS, TARGETS, ORIGINS)
def test_preparing_twice_is_preparing_once(items: list[Json], target: ostinato.Target, origin: ostinato.Origin) -> None:
    """What was prepared changes no more, and every item of it is the same object."""
    if target.mode == "chained":
        target = ostinato.Target(profile=target.profile, model=target.model, account=target.account)
    once = ostinato.prepare(items, target, origin=origin)
    twice = ostinato.prepare(once.items, target, origin=origin)
    assert len(twice.items) == len(once.items)
    assert all(after is before for after, before in zip(twice.items, once.items, strict=True))
    assert {decision.action for decision in twice.report.decisions} <= {"kept"}


@given(CONVERSATIONS, TARGETS, ORIGINS)
def test_every_change_has_a_decision(items: list[Json], target: ostinato.Target, origin: ostinato.Origin) -> None:
    """What went out as it came is the same object, and for whatever did not a decision names the place."""
    prepared = ostinato.prepare(items, target, origin=origin)
    held = sum(
        int(str(decision.to_dict()["items"]))
        for decision in prepared.report.decisions
        if decision.code == "held_by_provider"
    )
    touched = {decision.path for decision in prepared.report.decisions if decision.action != "kept"}
    same = {id(item) for item in prepared.items}
    for place, item in enumerate(items):
        if place >= held and f"items/{place}" not in touched:
            assert id(item) in same


@given(CONVERSATIONS, TARGETS, ORIGINS)
def test_order_is_kept_and_no_id_is_made(items: list[Json], target: ostinato.Target, origin: ostinato.Origin) -> None:
    """What goes out stood there in this order, and has no id that was not its own."""
    prepared = ostinato.prepare(items, target, origin=origin)
    assert len(places(items, prepared.items)) == len(prepared.items)
    assert ids(prepared.items) <= ids(items)


@given(CONVERSATIONS, TARGETS, ORIGINS)
def test_no_husk_goes_out(items: list[Json], target: ostinato.Target, origin: ostinato.Origin) -> None:
    """Whatever should carry state carries it, in a form that the target takes."""
    rules = dict(target.profile.cells())
    for item in ostinato.prepare(items, target, origin=origin).items:
        if item.get("type") == "reasoning":
            assert item.get("encrypted_content") or item.get("content")
            assert isinstance(item["summary"], list)
            assert None not in item.values()
            assert "status" not in item
            assert "content" not in item or rules["plaintext_reasoning"].value != "drop"
            assert "encrypted_content" not in item or rules["ciphertext"].value == "take"
        if item.get("type") in {"compaction", "compaction_summary"}:
            assert item["encrypted_content"]
        if item.get("type") == "program":
            assert item["fingerprint"]
        for part in item.get("content") or [] if item.get("type") == "agent_message" else []:
            assert part["encrypted_content"]


@given(CONVERSATIONS, TARGETS, ORIGINS)
def test_no_orphan_goes_out(items: list[Json], target: ostinato.Target, origin: ostinato.Origin) -> None:
    """Where a target refuses reasoning without what it led to, none is sent; nor two items of one id."""
    rules = dict(target.profile.cells())
    sent = ostinato.prepare(items, target, origin=origin).items
    if rules["orphans"].value == "drop":
        for item, following in pairwise([*sent, {"role": "user"}]):
            if item.get("type") == "reasoning":
                kind = str(following.get("type", "message"))
                assert following.get("role") != "user"
                assert not kind.endswith("_output")
    if rules["same_ids"].value == "refused":
        named = [item for item in sent if item.get("type") not in {"item_reference", "program"}]
        assert all(count == 1 for count in ids(named).values())
    if rules["ids"].value != "omit":
        assert all(len(own) <= 64 for own in ids([item for item in sent if item.get("type") == "message"]))


@given(CONVERSATIONS, TARGETS, ORIGINS)
def test_nothing_foreign_goes_out(items: list[Json], target: ostinato.Target, origin: ostinato.Origin) -> None:
    """State of another origin stands in no item, no report and no text of one."""
    if origin is None or origin.provider == target.provider:
        return
    prepared = ostinato.prepare(items, target, origin=origin)
    shown = json.dumps(prepared.items) + str(prepared.report) + repr(prepared) + json.dumps(prepared.report.to_dict())
    assert "gAAAAAB" not in shown


@given(CONVERSATIONS, TARGETS)
def test_reports_hold_no_state(items: list[Json], target: ostinato.Target) -> None:
    """A report can go into any log."""
    prepared = ostinato.prepare(items, target)
    shown = str(prepared.report) + repr(prepared) + json.dumps(prepared.report.to_dict())
    assert not any(opaque in shown for opaque in ("gAAAAAB", "Let me", "x" * 65, "look "))


@given(CONVERSATIONS, TARGETS, ORIGINS, st.data())
def test_prefix_of_a_conversation_is_prepared_as_before(
    items: list[Json], target: ostinato.Target, origin: ostinato.Origin, data: st.DataObject
) -> None:
    """A conversation that grew by whole units goes out with what went out before in front, so caches hold it."""
    if target.mode == "chained":
        target = ostinato.Target(profile=target.profile)
    cut = data.draw(st.sampled_from([0, *(unit.stop for unit in units(items))]))
    before = ostinato.prepare(items[:cut], target, origin=origin).items
    after = ostinato.prepare(items, target, origin=origin).items
    assert after[: len(before)] == before


@given(CONVERSATIONS)
def test_units_are_all_items_in_order(items: list[Json]) -> None:
    """Units cover the conversation, and none is empty."""
    assert [place for unit in units(items) for place in unit] == list(range(len(items)))
    assert all(units(items))


@given(CONVERSATIONS, st.integers(0, 9), st.booleans())
def test_cut_tears_nothing(items: list[Json], keep: int, earlier: bool) -> None:  # noqa: FBT001 - drawn
    """What is cut off and what stays are whole units, and a conversation that was cut needs no more cutting."""
    trimmed = ostinato.trim(items, keep=keep, wire=WIRE, earlier=earlier).items
    cut = len(items) - len(trimmed)
    assert cut in {0, len(items), *(unit.start for unit in units(items))}
    assert ostinato.trim(trimmed, keep=len(trimmed), wire=WIRE).items == trimmed


@given(CONVERSATIONS)
def test_stripping_leaves_no_state(items: list[Json]) -> None:
    """All state is gone and counted, every other item is there, and stripping twice is stripping once."""
    stripped = ostinato.strip_state(items, wire=WIRE)
    assert "gAAAAAB" not in json.dumps(stripped.items)
    gone = sum(decision.action == "left_out" for decision in stripped.report.decisions)
    assert len(stripped.items) + gone == len(items)
    again = ostinato.strip_state(stripped.items, wire=WIRE)
    assert all(after is before for after, before in zip(again.items, stripped.items, strict=True))


@given(HOSTILE, TARGETS, ORIGINS)
def test_any_input_gives_a_result_or_a_named_error(
    items: list[Any], target: ostinato.Target, origin: ostinato.Origin
) -> None:
    """Whatever the items hold, nothing else is raised."""
    try:
        ostinato.prepare(items, target, origin=origin)
        ostinato.trim(items, keep=1, wire=WIRE)
        ostinato.strip_state(items, wire=WIRE)
    except (ostinato.PrepareError, ostinato.ReplayError) as error:
        assert error.code in {**ostinato.ERROR_CODES, **ostinato.DECISION_CODES}  # noqa: PT017 - that it raises is not the point
