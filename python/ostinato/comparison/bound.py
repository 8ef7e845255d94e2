"""Whether what comes before thinking is what did when it was made.

Newer models of Claude bind a block of thinking to the system prompt, the tools and all messages before it. Sources:
platform.claude.com preserved-thinking and prefix-checks, docs.litellm.ai anthropic_preserved_thinking, 2026-11.
"""

from collections.abc import Mapping
from typing import Any, Final

from ostinato.comparison.layouts import LAYOUTS
from ostinato.comparison.walk import Place, Walk
from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.policy import Decision
from ostinato.policy.decision import Fact
from ostinato.soundness import readable

__all__ = ["prefix_change"]

_TYPES: Final = ("thinking", "redacted_thinking")


@discreet
@readable
def prefix_change(
    captured: Mapping[str, Any], now: Mapping[str, Any], *, wire: str = "anthropic-messages"
) -> Decision | None:
    """Where what comes before thinking differs from what did when it was made; None where nothing that counts does.

    Compared are tools and system prompt, and the messages that were captured with those in their places now, as
    `ostinato.diff` compares them. Thinking itself is not: it may be left out from the beginning on, which
    `ostinato.policy.check_thinking_chain` judges. Nothing before the latest compaction counts, nor do other settings.

    Args:
        captured: the request that the thinking answered, or a part of it.
        now: the request that is about to be sent, or the same part.
        wire: `anthropic-messages` or `bedrock-converse`.

    Returns:
        The decision `prefix_changed`, whose path is the first difference, such as `system` or `messages/2/content`.

    Raises:
        ReplayError: `unknown_wire`, `too_deep`.
    """
    layout = LAYOUTS.get(wire)
    if layout is None:
        raise ReplayError("unknown_wire")
    walk = Walk(layout)
    try:
        for part in (*layout.head, layout.items):
            old, new = _part(captured, part), _part(now, part)
            if part == layout.items:
                old, new = _both(old, new)
            place = walk.first(old, new)
            if place is not None:
                return _decision(part, place)
    except RecursionError:
        raise ReplayError("too_deep") from None
    return None


def _decision(part: str, place: Place) -> Decision:
    facts: dict[str, Fact] = {"part": part, "invalidates": "every thinking block after it"}
    facts |= {} if place.offset is None else {"offset": place.offset}
    return Decision("prefix_changed", "/".join((part, *place.steps)), "kept", place.kind, tuple(facts.items()))


def _part(request: Mapping[str, Any], part: str) -> Any:  # noqa: ANN401 - any JSON value
    """A part of a request, as far as it counts. What is not there is the same as an empty one."""
    value = request.get(part)
    if part == "toolConfig" and isinstance(value, Mapping):  # what else is in it is a choice, which may change
        value = value.get("tools")
    return None if value in ("", [], ()) else value


def _both(old: Any, new: Any) -> tuple[Any, Any]:  # noqa: ANN401 - any JSON value
    """The messages that both sides speak of: those that were captured, from the latest compaction on."""
    if not isinstance(old, list | tuple):
        return None, None
    if not isinstance(new, list | tuple):
        new = ()
    start, block = _compaction(new)
    sides = []
    for messages in (old, new[: len(old)]):
        counted: list[Any] = [None if place < start else _counted(message) for place, message in enumerate(messages)]
        if start < len(counted) and isinstance(counted[start], Mapping):
            counted[start] = _after(counted[start], messages[start], block)
        sides.append(counted)
    return sides[0], sides[1]


def _compaction(messages: Any) -> tuple[int, Any]:  # noqa: ANN401 - any JSON value
    """The message of the latest compaction, and the block itself; the first message where there is none."""
    for place in range(len(messages) - 1, -1, -1):
        for block in reversed(_blocks(messages[place])):
            # One without content is a failed compaction, and stands for nothing.
            if isinstance(block, Mapping) and block.get("type") == "compaction" and block.get("content") is not None:
                return place, block
    return 0, None


def _blocks(message: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    content = message.get("content") if isinstance(message, Mapping) else None
    return list(content) if isinstance(content, list | tuple) else []


def _counted(message: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A message without its thinking."""
    if not isinstance(message, Mapping) or not isinstance(message.get("content"), list | tuple):
        return message
    return {**message, "content": [block for block in message["content"] if not _is_thinking(block)]}


def _is_thinking(block: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(block, Mapping) and (block.get("type") in _TYPES or "reasoningContent" in block)


def _after(counted: Mapping[str, Any], message: Any, block: Any) -> Mapping[str, Any]:  # noqa: ANN401 - any JSON value
    """A message from its compaction on."""
    places = [place for place, one in enumerate(_blocks(message)) if block is not None and one == block]
    if not places:
        return counted
    return {**counted, "content": [one for one in _blocks(message)[places[-1] :] if not _is_thinking(one)]}
