"""Messages of Vercel's AI SDK: UI messages (`parts`) and model messages (`content`), of versions 4 to 6.

State is in `providerMetadata` of UI parts and in `providerOptions` of model parts, under the provider's name. Summaries
of one Responses item are parts of one `itemId`; the ciphertext is on the last, and null before
(`@ai-sdk/openai` 3.0.141: the last that is not null counts).
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft, identifier, label, source
from ostinato.saved.fields import each, listing, mapping, text, written
from ostinato.saved.fields import messages as listed_messages
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.native import conversation
from ostinato.saved.parts import Call, Media, Message, Native, Part, Result, Text, Thinking, media

__all__ = ["VERCEL_AI", "Placed", "answers"]

Json = dict[str, Any]

_NAME: Final = "vercel-ai"
_CHAT: Final = "openai-chat"
_GEMINI: Final = "gemini-generate-content"
_RESPONSES: Final = "openai-responses"
_PROVIDERS: Final = {
    # The key of the metadata: whose state it is, and on which wire.
    "openai": ("openai", _RESPONSES),
    "azure": ("azure", _RESPONSES),
    "xai": ("xai", _RESPONSES),
    "anthropic": ("anthropic", "anthropic-messages"),
    "bedrock": ("bedrock", "bedrock-converse"),
    "amazonBedrock": ("bedrock", "bedrock-converse"),
    "google": ("gemini", _GEMINI),
    "vertex": ("vertex", _GEMINI),
    "googleVertex": ("vertex", _GEMINI),
    "openrouter": ("openrouter", _CHAT),
    "deepseek": ("deepseek", _CHAT),
    "groq": ("groq", _CHAT),
}
_METADATA: Final = ("providerMetadata", "providerOptions", "callProviderMetadata", "experimental_providerMetadata")
_OWN_KINDS: Final = frozenset({"tool-call", "tool-result", "step-start", "tool-invocation", "dynamic-tool"})
_ROLES: Final = frozenset({"user", "assistant", "system", "tool"})
_DISPLAY: Final = frozenset({"source", "source-url", "source-document"})
"""Parts that are shown, and not sent."""


class Placed(NamedTuple):
    """A part with its path."""

    path: str
    part: Json


def _sniff(file: SavedFile) -> bool:
    first = file.head[0].value if file.head else None
    messages = [one for _path, one in listed_messages(first)[:50]] or file.records[:50]
    return any(_own(part) for one in messages for part in [*listing(one, "parts"), *listing(one, "content")])


def _own(part: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether a part is in the words of the AI SDK alone."""
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str):
        return False
    named = any(isinstance(part.get(name), dict) for name in _METADATA)
    return named or kind in _OWN_KINDS or (kind.startswith("tool-") and "toolCallId" in part)


def _read(file: SavedFile) -> list[Conversation]:
    draft = Draft(_NAME, _CHAT)
    messages: list[Message] = []
    for value in file.values():
        if value.fault is not None:
            draft.say(value.fault, line=value.line, records=1)
            continue
        alone = value.value if isinstance(value.value, dict) else {}
        for path, one in listed_messages(value.value) or [("", alone)]:
            if text(one, "role") in _ROLES:
                messages += _message(path, one, source(value, path), draft)
            else:
                draft.say("unknown_record", path, line=value.line, records=1, type=label(one.get("role")))
    return [conversation(messages, draft)]


def _message(path: str, one: Json, place: Source, draft: Draft) -> Iterator[Message]:
    role = str(one["role"])
    name = "parts" if isinstance(one.get("parts"), list) else "content"
    parts = [
        Placed(where, part if isinstance(part, dict) else {"type": "text", "text": part})
        for where, part in each(one, name, path)
    ]
    if role == "assistant":
        yield from answers(path, one, parts, place, draft)
        return
    made = [made for placed in parts for made in _asked(placed, place, draft)]
    yield Message(path, role, made, source=place)


def _asked(placed: Placed, place: Source, draft: Draft) -> Iterator[Part]:
    path, part = placed
    kind, said = text(part, "type"), part.get("text")
    if kind == "text" and isinstance(said, str):
        yield Text(path, said)
    elif kind == "tool-result":
        yield _result(path, part)
    elif kind in {"file", "image"} and (file := _file(path, part)) is not None:
        yield file
    else:
        draft.say("unknown_part", path, line=place.line, type=label(kind))


