"""Saved messages as contents of Gemini's generateContent, with the names of its REST form.

Stores spell a signature in either base64 alphabet, with padding or without, and some put it inside of the call. It is
loaded in the standard alphabet, which every server takes, and in its place.
"""

from collections.abc import Sequence
from typing import Any, Final

from ostinato.errors import ReplayError
from ostinato.policy.gemini_signatures import KEYS, relocated, standard_signature
from ostinato.saved.draft import Draft
from ostinato.saved.native.writer import Writer, arguments_object, plain
from ostinato.saved.parts import Call, Media, Message, Native, Part, Result, Text, Thinking

__all__ = ["WRITER"]

Json = dict[str, Any]


def _write(message: Message, draft: Draft) -> list[Json]:
    parts = [_settled(_part(part, draft, message.line), part.path, draft, message.line) for part in message.parts]
    role = "model" if message.role == "assistant" else "user"
    return [{"role": role, "parts": parts}] if parts else []


def _part(part: Part, draft: Draft, line: int | None) -> Json:
    match part:
        case Native():
            return part.item
        case Text():
            said: Json = {"text": part.text}
        case Thinking():
            said = {"text": "".join(part.texts), "thought": True}
        case Call():
            said = _named("functionCall", part.id, part.name, {"args": arguments_object(part, draft, line)})
        case Result():
            output = {"error" if part.error else "output": plain(part, draft, line)}
            return _named("functionResponse", part.call, part.name, {"response": output})
        case _:
            said = _media(part)
    return said if part.state is None else {**said, "thoughtSignature": part.state}


def _settled(part: Json, path: str, draft: Draft, line: int | None) -> Json:
    """The part with its signature in its place, and spelled as answers spell it. One that is none stays as it is."""
    moved = relocated(part)
    if moved is not None:
        draft.say("relocated_field", path, line=line, records=0, **{"from": moved.source, "to": moved.to})
        part = moved.part
    for key in KEYS:
        try:
            spelled = standard_signature(part.get(key))
        except ReplayError:
            continue
        if spelled != part[key]:
            draft.say("signature_respelled", path, line=line)
            part = {**part, key: spelled}
    return part


def _media(part: Media) -> Json:
    if part.data is not None:
        return {"inlineData": {"mimeType": part.type, "data": part.data}}
    return {"fileData": {"fileUri": part.url} | ({} if part.type is None else {"mimeType": part.type})}


def _named(kind: str, call: str | None, name: str | None, rest: Json) -> Json:
    known = {key: value for key, value in (("id", call), ("name", name)) if value is not None}
    return {kind: known | rest}


def _join(first: Json, second: Json) -> Json:
    return {**first, "parts": first["parts"] + second["parts"]}


def _system(texts: Sequence[Text]) -> Json:
    return {"parts": [{"text": text.text} for text in texts]}


WRITER: Final = Writer(_write, _join, _system)
