"""What thinking is bound to, the settings about it, and what a provider says it left out."""

from __future__ import annotations

from typing import Any

import pytest

import ostinato
from ostinato import policy
from tests.policy.blocks import BOTH, CONVERSE, MESSAGES, Spelling, said

both = pytest.mark.parametrize("spell", BOTH, ids=lambda spell: spell.wire)
BETA = "thinking-binding-controls-2026-08-01"
BOUND = {"thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}}


def turns_of(spell: Spelling, *signatures: str) -> list[Any]:
    """A conversation with a block of thinking per turn."""
    return [
        message
        for signature in signatures
        for message in (spell.user(spell.text("q")), spell.assistant(spell.thinking("a", signature), spell.text("ok")))
    ]


CHAINS = [
    ("abc", "abc", [0, 1, 2], []),
    ("bc", "abc", [0, 1], []),
    ("c", "abc", [0], []),
    ("", "abc", [], []),
    ("ab", "abc", [0, 1], []),
    ("abcd", "abc", [0, 1, 2, 3], []),
    ("xy", "abc", [0, 1], []),
    ("ac", "abc", [0], [(1, 1)]),
    ("acd", "abcd", [0], [(1, 1), (2, 1)]),
    ("ad", "abcd", [0], [(1, 2)]),
    ("acb", "abc", [0], [(1, 1), (2, None)]),
    ("axc", "abc", [0], [(1, None), (2, 1)]),
]


@both
@pytest.mark.parametrize(("sent", "captured", "valid", "broken"), CHAINS)
def test_chain_is_valid_up_to_its_first_gap(
    spell: Spelling, sent: str, captured: str, valid: list[int], broken: list[tuple[int, int | None]]
) -> None:
    """Blocks may be gone from the beginning; after a gap none is valid, and the report counts what is missing."""
    chain = policy.thinking_chain(turns_of(spell, *captured), wire=spell.wire)
    for known in (chain, tuple(captured)):  # digests, or the signatures themselves
        checked = policy.check_thinking_chain(turns_of(spell, *sent), known, wire=spell.wire)
        assert list(checked.valid) == [f"messages/{2 * place + 1}/content/0" for place in valid]
        assert [(d.path, dict(d.facts).get("missing_before")) for d in checked.report.decisions] == [
            (f"messages/{2 * place + 1}/content/0", missing) for place, missing in broken
        ]


@both
def test_chain_holds_digests_of_state_alone(spell: Spelling) -> None:
    """What is kept beside a conversation is no state, and thinking without state is not in it."""
    messages = [spell.assistant(spell.thinking("a", "sig-example"), spell.sealed("QUJD"), spell.thinking("b", None))]
    chain = policy.thinking_chain(messages, wire=spell.wire)
    assert [len(link) for link in chain] == [64, 64]
    assert "sig-example" not in repr(chain)


def test_chain_of_an_unknown_wire_is_refused() -> None:
    """Only the two wires have such blocks."""
    with pytest.raises(ostinato.ReplayError, match="unknown_wire"):
        policy.thinking_chain([], wire="openai-chat")


MARK = {"cache_control": {"type": "ephemeral"}}
TEXT = {"type": "text", "text": "Be brief."}
TOOL = {"name": "f", "description": "d", "input_schema": {"properties": {"cache_control": {"type": "string"}}}}
CALL = {"type": "tool_use", "id": "c1", "name": "f", "input": {"cache_control": "a"}}


def asked(*messages: Any, **parts: Any) -> dict[str, Any]:
    """A request."""
    return {"messages": list(messages), **parts}


EQUAL = [
    (asked(system=[TEXT | MARK]), asked(system=[TEXT])),
    (asked(system="Be brief."), asked(system=[TEXT])),
    (asked(tools=[TOOL | MARK]), asked(tools=[TOOL])),
    (asked(system=[{"text": "a"}, {"cachePoint": {"type": "default"}}]), asked(system=[{"text": "a"}])),
    (asked(max_tokens=1, tool_choice={"type": "auto"}), asked(max_tokens=2)),
    (
        asked(toolConfig={"tools": [{"toolSpec": {"name": "f"}}], "toolChoice": {"auto": {}}}),
        asked(toolConfig={"tools": [{"toolSpec": {"name": "f"}}]}),
    ),
    (
        asked({"role": "user", "content": "q"}),
        asked({"role": "user", "content": [{"type": "text", "text": "q"} | MARK]}, {"role": "user", "content": "more"}),
    ),
    (
        asked({"role": "assistant", "content": [MESSAGES.thinking("a"), TEXT]}),
        asked({"content": [TEXT], "role": "assistant"}),
    ),
    (asked(system=""), asked()),
]


@pytest.mark.parametrize(("captured", "now"), EQUAL)
def test_what_does_not_count_is_no_change(captured: Any, now: Any) -> None:
    """Cache markers, other settings, a text instead of a list of it, new messages, and thinking itself."""
    is_converse = "toolConfig" in captured or "cachePoint" in repr(captured)
    assert ostinato.prefix_change(captured, now, wire=(CONVERSE if is_converse else MESSAGES).wire) is None


def test_nothing_before_a_compaction_counts() -> None:
    """The provider checks from the latest compaction on."""
    compaction = {"role": "assistant", "content": [{"type": "compaction", "content": "so far"}, TEXT]}
    captured = asked({"role": "user", "content": "q"}, compaction, {"role": "user", "content": "r"})
    now = asked({"role": "user", "content": "other"}, compaction, {"role": "user", "content": "r"})
    assert ostinato.prefix_change(captured, now) is None
    changed = asked({"role": "user", "content": "other"}, compaction, {"role": "user", "content": "s"})
    found = ostinato.prefix_change(captured, changed)
    assert found is not None
    assert found.path == "messages/2/content"


CHANGED = [
    (asked(system="Be brief. 1"), asked(system="Be brief. 2"), "system"),
    (asked(system=[TEXT]), asked(system=[TEXT | {"text": "Be long."}]), "system/0/text"),
    (asked(system="a"), asked(), "system"),
    (asked(tools=[TOOL]), asked(tools=[TOOL | {"name": "g"}]), "tools/0/name"),
    (asked(tools=[TOOL], system="a"), asked(tools=[], system="b"), "tools"),
    (
        asked({"role": "assistant", "content": [CALL]}),
        asked({"role": "assistant", "content": [CALL | {"input": {}}]}),
        "messages/0/content/0/input/cache_control",
    ),
    (asked({"role": "user", "content": "q"}), asked(), "messages/0"),
    (
        asked({"role": "user", "content": "q"}, {"role": "user", "content": "r"}),
        asked({"role": "user", "content": "q"}),
        "messages/1",
    ),
]


@pytest.mark.parametrize(("captured", "now", "path"), CHANGED)
def test_first_change_of_the_prefix_has_a_path(captured: Any, now: Any, path: str) -> None:
    """What counts is told by its place, and never quoted; a name inside of a call's input is content."""
    change = ostinato.prefix_change(captured, now)
    assert change is not None
    assert (change.code, change.path) == ("prefix_changed", path)
    assert "Be " not in repr(change)


def test_prefix_of_an_unknown_wire_is_refused() -> None:
    """Which fields come before the messages is the wire's."""
    with pytest.raises(ostinato.ReplayError, match="unknown_wire"):
        ostinato.prefix_change({}, {}, wire="smoke-signals")


def test_too_deep_prefix_is_refused() -> None:
    """A value nested without end is a named error."""
    deep: Any = "a"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ostinato.ReplayError, match="too_deep"):
        ostinato.prefix_change({"system": deep}, {"system": deep})


