"""Saved messages as input items of OpenAI Responses."""

from collections.abc import Sequence
from typing import Any, Final

from ostinato._core import providers
from ostinato.saved.draft import Draft
from ostinato.saved.native.writer import Writer, arguments_text
from ostinato.saved.parts import Call, Media, Message, Native, Result, Text, Thinking
from ostinato.saved.responses_items import WIRE, native

__all__ = ["WRITER"]

Json = dict[str, Any]

_CONTRACTS: Final = frozenset(name for name, wire, _policy in providers() if wire == WIRE)
"""Vendors with a contract of their own for these items; others are read by OpenAI's."""
_OF_MESSAGE: Final = ("status", "phase")
"""Fields of a text that belong to the message it is in."""


def _write(message: Message, draft: Draft) -> list[Json]:
    items: list[Json] = []
    opened: Json | None = None  # a message that further text may join
    for part in message.parts:
        added: Json | None = None
        if message.role != "assistant" and isinstance(part, Text | Media):
            added = _asked(opened, message.role, part)
        elif isinstance(part, Text):
            added = _said(opened, part)
        if added is not None:
            if added is not opened:
                items.append(added)
            opened = added
            continue
        opened = None
        match part:
            case Thinking():
                items.append(_state(_reasoning(part), part.path, message, draft))
            case Call():
                items.append(_call(part, draft, message.line))
            case Result():
                items.append(_result(part, draft, message.line))
            case Native():
                items.append(_state(part.item, part.path, message, draft))
            case _:
                draft.say("unknown_part", part.path, line=message.line)
    return items


def _state(item: Json, path: str, message: Message, draft: Draft) -> Json:
    provider = message.origin.provider if message.origin and message.origin.provider in _CONTRACTS else "openai"
    return native(item, draft, message.line, path, provider)


def _reasoning(part: Thinking) -> Json:
    summary = [{"type": "summary_text", "text": text} for text in part.texts]
    item: Json = {"type": "reasoning", "id": part.id, "summary": summary, "encrypted_content": part.state}
    return {name: value for name, value in item.items() if value is not None} | part.fields


def _call(part: Call, draft: Draft, line: int | None) -> Json:
    item: Json = {
        "type": "function_call",
        "id": part.item,
        "call_id": part.id,
        "name": part.name,
        "arguments": arguments_text(part, draft, line),
    }
    return {name: value for name, value in item.items() if value is not None} | part.fields


def _result(part: Result, draft: Draft, line: int | None) -> Json:
    output = part.output if isinstance(part.output, str) else _contents(part.output, draft, line)
    return {"type": "function_call_output", "call_id": part.call, "output": output}


def _contents(parts: Sequence[Text | Media | Native], draft: Draft, line: int | None) -> list[Json]:
    contents = []
    for part in parts:
        if isinstance(part, Native):
            draft.say("unknown_part", part.path, line=line)
        else:
            contents.append(_content(part))
    return contents


def _said(opened: Json | None, part: Text) -> Json:
    """Text of the model; several of one id are contents of one message."""
    content = {"type": "output_text", "text": part.text, "annotations": part.fields.get("annotations", [])}
    if opened is not None and part.id is not None and opened.get("id") == part.id:
        opened["content"].append(content)
        return opened
    item: Json = {"type": "message", "id": part.id, "role": "assistant", "content": [content]}
    item |= {name: part.fields[name] for name in _OF_MESSAGE if name in part.fields}
    return {name: value for name, value in item.items() if value is not None}


def _asked(opened: Json | None, role: str, part: Text | Media) -> Json:
    """What the user or the application said, in one message."""
    if opened is not None:
        opened["content"].append(_content(part))
        return opened
    return {"type": "message", "role": role, "content": [_content(part)]}


def _content(part: Text | Media) -> Json:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    url = part.url if part.data is None else f"data:{part.type};base64,{part.data}"
    if (part.type or "image/").startswith("image/"):
        return {"type": "input_image", "image_url": url}
    return {"type": "input_file", "file_url" if part.data is None else "file_data": url}


WRITER: Final = Writer(_write)
