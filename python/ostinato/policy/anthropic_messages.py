"""Blocks of Anthropic Messages, as the rules of thinking see them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ostinato.policy.shape import Block, Kind, Shape
from ostinato.policy.thinking import rules_of

__all__ = ["RULES", "SHAPE"]

_OPAQUE: Final = frozenset({"encrypted_content", "encrypted_index", "encrypted_stdout", "signature"})
"""Fields of a server's blocks that only the provider can read: anthropic 2.14.0 types, 2026-11."""
_OF_THE_CALLER: Final = frozenset({"text", "image", "document", "tool_use", "tool_result", "search_result"})
_DEEPEST: Final = 8
"""Levels under which a server's results hold no state of theirs."""


def _thinking(block: Block) -> Kind | None:
    match block.get("type"):
        case "redacted_thinking":
            return "sealed"
        case "thinking":
            signature = block.get("signature")
            return "unsigned" if signature is None or signature == "" else "signed"
    return None


def _completed(block: Block) -> Block:
    """`thinking` must be there, also when it is empty: field report R095."""
    if block.get("type") != "thinking" or block.get("thinking") is not None:
        return block
    return {
        "type": "thinking",
        "thinking": "",
        **{name: value for name, value in block.items() if name not in ("type", "thinking")},
    }


def _is_hollow(block: Block) -> bool:
    text = block.get("thinking")
    return text == "" if _thinking(block) == "signed" else not isinstance(text, str)


def _id(block: Block, kind: str, name: str) -> str | None:
    if block.get("type") != kind:
        return None
    value = block.get(name)
    return value if isinstance(value, str) else ""


def _is_blank(block: Block) -> bool:
    text = block.get("text")
    return block.get("type") == "text" and isinstance(text, str) and not text.strip()


def _answered(block: Block, stand_in: str) -> Block:
    """A result whose content is blank, with a stand-in."""
    if block.get("type") != "tool_result":
        return block
    content = block.get("content")
    is_empty = content is None or (isinstance(content, str) and not content.strip())
    if isinstance(content, list | tuple):
        is_empty = all(isinstance(part, Mapping) and _is_blank(part) for part in content)
    return {**block, "content": stand_in} if is_empty else block


def _is_opaque(block: Block) -> bool:
    kind = block.get("type")
    if not isinstance(kind, str) or kind in _OF_THE_CALLER or kind.endswith("tool_use") or _thinking(block):
        return False
    return any(_names(block, _DEEPEST))


def _names(value: Any, depth: int) -> Iterator[bool]:  # noqa: ANN401 - any JSON value
    """Whether fields of state are set, for each that is."""
    if isinstance(value, Mapping):
        yield from (True for name, held in value.items() if name in _OPAQUE and held)
    if depth and isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _names(part, depth - 1)


def _server_call(block: Block) -> tuple[str | None, str | None]:
    kind = block.get("type")
    if not isinstance(kind, str) or kind in _OF_THE_CALLER:
        return None, None
    call, answer = block.get("id"), block.get("tool_use_id")
    made = call if kind.endswith("tool_use") and isinstance(call, str) else None
    return made, answer if isinstance(answer, str) else None


def _bare(block: Block) -> Block:
    """A text without the citations that point into results which only the provider can read."""
    cited = block.get("citations")
    if block.get("type") != "text" or not isinstance(cited, list | tuple) or not any(_names(cited, _DEEPEST)):
        return block
    return {name: value for name, value in block.items() if name != "citations"}


SHAPE: Final = Shape(
    wire="anthropic-messages",
    text_content=True,
    thinking=_thinking,
    completed=_completed,
    respelled=lambda sent, _given: sent,
    is_hollow=_is_hollow,
    call=lambda block: _id(block, "tool_use", "id"),
    result=lambda block: _id(block, "tool_result", "tool_use_id"),
    is_blank=_is_blank,
    answered=_answered,
    is_opaque=_is_opaque,
    server_call=_server_call,
    bare=_bare,
    takes_unsigned=lambda profile, _model: profile.unsigned.value == "keep",
)

RULES: Final = rules_of(SHAPE)
