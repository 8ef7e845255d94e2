"""What of a conversation may be sent: the rules of this wire, one after the other."""

from collections.abc import Sequence
from typing import Any, Final, cast

from ostinato.errors import ReplayError
from ostinato.policy.decision import Log
from ostinato.policy.profiles.responses import ResponsesProfile
from ostinato.policy.responses.entry import Entry
from ostinato.policy.responses.ids import check_missing_ids, drop_ids
from ostinato.policy.responses.items import call_of, is_follower
from ostinato.policy.responses.programs import drop_what_programs_left
from ostinato.policy.responses.reading import drop_foreign, drop_unstored_references, read_state, tidy
from ostinato.policy.responses.repeats import drop_repeats
from ostinato.policy.responses.units import Group, groups
from ostinato.policy.rules import Items
from ostinato.policy.target import OriginOf, Target

__all__ = ["prepare", "settle"]

_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_HELD_BY: Final = ("previous_response_id", "conversation")
"""Settings by which a request goes on from items that the provider has."""


def prepare(items: Sequence[Any], target: Target, origin: OriginOf, log: Log) -> Items:
    """The input items as they may go out."""
    rules = target.profile
    if not isinstance(rules, ResponsesProfile):
        raise ReplayError("type_mismatch", "profile")
    entries = [Entry(place, item) for place, item in enumerate(items)]
    new = _drop_held(entries, target, log) if target.mode == "chained" else 0
    found = [group for group in groups(items) if group.reasoning.start >= new]
    drop_foreign(entries, target, origin, log)
    drop_unstored_references(entries, target, log)
    read_state(entries, rules, log)
    tidy(entries, log)
    check_missing_ids(entries, rules, log)
    drop_what_programs_left(entries, log)
    _drop_orphans(entries, found, rules, log)
    drop_repeats(entries, found, rules, log)
    _drop_orphans(entries, found, rules, log)
    _drop_orphan_outputs(entries, target, rules, log)
    drop_ids(entries, found, rules, log)
    return [cast("dict[str, Any]", entry.item) for entry in entries if entry.item is not None]


def settle(entries: Sequence[Entry], rules: ResponsesProfile, log: Log) -> None:
    """The rules for one message that a client writes itself: it is tidy, of this origin, and new to the request.

    Where plain reasoning is taken, all of a message is: its summary alone may be what a server reads.
    """
    found = groups([entry.given for entry in entries])
    if rules.plaintext_reasoning.value != "keep":
        read_state(entries, rules, log)
    _drop_orphans(entries, found, rules, log)
    drop_ids(entries, found, rules, log)


def _drop_held(entries: Sequence[Entry], target: Target, log: Log) -> int:
    """Leave out what the provider has (everruns/everruns#1960, vercel/ai#15492), and say where the new begins."""
    held = target.held
    last = [
        entry.place
        for entry in entries
        if (entry.kind == "reasoning" or is_follower(entry.given) if held is None else entry.id in held)
    ]
    new = last[-1] + 1 if last else 0
    for entry in entries[:new]:
        entry.item = None
    if new:
        log.left_out("held_by_provider", "items/0", items=new)
    return new


def _drop_orphan_outputs(entries: Sequence[Entry], target: Target, rules: ResponsesProfile, log: Log) -> None:
    """An output whose call is not before it is refused: 'No tool call found for function call output'.

    Where the provider holds earlier items, or one of those before it is a reference, the call may be there.
    """
    held = target.mode == "chained" or any(target.settings.get(name) for name in _HELD_BY)
    if held or rules.orphans.value == "keep":
        return
    called: set[str] = set()
    for entry in entries:
        if entry.kind == "item_reference" and entry.item is not None:
            return
        call = call_of(entry.given)
        if entry.item is None or call is None:
            continue
        if entry.kind not in _OUTPUTS:
            called.add(call)
        elif call not in called:
            if rules.orphans.value == "raise":
                raise log.refuse("orphan_output", entry.path, **entry.named)
            entry.item = None
            log.left_out("orphan_output", entry.path, **entry.named)


def _drop_orphans(entries: Sequence[Entry], found: Sequence[Group], rules: ResponsesProfile, log: Log) -> None:
    """Reasoning without what it led to is refused (continuedev/continue#8933, openai/openai-agents-js#1280)."""
    if rules.orphans.value == "keep":
        return
    for group in found:
        if any(entries[place].item is not None for place in group.followers):
            continue
        for place in group.reasoning:
            entry = entries[place]
            if entry.item is None:
                continue
            if rules.orphans.value == "raise":
                raise log.refuse("orphan_reasoning", entry.path, **entry.named)
            entry.item = None
            log.left_out("orphan_reasoning", entry.path, **entry.named)
