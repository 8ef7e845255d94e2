"""What a model said, as Inspect keeps it: fields that each provider fills in its own way, and the raw answer."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ostinato.saved.draft import Draft, identifier, label
from ostinato.saved.fields import listing, mapping, text
from ostinato.saved.json_text import parse
from ostinato.saved.parts import Call, Native, Part, Text, Thinking

__all__ = ["PARTS", "Answer", "wire_of"]

Json = dict[str, Any]

_ANTHROPIC: Final = "anthropic-messages"
_BEDROCK: Final = "bedrock-converse"
_CHAT: Final = "openai-chat"
_GEMINI: Final = "gemini-generate-content"
_RESPONSES: Final = "openai-responses"
_WIRES: Final = {"anthropic": _ANTHROPIC, "bedrock": _BEDROCK, "google": _GEMINI, "grok": _RESPONSES, "vertex": _GEMINI}
_DETAILS: Final = "reasoning-details://"
"""Before the JSON of OpenRouter's `reasoning_details`, in `signature`."""
_GEMINI_CALL: Final = "gemini_function_call_id"
_BEDROCK_REDACTED: Final = "bedrock_redacted_content"
_STASHED: Final = "reasoning_encrypted_content"
_FIELDS: Final = frozenset({"reasoning", "reasoning_content"})


class Answer(NamedTuple):
    """A message of a model."""

    path: str
    fields: Json
    blocks: list[tuple[str, Json]]
    response: Json
    """What the provider sent; empty where it was not logged."""
    draft: Draft


def wire_of(answer: Answer, provider: str | None) -> str:
    """Whose wire it came over: by the provider's name; OpenAI has two, which their ids tell."""
    named = _WIRES.get(provider or "")
    if named is not None:
        return named
    if answer.response.get("object") == "response":
        return _RESPONSES
    for _path, block in answer.blocks:
        sealed = block.get("type") == "reasoning" and (text(block, "signature") or "").startswith("rs_")
        if sealed or text(mapping(block, "internal"), "message_id"):
            return _RESPONSES
    return _CHAT


def _responses(answer: Answer) -> list[Part]:
    raw = {str(one.get("id")): one for one in listing(answer.response, "output") if isinstance(one, dict)}
    made: list[Part] = []
    for path, block in answer.blocks:
        known = text(block, "signature") or text(block, "id") or ""
        match block.get("type"):
            case "reasoning":
                made.append(_reasoning(path, block, raw.get(known, {}), answer.draft))
            case "text":
                made.append(_text(path, block))
            case "tool_use" if known in raw:
                made.append(Native(path, _RESPONSES, raw[known]))
            case "tool_use":
                made += _hosted(path, block, answer.draft)
            case kind:
                answer.draft.say("unknown_part", path, type=label(kind))
    written = {str(one.get("call_id")): one for one in raw.values() if one.get("type") == "function_call"}
    return [*made, *_calls(answer, written)]


def _reasoning(path: str, block: Json, raw: Json, draft: Draft) -> Part:
    """A reasoning item. `reasoning` is the ciphertext if redacted, else the plain text; `signature` is the id."""
    sealed, said = block.get("redacted") is True, text(block, "reasoning") or ""
    state = said if sealed else text(mapping(block, "internal"), _STASHED)
    summary = text(block, "summary")
    if isinstance(raw.get("summary"), list):  # as it was sent, its parts apart
        kept = {name: value for name, value in raw.items() if value is not None}
        return Native(path, _RESPONSES, ({} if state is None else {"encrypted_content": state}) | kept)
    if summary is not None and "\n\n" in summary:  # Inspect joins the parts so
        draft.count("summary_boundaries_unknown", None, path)
    content = [] if sealed or not said else [{"type": "reasoning_text", "text": said}]
    texts = () if not summary else (summary,)
    return Thinking(path, texts, state, text(block, "signature"), fields={"content": content} if content else {})


def _text(path: str, block: Json) -> Part:
    internal = mapping(block, "internal")
    known, said, phase = text(internal, "message_id"), text(block, "text") or "", text(internal, "message_phase")
    if block.get("refusal") is True:
        item = {"type": "message", "id": known, "role": "assistant", "content": [{"type": "refusal", "refusal": said}]}
        return Native(path, _RESPONSES, {name: value for name, value in item.items() if value is not None})
    return Text(path, said, known, fields={} if phase is None else {"phase": phase})


def _hosted(path: str, block: Json, draft: Draft) -> Iterator[Part]:
    """A tool that OpenAI ran, from what a message keeps of it."""
    known, name = text(block, "id"), text(block, "name")
    arguments = text(block, "arguments") or ""
    match text(block, "tool_type"):
        case "web_search":
            action = parse(arguments).value
            status = "failed" if block.get("error") else "completed"
            item: Json = {"type": "web_search_call", "id": known, "action": action, "status": status}
        case "mcp_call" if name == "mcp_list_tools":
            tools = parse(text(block, "result") or "[]").value
            item = {"type": "mcp_list_tools", "id": known, "server_label": text(block, "context"), "tools": tools}
        case "mcp_call":
            own = {"server_label": text(block, "context"), "name": name, "arguments": arguments}
            item = {
                "type": "mcp_call",
                "id": known,
                **own,
                "output": text(block, "result"),
                "error": block.get("error"),
            }
        case kind:
            draft.say("unknown_part", path, type=label(kind))
            return
    yield Native(path, _RESPONSES, {name: value for name, value in item.items() if value is not None})


