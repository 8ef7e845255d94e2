"""What a block of thinking is bound to: system prompt, tools, messages and other thinking, all before it.

Newer models of Claude refuse a block, or leave it out, where something before it changed since it was made, or where a
block between others is missing. Source: platform.claude.com preserved-thinking and prefix-checks, 2026-11.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ostinato.difference import first_difference
from ostinato.errors import ReplayError
from ostinato.policy.anthropic_messages import SHAPE as MESSAGES
from ostinato.policy.bedrock_converse import SHAPE as CONVERSE
from ostinato.policy.decision import Decision, ReplayReport
from ostinato.policy.shape import Block, Shape, contents

__all__ = ["Chain", "check_thinking_chain", "counted", "prefix_change", "thinking_chain"]

_SHAPES: Final = {shape.wire: shape for shape in (MESSAGES, CONVERSE)}
_PARTS: Final = ("tools", "toolConfig", "system", "messages")
"""What comes before a block, in the order in which the model reads it."""
_CONTENT: Final = frozenset({"input", "input_schema", "inputSchema"})
"""Fields that hold what a model or a tool's author wrote, where no name means anything to the provider."""
_DEEPEST: Final = 200


@dataclass(frozen=True, slots=True)
class Chain:
    """Which blocks of thinking still follow on from each other."""

    valid: tuple[str, ...]
    """Paths of the blocks that do."""
    invalid: tuple[str, ...]
    """Paths of the blocks that do not: the first one after a gap, and all after it."""
    report: ReplayReport
    """`thinking_chain_broken` for each of them."""


def thinking_chain(messages: Sequence[Any], *, wire: str = "anthropic-messages") -> tuple[str, ...]:
    """The blocks of thinking in a conversation, in order, each as the SHA-256 of its state; to be kept beside it.

    Blocks without state are not in it: nothing binds them.
    """
    return tuple(_digest(state) for _path, state in _states(messages, wire))


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


def counted(value: Any, uncounted: Sequence[str]) -> Any:  # noqa: ANN401 - any JSON value
    """A value without the fields that do not count when prefixes are compared; the same object where it has none.

    The fields count inside of what a model or a tool's author wrote (a call's input, a schema). An element of a list of
    which nothing else is left, such as a cache point, is no element.

    Raises:
        ReplayError: `too_deep`.
    """
    return _counted(value, frozenset(uncounted), _DEEPEST)


def _counted(value: Any, uncounted: frozenset[str], depth: int) -> Any:  # noqa: ANN401 - any JSON value
    if not depth:
        raise ReplayError("too_deep")
    if isinstance(value, Mapping):
        kept = {
            name: held if name in _CONTENT else _counted(held, uncounted, depth - 1)
            for name, held in value.items()
            if name not in uncounted
        }
        same = len(kept) == len(value) and all(kept[name] is held for name, held in value.items())
        return value if same else kept
    if isinstance(value, list | tuple):
        parts = [_counted(part, uncounted, depth - 1) for part in value]
        left = [part for part, given in zip(parts, value, strict=True) if part or not given]
        same = len(left) == len(value) and all(part is given for part, given in zip(left, value, strict=True))
        return value if same else left
    return value


def prefix_change(
    captured: Mapping[str, Any], now: Mapping[str, Any], *, uncounted: Sequence[str] = ("cache_control", "cachePoint")
) -> Decision | None:
    """Where what comes before thinking differs from what did when it was made; None where nothing that counts does.

    Compared are system prompt and tools, and the messages that were captured with those in their places now. Thinking
    is not: it may be left out from the beginning on, which `check_thinking_chain` judges. A text is the same as a list
    of it, and nothing before the latest compaction counts. Other settings may change freely.

    Args:
        captured: the request (or a part of it) that the thinking answered.
        now: the request that is about to be sent.
        uncounted: fields that do not count: the cell of that name in the target's profile.

    Returns:
        The decision `prefix_changed`, whose path is the first difference, such as `system` or `messages/2/content`.

    Raises:
        ReplayError: `too_deep`.
    """
    try:
        for part in _PARTS:
            old, new = (_part(request, part, uncounted) for request in (captured, now))
            if part == "messages":
                old, new = _same_length(old, new)
            found = _difference(old, new)
            if found is not None:
                path, offset = found
                facts: dict[str, Any] = {"part": part, "invalidates": "every thinking block after it"}
                facts |= {} if offset is None else {"offset": offset}
                place = f"{part}/{path}" if path else part
                return Decision("prefix_changed", place, "kept", None, tuple(facts.items()))
    except RecursionError:
        raise ReplayError("too_deep") from None
    return None


def _part(request: Mapping[str, Any], part: str, uncounted: Sequence[str]) -> Any:  # noqa: ANN401 - any JSON value
    value = request.get(part)
    if part == "toolConfig":  # what else is in it is a choice, which may change
        value = value.get("tools") if isinstance(value, Mapping) else value
    value = counted(value, uncounted)
    if part != "messages" or not isinstance(value, list | tuple):
        return value
    return _since_compaction([_without_thinking(message) for message in value])


def _without_thinking(message: Any) -> Any:  # noqa: ANN401 - any JSON value
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return {**message, "content": [{"type": "text", "text": content}]}
    if not isinstance(content, list | tuple):
        return message
    kept = [
        block
        for block in content
        if not isinstance(block, Mapping) or (MESSAGES.thinking(block) or CONVERSE.thinking(block)) is None
    ]
    return {**message, "content": kept}


def _since_compaction(messages: list[Any]) -> list[Any]:
    """The messages from the latest compaction on, those before it as nothing: they keep their places."""
    for place in range(len(messages) - 1, -1, -1):
        content = messages[place].get("content") if isinstance(messages[place], Mapping) else None
        if not isinstance(content, list):
            continue
        for at in range(len(content) - 1, -1, -1):
            block = content[at]
            if isinstance(block, Mapping) and block.get("type") == "compaction" and block.get("content") is not None:
                return [
                    *[None] * place,
                    {**messages[place], "content": content[at:]},
                    *messages[place + 1 :],
                ]
    return messages


def _same_length(old: Any, new: Any) -> tuple[Any, Any]:  # noqa: ANN401 - any JSON value
    """The messages that both have a say about: those that were captured, and none that a compaction stands for."""
    if not isinstance(old, list) or not isinstance(new, list):
        return (None, None) if old is None else (old, new)
    gone = next((place for place, message in enumerate(new) if message is not None), len(new))
    return [None if place < gone else message for place, message in enumerate(old)], new[: len(old)]


def _difference(old: Any, new: Any) -> tuple[str, int | None] | None:  # noqa: ANN401 - any JSON value
    if isinstance(old, str) is not isinstance(new, str):
        old, new = (([{"type": "text", "text": v}] if isinstance(v, str) else v) for v in (old, new))
    return first_difference(old, new)