def answers(path: str, one: Json, parts: list[Placed], place: Source, draft: Draft) -> Iterator[Message]:
    """A message for each step of an answer, and one for what its calls gave, which UI messages keep with them."""
    key = next((known for _path, part in parts for known in _keys(part) if known in _PROVIDERS), None)
    provider, wire = _PROVIDERS[key] if key else (None, _CHAT)
    # Without metadata it could be anyone's; reasoning without any is what the chat providers of the SDK leave.
    plain = key is None and not any(part.get("type") == "reasoning" for _path, part in parts)
    model = identifier(text(mapping(one, "metadata"), "model", "modelId"))
    origin = Origin(provider, model=model) if provider or model else None
    records = 1
    for step in _steps(parts):
        said = _said(step, wire, place, draft)
        results = [result for placed in step for result in _results(placed)]
        if said or not results:
            yield Message(path, "assistant", said, None if plain else wire, origin, source=place, records=records)
            records = 0
        if results:
            yield Message(path, "tool", results, source=place, records=records)
            records = 0


def _steps(parts: list[Placed]) -> Iterator[list[Placed]]:
    step: list[Placed] = []
    for placed in parts:
        if placed.part.get("type") != "step-start":
            step.append(placed)
        elif step:
            yield step
            step = []
    if step or not parts:
        yield step


def _keys(part: Json) -> list[str]:
    return [key for name in _METADATA for key in mapping(part, name)]


def _metadata(part: Json) -> Json:
    """What a provider attached to a part, whichever name the version has for it."""
    found: Json = {}
    for name in _METADATA:
        for key, own in mapping(part, name).items():
            if key in _PROVIDERS and isinstance(own, dict):
                found |= {field: value for field, value in own.items() if value is not None or field not in found}
    return found


def _said(step: list[Placed], wire: str, place: Source, draft: Draft) -> list[Part]:
    made: list[Part] = []
    items: dict[str, int] = {}  # where the reasoning item of an id stands
    details: list[Json] = []
    for path, part in step:
        kind, own = str(part.get("type")), _metadata(part)
        for detail in listing(own, "reasoning_details"):  # repeated on the parts of an answer; each counts once
            if isinstance(detail, dict) and detail not in details:
                details.append(detail)
                state = text(detail, "signature", "data")
                made.append(Thinking(path, state=state, field="reasoning_details", fields=detail))
        match kind:
            case "text" if isinstance(part.get("text"), str):
                phase = {"phase": own["phase"]} if isinstance(own.get("phase"), str) else {}
                made.append(Text(path, part["text"], identifier(own.get("itemId")), _signature(own), phase))
            case "reasoning" | "redacted-reasoning":
                if not (wire == _CHAT and details):
                    _think(made, items, Placed(path, part), wire)
            case "file" if (file := _file(path, part)) is not None:
                made.append(file._replace(state=_signature(own)))
            case _ if kind == "dynamic-tool" or kind.startswith("tool-"):
                made += _tool(path, part, wire, place, draft)
            case _ if kind in _DISPLAY or kind.startswith("data-"):
                draft.count("not_sent", place.line, path, type=label(kind))
            case _:
                draft.say("unknown_part", path, line=place.line, type=label(kind))
    return made


def _tool(path: str, part: Json, wire: str, place: Source, draft: Draft) -> Iterator[Part]:
    """A call; or what one gave, where the provider ran it and has it in the answer. Other results are messages."""
    if part.get("type") != "tool-result":
        yield from _call(path, part, wire, place, draft)
    elif (back := _searched(part)) is not None and wire == "anthropic-messages":
        yield Native(path, wire, back)
    elif part.get("providerExecuted") is True:
        draft.count("not_rebuilt", place.line, path, type=label(part.get("toolName")))


def _signature(own: Json) -> str | None:
    return text(own, "thoughtSignature")


def _think(made: list[Part], items: dict[str, int], placed: Placed, wire: str) -> None:
    path, part = placed
    own, said = _metadata(part), text(part, "text", "reasoning") or ""
    if wire == _RESPONSES:
        known, state = identifier(own.get("itemId")), text(own, "reasoningEncryptedContent")
        at = items.get(known) if known else None
        if at is None:
            items |= {known: len(made)} if known else {}
            made.append(Thinking(path, (said,) if said else (), state, known))
            return
        before = made[at]
        if isinstance(before, Thinking):
            shown = (*before.texts, said) if said else before.texts  # an empty one is only there to carry the state
            made[at] = before._replace(texts=shown, state=state or before.state)
        return
    blocks = listing(part, "details")  # version 4 keeps the blocks of an answer in one part
    for block in blocks or [{"type": "text", "text": said, **own, "signature": text(own, "signature")}]:
        sealed = text(block, "redactedData", "data") or text(part, "data")
        if sealed is not None:
            made.append(Thinking(path, state=sealed, redacted=True))
        else:
            state = text(block, "signature") or (_signature(own) if wire == _GEMINI else None)
            field = "reasoning_content" if wire == _CHAT else None
            made.append(Thinking(path, (text(block, "text") or "",), state, field=field))


