"""From a message to one of Converse, whose content is a list of blocks. Bytes are base64, as JSON has them."""

import base64
import copy
from typing import Any, Final, NamedTuple

from ostinato.errors import ReplayError, UnsupportedContentError
from ostinato.replay import canonicalize_completed_reasoning_output_item
from ostinato.wires._wire import REDACTED, Carry, Json, Notes, Turn
from ostinato.wires.bedrock_converse.dialects import Maker, name_of_maker
from ostinato.wires.images import parse_data_url
from ostinato.wires.signatures import lone_signature
from ostinato.wires.verbatim import kept_verbatim

__all__ = ["CITATIONS", "NAME", "SEALED", "Target", "write_message"]

NAME: Final = "bedrock-converse"
SEALED: Final = "redacted_content"
"""The fidelity key for the bytes of a redacted block, as base64."""
CITATIONS: Final = "citations"
"""The fidelity key for what a text cites."""

_STAND_IN: Final = "(empty)"
"""What stands for the result of a call that gave nothing: the API refuses a blank one."""

_FORMATS: Final = {
    "image/png": ("image", "png"),
    "image/jpeg": ("image", "jpeg"),
    "image/gif": ("image", "gif"),
    "image/webp": ("image", "webp"),
    "video/mp4": ("video", "mp4"),
    "video/webm": ("video", "webm"),
    "video/quicktime": ("video", "mov"),
    "video/x-matroska": ("video", "mkv"),
    "video/mpeg": ("video", "mpeg"),
    "audio/wav": ("audio", "wav"),
    "audio/mpeg": ("audio", "mp3"),
    "audio/ogg": ("audio", "ogg"),
    "audio/flac": ("audio", "flac"),
    "audio/aac": ("audio", "aac"),
    "audio/mp4": ("audio", "m4a"),
    "application/pdf": ("document", "pdf"),
    "text/csv": ("document", "csv"),
    "text/html": ("document", "html"),
    "text/markdown": ("document", "md"),
    "text/plain": ("document", "txt"),
}


class Target(NamedTuple):
    """What the blocks are written for."""

    maker: Maker
    model: str


def write_message(target: Target, turn: Turn, carry: Carry, notes: Notes) -> tuple[list[Json], Carry]:
    """One message for one message; its blocks in order."""
    foreign = _is_made_by_another(turn, target.model)
    placed = [(place, _write_item(target, place, item, notes, foreign=foreign)) for place, item in turn.items]
    blocks = [(place, block) for place, block in placed if block is not None]
    while blocks and "reasoningContent" in blocks[-1][1]:
        notes.say("orphan_thinking", blocks.pop()[0])
    return ([{"role": turn.role, "content": [block for _, block in blocks]}] if blocks else []), carry


def _is_made_by_another(turn: Turn, model: str) -> bool:
    """Whether the model that answered was another maker's. They share the platform, and no state."""
    made_by = (turn.message.get("origin") or {}).get("model")
    return isinstance(made_by, str) and name_of_maker(made_by) != name_of_maker(model)


def _write_item(target: Target, place: int, item: Json, notes: Notes, *, foreign: bool) -> Json | None:
    match item["type"]:
        case "text.done":
            return _text(item, place, notes, foreign=foreign)
        case "thinking.done":
            return _thinking(target.maker, item, place, notes, foreign=foreign)
        case "image_url.done":
            return _image(item["image_url"], place, "image_url", notes)
        case "inline_data.done":
            return _media(bytes(item["data"]), item["mime_type"], place, "inline_data", notes)
        case "tool_call.done":
            call = {"toolUseId": item["tool_call_id"], "name": item["name"]}
            return {"toolUse": call | {"input": copy.deepcopy(item["arguments"])}}
        case "tool_result.done":
            return {"toolResult": {"toolUseId": item["tool_call_id"], "content": _result(item, place, notes)}}
        case other:
            raise notes.refuse("this client cannot send items of this type", place, other)


def _text(item: Json, place: int, notes: Notes, *, foreign: bool) -> Json | None:
    """A text, with what it cites. The API refuses one that is blank."""
    if not item["text"].strip():
        notes.say("blank_text", place)
        return None
    cited = (item.get("fidelity") or {}).get(CITATIONS)
    if isinstance(cited, list) and cited and not foreign:
        return {"citationsContent": {"content": [{"text": item["text"]}], "citations": copy.deepcopy(cited)}}
    return {"text": item["text"]}


def _thinking(maker: Maker, item: Json, place: int, notes: Notes, *, foreign: bool) -> Json | None:
    """A thinking item as the block it was."""
    if foreign and item.get("fidelity"):
        notes.say("foreign_state", place)
        return _unsigned(maker, item, place, notes)
    whole = kept_verbatim(NAME, item)
    if whole is not None:
        return whole
    if item["thinking"] == REDACTED:
        return _state({"redactedContent": (item.get("fidelity") or {}).get(SEALED)}, place, notes)
    signature = lone_signature(item)
    if isinstance(signature, str) and signature:
        return _state({"reasoningText": {"text": item["thinking"], "signature": signature}}, place, notes)
    return _unsigned(maker, item, place, notes)


def _unsigned(maker: Maker, item: Json, place: int, notes: Notes) -> Json | None:
    """Thinking without a signature, where the model takes that."""
    if maker.takes_unsigned and item["thinking"] not in ("", REDACTED):
        return {"reasoningContent": {"reasoningText": {"text": item["thinking"]}}}
    notes.say("unsigned_thinking", place)
    return None


def _state(content: Json, place: int, notes: Notes) -> Json | None:
    """A block of state in its canonical form; None where it is none that could go back."""
    try:
        state = canonicalize_completed_reasoning_output_item({"reasoningContent": content}, wire=NAME)
    except ReplayError as error:
        notes.say("unsound_state", place, reason=error.code)
        return None
    return {"reasoningContent": state.get("reasoningContent")}


def _image(url: str, place: int, item_type: str, notes: Notes) -> Json:
    parts = parse_data_url(url)
    data = parts.decoded() if parts else None
    if parts is None or data is None:
        raise notes.refuse("an image must be base64, or be fetched before it is sent here", place, item_type)
    return _media(data, parts.mime_type, place, item_type, notes)


def _media(data: bytes, mime_type: str, place: int, item_type: str, notes: Notes) -> Json:
    known = _FORMATS.get(mime_type.partition(";")[0].strip().lower())
    if known is None:
        raise notes.refuse("this client cannot send media of this type", place, item_type, UnsupportedContentError)
    member, form = known
    # A document must have a name, and each its own; a plain one gives the model nothing to make of it.
    named: Json = {"name": f"document {notes.index}-{place}"} if member == "document" else {}
    return {member: {"format": form, **named, "source": {"bytes": base64.b64encode(data).decode()}}}


def _result(item: Json, place: int, notes: Notes) -> list[Any]:
    content = [_image(url, place, "tool_result", notes) for url in item.get("images") or ()]
    if item["text"].strip():
        return [{"text": item["text"]}, *content]
    if not content:
        notes.say("blank_result", place, "added")
    return content or [{"text": _STAND_IN}]