SETTINGS = [
    BOUND | {"betas": [BETA]},
    BOUND | {"anthropic_beta": [BETA]},
    BOUND | {"extra_headers": {"Anthropic-Beta": f"other-2026-01-01, {BETA}"}},
    {"additionalModelRequestFields": BOUND | {"anthropic_beta": [BETA]}},
    {"thinking": {"type": "adaptive"}},
    {"thinking": {"type": "adaptive", "block_binding": None}},
    {"thinking": "none"},
    policy.binding_settings("error"),
]


@both
@pytest.mark.parametrize("settings", SETTINGS)
def test_setting_with_its_beta_is_taken(spell: Spelling, settings: Any) -> None:
    """The beta may stand where SDKs, bodies and headers have it."""
    assert ostinato.prepare([], spell.target(settings=settings)).report.decisions == ()


@both
@pytest.mark.parametrize("settings", [BOUND, BOUND | {"betas": ["other"]}, {"additionalModelRequestFields": BOUND}])
def test_setting_without_its_beta_is_refused(spell: Spelling, settings: Any) -> None:
    """The provider would refuse the request; a caller may have it reported only."""
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare([], spell.target(settings=settings))
    assert caught.value.decision.to_dict() == {
        "code": "setting_without_beta",
        "path": "",
        "action": "refused",
        "setting": "thinking.block_binding",
        "beta": BETA,
    }
    reported = ostinato.prepare([], spell.target(settings=settings).but(missing_beta="report"))
    assert reported.report.counts == {"setting_without_beta": 1}


