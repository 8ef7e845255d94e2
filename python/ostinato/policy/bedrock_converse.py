"""Blocks of Bedrock Converse, as the rules of thinking see them."""

from collections.abc import Mapping
from typing import Any, Final

from ostinato.policy.models import name_of_maker
from ostinato.policy.profiles.bedrock_converse import ConverseProfile
from ostinato.policy.profiles.thinking import ThinkingProfile
from ostinato.policy.shape import Block, Kind, Shape
from ostinato.policy.thinking import rules_of

__all__ = ["RULES", "SHAPE"]


def _held(block: Block, member: str) -> Mapping[str, Any] | None:
    held = block.get(member)
    return held if isinstance(held, Mapping) else None


def _thinking(block: Block) -> Kind | None:
    """Strict in shape: what is no text and no sealed bytes is state that nobody could send (field report R187)."""
    if "reasoningContent" not in block:
        return None
    text = _held(_held(block, "reasoningContent") or {}, "reasoningText")
    if text is None:
        return "sealed"
    signature = text.get("signature")
    return "unsigned" if signature is None or signature == "" else "signed"


def _completed(block: Block) -> Block:
    """`text` must be there, also when it is empty: botocore 1.44.8; field report R096."""
    held = _held(block, "reasoningContent") or {}
    text = _held(held, "reasoningText")
    if text is None or text.get("text") is not None:
        return block
    return {**block, "reasoningContent": {**held, "reasoningText": {**text, "text": ""}}}


def _respelled(sent: Block, given: Block) -> Block:
    if "redactedContent" not in sent["reasoningContent"]:
        return sent
    return {"reasoningContent": {"redactedContent": given["reasoningContent"]["redactedContent"]}}


def _is_hollow(block: Block) -> bool:
    text = (_held(_held(block, "reasoningContent") or {}, "reasoningText") or {}).get("text")
    return text == "" if _thinking(block) == "signed" else not (isinstance(text, str) and text)


def _id(block: Block, member: str) -> str | None:
    """The id in a call or result of the caller's; those of the platform say their type."""
    if member not in block:
        return None
    held = _held(block, member) or {}
    if held.get("type"):
        return None
    value = held.get("toolUseId")
    return value if isinstance(value, str) else ""


def _is_blank(block: Block) -> bool:
    text = block.get("text")
    return isinstance(text, str) and not text.strip()


def _answered(block: Block, stand_in: str) -> Block:
    held = _held(block, "toolResult")
    if held is None or held.get("type"):
        return block
    content = held.get("content")
    is_empty = content is None
    if isinstance(content, list | tuple):
        is_empty = all(isinstance(part, Mapping) and _is_blank(part) for part in content)
    return {**block, "toolResult": {**held, "content": [{"text": stand_in}]}} if is_empty else block


def _takes_unsigned(profile: ThinkingProfile, model: str | None) -> bool:
    makers = profile.unsigned_makers.value if isinstance(profile, ConverseProfile) else ()
    return profile.unsigned.value == "keep" or (model is not None and name_of_maker(model) in makers)


SHAPE: Final = Shape(
    wire="bedrock-converse",
    text_content=False,
    thinking=_thinking,
    completed=_completed,
    respelled=_respelled,
    is_hollow=_is_hollow,
    call=lambda block: _id(block, "toolUse"),
    result=lambda block: _id(block, "toolResult"),
    is_blank=_is_blank,
    answered=_answered,
    is_opaque=lambda _block: False,  # botocore 1.44.8 knows no other state
    server_call=lambda _block: (None, None),
    bare=lambda block: block,
    takes_unsigned=_takes_unsigned,
)


RULES: Final = rules_of(SHAPE)
