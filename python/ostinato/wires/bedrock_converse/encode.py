"""From a message to one of Converse, whose content is a list of blocks. Bytes are base64, as JSON has them."""

import base64
import copy
from typing import Any, Final

from ostinato.errors import UnsupportedContentError
from ostinato.policy.bedrock_converse import SHAPE
from ostinato.policy.models import name_of_maker
from ostinato.policy.profiles.bedrock_converse import PROFILES
from ostinato.policy.thinking import judge_message
from ostinato.wires._wire import REDACTED, Carry, Json, Notes, Turn
from ostinato.wires.images import parse_data_url
from ostinato.wires.signatures import lone_signature
from ostinato.wires.verbatim import kept_verbatim

__all__ = ["CITATIONS", "NAME", "SEALED", "write_message"]

NAME: Final = "bedrock-converse"
SEALED: Final = "redacted_content"
"""The fidelity key for the bytes of a redacted block, as base64."""
CITATIONS: Final = "citations"
"""The fidelity key for what a text cites."""

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


_RULES: Final = PROFILES["bedrock-converse"]


def write_message(model: str, turn: Turn, carry: Carry, notes: Notes) -> tuple[list[Json], Carry]:
    """One message for one message; its blocks in order."""
    foreign = _is_made_by_another(turn, model)
    placed = [(place, _write_item(place, item, notes, foreign=foreign)) for place, item in turn.items]
    written = [(place, block) for place, block in placed if block is not None]
    fates = judge_message(SHAPE, _RULES, [block for _place, block in written], model=model)
    for (place, _block), fate in zip(written, fates, strict=True):
        if fate.code is not None:
            notes.say(fate.code, place, fate.action, fate.reason)
    blocks = [fate.block for fate in fates if fate.block is not None]
    return ([{"role": turn.role, "content": blocks}] if blocks else []), carry


def _is_made_by_another(turn: Turn, model: str) -> bool:
    """Whether the model that answered was another maker's. They share the platform, and no state."""
    made_by = (turn.message.get("origin") or {}).get("model")
    return isinstance(made_by, str) and name_of_maker(made_by) != name_of_maker(model)


def _write_item(place: int, item: Json, notes: Notes, *, foreign: bool) -> Json | None:
    match item["type"]:
        case "text.done":
            return _text(item, foreign=foreign)
        case "thinking.done":
            return _thinking(item, place, notes, foreign=foreign)
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


def _text(item: Json, *, foreign: bool) -> Json:
    """A text, with what it cites."""
    cited = (item.get("fidelity") or {}).get(CITATIONS)
    if isinstance(cited, list) and cited and not foreign and item["text"].strip():
        return {"citationsContent": {"content": [{"text": item["text"]}], "citations": copy.deepcopy(cited)}}
    return {"text": item["text"]}


def _thinking(item: Json, place: int, notes: Notes, *, foreign: bool) -> Json | None:
    """A thinking item as the block it was. Whether it can go out so is for the rules to say."""
    is_sealed = item["thinking"] == REDACTED
    if foreign and item.get("fidelity"):
        notes.say("foreign_state", place)
        return None if is_sealed else {"reasoningContent": {"reasoningText": {"text": item["thinking"]}}}
    whole = kept_verbatim(NAME, item)
    if whole is not None:
        return whole
    if is_sealed:
        return {"reasoningContent": {"redactedContent": (item.get("fidelity") or {}).get(SEALED)}}
    signature = lone_signature(item)
    signed = {"signature": signature} if isinstance(signature, str) and signature else {}
    return {"reasoningContent": {"reasoningText": {"text": item["thinking"], **signed}}}


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
    images = [_image(url, place, "tool_result", notes) for url in item.get("images") or ()]
    return [{"text": item["text"]}, *images] if item["text"].strip() or not images else images
