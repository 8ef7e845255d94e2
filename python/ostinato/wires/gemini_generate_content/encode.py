"""From a message to contents: lists of parts, each with the signature it came with."""

import base64
import copy
from collections.abc import Mapping
from itertools import groupby
from typing import Final

from ostinato.policy.gemini_contents import is_call, is_result, is_thought
from ostinato.policy.gemini_generate_content import with_placeholder
from ostinato.policy.gemini_signatures import PLACEHOLDER, SIGNATURE, signature_bytes, signature_fault
from ostinato.wires._wire import Carry, Json, Notes, Turn
from ostinato.wires.gemini import called_names, media_of, read_media
from ostinato.wires.signatures import lone_signature
from ostinato.wires.verbatim import kept_verbatim

__all__ = ["NAME", "write_message"]

NAME: Final = "gemini-generate-content"

_ROLES: Final = {"user": "user", "assistant": "model"}


def write_message(turn: Turn, carry: Carry, notes: Notes) -> tuple[list[Json], Carry]:
    """The contents of one message: one, or several where results of calls stand among other parts.

    The carry holds the names of all calls so far, by call id.
    """
    names = called_names(carry, turn.items)
    placed = [(place, _write_item(names, place, item, notes)) for place, item in turn.items]
    if turn.role == "assistant":
        placed = _settled(placed, notes)
    parts = [part for _, part in placed]
    if all(is_thought(part) for part in parts):
        return [], carry
    # Vertex refuses results of calls beside anything else.
    runs = [list(run) for _, run in groupby(parts, key=is_result)]
    return [{"role": _ROLES[turn.role], "parts": run} for run in runs], names


def _write_item(names: Mapping[str, str], place: int, item: Json, notes: Notes) -> Json:
    whole = kept_verbatim(NAME, item)
    return whole if whole is not None else _part(names, place, item, notes) | _signed(item, place, notes)


def _part(names: Mapping[str, str], place: int, item: Json, notes: Notes) -> Json:
    match item["type"]:
        case "text.done":
            return {"text": item["text"]}
        case "thinking.done":
            return {"text": item["thinking"], "thought": True}
        case "image_url.done" | "inline_data.done":
            return _inline(*media_of(item, place, notes))
        case "inline_thinking.done":
            return _inline(*media_of(item, place, notes)) | {"thought": True}
        case "tool_call.done":
            call = {"name": item["name"], "args": copy.deepcopy(item["arguments"])}
            return {"functionCall": _id(item["tool_call_id"], item["name"]) | call}
        case "tool_result.done":
            return {"functionResponse": _result(names, place, item, notes)}
        case other:
            raise notes.refuse("this client cannot send items of this type", place, other)


def _inline(data: bytes, mime_type: str) -> Json:
    return {"inlineData": {"mimeType": mime_type, "data": base64.urlsafe_b64encode(data).decode()}}


def _id(call_id: str, name: str) -> Json:
    """The id of a call. Where the server gave none, the name stands for it, and none goes back."""
    return {} if call_id == name else {"id": call_id}


def _result(names: Mapping[str, str], place: int, item: Json, notes: Notes) -> Json:
    name = names.get(item["tool_call_id"], item["tool_call_id"])
    images = [_inline(*read_media(url, place, "tool_result", notes)) for url in item.get("images") or ()]
    result = {"name": name, "response": {"result": item["text"]}, **({"parts": images} if images else {})}
    return _id(item["tool_call_id"], name) | result


def _signed(item: Json, place: int, notes: Notes) -> Json:
    """The signature of an item, in the alphabet that Google's own client writes."""
    signature = lone_signature(item)
    if signature is None:
        return {}
    data = signature_bytes(signature)
    spelled = signature if data is None else base64.urlsafe_b64encode(data).decode()
    fault = signature_fault(spelled)
    if fault is None:
        return {SIGNATURE: spelled}
    notes.say("unsound_state", place, reason=fault)
    return {}


def _settled(placed: list[tuple[int, Json]], notes: Notes) -> list[tuple[int, Json]]:
    """The parts of a turn with their signatures where generateContent wants them.

    Its own histories hold them there. Those of the Interactions API hold them on the thought before; what other
    providers made has none, and the API refuses a first call without one.
    """
    parts = [part for _, part in placed]
    first_call = next((n for n, part in enumerate(parts) if is_call(part)), None)
    if first_call is not None and SIGNATURE not in parts[first_call]:
        donor = next((part for part in reversed(parts[:first_call]) if _is_signed_thought(part)), None)
        if donor is None:
            notes.say("placeholder_used", placed[first_call][0], "added")
        parts[first_call] |= (
            {SIGNATURE: donor.pop(SIGNATURE)} if donor else with_placeholder(parts[first_call], PLACEHOLDER)
        )
    for n, part in enumerate(parts):
        taker = _taker(parts[n + 1 :]) if _is_signed_thought(part) else None
        if taker is not None:
            taker[SIGNATURE] = part.pop(SIGNATURE)
    return [(place, part) for place, part in placed if not _is_nothing(part)]


def _taker(later: list[Json]) -> Json | None:
    """The part that the signature of a thought belongs to, unless another signed thought stands before it."""
    for part in later:
        if _is_signed_thought(part):
            return None
        if not (is_thought(part) or is_result(part) or SIGNATURE in part):
            return part
    return None


def _is_signed_thought(part: Json) -> bool:
    return "text" in part and is_thought(part) and SIGNATURE in part


def _is_nothing(part: Json) -> bool:
    return part.get("text") == "" and is_thought(part) and SIGNATURE not in part
