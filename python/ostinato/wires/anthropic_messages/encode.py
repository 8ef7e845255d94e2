"""From a message to one of the wire, whose content is a list of blocks."""

import copy
from typing import Final

from ostinato.policy.anthropic_messages import SHAPE
from ostinato.policy.thinking import judge_message
from ostinato.wires._wire import REDACTED, Carry, Json, Notes, Turn
from ostinato.wires.anthropic_messages.dialects import Dialect
from ostinato.wires.images import parse_data_url
from ostinato.wires.signatures import lone_signature
from ostinato.wires.verbatim import kept_verbatim

__all__ = ["BESIDE", "NAME", "write_message"]

NAME: Final = "anthropic-messages"
BESIDE: Final = "block"
"""The fidelity key for what a text or a call came with beside what its item says: citations, the caller ..."""


def write_message(dialect: Dialect, turn: Turn, carry: Carry, notes: Notes) -> tuple[list[Json], Carry]:
    """One message for one message; its blocks in order."""
    written = [_write_item(dialect, place, item, notes) for place, item in turn.items]
    fates = judge_message(SHAPE, dialect.rules, written)
    for (place, _item), fate in zip(turn.items, fates, strict=True):
        if fate.code is not None:
            notes.say(fate.code, place, fate.action, fate.reason)
    blocks = [fate.block for fate in fates if fate.block is not None]
    return ([{"role": turn.role, "content": blocks}] if blocks else []), carry


def _write_item(dialect: Dialect, place: int, item: Json, notes: Notes) -> Json:
    match item["type"]:
        case "text.done":
            return {"type": "text", "text": item["text"], **_beside(item)}
        case "image_url.done":
            return _image(dialect, item["image_url"], place, "image_url", notes)
        case "thinking.done":
            return kept_verbatim(NAME, item) or _thinking(item)
        case "tool_call.done":
            call = {"id": item["tool_call_id"], "name": item["name"], "input": copy.deepcopy(item["arguments"])}
            return {"type": "tool_use", **call, **_beside(item)}
        case "tool_result.done":
            images = [_image(dialect, url, place, "tool_result", notes) for url in item.get("images") or ()]
            content = [{"type": "text", "text": item["text"]}, *images]
            return {"type": "tool_result", "content": content, "tool_use_id": item["tool_call_id"]}
        case other:
            raise notes.refuse("this client cannot send items of this type", place, other)


def _beside(item: Json) -> Json:
    """What the block held beside the content of the item. It never replaces that."""
    beside = (item.get("fidelity") or {}).get(BESIDE)
    if not isinstance(beside, dict):
        return {}
    own = {"type", "text", "id", "name", "input", "cache_control"}
    return {name: copy.deepcopy(value) for name, value in beside.items() if name not in own}


def _image(dialect: Dialect, url: str, place: int, item_type: str, notes: Notes) -> Json:
    inline = parse_data_url(url)
    if inline is not None and inline.mime_type:
        source = {"type": "base64", "media_type": inline.mime_type, "data": inline.data}
    elif url.startswith("data:"):
        raise notes.refuse("an image in a data URL must be base64 and name its type", place, item_type)
    elif dialect.inlines_images:
        raise notes.refuse("an image must be fetched before it can be sent here", place, item_type)
    else:
        source = {"type": "url", "url": url}
    return {"type": "image", "source": source}


def _thinking(item: Json) -> Json:
    """A thinking item as the block it was. Whether it can go out so is for the rules to say."""
    signature = lone_signature(item)
    if item["thinking"] == REDACTED:
        return {"type": "redacted_thinking", "data": signature}
    signed = {"signature": signature} if isinstance(signature, str) and signature else {}
    return {"type": "thinking", "thinking": item["thinking"], **signed}
