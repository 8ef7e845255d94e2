"""What must not be torn apart: reasoning and what it led to, a call and its output."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ostinato.policy.responses.items import call_of, is_follower, kind_of

__all__ = ["Group", "groups", "units"]

Item = Mapping[str, Any]


class Group(NamedTuple):
    """A run of reasoning items, and the run of the model's other items that followed it."""

    reasoning: range
    followers: range


def groups(items: Sequence[Item]) -> list[Group]:
    """Every run of reasoning with its followers, in order (continuedev/continue#10428, ag2ai/ag2#3150)."""
    found = []
    place = 0
    while place < len(items):
        if kind_of(items[place]) != "reasoning":
            place += 1
            continue
        start = place
        while place < len(items) and kind_of(items[place]) == "reasoning":
            place += 1
        first = place
        while place < len(items) and is_follower(items[place]):
            place += 1
        found.append(Group(range(start, first), range(first, place)))
    return found


def units(items: Sequence[Item]) -> list[range]:
    """The items in runs that are kept or cut as one."""
    reach = list(range(len(items)))
    for group in groups(items):
        reach[group.reasoning.start] = max(group.reasoning.stop, group.followers.stop) - 1
    calls: dict[str, int] = {}
    for place, item in enumerate(items):
        call = call_of(item)
        if call is None:
            continue
        if kind_of(item).endswith("_output"):
            opened = calls.pop(call, place)
            reach[opened] = max(reach[opened], place)
        else:
            calls[call] = place
    found = []
    start = end = 0
    for place, furthest in enumerate(reach):
        if place > end:
            found.append(range(start, place))
            start = place
        end = max(end, furthest)
    return [*found, range(start, len(items))] if items else []
