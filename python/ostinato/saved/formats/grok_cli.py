"""Histories of the Grok CLI: `chat_history.jsonl`, a bare item of xAI's Responses on each line (read 2026-11)."""

from collections.abc import Iterator
from typing import Any, Final

from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation
from ostinato.saved.draft import Draft, identifier, label, source
from ostinato.saved.fields import each, listing, mapping, text
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.json_text import Value
from ostinato.saved.native import conversation
from ostinato.saved.parts import Call, Message, Native, Part, Result, Text, media
from ostinato.saved.responses_items import WIRE

__all__ = ["GROK_CLI"]

Json = dict[str, Any]

_NAME: Final = "grok-cli"
_MODEL: Final = frozenset({"assistant", "backend_tool_call", "reasoning"})
"""Records that are of an answer."""


def _sniff(file: SavedFile) -> bool:
    kinds = {text(one, "type") for one in file.records[:100]}
    named = any(text(one, "type") == "assistant" and "model_id" in one for one in file.records[:100])
    return named or {"backend_tool_call", "tool_result"} <= kinds


def _read(file: SavedFile) -> list[Conversation]:
    draft = Draft(_NAME, WIRE)
    values = [value for value in file.values() if not draft.damaged(value)]
    models: list[str | None] = []
    model: str | None = None
    for value in reversed(values):  # the model is named on the last record of an answer
        model = identifier(value.value.get("model_id")) or model
        models.append(model)
    pairs = zip(values, reversed(models), strict=True)
    return [conversation([made for value, model in pairs for made in _message(value, model, draft)], draft)]


def _message(value: Value, model: str | None, draft: Draft) -> Iterator[Message]:
    record, place = value.value, source(value)
    kind = text(record, "type")
    if kind in _MODEL:
        yield Message("", "assistant", [*_said(record, value, draft)], WIRE, Origin("xai", model=model), source=place)
    elif kind == "tool_result":
        call, content = identifier(record.get("tool_call_id")), record.get("content")
        parts = [part for part in _asked(record, value, draft) if not isinstance(part, Call | Result)]
        output = content if isinstance(content, str) else [part for part in parts if isinstance(part, Text)]
        yield Message("", "tool", [Result("content", call, output)], source=place)
    elif kind in {"system", "user"}:
        yield Message("", kind or "user", [*_asked(record, value, draft)], source=place)
    else:
        draft.leave_out("unknown_record", value.line, type=label(record.get("type")))


def _said(record: Json, value: Value, draft: Draft) -> Iterator[Part]:
    if record.get("type") == "reasoning":
        yield Native("", WIRE, record)
    elif record.get("type") == "backend_tool_call":  # a tool that xAI ran
        item = mapping(record, "kind")
        own = {name: part for name, part in item.items() if name != "tool_type"}
        yield Native("kind", WIRE, {"type": f"{text(item, 'tool_type') or 'tool'}_call", **own})
    else:
        for part in _asked(record, value, draft):
            if not (isinstance(part, Text) and part.text == ""):
                yield part
        for place, call in enumerate(listing(record, "tool_calls")):
            known, name = text(call, "id"), text(call, "name") or ""
            yield Call(f"tool_calls/{place}", known, name, mapping({"": call}, "").get("arguments", {}))


def _asked(record: Json, value: Value, draft: Draft) -> Iterator[Part]:
    for path, one in each(record, "content", ""):
        said = one if isinstance(one, str) else text(one, "text")
        url = text(one, "url")
        if said is not None:
            yield Text(path, said)
        elif url is not None:
            yield media(path, url)
        else:
            draft.say("unknown_part", path, line=value.line, type=label(mapping({"": one}, "").get("type")))


GROK_CLI: Final = Format(_NAME, _sniff, _read)
