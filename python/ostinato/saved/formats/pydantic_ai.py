"""Messages of pydantic-ai, as `ModelMessagesTypeAdapter` dumps them (pydantic-ai 2.68.0, read 2026-11).

The state of a thinking part is in `signature`, whatever the provider calls it. Summaries of one Responses item are
parts of one `id`, the state on the first alone. Gemini's signatures are in `provider_details` of the part they are on,
in older dumps on the thinking part before it.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from ostinato.policy.target import host
from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft, identifier, label, source, usage_of
from ostinato.saved.fields import each, listing, mapping, text, written
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.formats.pydantic_ai_tools import native_tools
from ostinato.saved.native import conversation
from ostinato.saved.parts import Call, Media, Message, Part, Result, Text, Thinking

__all__ = ["PYDANTIC_AI"]

Json = dict[str, Any]
Place = tuple[str, Json]
"""A part with its path."""

_NAME: Final = "pydantic-ai"
_RESPONSES: Final = "openai-responses"
_GEMINI: Final = "gemini-generate-content"
_WIRES: Final = {
    "anthropic": "anthropic-messages",
    "bedrock": "bedrock-converse",
    "google": _GEMINI,
    "google-cloud": _GEMINI,
    "google-gla": _GEMINI,
    "google-vertex": _GEMINI,
    "xai": _RESPONSES,
}
"""Whose names tell the wire. All others speak one of the two of OpenAI; the parts tell which."""
_PROVIDERS: Final = {
    "alibaba": "qwen",
    "google": "gemini",
    "google-cloud": "vertex",
    "google-gla": "gemini",
    "google-vertex": "vertex",
    "grok": "xai",
    "moonshotai": "moonshot",
}
"""Names of pydantic-ai that differ from ours."""
_REDACTED: Final = frozenset({"redacted_thinking", "redacted_content"})
_STANDARD: Final = str.maketrans("-_", "+/")
"""pydantic writes bytes in the URL-safe alphabet; the wires want the standard one."""


def _sniff(file: SavedFile) -> bool:
    first = file.head[0].value if file.head else None
    known = [one for one in (first if isinstance(first, list) else [])[:50] if isinstance(one, dict)]
    return any(text(one, "kind") in {"request", "response"} and isinstance(one.get("parts"), list) for one in known)


def _read(file: SavedFile) -> list[Conversation]:
    draft = Draft(_NAME, "openai-chat")
    messages: list[Message] = []
    for value in file.values():
        if value.fault is not None or not isinstance(value.value, list):
            draft.say(value.fault or "not_a_record", line=value.line, records=1)
            continue
        for number, one in enumerate(value.value):
            messages += _messages(one, str(number), source(value, str(number)), draft)
    return [conversation(messages, draft)]


def _messages(one: Any, path: str, place: Source, draft: Draft) -> Iterator[Message]:  # noqa: ANN401 - any JSON value
    match one.get("kind") if isinstance(one, dict) else None:
        case "request":
            yield from _request(one, path, place, draft)
        case "response":
            yield _response(one, path, place, draft)
        case kind:
            draft.say("unknown_record", path, line=place.line, records=1, type=label(kind))


def _request(one: Json, path: str, place: Source, draft: Draft) -> Iterator[Message]:
    """What the application sent: instructions, results, and what the user said, in this order on all wires."""
    instructions = text(one, "instructions")
    if instructions is not None:
        draft.system = instructions  # each request has its own, and the last ones count
    parts = [(where, part) for where, part in each(one, "parts", path) if isinstance(part, dict)]
    records = 1
    for system, group in groupby(parts, key=lambda where: where[1].get("part_kind") == "system-prompt"):
        made: list[Part] = []
        for where, part in group:
            made += [Text(where, text(part, "content") or "")] if system else _asked(where, part, place, draft)
        role = "tool" if made and all(isinstance(part, Result) for part in made) else "user"
        yield Message(path, "system" if system else role, made, source=place, records=records)
        records = 0
    if not parts:
        yield Message(path, "user", [], source=place)


def _asked(path: str, part: Json, place: Source, draft: Draft) -> Iterator[Part]:
    kind, call = part.get("part_kind"), identifier(part.get("tool_call_id"))
    match kind:
        case "user-prompt":
            for where, one in each(part, "content", path):
                yield from _content(where, one, place, draft)
        case "tool-return":
            yield Result(path, call, written(part.get("content")), text(part, "tool_name"))
        case "retry-prompt":  # what was sent has a sentence behind it that is not saved
            draft.count("not_rebuilt", place.line, path, type="retry-prompt")
            said = written(part.get("content"))
            yield (
                Result(path, call, said, text(part, "tool_name"), error=True)
                if part.get("tool_name")
                else Text(path, said)
            )
        case _:
            draft.say("unknown_part", path, line=place.line, type=label(kind))


def _content(path: str, one: Any, place: Source, draft: Draft) -> Iterator[Part]:  # noqa: ANN401 - any JSON value
    kind, media = one.get("kind") if isinstance(one, dict) else None, text(one, "media_type")
    if isinstance(one, str):
        yield Text(path, one)
    elif kind == "text-content" and (said := text(one, "content")) is not None:
        yield Text(path, said)
    elif kind == "binary" and (data := text(one, "data")) is not None:
        yield Media(path, media, data.translate(_STANDARD))
    elif (url := text(one, "url")) is not None:
        yield Media(path, media or _kind_of(kind), url=url)
    else:
        draft.say("not_sent" if kind == "cache-point" else "unknown_part", path, line=place.line, type=label(kind))


def _kind_of(kind: object) -> str | None:
    """A type that is good enough to tell a picture from a file, where only the class of it is known."""
    return None if kind == "image-url" else f"{str(kind).removesuffix('-url')}/*"


def _response(one: Json, path: str, place: Source, draft: Draft) -> Message:
    parts = [(where, part) for where, part in each(one, "parts", path) if isinstance(part, dict)]
    name = text(one, "provider_name") or next((n for _w, part in parts if (n := text(part, "provider_name"))), None)
    known = identifier(text(one, "provider_response_id", "vendor_id"))
    wire = _wire(name, known, [part for _where, part in parts])
    made_by = text(one, "canonical_system") or name
    origin = Origin(
        _PROVIDERS.get(made_by or "", made_by), host(text(one, "provider_url")), None, identifier(one.get("model_name"))
    )
    made = _parts(parts, wire, place, draft)
    return Message(
        path, "assistant", made, wire, origin if any(origin) else None, known, place, usage_of(one.get("usage"))
    )


def _wire(provider: str | None, response: str | None, parts: list[Json]) -> str:
    if provider in _WIRES:
        return _WIRES[provider]
    thoughts = [part for part in parts if part.get("part_kind") == "thinking"]
    if any("type" in mapping(part, "provider_details") for part in thoughts):  # `reasoning_details` of OpenRouter
        return "openai-chat"
    ids = [str(part.get("id")) for part in parts]
    of_items = any(known.startswith(("rs_", "msg_", "fc_")) for known in ids)
    sealed = any(part.get("signature") or mapping(part, "provider_details").get("raw_content") for part in thoughts)
    compacted = any(part.get("part_kind") == "compaction" for part in parts)
    return _RESPONSES if of_items or sealed or compacted or (response or "").startswith("resp_") else "openai-chat"


def _parts(parts: list[Place], wire: str, place: Source, draft: Draft) -> list[Part]:
    """The parts of an answer. Built-in tools are joined from their call and what it returned."""
    made: list[Part] = []
    tools = native_tools(parts, wire, place, draft)
    signatures = _signatures(parts) if wire == _GEMINI else {}
    for _key, group in groupby(enumerate(parts), key=lambda found: _item_of(found[0], found[1][1], wire)):
        run = [where for _number, where in group]
        path, part = run[0]
        kind, state = part.get("part_kind"), signatures.get(path)
        match kind:
            case "thinking" if wire == _GEMINI:
                shown = text(part, "content")
                if shown:
                    made.append(Thinking(path, (shown,), state))
                elif state is not None:
                    made.append(Text(path, "", state=state))
            case "thinking":
                made.append(_thinking(run, wire, place, draft))
            case "text":
                made.append(_text(path, part, state, place, draft))
            case "tool-call":
                made.append(_call(path, part, state))
            case "file" if (data := text(mapping(part, "content"), "data")) is not None:
                media = text(mapping(part, "content"), "media_type")
                made += [] if path in tools.used else [Media(path, media, data.translate(_STANDARD), state=state)]
            case "builtin-tool-call" | "builtin-tool-return" | "compaction":
                made += tools.at(path, state)
            case _:
                draft.say("unknown_part", path, line=place.line, type=label(kind))
    left = signatures.get("")
    return made if left is None else [*made, Text(place.path, "", state=left)]


def _signatures(parts: list[Place]) -> dict[str, str]:
    """Gemini's signatures by the path of the part that they are on.

    One in a thinking part is the next part's; where that has its own, or is not there, it stays where it was.
    """
    found: dict[str, str] = {}
    before: tuple[str, str] | None = None
    for path, part in parts:
        state = text(mapping(part, "provider_details"), "thought_signature")
        if state is not None:
            found[path] = state
            found |= [before] if before is not None else []
        elif before is not None:
            found[path] = before[1]
        sealed = text(part, "signature") if part.get("part_kind") == "thinking" else None
        before = None if sealed is None else (path, sealed)
    return found | ({} if before is None else {"": before[1]})


def _item_of(number: int, part: Json, wire: str) -> object:
    """What neighbours must share to be one item: summaries do that by their id, on Responses."""
    known = part.get("id")
    joined = part.get("part_kind") == "thinking" and wire == _RESPONSES and isinstance(known, str)
    return known if joined else number


def _thinking(run: list[Place], wire: str, place: Source, draft: Draft) -> Thinking:
    path, part = run[0]
    texts = tuple(text(one, "content") or "" for _where, one in run)
    state = next((sealed for _where, one in run if (sealed := text(one, "signature")) is not None), None)
    known, details = identifier(part.get("id")), mapping(part, "provider_details")
    if wire == _RESPONSES:
        raw = [t for _where, one in run for t in listing(mapping(one, "provider_details"), "raw_content")]
        content = [{"type": "reasoning_text", "text": t} for t in raw if isinstance(t, str)]
        shown = () if texts == ("",) else texts
        return Thinking(path, shown, state, known, fields={"content": content} if content else {})
    if known in _REDACTED:
        return Thinking(path, state=state, redacted=True)
    if str(details.get("type")).startswith("reasoning."):
        return Thinking(path, texts, state, field="reasoning_details", fields=_detail(part, details))
    if known == "content":  # it was in tags amid the text, and the tags are not saved
        draft.count("not_rebuilt", place.line, path, type="thinking")
        return Thinking(path, texts)
    return Thinking(path, texts, state, field=known)


def _detail(part: Json, details: Json) -> Json:
    """One of OpenRouter's `reasoning_details`, with its text and state in the fields of its type."""
    kind, content, state = details.get("type"), text(part, "content"), part.get("signature")
    own = {"text": content, "signature": state}
    if kind != "reasoning.text":
        own = {"summary": content} if kind == "reasoning.summary" else {"data": state}
    detail = {"type": kind, **own, "id": part.get("id"), **{name: details.get(name) for name in ("format", "index")}}
    return {name: value for name, value in detail.items() if value is not None}


def _text(path: str, part: Json, state: str | None, place: Source, draft: Draft) -> Text:
    details = mapping(part, "provider_details")
    fields: Json = {name: details[name] for name in ("annotations", "phase") if name in details}
    if part.get("citations") and "annotations" not in details:
        draft.count("not_rebuilt", place.line, path, type="citations")
    return Text(path, text(part, "content") or "", identifier(part.get("id")), state, fields)


def _call(path: str, part: Json, state: str | None) -> Call:
    known, _bar, item = (text(part, "tool_call_id") or "").partition("|")  # older dumps have both ids in one
    arguments = part.get("args")
    namespace = text(mapping(part, "provider_details"), "namespace")
    return Call(
        path,
        known,
        text(part, "tool_name") or "",
        {} if arguments is None else arguments,
        item or identifier(part.get("id")),
        state,
        {} if namespace is None else {"namespace": namespace},
    )


PYDANTIC_AI: Final = Format(_NAME, _sniff, _read)
