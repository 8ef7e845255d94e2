"""Saved messages as Chat Completions messages, reasoning in the field that it came in."""

from typing import Any, Final

from ostinato.saved.draft import Draft
from ostinato.saved.native.writer import Writer, arguments_text, plain
from ostinato.saved.parts import Call, Media, Message, Native, Result, Text, Thinking

__all__ = ["WRITER"]

Json = dict[str, Any]

LISTS: Final = frozenset({"reasoning_details", "thinking_blocks"})
"""Fields of a message that hold a list of reasoning objects; others hold one text."""


def _write(message: Message, draft: Draft) -> list[Json]:
    results = [_result(part, draft, message.line) for part in message.parts if isinstance(part, Result)]
    others = message._replace(parts=[part for part in message.parts if not isinstance(part, Result)])
    if message.role == "assistant":
        return [*_answer(others, draft), *results]
    return [*results, *_asked(others, draft)]


def _answer(message: Message, draft: Draft) -> list[Json]:
    texts: list[str] = []
    calls: list[Json] = []
    reasoning: Json = {}
    for part in message.parts:
        match part:
            case Text():
                texts.append(part.text)
            case Call():
                calls.append(_call(part, draft, message.line))
            case Thinking():
                _think(reasoning, part, draft, message.line)
            case Native():
                reasoning |= part.item
            case _:
                draft.say("unknown_part", part.path, line=message.line)
    if not (texts or calls or reasoning):
        return []
    said = {"role": "assistant", "content": "".join(texts) if texts else None} | reasoning
    return [said | ({"tool_calls": calls} if calls else {})]


def _think(reasoning: Json, part: Thinking, draft: Draft, line: int | None) -> None:
    if part.field in LISTS:
        reasoning.setdefault(part.field, []).append(part.fields)
    elif part.field is not None:
        reasoning[part.field] = reasoning.get(part.field, "") + "".join(part.texts)
    else:  # no record of the field that it came in, and a vendor takes back no other
        draft.say("unknown_part", part.path, line=line)


def _call(part: Call, draft: Draft, line: int | None) -> Json:
    function = {"name": part.name, "arguments": arguments_text(part, draft, line)}
    call: Json = {"id": part.id, "type": "function", "function": function} | part.fields
    # Gemini behind the OpenAI interface: https://ai.google.dev/gemini-api/docs/openai, 2026-11.
    return call if part.state is None else {**call, "extra_content": {"google": {"thought_signature": part.state}}}


def _result(part: Result, draft: Draft, line: int | None) -> Json:
    return {"role": "tool", "tool_call_id": part.call, "content": plain(part, draft, line)}


def _asked(message: Message, draft: Draft) -> list[Json]:
    content: list[Json] = []
    for part in message.parts:
        match part:
            case Text():
                content.append({"type": "text", "text": part.text})
            case Media() if (part.type or "image/").startswith("image/"):
                url = part.url if part.data is None else f"data:{part.type};base64,{part.data}"
                content.append({"type": "image_url", "image_url": {"url": url}})
            case _:
                draft.say("unknown_part", part.path, line=message.line)
    if not content:
        return []
    alone = len(content) == 1 and content[0]["type"] == "text"
    return [{"role": message.role, "content": content[0]["text"] if alone else content}]


WRITER: Final = Writer(_write)
