"""Saved messages as messages of the Anthropic Messages API."""

from collections.abc import Sequence
from typing import Any, Final

from ostinato.saved.draft import Draft
from ostinato.saved.native.writer import Writer, arguments_object
from ostinato.saved.parts import Call, Media, Message, Native, Result, Text, Thinking

__all__ = ["WRITER"]

Json = dict[str, Any]


def _write(message: Message, draft: Draft) -> list[Json]:
    content: list[Json] = []
    for part in message.parts:
        match part:
            case Text():
                content.append({"type": "text", "text": part.text} | part.fields)
            case Thinking():
                content.append(_thinking(part))
            case Call():
                name = {"type": "tool_use", "id": part.id, "name": part.name}
                content.append({**name, "input": arguments_object(part, draft, message.line)} | part.fields)
            case Result():
                content.append(_result(part, draft, message.line))
            case Native():
                content.append(part.item)
            case Media():
                content.append(_media(part))
    role = "assistant" if message.role == "assistant" else "user"
    return [{"role": role, "content": content}] if content else []


def _thinking(part: Thinking) -> Json:
    if part.redacted:
        return {"type": "redacted_thinking", "data": part.state} | part.fields
    block: Json = {"type": "thinking", "thinking": "".join(part.texts)}
    return block | ({} if part.state is None else {"signature": part.state}) | part.fields


def _result(part: Result, draft: Draft, line: int | None) -> Json:
    content: Any = part.output
    if not isinstance(content, str):
        content = []
        for one in part.output:
            match one:
                case Text():
                    content.append({"type": "text", "text": one.text})
                case Media():
                    content.append(_media(one))
                case _:
                    draft.say("unknown_part", str(getattr(one, "path", part.path)), line=line)
    block: Json = {"type": "tool_result", "tool_use_id": part.call, "content": content}
    return block | ({"is_error": True} if part.error else {})


def _media(part: Media) -> Json:
    source: Json = {"type": "url", "url": part.url}
    if part.data is not None:
        source = {"type": "base64", "media_type": part.type, "data": part.data}
    return {"type": "image" if (part.type or "image/").startswith("image/") else "document", "source": source}


def _join(first: Json, second: Json) -> Json:
    return {**first, "content": first["content"] + second["content"]}


def _system(texts: Sequence[Text]) -> list[Json]:
    return [{"type": "text", "text": text.text} for text in texts]


WRITER: Final = Writer(_write, _join, _system)
