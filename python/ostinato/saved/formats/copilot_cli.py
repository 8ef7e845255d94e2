"""Sessions of the GitHub Copilot CLI: `events.jsonl`, an event on a line (copilot 1.0.77, read 2026-11).

State of Responses models is in `encryptedContent`, without the item's id; that of chat models in `reasoningOpaque`,
which the endpoint calls `reasoning_opaque`. Neither is documented, and the files that were seen had placeholders.
"""

from collections.abc import Iterator
from typing import Any, Final

from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation
from ostinato.saved.draft import Draft, identifier, label, source
from ostinato.saved.fields import listing, mapping, text
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.json_text import Value
from ostinato.saved.native import conversation
from ostinato.saved.parts import Call, Message, Native, Part, Result, Text, Thinking
from ostinato.saved.responses_items import WIRE

__all__ = ["COPILOT_CLI"]

Json = dict[str, Any]

_NAME: Final = "copilot-cli"
_CHAT: Final = "openai-chat"
_SAID: Final = frozenset({"assistant.message", "system.message", "tool.execution_complete", "user.message"})
_OWN: Final = ("abort", "assistant.", "hook.", "session.", "subagent.", "system.", "tool.")
"""Beginnings of the names of events that are not sent."""


def _sniff(file: SavedFile) -> bool:
    started = any(text(one, "type") == "session.start" and "data" in one for one in file.records[:20])
    return started or any(
        text(one, "type") in _SAID and isinstance(one.get("data"), dict) for one in file.records[:100]
    )


def _read(file: SavedFile) -> list[Conversation]:
    draft = Draft(_NAME, _CHAT)
    messages: list[Message] = []
    for value in file.values():
        if draft.damaged(value):
            continue
        kind, data = text(value.value, "type") or "", mapping(value.value, "data")
        if kind == "session.start":
            draft.used += 1
            draft.session = draft.session or identifier(data.get("sessionId"))
        elif kind in _SAID and data.get("parentToolCallId") is not None:  # a subagent's, which its parent is not sent
            draft.leave_out("other_branch", value.line)
        elif kind in _SAID:
            messages += _message(kind, data, value, draft)
        else:
            known = kind.startswith(_OWN)
            draft.leave_out("not_sent" if known else "unknown_record", value.line, type=label(value.value.get("type")))
    return [conversation(messages, draft)]


def _message(kind: str, data: Json, value: Value, draft: Draft) -> Iterator[Message]:
    place, said = source(value, "data"), text(data, "content")
    match kind:
        case "assistant.message":
            yield _answer(data, value, draft)
        case "tool.execution_complete":
            call, output = identifier(data.get("toolCallId")), text(mapping(data, "result"), "content")
            result = Result("data/result", call, output or "", error=data.get("success") is False)
            yield Message("data", "tool", [result], source=place)
        case _:
            for number, _one in enumerate(listing(data, "attachments")):
                draft.say("unknown_part", f"data/attachments/{number}", line=value.line)
            sent = text(data, "transformedContent") or said  # what the program made of it before it sent it
            role = "system" if kind == "system.message" else "user"
            yield Message("data", role, [] if sent is None else [Text("data/content", sent)], source=place)


def _answer(data: Json, value: Value, draft: Draft) -> Message:
    sealed, opaque, shown = (text(data, name) for name in ("encryptedContent", "reasoningOpaque", "reasoningText"))
    made: list[Part] = []
    wire: str | None = None
    if sealed:
        wire = WIRE
        made.append(Thinking("data/encryptedContent", (shown,) if shown else (), sealed))
        if opaque:
            draft.say("unknown_part", "data/reasoningOpaque", line=value.line)
    elif opaque or shown:
        wire = _CHAT
        fields = {"reasoning_text": shown, "reasoning_opaque": opaque}
        own = {name: one for name, one in fields.items() if one is not None}
        made.append(Native("data/reasoningOpaque", _CHAT, own))
    said = text(data, "content")
    made += [Text("data/content", said)] if said else []
    for number, call in enumerate(listing(data, "toolRequests")):
        arguments = mapping({"": call}, "").get("arguments", {})
        path, name = f"data/toolRequests/{number}", text(call, "name") or ""
        made.append(Call(path, text(call, "toolCallId"), name, arguments))
    origin = Origin("copilot", model=identifier(data.get("model")))
    return Message("data", "assistant", made, wire, origin, identifier(data.get("apiCallId")), source(value, "data"))


COPILOT_CLI: Final = Format(_NAME, _sniff, _read)
