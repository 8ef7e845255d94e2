"""Laws of the rules of thinking, over conversations of any make."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.policy.prepare import RULES
from tests.policy.blocks import BOTH, CONVERSE, MESSAGES, Spelling

SECRET = "sig-SECRET"  # noqa: S105 - made up
IDS = st.sampled_from(["c1", "c2", "c3"])
ORIGINS = st.sampled_from(
    [
        None,
        ostinato.Origin("anthropic", None, "org-a", "claude-example-1"),
        ostinato.Origin("bedrock", None, "aws-1", "anthropic.claude-example-1"),
        ostinato.Origin("openai", None, "org-b", "gpt-example"),
    ]
)
TARGETS = [
    ostinato.Target(profile=profile, account="org-a", model="claude-example-1")
    for profile in ostinato.PROFILES.values()
    if profile.wire in (MESSAGES.wire, CONVERSE.wire)
]

some_target = st.sampled_from(TARGETS)


def spelling(target: ostinato.Target) -> Spelling:
    """How the target's wire spells blocks."""
    return next(spell for spell in BOTH if spell.wire == target.wire)


def blocks(spell: Spelling) -> st.SearchStrategy[Any]:
    """Blocks of every kind, sound and not."""
    texts = st.sampled_from(["", " ", "a", "b\n"])
    return st.one_of(
        st.builds(spell.thinking, texts, st.sampled_from([SECRET, SECRET + "2", None, ""])),
        st.builds(spell.sealed, st.just("U0VDUkVU")),
        st.builds(spell.husk),
        st.builds(spell.text, texts),
        st.builds(spell.call, IDS),
        st.builds(spell.result, IDS, texts),
        st.builds(spell.unknown),
    )


@st.composite
def conversations(draw: st.DrawFn, spell: Spelling) -> list[Any]:
    """Messages in any order of roles."""
    contents: st.SearchStrategy[Any] = st.lists(blocks(spell), max_size=5)
    if spell.is_messages:
        contents |= st.sampled_from(["", "words"])
    roles = st.sampled_from(["user", "assistant", "assistant", "user", "system"])
    return [{"role": draw(roles), "content": draw(contents)} for _ in range(draw(st.integers(0, 8)))]


def origin_of(messages: list[Any], data: st.DataObject) -> list[ostinato.Origin | None]:
    """Where each message was made."""
    return [data.draw(ORIGINS) for _ in messages]


@given(target=some_target, data=st.data())
def test_prepare_keeps_its_laws(target: ostinato.Target, data: st.DataObject) -> None:
    """The input stays; what goes out goes out again; nothing is made up; order is kept; every change is said."""
    messages = data.draw(conversations(spelling(target)))
    origins = origin_of(messages, data)
    before = copy.deepcopy(messages)
    prepared = ostinato.prepare(messages, target, origin=origins)
    assert messages == before

    again = ostinato.prepare(prepared.items, target)
    assert all(one is other for one, other in zip(again.items, prepared.items, strict=True))
    assert all(decision.action == "kept" for decision in again.report.decisions)

    given_blocks = [block for message in messages for block in message["content"] if isinstance(block, dict)]
    sent_blocks = [block for message in prepared.items for block in message["content"] if isinstance(block, dict)]
    places = {id(block): place for place, block in enumerate(given_blocks)}
    order = [places[id(block)] for block in sent_blocks if id(block) in places]
    assert order == sorted(order)
    lost = len(given_blocks) - len(sent_blocks)
    said = [d for d in prepared.report.decisions if d.action == "left_out" and d.path.count("/") == 3]
    assert lost == len(said)
    assert sum(id(block) not in places for block in sent_blocks) == sum(
        decision.action in ("changed", "added") and decision.path.count("/") == 3
        for decision in prepared.report.decisions
    )
    shown = f"{prepared!r}{prepared.report}{prepared.report.to_dict()}"
    assert SECRET not in shown
    assert "U0VDUkVU" not in shown


@given(target=some_target, data=st.data())
def test_prepared_prefix_is_a_prefix_of_what_is_prepared(target: ostinato.Target, data: st.DataObject) -> None:
    """Past turns go out as before when more is said: at every border of a unit."""
    messages = data.draw(conversations(spelling(target)))
    origins = origin_of(messages, data)
    whole = ostinato.prepare(messages, target, origin=origins).items
    for unit in RULES[target.wire].units(messages):
        cut = unit.stop
        part = ostinato.prepare(messages[:cut], target, origin=origins[:cut]).items
        assert part == whole[: len(part)]


