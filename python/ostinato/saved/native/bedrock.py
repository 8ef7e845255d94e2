"""Saved messages as messages of Bedrock Converse, with bytes in base64 as its JSON has them."""

import base64
from collections.abc import Sequence
from typing import Any, Final

from ostinato.saved.draft import Draft
from ostinato.saved.native.writer import Writer, arguments_object, plain
from ostinato.saved.parts import Call, Media, Message, Native, Result, Text, Thinking

__all__ = ["WRITER"]

Json = dict[str, Any]


def _write(message: Message, draft: Draft) -> list[Json]:
    content: list[Json] = []
    for part in message.parts:
        match part:
            case Text():
                content.append({"text": part.text})
            case Thinking():
                content.append({"reasoningContent": _reasoning(part)})
            case Call():
                name = {"toolUseId": part.id, "name": part.name}
                content.append({"toolUse": {**name, "input": arguments_object(part, draft, message.line)}})
            case Result():
                status = {"status": "error"} if part.error else {}
                texts = [{"text": plain(part, draft, message.line)}]
                content.append({"toolResult": {"toolUseId": part.call, "content": texts} | status})
            case Native():
                content.append(part.item)
            case Media() if part.data is not None and (part.type or "").startswith("image/"):
                kind = str(part.type).removeprefix("image/")
                content.append({"image": {"format": kind, "source": {"bytes": part.data}}})
            case _:
                draft.say("unknown_part", part.path, line=message.line)
    role = "assistant" if message.role == "assistant" else "user"
    return [{"role": role, "content": content}] if content else []


def _reasoning(part: Thinking) -> Json:
    if part.redacted:
        return {"redactedContent": base64.b64encode((part.state or "").encode()).decode()}
    text: Json = {"text": "".join(part.texts)}
    return {"reasoningText": text if part.state is None else {**text, "signature": part.state}}


def _join(first: Json, second: Json) -> Json:
    return {**first, "content": first["content"] + second["content"]}


def _system(texts: Sequence[Text]) -> list[Json]:
    return [{"text": text.text} for text in texts]


WRITER: Final = Writer(_write, _join, _system)
