"""Chats of the Gemini CLI: one document, from 0.40 on lines with patches between (read 2026-11).

No signature is saved, so the reasoning state is lost; what was said and called is there, and thoughts only for display.
"""

from collections.abc import Iterator
from typing import Any, Final

from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft, identifier, label, source
from ostinato.saved.fields import each, listing, mapping, text
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.native import conversation
from ostinato.saved.parts import Call, Message, Native, Part, Text

__all__ = ["GEMINI_CLI"]

Json = dict[str, Any]

_NAME: Final = "gemini-cli"
_WIRE: Final = "gemini-generate-content"
_SHOWN: Final = frozenset({"error", "info", "warning"})


def _sniff(file: SavedFile) -> bool:
    return any({"sessionId", "projectHash"} <= one.keys() for one in file.records[:3])


def _read(file: SavedFile) -> list[Conversation]:
    draft = Draft(_NAME, _WIRE)
    messages: list[Message] = []
    for value in file.values():
        if draft.damaged(value):
            continue
        record = value.value
        if "projectHash" in record:
            draft.session = draft.session or identifier(record.get("sessionId"))
            draft.used += "messages" not in record  # a head alone; else its messages are the records
            for path, one in each(record, "messages", ""):
                messages += _message(path, mapping({"": one}, ""), source(value, path), draft)
        elif "$set" in record:
            draft.leave_out("not_sent", value.line, type="$set")
        else:
            messages += _message("", record, source(value), draft)
    return [conversation(messages, draft)]


def _message(path: str, one: Json, place: Source, draft: Draft) -> Iterator[Message]:
    kind = text(one, "type")
    if kind == "user":
        yield Message(path, "user", [*_content(path, one)], source=place)
    elif kind == "gemini":
        yield from _answer(path, one, place, draft)
    elif kind in _SHOWN:
        draft.leave_out("not_sent", place.line, type=label(kind))
    else:
        draft.leave_out("unknown_record", place.line, type=label(one.get("type")))


def _content(path: str, one: Json) -> Iterator[Part]:
    for where, part in each(one, "content", path):
        said = part if isinstance(part, str) else text(part, "text")
        if said is None:
            yield Native(where, _WIRE, part if isinstance(part, dict) else {})
        elif said:
            yield Text(where, said)


def _answer(path: str, one: Json, place: Source, draft: Draft) -> Iterator[Message]:
    """An answer, and what its calls gave: both are in one record."""
    if listing(one, "thoughts"):
        draft.count("display_copy", place.line, f"{path}/thoughts".lstrip("/"), type="thoughts")
    calls = [(where, call) for where, call in each(one, "toolCalls", path) if isinstance(call, dict)]
    said = [*_content(path, one)]
    for where, call in calls:
        said.append(Call(where, identifier(call.get("id")), text(call, "name") or "", call.get("args", {})))
    origin = Origin("gemini", model=identifier(one.get("model")))
    yield Message(path, "assistant", said, _WIRE, origin, source=place)
    results: list[Part] = [
        Native(f"{where}/result/{number}", _WIRE, part)
        for where, call in calls
        for number, part in enumerate(listing(call, "result"))
        if isinstance(part, dict)
    ]
    if results:
        yield Message(path, "tool", results, source=place, records=0)


GEMINI_CLI: Final = Format(_NAME, _sniff, _read)
