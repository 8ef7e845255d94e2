"""From a message to input items."""

from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from ostinato.arguments import arguments_text
from ostinato.errors import UnsupportedContentError
from ostinato.wires._wire import Carry, Json, Notes, Turn
from ostinato.wires.images import needs_high_detail
from ostinato.wires.openai_responses.dialects import Dialect

__all__ = ["Target", "write_message"]

MAX_ID = 64
"""The longest id the API takes back; it is known to give out longer ones through relays."""


class Target(NamedTuple):
    """What the items are written for."""

    dialect: Dialect
    model: str


def write_message(target: Target, turn: Turn, carry: Carry, notes: Notes) -> tuple[list[Json], Carry]:
    """The input items of one message, in item order. Texts and images side by side become one message."""
    items: list[Json] = []
    reasoning_at: int | None = None
    sent = set(carry)
    for place, item in turn.items:
        written = _write_item(target, turn.role, place, item, notes)
        if written is None:
            continue
        if written["type"] == "reasoning":
            mark = _mark(target.dialect, written)
            if mark is not None and mark in sent:
                notes.say("repeated_item", place)
                continue
            sent.add(mark)
            reasoning_at = place
        if _joins(items, written):
            items[-1]["content"] += written["content"]
        else:
            items.append(written)
    if target.dialect.needs_follower:
        while items and items[-1]["type"] == "reasoning":
            notes.say("orphan_reasoning", reasoning_at)
            items.pop()
    marks = {_mark(target.dialect, item) for item in items if item["type"] == "reasoning"} - {None}
    return items, carry | marks if marks else carry


def _mark(dialect: Dialect, written: Json) -> Hashable:
    """What makes a reasoning item one that was sent before; None where nothing does."""
    item_id, state = written.get("id"), written.get("encrypted_content")
    if dialect.repeats == "by_id" or not item_id:
        return item_id
    return (item_id, state) if state else None


def _joins(items: list[Json], written: Json) -> bool:
    """Whether a piece of a message continues the message before it. A phase is never lent to a text without one."""
    if written["type"] != "message" or not items or items[-1]["type"] != "message":
        return False
    return bool(items[-1].get("phase") == written.get("phase"))


def _write_item(target: Target, role: str, place: int, item: Json, notes: Notes) -> Json | None:
    match item["type"]:
        case "text.done":
            kind = "input_text" if role == "user" else "output_text"
            return _message(role, {"type": kind, "text": item["text"]}, _phase(target.dialect, role, item))
        case "image_url.done":
            _refuse_image(target, "image_url", place, notes)
            return _message(role, _image(target, item["image_url"]), None)
        case "thinking.done":
            return _reasoning(target.dialect, item, place, notes)
        case "tool_call.done":
            call = {"call_id": item["tool_call_id"], "name": item["name"], "arguments": arguments_text(item)}
            return {"type": "function_call", **call}
        case "tool_result.done":
            if item.get("images"):
                _refuse_image(target, "tool_result", place, notes)
            output = list(_output(target, item)) if item.get("images") else item["text"]
            return {"type": "function_call_output", "call_id": item["tool_call_id"], "output": output}
        case other:
            raise notes.refuse("this client cannot send items of this type", place, other)


def _message(role: str, part: Json, phase: str | None) -> Json:
    return {"type": "message", "role": role, "content": [part], **({"phase": phase} if phase else {})}


def _phase(dialect: Dialect, role: str, item: Json) -> str | None:
    phase = (item.get("fidelity") or {}).get("phase")
    return phase if dialect.phases and role == "assistant" and isinstance(phase, str) else None


def _refuse_image(target: Target, item_type: str, place: int, notes: Notes) -> None:
    pattern = target.dialect.text_only
    if pattern and pattern.fullmatch(target.model.rpartition("/")[2].lower()):
        raise notes.refuse("this model takes no images", place, item_type, UnsupportedContentError)


def _image(target: Target, url: str) -> Json:
    part = target.dialect.detail_for
    marked = part is not None and part in target.model and needs_high_detail(url)
    return {"type": "input_image", "image_url": url, **({"detail": "high"} if marked else {})}


def _output(target: Target, item: Json) -> Iterator[Json]:
    yield {"type": "input_text", "text": item["text"]}
    for url in item["images"]:
        yield _image(target, url)


def _reasoning(dialect: Dialect, item: Json, place: int, notes: Notes) -> Json | None:
    """A thinking item as the reasoning item it was; text of another issuer as plain reasoning, where it is taken."""
    text, kept = item["thinking"], item.get("fidelity") or {}
    if dialect.captures_as is None:
        plain = [{"type": "reasoning_text", "text": text}] if text else []
        if dialect.summary_key:
            return {"type": "reasoning", "summary": [], **({"content": plain} if plain else {})}
        return {"type": "reasoning", "content": plain}
    state = _state(dialect, kept)
    if "encrypted_content" not in state and dialect.plaintext == "leave_out":
        notes.say("no_encrypted_content", place)
        return None
    in_summary = kept.get("channel") == "summary" or (
        dialect.lone_ciphertext_is_summary and "channel" not in kept and "encrypted_content" in state
    )
    summary, content = _parts(text, kept, in_summary=in_summary)
    return {
        "type": "reasoning",
        **_id(kept, place, notes),
        "summary": [{"type": "summary_text", "text": part} for part in summary],
        **({"content": [{"type": "reasoning_text", "text": part} for part in content]} if content else {}),
        **state,
    }


def _state(dialect: Dialect, kept: Json) -> Json:
    """The opaque fields. A signature alone, or a block of a Chat gateway, was made elsewhere."""
    if "reasoning_id" in kept:
        return {}
    names = ["encrypted_content"]
    if dialect.signs and ("channel" in kept or "format" in kept):
        names += ["signature", "format"]
    return {name: kept[name] for name in names if isinstance(kept.get(name), str) and kept[name]}


def _id(kept: Json, place: int, notes: Notes) -> Json:
    """The id the item came with. None is ever made up; one the API would refuse is left out."""
    item_id = kept.get("id")
    if not isinstance(item_id, str) or not item_id:
        return {}
    if len(item_id) > MAX_ID:
        notes.say("id_too_long", place)
        return {}
    return {"id": item_id}


def _parts(text: str, kept: Json, *, in_summary: bool) -> tuple[list[str], list[str]]:
    """Summary and content as the parts they came in, as long as the text is still theirs."""
    summary, content = _texts(kept.get("summary")), _texts(kept.get("content"))
    if (summary or content) and "".join(summary + content) == text:
        return summary, content
    whole = [text] if text else []
    return (whole, []) if in_summary else ([], whole)


def _texts(value: Any) -> list[str]:  # noqa: ANN401 - fidelity may hold anything
    return list(value) if isinstance(value, list) and all(isinstance(part, str) for part in value) else []
