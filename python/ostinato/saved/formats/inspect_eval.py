"""Evaluation logs of Inspect, `.eval` (inspect_ai 0.3.285, read 2026-11): every sample is a conversation.

An archive with a JSON document for each sample. Long texts stand in `attachments`. Messages keep a reasoning item in
one text with its summaries joined; what the provider really sent is in the events, where it was logged, and counts.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation
from ostinato.saved.draft import Draft, identifier, label, usage_of
from ostinato.saved.fields import each, listing, mapping, text
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.formats.inspect_answers import PARTS, Answer, wire_of
from ostinato.saved.json_text import values
from ostinato.saved.native import conversation
from ostinato.saved.parts import Message, Part, Result, Text, media
from ostinato.saved.zip_file import MAGIC, Archive

__all__ = ["INSPECT_EVAL"]

Json = dict[str, Any]

_NAME: Final = "inspect"
_SAMPLE: Final = re.compile(r"samples/(.+)\.json")
_HEADS: Final = ("header.json", "_journal/start.json")
"""What says which model was evaluated; an unfinished log has only the second."""
_POINTER: Final = "attachment://"
_PROVIDERS: Final = {"azureai": "azure", "google": "gemini", "grok": "xai", "openai-api": "openai"}
"""Names of Inspect that differ from ours."""


class _Log(NamedTuple):
    provider: str | None
    archive: Archive


def _sniff(file: SavedFile) -> bool:
    return file.data.startswith(MAGIC) and (b"_journal/" in file.data or b"header.json" in file.data)


def _read(file: SavedFile) -> list[Conversation]:
    log = Archive(file.data)
    head = next((found for name in _HEADS if (found := _document(log, name)) is not None), {})
    model = text(mapping(head, "eval"), "model") or ""
    made = []
    for name in log.members:
        matched = _SAMPLE.fullmatch(name)
        if matched is not None:
            made.append(_sample(matched[1], name, _Log(model.partition("/")[0] or None, log)))
    return made


def _document(log: Archive, name: str) -> Json | None:
    """A member that is one JSON object; None if it is not there, or is none."""
    data = log.read(name) if name in log.members else None
    found = next(values(data), None) if data is not None else None
    return found.value if found is not None and isinstance(found.value, dict) else None


def _sample(session: str, name: str, log: _Log) -> Conversation:
    draft = Draft(_NAME, "openai-chat")
    draft.session = session
    if log.archive.cut:
        draft.say("packed_file_is_cut")
    sample = _document(log.archive, name)
    if sample is None:
        draft.say("unreadable_line", name, records=1)
        return draft.conversation()
    attachments = mapping(sample, "attachments")
    raw = _responses(sample)
    messages: list[Message] = []
    for path, one in each(sample, "messages", "messages"):
        where = path.removeprefix("messages/")
        whole = _resolved(one, attachments, where, draft)
        if not isinstance(whole, dict):
            draft.say("not_a_record", where, records=1)
            continue
        response = _resolved(raw.get(str(whole.get("id")), {}), attachments, where, draft)
        messages += _message(where, whole, response if isinstance(response, dict) else {}, log.provider, draft)
    return conversation(messages, draft)


def _responses(sample: Json) -> dict[str, Json]:
    """What the provider sent, by the id of the message that was made of it."""
    found = {}
    for event in listing(sample, "events"):
        response = mapping(event, "call", "response")
        for choice in listing(mapping(event, "output"), "choices") if response else ():
            known = text(mapping(choice, "message"), "id")
            if known is not None:
                found[known] = response
    return found


def _resolved(value: Any, attachments: Json, path: str, draft: Draft) -> Any:  # noqa: ANN401 - any JSON value
    """A value with the texts that its pointers stand for. One that points nowhere stays, and is said."""
    if isinstance(value, str) and value.startswith(_POINTER):
        found = attachments.get(value.removeprefix(_POINTER))
        if not isinstance(found, str):
            draft.count("missing_attachment", None, path)
        return found if isinstance(found, str) else value
    if isinstance(value, list):
        return [_resolved(one, attachments, path, draft) for one in value]
    if isinstance(value, dict):
        return {name: _resolved(one, attachments, path, draft) for name, one in value.items()}
    return value


def _message(path: str, one: Json, response: Json, provider: str | None, draft: Draft) -> Iterator[Message]:
    match one.get("role"):
        case "assistant":
            yield _answer(path, one, response, provider, draft)
        case "tool":
            failed = mapping(one, "error")
            said = text(failed, "message")
            content = one.get("content") if said is None else said
            blocks = [part for part in _asked(path, one, draft) if not isinstance(part, Result)]
            output = content if isinstance(content, str) else blocks
            call = identifier(one.get("tool_call_id"))
            yield Message(path, "tool", [Result(path, call, output, text(one, "function"), bool(failed))])
        case "user" | "system" as role:
            yield Message(path, role, [*_asked(path, one, draft)])
        case role:
            draft.say("unknown_record", path, records=1, type=label(role))


def _asked(path: str, one: Json, draft: Draft) -> Iterator[Any]:
    for where, block in each(one, "content", path):
        said = block if isinstance(block, str) else text(block, "text")
        picture = text(block, "image")
        if said is not None:
            yield Text(where, said)
        elif picture is not None:
            yield media(where, picture)
        else:
            draft.say("unknown_part", where, type=label(mapping({"": block}, "").get("type")))


def _answer(path: str, one: Json, response: Json, provider: str | None, draft: Draft) -> Message:
    blocks = [
        (where, {"type": "text", "text": block} if isinstance(block, str) else mapping({"": block}, ""))
        for where, block in each(one, "content", path)
    ]
    answer = Answer(path, one, blocks, response, draft)
    wire = wire_of(answer, provider)
    model = identifier(text(response, "model") or text(one, "model"))
    maker = _PROVIDERS.get(provider or "", provider)
    parts: list[Part] = PARTS[wire](answer)
    origin = Origin(maker, model=model) if maker or model else None
    return Message(
        path, "assistant", parts, wire, origin, identifier(response.get("id")), None, usage_of(response.get("usage"))
    )


INSPECT_EVAL: Final = Format(_NAME, _sniff, _read)