DROPPED = {"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_binding_mismatch"}


def test_what_the_provider_left_out_stays_in_the_history() -> None:
    """A drop is reported beside the history, which goes out unchanged."""
    messages = turns_of(MESSAGES, "a")
    target = MESSAGES.target(settings=policy.binding_settings(), last_response={"input_transformations": [DROPPED]})
    prepared = ostinato.prepare(messages, target)
    assert all(sent is given for sent, given in zip(prepared.items, messages, strict=True))
    assert said(prepared.report) == [("provider_dropped_state", "messages/1/content/0", "prefix_binding_mismatch")]


def test_setting_that_is_not_repeated_is_said() -> None:
    """What was left out under a setting would be refused without it."""
    target = MESSAGES.target(settings={"max_tokens": 1}, last_response={"input_transformations": [DROPPED]})
    assert ostinato.prepare([], target).report.counts["setting_not_repeated"] == 1


def test_kinds_of_transformations() -> None:
    """What was only let through has a code of its own; other kinds are none of our business."""
    allowed = DROPPED | {"type": "thinking_mismatch_allowed"}
    others = [{"type": "image_resized"}, {"type": None}, DROPPED | {"path": "elsewhere", "reason": "Free text, quoted"}]
    decisions = policy.provider_drops({"input_transformations": [allowed, *others]})
    assert [(d.code, d.path, d.reason) for d in decisions] == [
        ("provider_allowed_mismatch", "messages/1/content/0", "prefix_binding_mismatch"),
        ("provider_dropped_state", "", None),
    ]
    assert policy.provider_drops({}) == ()
    for wrong, path in (({"a": 1}, "input_transformations"), ([1], "input_transformations/0")):
        with pytest.raises(ostinato.ReplayError) as caught:
            policy.provider_drops({"input_transformations": wrong})
        assert (caught.value.code, caught.value.path) == ("type_mismatch", path)


@both
def test_blanked_text_is_told_from_an_empty_one(spell: Spelling) -> None:
    """Only a digest of the capture tells a text that was lost from one that was never shown."""
    captured = policy.thinking_digest(spell.thinking("a thought"))
    assert policy.verify_thinking(spell.thinking("a thought"), captured) is None
    with pytest.raises(ostinato.ReplayError) as caught:
        policy.verify_thinking(spell.thinking(""), captured)
    assert (caught.value.code, caught.value.path) == ("state_modified", "thinking")
    with pytest.raises(ostinato.ReplayError) as caught:
        policy.verify_thinking(spell.thinking("a thought", "sig-cut"), captured)
    assert (caught.value.code, caught.value.path) == ("state_modified", "signature")
    empty = spell.thinking("")
    assert policy.verify_thinking(empty, policy.thinking_digest(empty)) is None
    unknown = policy.verify_thinking(empty)
    assert unknown is not None
    assert (unknown.code, unknown.action) == ("unknown_provenance", "kept")
    assert policy.verify_thinking(spell.thinking("a")) is None


@pytest.mark.parametrize("block", [{"type": "text"}, MESSAGES.sealed(), CONVERSE.sealed(), {"thinking": 1}])
def test_what_has_no_text_and_signature_has_no_digest(block: Any) -> None:
    """The digest is of signed thinking alone."""
    with pytest.raises(ostinato.ReplayError, match="type_mismatch"):
        policy.thinking_digest(block)


@both
def test_block_that_lost_its_signature_says_so(spell: Spelling) -> None:
    """What a store left out is named, so that the block is not taken for one of another kind."""
    with pytest.raises(ostinato.ReplayError) as caught:
        policy.verify_thinking(spell.thinking("a", None))
    assert (caught.value.code, caught.value.path) == ("missing_field", "signature")
