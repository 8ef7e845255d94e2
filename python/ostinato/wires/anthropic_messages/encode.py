"""From a message to one of the wire, whose content is a list of blocks."""

import copy
from typing import Any, Final

from ostinato.errors import ReplayError
from ostinato.replay import canonicalize_completed_reasoning_output_item, reasoning_replay_item_to_provider_input
from ostinato.wires._wire import REDACTED, Carry, Json, Notes, Turn
from ostinato.wires.anthropic_messages.dialects import Dialect
from ostinato.wires.images import parse_data_url
from ostinato.wires.signatures import lone_signature
from ostinato.wires.verbatim import kept_verbatim

__all__ = ["BESIDE", "NAME", "write_message"]

NAME: Final = "anthropic-messages"
BESIDE: Final = "block"
"""The fidelity key for what a text or a call came with beside what its item says: citations, the caller ..."""

_THINKING: Final = {"thinking", "redacted_thinking"}


def write_message(dialect: Dialect, turn: Turn, carry: Carry, notes: Notes) -> tuple[list[Json], Carry]:
    """One message for one message; its blocks in order."""
    placed = [(place, _write_item(dialect, place, item, notes)) for place, item in turn.items]
    blocks = [(place, block) for place, block in placed if block is not None]
    if all(block["type"] in _THINKING for _, block in blocks):
        return [], carry
    while not dialect.may_end_thinking and blocks[-1][1]["type"] in _THINKING:
        notes.say("orphan_thinking", blocks.pop()[0])
    return [{"role": turn.role, "content": [block for _, block in blocks]}], carry


def _write_item(dialect: Dialect, place: int, item: Json, notes: Notes) -> Json | None:
    match item["type"]:
        case "text.done":
            return {"type": "text", "text": item["text"], **_beside(item)}
        case "image_url.done":
            return _image(dialect, item["image_url"], place, "image_url", notes)
        case "thinking.done":
            return kept_verbatim(NAME, item) or _thinking(dialect, item, place, notes)
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


def _thinking(dialect: Dialect, item: Json, place: int, notes: Notes) -> Json | None:
    """A thinking item as the block it was; without a signature only where the server takes that."""
    signature = lone_signature(item)
    if item["thinking"] == REDACTED:
        return _state({"type": "redacted_thinking", "data": signature}, place, notes)
    if isinstance(signature, str) and signature:
        return _state({"type": "thinking", "thinking": item["thinking"], "signature": signature}, place, notes)
    if dialect.unsigned == "send":
        return {"type": "thinking", "thinking": item["thinking"]}
    notes.say("unsigned_thinking", place)
    return None


def _state(block: Json, place: int, notes: Notes) -> Json | None:
    """A block of state in its canonical form; None where it is none that could go back."""
    try:
        state = canonicalize_completed_reasoning_output_item(block, wire=NAME)
    except ReplayError as error:
        notes.say("unsound_state", place, reason=error.code)
        return None
    written: dict[str, Any] = reasoning_replay_item_to_provider_input(state)
    return written
