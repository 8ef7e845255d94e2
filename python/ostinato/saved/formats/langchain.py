"""Messages of LangChain (langchain-core 1.8.3 and the packages of its providers, read 2026-11).

Three envelopes: `dumpd` (`{"lc": 1, "kwargs": ...}`), `messages_to_dict` (`{"type": "ai", "data": ...}`), and the bare
fields; and three versions of what a model said, which `langchain_answers` reads.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft, identifier, label, source, usage_of
from ostinato.saved.fields import each, listing, mapping, text
from ostinato.saved.fields import messages as listed_messages
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.formats import langchain_answers
from ostinato.saved.formats.langchain_answers import Answer
from ostinato.saved.json_text import Value
from ostinato.saved.native import conversation
from ostinato.saved.parts import Media, Message, Native, Part, Result, Text, media

__all__ = ["LANGCHAIN"]

Json = dict[str, Any]

_NAME: Final = "langchain"
_ROLES: Final = {
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "assistant": "assistant",
    "human": "user",
    "HumanMessageChunk": "user",
    "user": "user",
    "system": "system",
    "SystemMessageChunk": "system",
    "tool": "tool",
    "ToolMessageChunk": "tool",
}
_KINDS: Final = frozenset({"chat", "function", *_ROLES})
_PROVIDERS: Final = {
    "amazon_bedrock": "bedrock",
    "azure_openai": "azure",
    "bedrock_converse": "bedrock",
    "google_genai": "gemini",
    "google_vertexai": "vertex",
}
"""Names of LangChain that differ from ours."""


def _sniff(file: SavedFile) -> bool:
    first = file.head[0].value if file.head else None
    found = [fields for _path, fields in listed_messages(first)[:50]] or file.records[:50]
    return any(_is_message(one) for one in found)


def _is_message(one: Json) -> bool:
    fields = _fields(one)
    if fields is None:
        return False
    if "content" not in fields:
        return False
    wrapped = one.get("lc") == 1 or (isinstance(one.get("data"), dict) and text(one, "type") in _KINDS)
    # Bare fields look like those of many programs, unless they have words of LangChain alone.
    own = {"additional_kwargs", "response_metadata", "invalid_tool_calls"} & fields.keys()
    kind = text(fields, "type")
    return wrapped or kind in {"ai", "human"} or (kind in {"system", "tool"} and bool(own))


def _fields(one: Json) -> Json | None:
    """The fields of a message out of its envelope; None for what is none."""
    if one.get("lc") == 1:
        kwargs = mapping(one, "kwargs")
        names = [name for name in listing(one, "id") if isinstance(name, str)]
        kind = names[-1].removesuffix("Chunk").removesuffix("Message").lower() if names else None
        return {"type": kind} | kwargs if one.get("type") == "constructor" and kwargs else None
    data = mapping(one, "data")
    if data and isinstance(one.get("type"), str):
        return {"type": one["type"]} | data
    return one if isinstance(one.get("type"), str) and "content" in one else None


def _read(file: SavedFile) -> list[Conversation]:
    draft = Draft(_NAME, "openai-chat")
    messages: list[Message] = []
    for value in file.values():
        if value.fault is not None:
            draft.say(value.fault, line=value.line, records=1)
            continue
        for path, one in listed_messages(value.value) or _alone(value):
            fields = _fields(one)
            if fields is None:
                draft.say("unknown_record", path, line=value.line, records=1, type=label(one.get("type")))
            else:
                messages += _message(path, fields, source(value, path), draft)
    return [conversation(messages, draft)]


def _alone(value: Value) -> list[tuple[str, Json]]:
    return [("", value.value if isinstance(value.value, dict) else {})]


def _message(path: str, fields: Json, place: Source, draft: Draft) -> Iterator[Message]:
    kind = fields.get("type")
    role = _ROLES.get(kind) if isinstance(kind, str) else None
    if kind == "chat":
        role = text(fields, "role")
    if role == "system" and text(mapping(fields, "additional_kwargs"), "__openai_role__") == "developer":
        role = "developer"
    match role:
        case "assistant":
            yield _answer(path, fields, place, draft)
        case "tool":
            yield Message(path, role, [*_result(path, fields)], source=place)
        case "user" | "system" | "developer":
            said = [part for where, one in each(fields, "content", path) for part in _content(where, one)]
            yield Message(path, role, said, source=place)
        case _:
            draft.say("unknown_record", path, line=place.line, records=1, type=label(kind))


def _result(path: str, fields: Json) -> Iterator[Part]:
    content = fields.get("content")
    blocks = [part for where, one in each(fields, "content", path) for part in _content(where, one)]
    sealed = [part for part in blocks if isinstance(part, Native) and str(part.item.get("type")).endswith("_output")]
    if sealed:  # an output item of Responses, whole
        yield from sealed
        return
    output = content if isinstance(content, str) else [p for p in blocks if isinstance(p, Text | Media | Native)]
    failed = fields.get("status") == "error"
    yield Result(path, identifier(fields.get("tool_call_id")), output, text(fields, "name"), failed)


def _content(path: str, one: Any) -> Iterator[Part]:  # noqa: ANN401 - any JSON value
    """What a user or a tool said, in any of the forms that LangChain passes through."""
    kind = text(one, "type")
    if isinstance(one, str):
        yield Text(path, one)
        return
    said, mime = text(one, "text"), text(one, "mime_type")
    url = text(mapping(one, "image_url"), "url") or text(one, "image_url", "url")
    data, inner = text(one, "base64", "data"), mapping(one, "source")
    if said is not None and kind in {"text", "input_text", None}:
        yield Text(path, said)
    elif data is not None:
        yield Media(path, mime, data)
    elif url is not None:
        yield media(path, url, mime)
    elif kind in {"image", "document"} and isinstance(inner.get("data") or inner.get("url"), str):
        yield Media(path, text(inner, "media_type"), text(inner, "data"), text(inner, "url"))
    elif kind == "tool_result":
        contents = [part for where, inside in each(one, "content", path) for part in _content(where, inside)]
        output = one.get("content")
        blocks = [part for part in contents if isinstance(part, Text | Media | Native)]
        failed = one.get("is_error") is True
        yield Result(
            path, identifier(one.get("tool_use_id")), output if isinstance(output, str) else blocks, error=failed
        )
    else:
        # Foreign to all wires but one, and the block does not say which: it is named where it is not the wire's own.
        wire = "openai-responses" if str(kind).endswith("_output") else "unknown"
        yield Native(path, wire, one if isinstance(one, dict) else {"json": json.dumps(one)})


def _answer(path: str, fields: Json, place: Source, draft: Draft) -> Message:
    metadata, extra = mapping(fields, "response_metadata"), mapping(fields, "additional_kwargs")
    blocks = [
        (where, one if isinstance(one, dict) else {"type": "text", "text": one if isinstance(one, str) else ""})
        for where, one in each(fields, "content", path)
    ]
    answer = Answer(path, fields, blocks, metadata, extra, place, draft)
    wire = langchain_answers.wire_of(answer)
    provider = text(metadata, "model_provider", "ls_provider") or ("openai" if wire == "openai-responses" else None)
    origin = Origin(
        _PROVIDERS.get(provider or "", provider), model=identifier(text(metadata, "model_name", "model", "model_id"))
    )
    known = identifier(metadata.get("id"))
    parts = langchain_answers.PARTS[wire](answer)
    usage = usage_of(fields.get("usage_metadata"))
    return Message(path, "assistant", parts, wire, origin if any(origin) else None, known, place, usage)


LANGCHAIN: Final = Format(_NAME, _sniff, _read)