def _invocation(part: Json) -> Json:
    """A part of a tool, the older one out of its wrapping."""
    return mapping(part, "toolInvocation") or part


def _call(path: str, part: Json, wire: str, place: Source, draft: Draft) -> Iterator[Part]:
    call, own = _invocation(part), _metadata(part)
    kind = str(part.get("type"))
    name = text(call, "toolName") or kind.removeprefix("tool-")
    known = identifier(call.get("toolCallId"))
    given = call.get("input", call.get("args"))
    state = text(call, "state")
    if state in {"input-streaming", "partial-call"}:  # cut while the model wrote; the SDK sends none of it
        draft.say("unknown_part", path, line=place.line, type=label(state))
    elif part.get("providerExecuted") is not True:
        arguments = {} if given is None else given
        yield Call(path, known, name, arguments, identifier(own.get("itemId")), _signature(own))
    elif wire == "anthropic-messages":
        yield Native(path, wire, {"type": "server_tool_use", "id": known, "name": name, "input": given or {}})
        back = _searched({"toolName": name, "toolCallId": known, "output": part.get("output")})
        if back is not None and kind != "tool-call":
            yield Native(path, wire, back)
    else:  # the item that the provider would want again is not kept
        draft.count("not_rebuilt", place.line, path, type=label(name))


def _searched(part: Json) -> Json | None:
    """Results of a search that Anthropic ran, with the names of its wire."""
    output = part.get("output", part.get("result"))
    found = output.get("value") if isinstance(output, dict) and "value" in output else output
    if part.get("toolName") != "web_search" or not isinstance(found, list):
        return None
    names = {"encryptedContent": "encrypted_content", "pageAge": "page_age"}
    results = [{names.get(key, key): value for key, value in one.items()} for one in found if isinstance(one, dict)]
    return {"type": "web_search_tool_result", "tool_use_id": part.get("toolCallId"), "content": results}


def _results(placed: Placed) -> Iterator[Result]:
    """What a call gave, where the message of the call has it."""
    path, part = placed
    call, kind = _invocation(part), str(part.get("type"))
    if part.get("providerExecuted") is True or not (kind.startswith("tool-") or kind == "dynamic-tool"):
        return
    if kind == "tool-result":
        if _searched(part) is None:
            yield _result(path, part)
    elif text(call, "state") in {"output-available", "result"}:
        name = text(call, "toolName") or kind.removeprefix("tool-")
        yield Result(path, identifier(call.get("toolCallId")), written(call.get("output", call.get("result"))), name)
    elif text(call, "state") in {"output-error", "output-denied"}:
        name = text(call, "toolName") or kind.removeprefix("tool-")
        said = text(call, "errorText") or "Tool execution denied."
        yield Result(path, identifier(call.get("toolCallId")), said, name, error=True)


def _result(path: str, part: Json) -> Result:
    """A result of a model message: an output with its kind, or in version 4 the value alone."""
    output = part.get("output", part.get("result"))
    kind = text(output, "type") if isinstance(output, dict) and "value" in output else None
    value = output["value"] if kind is not None and isinstance(output, dict) else output
    known, name = identifier(part.get("toolCallId")), text(part, "toolName")
    failed = str(kind).startswith("error") or part.get("isError") is True
    if kind == "content" and isinstance(value, list):
        parts = [_content(f"{path}/output/value/{place}", one) for place, one in enumerate(value)]
        return Result(path, known, parts, name, failed)
    return Result(path, known, written(value), name, failed)


def _content(path: str, one: Any) -> Text | Media | Native:  # noqa: ANN401 - any JSON value
    said, data = text(one, "text"), text(one, "data")
    if said is not None:
        return Text(path, said)
    return Media(path, text(one, "mediaType"), data) if data is not None else Native(path, "unknown", {})


def _file(path: str, part: Json) -> Media | None:
    kind = text(part, "mediaType", "mimeType")
    given = text(part, "url", "data", "image")
    if given is None:
        return None
    return media(path, given, kind) if ":" in given[:16] else Media(path, kind or "image/png", given)


VERCEL_AI: Final = Format(_NAME, _sniff, _read)
