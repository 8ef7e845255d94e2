"""From native items to what may be sent: one function for all wires, and what each wire has to say about it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.policy import (
    anthropic_messages,
    bedrock_converse,
    gemini_generate_content,
    gemini_interactions,
    openai_chat,
)
from ostinato.policy.decision import Decision, Log, ReplayReport
from ostinato.policy.responses import RULES as RESPONSES
from ostinato.policy.rules import Items, Marks, Rules
from ostinato.policy.target import OriginGiven, OriginOf, Target, as_target, origins
from ostinato.replay import ReasoningItem, canonicalize_completed_reasoning_output_items
from ostinato.soundness import readable
from ostinato.telemetry import ReplayTelemetry

__all__ = ["Prepared", "counters", "prepare", "repeats", "replay_items", "strip_state", "trim"]

RULES: Final[Mapping[str, Rules]] = {
    "openai-responses": RESPONSES,
    "anthropic-messages": anthropic_messages.RULES,
    "bedrock-converse": bedrock_converse.RULES,
    "gemini-generate-content": gemini_generate_content.RULES,
    "gemini-interactions": gemini_interactions.RULES,
    "openai-chat": openai_chat.RULES,
}
"""One line per wire."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Items that may be sent, and what was decided about them."""

    items: Items = field(repr=False)
    """Fresh lists around the caller's own objects: what did not change is the same object, so treat it as read-only."""
    report: ReplayReport


@discreet
def prepare(items: Sequence[Any], target: Target | str, *, origin: OriginGiven = None) -> Prepared:
    """What of a conversation may be sent to a target, in the provider's own form, and why not the rest.

    Pure: the items are not changed. Preparing what was prepared changes nothing more.

    Args:
        items: native items of the target's wire: Responses input items, Anthropic or Converse messages, Gemini
            contents, Interactions steps, chat messages.
        target: where they go, or the name of a profile.
        origin: where their state was made: one `Origin` (or a mapping with its fields) for all, a sequence with one per
            top-level item, or a function of index and item. Absent or None: not known, and taken as the target's own.

    Raises:
        PrepareError: the provider would refuse the request, and leaving something out would not do. It holds the
            decision, and says what to do next.
        ReplayError: `unknown_profile`, `origins_differ` (a sequence of origins that has not one for each item), or
            `type_mismatch` with the place where something is no item of the wire, no target or no origin.
    """
    goal = as_target(target)
    rules = _rules(goal.wire)
    whole = _items(items)
    return _prepared(rules, whole, goal, origins(origin, whole))


@readable
def _prepared(rules: Rules, items: Sequence[Any], target: Target, origin: OriginOf) -> Prepared:
    log = Log()
    sendable = rules.prepare(_of_wire(items, rules.marks), target, origin, log)
    return Prepared(sendable, log.report(counters(target.wire, sendable) + repeats(log.decisions)))


@discreet
@readable
def trim(items: Sequence[Any], *, keep: int, wire: str, earlier: bool = True) -> Prepared:
    """The end of a conversation, cut where nothing is torn apart: never between reasoning and what it led to.

    Args:
        items: native items of the wire.
        keep: how many items should stay.
        wire: whose items they are.
        earlier: where the cut would fall inside of a run that must stay whole: keep the run (more than `keep` stay), or
            drop it (fewer stay).
    """
    whole, log = _items(items), Log()
    wanted = max(0, len(whole) - max(keep, 0))
    cut = wanted
    for unit in _rules(wire).units(whole):
        if unit.start < wanted < unit.stop:
            cut = unit.start if earlier else unit.stop
            log.say("cut_moved", f"items/{wanted}", "changed", "reasoning_group", **{"from": wanted, "to": cut})
    return Prepared(list(whole[cut:]), log.report(ReplayTelemetry()))


@discreet
@readable
def strip_state(items: Sequence[Any], *, wire: str) -> Prepared:
    """A conversation without any opaque state, its visible turns kept: what to send when a provider refuses the state.

    Whole replay items go; each is a decision `state_stripped`.
    """
    log = Log()
    return Prepared(_rules(wire).strip(_items(items), log), log.report(ReplayTelemetry()))


def replay_items(wire: str, items: Sequence[Any]) -> list[tuple[str, Any]]:
    """Every replay item of native items, with its path; none for a wire without rules."""
    rules = RULES.get(wire)
    return rules.state(items) if rules is not None else []


def _rules(wire: str) -> Rules:
    try:
        return RULES[wire]
    except KeyError:
        raise ReplayError("unknown_wire") from None


@readable
def _items(items: Sequence[Any]) -> Sequence[Any]:
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Sequence):
        raise ReplayError("type_mismatch", "items")
    for place, item in enumerate(items):
        if not isinstance(item, Mapping):
            raise ReplayError("type_mismatch", f"items/{place}")
    return items


def _of_wire(items: Sequence[Any], marks: Marks | None) -> Sequence[Any]:
    """Items of the wire, as far as their fields tell: state of another wire would go out unread by any rule."""
    if marks is None:
        return items
    for place, item in enumerate(items):
        path = f"{marks.name}/{place}"
        if not any(mark in item for mark in marks.has):
            raise ReplayError("type_mismatch", f"{path}/{marks.has[0]}")
        for mark in marks.never:
            if mark in item:
                raise ReplayError("type_mismatch", f"{path}/{mark}")
        content = item.get("content") if marks.never_parts else None
        for at, part in enumerate(content if isinstance(content, list | tuple) else ()):
            kind = part.get("type") if isinstance(part, Mapping) else None
            if isinstance(kind, str) and kind in marks.never_parts:
                raise ReplayError("type_mismatch", f"{path}/content/{at}/type")
    return items


def counters(wire: str, items: Sequence[Any]) -> ReplayTelemetry:
    """The counters of native items as they go out; zeros for a wire without rules.

    State that the codec cannot read is not in them; the rules have spoken of it.
    """
    found = [state for _path, state in replay_items(wire, items)]
    if not found:
        return ReplayTelemetry()
    provider = RULES[wire].counted_as
    states = canonicalize_completed_reasoning_output_items(found, wire=wire, provider=provider, errors="return")
    return ReplayTelemetry.from_items(state for state in states if isinstance(state, ReasoningItem))


def repeats(decisions: Iterable[Decision]) -> ReplayTelemetry:
    """The two counters of repeats, from what was decided about them."""
    codes = Counter(decision.code for decision in decisions)
    return ReplayTelemetry(
        replay_deduplicated_exact_count=codes["exact_duplicate"],
        replay_id_ciphertext_conflict_count=codes["id_ciphertext_conflict"],
    )