def _anthropic(answer: Answer) -> list[Part]:
    """Thinking has its signature in `reasoning` and its text in `summary`; before 0.3.100 it was the other way."""
    raw: dict[str, list[Json]] = {}
    for one in listing(answer.response, "content"):
        known = text(one, "id", "tool_use_id")
        if known is not None and one.get("type") != "tool_use":
            raw.setdefault(known, []).append(one)
    made: list[Part] = []
    for path, block in answer.blocks:
        said, summary = text(block, "reasoning") or "", text(block, "summary")
        match block.get("type"):
            case "reasoning" if block.get("redacted") is not True:
                made.append(Thinking(path, (said,), text(block, "signature")))
            case "reasoning" if summary is not None:
                made.append(Thinking(path, (summary,), said))
            case "reasoning":
                made.append(Thinking(path, state=said, redacted=True))
            case "text":
                made.append(Text(path, text(block, "text") or ""))
            case "tool_use" if str(block.get("id")) in raw:
                made += [Native(path, _ANTHROPIC, one) for one in raw[str(block["id"])]]
            case "tool_use" if block.get("tool_type") == "web_search":
                made += _searched(path, block)
            case kind:
                answer.draft.say("unknown_part", path, type=label(kind))
    return [*made, *_calls(answer, {})]


def _searched(path: str, block: Json) -> Iterator[Part]:
    known = text(block, "id")
    arguments, found = (parse(text(block, name) or "null").value for name in ("arguments", "result"))
    use = {"type": "server_tool_use", "id": known, "name": text(block, "name"), "input": arguments}
    yield Native(path, _ANTHROPIC, use)
    yield Native(path, _ANTHROPIC, {"type": "web_search_tool_result", "tool_use_id": known, "content": found})


def _gemini(answer: Answer) -> list[Part]:
    """A redacted block is the signature of what follows it; its summary is the thought before it."""
    made: list[Part] = []
    of_calls: dict[str, str] = {}
    pending: str | None = None
    for path, block in answer.blocks:
        said, summary = text(block, "reasoning") or "", text(block, "summary")
        call = text(mapping(block, "internal"), _GEMINI_CALL)
        match block.get("type"):
            case "reasoning" if block.get("redacted") is not True:
                made.append(Thinking(path, (said,)))
            case "reasoning" if call is not None:
                of_calls |= {call: said} if said else {}
            case "reasoning":
                if summary:
                    made.append(Thinking(path, (summary,)))
                pending = said or pending
            case "text":
                made.append(Text(path, text(block, "text") or "", state=pending))
                pending = None
            case kind:
                answer.draft.say("unknown_part", path, type=label(kind))
    calls = [call._replace(state=of_calls.get(call.id or "")) for call in _calls(answer, {})]
    if pending is not None and calls and calls[0].state is None:
        calls[0] = calls[0]._replace(state=pending)
    elif pending is not None:
        made.append(Text(answer.path, "", state=pending))
    return [*made, *calls]


def _bedrock(answer: Answer) -> list[Part]:
    made: list[Part] = []
    for path, block in answer.blocks:
        sealed = text(mapping(block, "internal"), _BEDROCK_REDACTED)
        match block.get("type"):
            case "reasoning" if sealed is not None:
                made.append(Native(path, _BEDROCK, {"reasoningContent": {"redactedContent": sealed}}))
            case "reasoning":
                made.append(Thinking(path, (text(block, "reasoning") or "",), text(block, "signature")))
            case "text":
                made.append(Text(path, text(block, "text") or ""))
            case kind:
                answer.draft.say("unknown_part", path, type=label(kind))
    return [*made, *_calls(answer, {})]


def _chat(answer: Answer) -> list[Part]:
    made: list[Part] = []
    for path, block in answer.blocks:
        match block.get("type"):
            case "text" if block.get("refusal") is True:
                made.append(Native(path, _CHAT, {"refusal": text(block, "text")}))
            case "text":
                made.append(Text(path, text(block, "text") or ""))
            case "reasoning" if (text(block, "signature") or "").startswith(_DETAILS):
                details = parse(str(block["signature"]).removeprefix(_DETAILS)).value
                for one in details if isinstance(details, list) else ():
                    known = one if isinstance(one, dict) else {}
                    state = text(known, "signature", "data")
                    made.append(Thinking(path, state=state, field="reasoning_details", fields=known))
            case "reasoning":
                field = named if (named := text(block, "internal")) in _FIELDS else None
                made.append(Thinking(path, (text(block, "reasoning") or "",), field=field))
            case kind:
                answer.draft.say("unknown_part", path, type=label(kind))
    message = mapping(next(iter(listing(answer.response, "choices")), None), "message")
    written = {str(one.get("id")): mapping(one, "function") for one in listing(message, "tool_calls")}
    return [*made, *_calls(answer, written)]


def _calls(answer: Answer, written: Mapping[str, Json]) -> Iterator[Call]:
    """Calls, with the model's own text of the arguments where the raw answer has it."""
    for place, one in enumerate(listing(answer.fields, "tool_calls")):
        if isinstance(one, dict):
            raw = written.get(str(one.get("id")), {})
            arguments = text(raw, "arguments")
            given = one.get("arguments", {}) if arguments is None else arguments
            path = f"{answer.path}/tool_calls/{place}"
            yield Call(path, identifier(one.get("id")), text(one, "function") or "", given, text(raw, "id"))


PARTS: Final[Mapping[str, Callable[[Answer], list[Part]]]] = {
    _ANTHROPIC: _anthropic,
    _BEDROCK: _bedrock,
    _CHAT: _chat,
    _GEMINI: _gemini,
    _RESPONSES: _responses,
}
"""By wire."""
