"""From a message to input items."""

from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple, cast

from ostinato.arguments import arguments_text
from ostinato.errors import UnsupportedContentError
from ostinato.policy.decision import Log
from ostinato.policy.responses.entry import Entry
from ostinato.policy.responses.sending import settle
from ostinato.wires._wire import Carry, Json, Notes, Turn
from ostinato.wires.images import needs_high_detail
from ostinato.wires.openai_responses.dialects import Dialect

__all__ = ["Target", "write_message"]


class Target(NamedTuple):
    """What the items are written for."""

    dialect: Dialect
    model: str


def write_message(target: Target, turn: Turn, carry: Carry, notes: Notes) -> tuple[list[Json], Carry]:
    """The input items of one message, in item order. Texts and images side by side become one message."""
    items: list[Json] = []
    places: list[int] = []
    sent = set(carry)
    for place, item in turn.items:
        written = _write_item(target, turn.role, place, item, notes)
        if written["type"] == "reasoning":
            repeat = _repeat(target.dialect, written, sent)
            if repeat is not None:
                notes.say(repeat, place)
                continue
            sent |= _marks(written)
        if _joins(items, written):
            items[-1]["content"] += written["content"]
        else:
            items.append(written)
            places.append(place)
    settled = (
        _settled(target.dialect, items, places, notes) if "reasoning" in {item["type"] for item in items} else items
    )
    marks = {mark for item in settled if item["type"] == "reasoning" for mark in _marks(item)}
    return settled, carry | marks if marks else carry


def _settled(dialect: Dialect, items: list[Json], places: list[int], notes: Notes) -> list[Json]:
    """The items that the API takes back."""
    entries, log = [Entry(at, item) for at, item in enumerate(items)], Log()
    settle(entries, dialect.rules, log)
    for made in log.decisions:
        notes.take(made, places[int(made.path.rpartition("/")[2])])
    return [cast("Json", entry.item) for entry in entries if entry.item is not None]


def _marks(written: Json) -> set[Hashable]:
    """What a reasoning item is known by once it was sent."""
    item_id, state = written.get("id"), written.get("encrypted_content")
    return {item_id, (item_id, state)} if item_id else set()


def _repeat(dialect: Dialect, written: Json, sent: set[Hashable]) -> str | None:
    """Why a reasoning item that was sent before, or whose id was, is left out; None where it is new."""
    item_id, state = written.get("id"), written.get("encrypted_content")
    if item_id is None or item_id not in sent:
        return None
    if (item_id, state) in sent:
        return "exact_duplicate" if state else None
    return "id_ciphertext_conflict" if dialect.rules.conflicts.value == "first" else None


def _joins(items: list[Json], written: Json) -> bool:
    """Whether a piece of a message continues the message before it. A phase is never lent to a text without one."""
    if written["type"] != "message" or not items or items[-1]["type"] != "message":
        return False
    return bool(items[-1].get("phase") == written.get("phase"))


def _write_item(target: Target, role: str, place: int, item: Json, notes: Notes) -> Json:
    match item["type"]:
        case "text.done":
            kind = "input_text" if role == "user" else "output_text"
            return _message(role, {"type": kind, "text": item["text"]}, _phase(target.dialect, role, item))
        case "image_url.done":
            _refuse_image(target, "image_url", place, notes)
            return _message(role, _image(target, item["image_url"]), None)
        case "thinking.done":
            return _reasoning(target.dialect, item)
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


def _reasoning(dialect: Dialect, item: Json) -> Json:
    """A thinking item as the reasoning item it was; text of another issuer as plain reasoning, where it is taken."""
    text, kept = item["thinking"], item.get("fidelity") or {}
    if dialect.captures_as is None:
        plain = [{"type": "reasoning_text", "text": text}] if text else []
        if dialect.summary_key:
            return {"type": "reasoning", "summary": [], **({"content": plain} if plain else {})}
        return {"type": "reasoning", "content": plain}
    state = _state(dialect, kept)
    in_summary = kept.get("channel") == "summary" or (
        dialect.lone_ciphertext_is_summary and "channel" not in kept and "encrypted_content" in state
    )
    summary, content = _parts(text, kept, in_summary=in_summary)
    return {
        "type": "reasoning",
        **_id(kept),
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


def _id(kept: Json) -> Json:
    """The id the item came with. None is ever made up."""
    item_id = kept.get("id")
    return {"id": item_id} if isinstance(item_id, str) and item_id else {}


def _parts(text: str, kept: Json, *, in_summary: bool) -> tuple[list[str], list[str]]:
    """Summary and content as the parts they came in, as long as the text is still theirs."""
    summary, content = _texts(kept.get("summary")), _texts(kept.get("content"))
    if (summary or content) and "".join(summary + content) == text:
        return summary, content
    whole = [text] if text else []
    return (whole, []) if in_summary else ([], whole)


def _texts(value: Any) -> list[str]:  # noqa: ANN401 - fidelity may hold anything
    return list(value) if isinstance(value, list) and all(isinstance(part, str) for part in value) else []
