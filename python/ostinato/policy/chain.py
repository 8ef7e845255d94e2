"""The blocks of thinking of a conversation, each bound to those before it.

Newer models of Claude refuse a block, or leave it out, where a block between others is missing. What else it is bound
to, `ostinato.prefix_change` compares. Source: platform.claude.com preserved-thinking and prefix-checks, 2026-11.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.policy.anthropic_messages import SHAPE as MESSAGES
from ostinato.policy.bedrock_converse import SHAPE as CONVERSE
from ostinato.policy.decision import Decision, ReplayReport
from ostinato.policy.shape import Block, Shape, contents
from ostinato.soundness import readable

__all__ = ["Chain", "check_thinking_chain", "thinking_chain"]

_SHAPES: Final = {shape.wire: shape for shape in (MESSAGES, CONVERSE)}


@dataclass(frozen=True, slots=True)
class Chain:
    """Which blocks of thinking still follow on from each other."""

    valid: tuple[str, ...]
    """Paths of the blocks that do."""
    invalid: tuple[str, ...]
    """Paths of the blocks that do not: the first one after a gap, and all after it."""
    report: ReplayReport
    """`thinking_chain_broken` for each of them."""


@discreet
def thinking_chain(messages: Sequence[Any], *, wire: str = "anthropic-messages") -> tuple[str, ...]:
    """The blocks of thinking in a conversation, in order, each as the SHA-256 of its state; to be kept beside it.

    Blocks without state are not in it: nothing binds them.
    """
    return tuple(_digest(state) for _path, state in _states(messages, wire))


@discreet
@readable
def check_thinking_chain(
    messages: Sequence[Any], captured: Sequence[object], *, wire: str = "anthropic-messages"
) -> Chain:
    """Which blocks of a conversation a provider that checks the prefix would still take.

    The blocks must be an unbroken part of what was captured: some at the beginning may be gone, or all; a gap, a block
    out of its place or a foreign one makes every later block invalid. Taking out only the block that was refused does
    not help.

    Args:
        messages: as they are about to be sent.
        captured: what `thinking_chain` gave when they last went out, or the signatures themselves.
        wire: whose messages they are.

    Raises:
        ReplayError: `type_mismatch`, `unknown_wire`.
    """
    known = {token: place for place, token in reversed(list(enumerate(captured))) if isinstance(token, str)}
    states = _states(messages, wire)
    places = [known.get(state, known.get(_digest(state))) for _path, state in states]
    paths = [path for path, _state in states]
    broken = _first_broken(places, len(captured))
    decisions = []
    for at in range(broken, len(places)):
        missing = _missing_before(places, at)
        facts = (("missing_before", missing),) if missing else ()
        decisions.append(Decision("thinking_chain_broken", paths[at], "kept", None, facts))
    return Chain(tuple(paths[:broken]), tuple(paths[broken:]), ReplayReport(tuple(decisions)))


def _missing_before(places: Sequence[int | None], at: int) -> int:
    """How many blocks between the first and this one are gone."""
    place, known = places[at], [earlier for earlier in places[:at] if earlier is not None]
    return 0 if place is None or not known else max(0, place - known[0] - sum(earlier < place for earlier in known))


def _first_broken(places: Sequence[int | None], length: int) -> int:
    """The first block that does not follow the one before it. What was made since comes after all that was known."""
    expected = places[0] if places else None
    for at, place in enumerate(places):
        if place != (expected if expected is not None and expected < length else None):
            return at
        expected = length if place is None else place + 1
    return len(places)


def _states(messages: Sequence[Any], wire: str) -> list[tuple[str, str]]:
    """The state of each block of thinking that has some, with its path."""
    shape = _SHAPES.get(wire)
    if shape is None:
        raise ReplayError("unknown_wire")
    return [
        (f"messages/{i}/content/{j}", state)
        for i, content in enumerate(contents(shape, messages))
        for j, block in enumerate(content)
        if (state := _state(shape, block)) is not None
    ]


def _state(shape: Shape, block: Block) -> str | None:
    if shape.thinking(block) not in ("signed", "sealed"):
        return None
    held: Any = block
    if shape is CONVERSE:
        inner = block["reasoningContent"] if isinstance(block["reasoningContent"], Mapping) else {}
        held = {"data": inner.get("redactedContent"), **(inner.get("reasoningText") or {})}
    state = held.get("signature") or held.get("data")
    if isinstance(state, bytes | bytearray):
        return bytes(state).hex()
    return state if isinstance(state, str) else ""


def _digest(state: str) -> str:
    return hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()
