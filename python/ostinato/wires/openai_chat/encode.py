"""From a message to wire messages: the results of calls one by one, then everything else as one message."""

import copy
from dataclasses import dataclass, field
from typing import NamedTuple

from ostinato.arguments import arguments_text, write_arguments
from ostinato.errors import UnsupportedContentError
from ostinato.policy.openai_chat import another_vendor
from ostinato.wires._wire import Json, Notes, Turn
from ostinato.wires.images import needs_high_detail
from ostinato.wires.openai_chat.details import blocks_of, complete_signatures, holds_text
from ostinato.wires.openai_chat.dialects import BOTH_FIELDS, Dialect

__all__ = ["Fields", "Target", "write_message"]

Fields = frozenset[str | None]
"""The fields that thinking came in; None stands for one that is not known. This is the carry."""


class Target(NamedTuple):
    """What the messages are written for."""

    dialect: Dialect
    model: str


@dataclass(slots=True)
class _Parts:
    """The pieces of one message, each kind in order."""

    results: list[Json] = field(default_factory=list)
    content: list[Json] = field(default_factory=list)
    calls: list[Json] = field(default_factory=list)
    fields: set[str | None] = field(default_factory=set)
    """The fields of all thinking items."""
    produced: set[str | None] = field(default_factory=set)
    """Those in which there was something."""
    text: str = ""
    """The thinking."""
    spoken: str = ""
    """Of the thinking, what the blocks do not say themselves."""
    blocks: list[Json] = field(default_factory=list)
    sealed: str | None = None


def write_message(target: Target, turn: Turn, carry: Fields, notes: Notes) -> tuple[list[Json], Fields]:
    """The wire messages of one message."""
    parts, foreign = _Parts(), another_vendor((turn.message.get("origin") or {}).get("model"), target.model)
    for place, item in turn.items:
        kept = _kept(item, place, notes, foreign=foreign)
        match item["type"]:
            case "text.done":
                parts.content.append({"type": "text", "text": item["text"]})
            case "image_url.done":
                parts.content.append(_image(target, item["image_url"], "image_url", place, notes))
            case "thinking.done":
                _take_thinking(target.dialect, parts, item["thinking"], kept)
            case "tool_call.done":
                parts.calls.append(_call(target.dialect, item, kept))
            case "tool_result.done":
                parts.results.append({"role": "tool", "tool_call_id": item["tool_call_id"], "content": item["text"]})
                for url in item.get("images") or ():
                    parts.content.append(_image(target, url, "tool_result", place, notes))
            case other:
                raise notes.refuse("this client cannot send items of this type", place, other)
    if not (parts.content or parts.calls or parts.results):
        return [], carry
    return _messages(target.dialect, turn.role, parts, carry), carry | parts.produced


def _messages(dialect: Dialect, role: str, parts: _Parts, carry: Fields) -> list[Json]:
    rest = {
        "content": parts.content,
        "tool_calls": parts.calls,
        **_thinking(dialect, parts, carry),
        "reasoning_details": complete_signatures(parts.blocks),
        "encrypted_content": parts.sealed,
    }
    message = {name: value for name, value in rest.items() if value or value == ""}
    return [*parts.results, *([{"role": role, **message}] if message else ())]


def _thinking(dialect: Dialect, parts: _Parts, carry: Fields) -> Json:
    """The thinking in the field it came in. A silent turn that calls tools has the field of the turns before it."""
    if parts.text:
        spoken = parts.spoken if dialect.details == "hold_text" else parts.text
        return dict.fromkeys(_names(dialect, frozenset(parts.fields)), spoken) if spoken else {}
    if parts.calls and carry and dialect.keeps_field:
        return dict.fromkeys(_names(dialect, carry), "")
    return {}


def _names(dialect: Dialect, fields: Fields) -> tuple[str, ...]:
    known = [name for name in BOTH_FIELDS if fields == {name}]
    return tuple(known) or dialect.fields


def _take_thinking(dialect: Dialect, parts: _Parts, text: str, kept: Json) -> None:
    name = kept.get("reasoning_field")
    name = name if isinstance(name, str) else None
    parts.fields.add(name)
    if text:
        parts.produced.add(name)
    parts.text += text
    blocks = [] if dialect.details == "none" else blocks_of(kept)
    parts.blocks += blocks
    if not holds_text(blocks, text):
        parts.spoken += text
    sealed = kept.get("encrypted_content")
    if dialect.seals and isinstance(sealed, str) and name is not None:
        parts.sealed = (parts.sealed or "") + sealed


def _call(dialect: Dialect, item: Json, kept: Json) -> Json:
    extra = kept.get("extra_content") if dialect.keeps_call_extras else None
    # A call that had no id cannot go back as it came, and MMSP writes all of it anew.
    had_no_id = dialect.calls_by_name and item["tool_call_id"] == item["name"]
    arguments = write_arguments(item["arguments"]) if had_no_id else arguments_text(item)
    return {
        "id": item["tool_call_id"],
        "type": "function",
        "function": {"name": item["name"], "arguments": arguments},
        **({"extra_content": copy.deepcopy(extra)} if isinstance(extra, dict) else {}),
    }


def _image(target: Target, url: str, item_type: str, place: int, notes: Notes) -> Json:
    only = target.dialect.images_for
    if only is not None and only not in target.model.lower():
        raise notes.refuse("this model takes no images", place, item_type, UnsupportedContentError)
    part = target.dialect.detail_for
    marked = part is not None and part in target.model and needs_high_detail(url)
    return {"type": "image_url", "image_url": {"url": url, **({"detail": "high"} if marked else {})}}


def _kept(item: Json, place: int, notes: Notes, *, foreign: bool) -> Json:
    """The fidelity of an item; of a turn by another vendor's model, only which field its thinking came in."""
    kept: Json = item.get("fidelity") or {}
    if not foreign:
        return kept
    portable = {name: value for name, value in kept.items() if name == "reasoning_field"}
    if set(kept) - set(portable) - {"arguments"}:
        notes.say("foreign_state", place)
    return portable