@pytest.mark.parametrize("spell", BOTH, ids=lambda spell: spell.wire)
@given(data=st.data())
def test_units_are_all_messages_in_order(spell: Spelling, data: st.DataObject) -> None:
    """Every message stands in one unit."""
    messages = data.draw(conversations(spell))
    units = RULES[spell.wire].units(messages)
    assert [place for unit in units for place in unit] == list(range(len(messages)))
    assert all(units)


@given(target=some_target, data=st.data())
def test_no_call_is_without_its_result(target: ostinato.Target, data: st.DataObject) -> None:
    """What goes out has a result for every call but those of the last turn, and a call for every result."""
    spell = spelling(target)
    sent = ostinato.prepare(data.draw(conversations(spell)), target).items
    turns: list[tuple[str, list[Any]]] = []
    for message in sent:
        content = message["content"] if isinstance(message["content"], list) else []
        if message["role"] == "system":
            continue
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(content)
        else:
            turns.append((message["role"], list(content)))
    for place, (_role, content) in enumerate(turns):
        calls = {call for block in content if (call := _id(spell, block, "call"))}
        after = turns[place + 1][1] if place + 1 < len(turns) else None
        results = {result for block in after or () if (result := _id(spell, block, "result"))}
        assert after is None or calls == results or not (calls or results), (calls, results)


def _id(spell: Spelling, block: Any, kind: str) -> str | None:
    if spell.is_messages:
        names = {"call": ("tool_use", "id"), "result": ("tool_result", "tool_use_id")}
        return block[names[kind][1]] if block.get("type") == names[kind][0] else None
    held = block.get("toolUse" if kind == "call" else "toolResult")
    return held and held["toolUseId"]


@pytest.mark.parametrize("spell", BOTH, ids=lambda spell: spell.wire)
@given(data=st.data())
def test_strip_leaves_no_state(spell: Spelling, data: st.DataObject) -> None:
    """Nothing opaque is left, and stripping what was stripped changes nothing."""
    messages = data.draw(conversations(spell))
    before = copy.deepcopy(messages)
    stripped = ostinato.strip_state(messages, wire=spell.wire)
    assert messages == before
    assert SECRET not in repr(stripped.items)
    assert "U0VDUkVU" not in repr(stripped.items)
    assert ostinato.strip_state(stripped.items, wire=spell.wire).items == stripped.items


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.binary(max_size=4)
NAMES = st.sampled_from(
    [
        *("type", "role", "content", "thinking", "signature", "data", "text", "id", "tool_use_id", "citations"),
        *("reasoningContent", "reasoningText", "redactedContent", "toolUse", "toolResult", "toolUseId", "messages"),
        *("system", "tools", "input_transformations", "path", "reason", "betas", "block_binding", "headers"),
    ]
)
WORDS = st.sampled_from(
    ["thinking", "redacted_thinking", "tool_use", "tool_result", "text", "user", "assistant", "\ud800", "compaction"]
)
hostile = st.recursive(
    scalars | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | WORDS, inner, max_size=5),
    max_leaves=20,
)


@given(
    target=some_target,
    messages=st.lists(hostile, max_size=4),
    settings=st.dictionaries(NAMES, hostile, max_size=4),
    last=hostile,
)
def test_any_input_gives_a_result_or_a_named_error(
    target: ostinato.Target, messages: list[Any], settings: Any, last: Any
) -> None:
    """Wrong types, lone surrogates and huge numbers are refused by name; nothing else is raised."""
    told = ostinato.Target(
        profile=target.profile, settings=settings, last_response=last if isinstance(last, dict) else None
    )
    calls = (
        lambda: ostinato.prepare(messages, told),
        lambda: ostinato.prepare([m for m in messages if isinstance(m, dict) and "role" in m], told),
        lambda: ostinato.strip_state(messages, wire=target.wire),
        lambda: ostinato.trim(messages, keep=1, wire=target.wire),
        lambda: ostinato.policy.check_thinking_chain(messages, messages, wire=target.wire),
        lambda: ostinato.prefix_change(settings, told.last_response or {}),
        *(
            lambda block=block: ostinato.policy.verify_thinking(block, settings)
            for block in messages
            if isinstance(block, dict)
        ),
    )
    for call in calls:
        try:
            call()
        except (ostinato.PrepareError, ostinato.ReplayError) as error:
            assert str(error)  # noqa: PT017 - an error is one of two right answers
