"""What of a conversation belongs together: messages of one role side by side, and calls with their results."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ostinato.policy.shape import Contents, Shape, contents

__all__ = ["Place", "Turn", "orphans", "turns", "units"]

Place = tuple[int, int]
"""A message and a block of it."""


class Turn(NamedTuple):
    """Messages of one role side by side, which a provider takes as one."""

    role: str
    messages: range


def turns(messages: Sequence[Any]) -> list[Turn]:
    """The messages in turns, in order."""
    found: list[Turn] = []
    for place, message in enumerate(messages):
        role = message["role"]
        if found and found[-1].role == role:
            found[-1] = Turn(role, range(found[-1].messages.start, place + 1))
        else:
            found.append(Turn(role, range(place, place + 1)))
    return found


def orphans(shape: Shape, found: Sequence[Turn], blocks: Contents) -> dict[Place, str]:
    """Calls and results that a provider refuses, with the reason: `call`, `result`, or `repeated` for a second result.

    A call is answered in the next turn of the user. Those of the last turn are not answered yet, and are no orphans.
    """
    lost: dict[Place, str] = {}
    open_calls: dict[str, list[Place]] = {}
    for turn in found:
        if turn.role not in ("assistant", "user"):
            continue
        answered: set[str] = set()
        calls: dict[str, list[Place]] = {}
        for place in _places(turn, blocks):
            block = blocks[place[0]][place[1]]
            call, result = shape.call(block), shape.result(block)
            if call == "" or (call is not None and turn.role != "assistant"):  # nothing could answer it
                lost[place] = "call"
            elif call is not None:
                calls.setdefault(call, []).append(place)
            if result is not None and (result not in open_calls or turn.role != "user"):
                lost[place] = "result"
            elif result is not None and result in answered:
                lost[place] = "repeated"
            elif result is not None:
                answered.add(result)
        lost |= {place: "call" for call, made in open_calls.items() if call not in answered for place in made}
        open_calls = calls
    return lost


def units(shape: Shape, messages: Sequence[Any]) -> list[range]:
    """The messages in runs that are kept or cut as one: a turn with calls and the turn that answers it.

    A turn of which nothing may be left (thinking alone, results of no call) belongs to both its neighbours: where it
    goes, they may become one message.
    """
    blocks = contents(shape, messages)
    found = turns(messages)
    lost = orphans(shape, found, blocks)
    torn: set[int] = set()  # turns that may not be parted from the one after
    for place, turn in enumerate(found):
        if any(shape.call(blocks[i][j]) is not None for i, j in _places(turn, blocks)):
            after = (n for n in range(place + 1, len(found)) if found[n].role in ("assistant", "user"))
            torn.update(range(place, next(after, place)))
        if not _lasts(shape, messages, turn, blocks, lost):
            torn.update((place - 1, place))
    runs: list[range] = []
    for place, turn in enumerate(found):
        if place and place - 1 in torn:
            runs[-1] = range(runs[-1].start, turn.messages.stop)
        else:
            runs.append(turn.messages)
    return runs


def _lasts(shape: Shape, messages: Sequence[Any], turn: Turn, blocks: Contents, lost: dict[Place, str]) -> bool:
    """Whether something of a turn is sure to be left."""
    if any(isinstance(messages[i]["content"], str) and messages[i]["content"] for i in turn.messages):
        return True
    return any(
        (i, j) not in lost
        and shape.thinking(blocks[i][j]) is None
        and not shape.is_blank(blocks[i][j])
        and not shape.is_opaque(blocks[i][j])
        and shape.server_call(blocks[i][j])[0] is None
        for i, j in _places(turn, blocks)
    )


def _places(turn: Turn, blocks: Contents) -> list[Place]:
    return [(i, j) for i in turn.messages for j in range(len(blocks[i]))]
