"""From a message to steps: thoughts with their signatures, what was said, calls and their results."""

import base64
import copy
from collections.abc import Mapping
from typing import Any, Final

from ostinato.policy.gemini_interactions import needs_placeholder, only_thoughts, placeholder_step, step_fault
from ostinato.policy.gemini_signatures import PLACEHOLDER
from ostinato.wires._wire import Carry, Json, Notes, Turn
from ostinato.wires.gemini import Media, called_names, media_of, read_media
from ostinato.wires.signatures import lone_signature
from ostinato.wires.verbatim import kept_verbatim

__all__ = ["NAME", "write_message"]

NAME: Final = "gemini-interactions"

_SAID: Final = {"user": "user_input", "assistant": "model_output"}
_MEDIA: Final = {"image", "audio", "video"}


def write_message(turn: Turn, carry: Carry, notes: Notes) -> tuple[list[Json], Carry]:
    """The steps of one message. The carry holds the names of all calls so far, by call id."""
    names = called_names(carry, turn.items)
    steps = _Steps(_SAID[turn.role])
    for place, item in turn.items:
        _write_item(steps, names, place, item, notes)
    written = steps.written
    if not written or only_thoughts(written):
        return [], carry
    if needs_placeholder(written):
        notes.say("placeholder_used", None, "added")
        written.insert(0, placeholder_step(PLACEHOLDER))
    return written, names


class _Steps:
    """The steps of a message, as they are written."""

    def __init__(self, said: str) -> None:
        self.written: list[Json] = []
        self._said = said
        self._content: list[Json] | None = None
        """The content of the last step, as long as more of it may follow."""
        self._thought: Json | None = None
        """The last step, as long as it is a thought that is not signed yet."""

    def add(self, step: Json) -> None:
        """A step of its own."""
        self.written.append(step)
        self._content = self._thought = None

    def say(self, block: Json) -> None:
        """Text or media: side by side they are one step."""
        if self._content is None:
            content: list[Json] = []
            self.add({"type": self._said, "content": content})
            self._content = content
        self._content.append(block)
        self._thought = None

    def think(self, summary: list[Json], state: Json) -> None:
        """A thought, or more of one: it ends with the item that has the signature."""
        self._content = None
        if not summary and not state:
            return
        if self._thought is None:
            self.add({"type": "thought", "summary": []})
            self._thought = self.written[-1]
        self._thought["summary"] += summary
        self._thought |= state
        if state:
            self._thought = None

    def sign(self, state: Json) -> None:
        """A signature that came on what follows, as generateContent has it.

        A turn must not open with an unsigned thought, so one that does takes it too.
        """
        self.add({"type": "thought"} | state)
        if self.written[0]["type"] == "thought":
            self.written[0] = state | self.written[0]

    def end_thought(self) -> None:
        """What follows is none."""
        self._thought = None


def _write_item(steps: _Steps, names: Mapping[str, str], place: int, item: Json, notes: Notes) -> None:
    whole = kept_verbatim(NAME, item)
    if whole is not None:
        steps.add(whole)
        return
    state = _state(item, place, notes)
    if item["type"] in ("thinking.done", "inline_thinking.done"):
        steps.think(_summary(item, place, notes), state)
        return
    steps.end_thought()
    if state:
        steps.sign(state)
    match item["type"]:
        case "text.done":
            if item["text"]:  # the API refuses an empty one
                steps.say({"type": "text", "text": item["text"]})
        case "image_url.done" | "inline_data.done":
            steps.say(_media(media_of(item, place, notes)))
        case "tool_call.done":
            call = {"name": item["name"], "arguments": copy.deepcopy(item["arguments"])}
            steps.add({"type": "function_call"} | call | _id("id", item["tool_call_id"], item["name"]))
        case "tool_result.done":
            steps.add(_result(names, place, item, notes))
        case other:
            raise notes.refuse("this client cannot send items of this type", place, other)


def _state(item: Json, place: int, notes: Notes) -> Json:
    """The signature of an item, as the field of a step."""
    signature: Any = lone_signature(item)
    if signature is None:
        return {}
    if isinstance(signature, bytes):  # as the oldest histories of generateContent have it
        signature = base64.b64encode(signature).decode()
    fault = step_fault(signature)
    if fault is None:
        return {"signature": signature}
    notes.say("unsound_state", place, reason=fault)
    return {}


def _summary(item: Json, place: int, notes: Notes) -> list[Json]:
    if item["type"] == "inline_thinking.done":
        data, mime_type = media_of(item, place, notes)
        return [{"type": "image", "data": base64.b64encode(data).decode(), "mime_type": mime_type}]
    return [{"type": "text", "text": item["thinking"]}] if item["thinking"] else []


def _media(media: Media) -> Json:
    """Media by the first half of their MIME type; what is none of the known ones is a document."""
    kind = media.mime_type.split("/")[0]
    data = base64.b64encode(media.data).decode()
    return {"type": kind if kind in _MEDIA else "document", "data": data, "mime_type": media.mime_type}


def _id(key: str, call_id: str, name: str) -> Json:
    """The id of a call. Where the server gave none, the name stands for it, and none goes back."""
    return {} if call_id == name else {key: call_id}


def _result(names: Mapping[str, str], place: int, item: Json, notes: Notes) -> Json:
    name = names.get(item["tool_call_id"], item["tool_call_id"])
    result: Any = item["text"]
    if item.get("images") is not None:
        result = [{"type": "text", "text": item["text"]}] if item["text"] else []
        for url in item["images"]:
            data, mime_type = read_media(url, place, "tool_result", notes)
            result.append({"type": "image", "data": base64.b64encode(data).decode(), "mime_type": mime_type})
    return {"type": "function_result", "name": name, "result": result} | _id("call_id", item["tool_call_id"], name)
