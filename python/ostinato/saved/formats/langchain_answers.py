"""What a model said, as LangChain keeps it: by provider, and by the version of the output."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from ostinato.saved.conversation import Source
from ostinato.saved.draft import Draft, identifier
from ostinato.saved.fields import listing, mapping, text
from ostinato.saved.formats.langchain_responses import items
from ostinato.saved.parts import Call, Native, Part, Text, Thinking, media

__all__ = ["PARTS", "Answer", "wire_of"]

Json = dict[str, Any]

_ANTHROPIC: Final = "anthropic-messages"
_BEDROCK: Final = "bedrock-converse"
_CHAT: Final = "openai-chat"
_GEMINI: Final = "gemini-generate-content"
_RESPONSES: Final = "openai-responses"

_WIRES: Final = {
    "anthropic": _ANTHROPIC,
    "anthropic-vertex": _ANTHROPIC,
    "bedrock": _ANTHROPIC,
    "bedrock_converse": _BEDROCK,
    "amazon_bedrock": _BEDROCK,
    "google_genai": _GEMINI,
    "google_vertexai": _GEMINI,
}
_GEMINI_CALLS: Final = "__gemini_function_call_thought_signatures__"
_ITEM_IDS: Final = "__openai_function_call_ids__"
_BEFORE_TEXT: Final = frozenset({"code_interpreter_call", "image_generation_call", "mcp_call"})
_REASONING_FIELDS: Final = ("reasoning_content", "reasoning")


class Answer(NamedTuple):
    """A message of a model."""

    path: str
    fields: Json
    blocks: list[tuple[str, Json]]
    """Its content; a text counts as a block of one."""
    metadata: Json
    extra: Json
    """`additional_kwargs`."""
    place: Source
    draft: Draft


def wire_of(answer: Answer) -> str:
    """Whose wire it came over: by the provider's name in newer messages, by what only that provider has in older."""
    named = _WIRES.get(text(answer.metadata, "model_provider", "ls_provider") or "")
    kinds = {str(block.get("type")) for _path, block in answer.blocks}
    model = text(answer.metadata, "model_name", "model") or ""
    if named is not None:
        return named
    if _GEMINI_CALLS in answer.extra or "function_call_signature" in kinds or model.startswith(("gemini", "models/")):
        return _GEMINI
    if "reasoning_content" in kinds:
        return _BEDROCK
    if kinds & {"thinking", "redacted_thinking", "tool_use", "server_tool_use"} or model.startswith("claude"):
        return _ANTHROPIC
    return _RESPONSES if _of_responses(answer, kinds) else _CHAT


def _of_responses(answer: Answer, kinds: set[str]) -> bool:
    ids = (answer.fields.get("id"), answer.metadata.get("id"), *(block.get("id") for _path, block in answer.blocks))
    own = any(isinstance(known, str) and known.startswith(("resp_", "msg_", "rs_", "fc_")) for known in ids)
    items_in = {"reasoning", "tool_outputs", _ITEM_IDS} & answer.extra.keys()
    sealed = isinstance(answer.extra.get("reasoning"), dict) or (items_in - {"reasoning"})
    return own or bool(sealed) or answer.metadata.get("object") == "response" or "function_call" in kinds


def _responses(answer: Answer) -> list[Part]:
    """Items as they are (`responses/v1`), put together again (`v1`), or from three places (`v0`)."""
    message = text(answer.fields, "id") or ""
    message = message if message.startswith("msg_") else ""
    made: list[Part] = []
    called: set[str] = set()
    for path, block in items(answer.blocks):
        match block.get("type"):
            case "text" if isinstance(block.get("text"), str):
                made.append(_said(path, block, message))
            case "refusal" | "output_text":
                own = {name: value for name, value in block.items() if name not in {"id", "index", "phase", "extras"}}
                item = {"type": "message", "id": text(block, "id") or message, "role": "assistant", "content": [own]}
                made.append(Native(path, _RESPONSES, {name: value for name, value in item.items() if value}))
            case "tool_call" | "invalid_tool_call":
                made.append(_call(path, block, answer))
            case _:
                made.append(Native(path, _RESPONSES, block))
        called.add(str(block.get("call_id") or block.get("id")))
    made += [call for call in _calls(answer) if call.id not in called]
    apart = {"reasoning", "tool_outputs", "refusal"} & answer.extra.keys()
    return _v0(answer, made) if apart else made


def _said(path: str, block: Json, message: str) -> Text:
    extras = mapping(block, "extras")
    notes = [_responses_note(note) for note in listing(block, "annotations")]
    fields: Json = {"annotations": notes} if notes else {}
    phase = block.get("phase", extras.get("phase"))
    return Text(
        path,
        block["text"],
        identifier(block.get("id")) or message or None,
        fields=fields if phase is None else fields | {"phase": phase},
    )


def _v0(answer: Answer, made: list[Part]) -> list[Part]:
    """What `v0` keeps apart, around what was said: where LangChain itself puts it. There is no record of the order."""
    path = f"{answer.path}/additional_kwargs"
    reasoning = mapping(answer.extra, "reasoning")
    before: list[Part] = []
    if reasoning:
        item = {"type": "reasoning"} | {name: value for name, value in reasoning.items() if name != "index"}
        before.append(Native(f"{path}/reasoning", _RESPONSES, {"summary": []} | item))
    outputs = [
        Native(f"{path}/tool_outputs/{place}", _RESPONSES, one)
        for place, one in enumerate(listing(answer.extra, "tool_outputs"))
        if isinstance(one, dict)
    ]
    before += [output for output in outputs if text(output.item, "type") in _BEFORE_TEXT]
    after = [output for output in outputs if text(output.item, "type") not in _BEFORE_TEXT]
    if outputs:
        answer.draft.count("not_rebuilt", answer.place.line, path, type="order")
    said = [part for part in made if not isinstance(part, Call)]
    refusal = text(answer.extra, "refusal")
    if refusal is not None:
        content = [{"type": "refusal", "refusal": refusal}]
        said.append(Native(f"{path}/refusal", _RESPONSES, {"type": "message", "role": "assistant", "content": content}))
    return [*before, *said, *(part for part in made if isinstance(part, Call)), *after]


def _responses_note(note: Any) -> Any:  # noqa: ANN401 - any JSON value
    """An annotation, in the words of Responses where it is in LangChain's."""
    kind, extras = mapping({"": note}, "").get("type"), mapping(note, "extras")
    if kind == "non_standard_annotation":
        return note.get("value")
    if kind != "citation":
        return note
    place = {name: note[name] for name in ("start_index", "end_index", "title") if name in note}
    if "url" in note:
        return {"type": "url_citation", "url": note["url"], **place, **extras}
    name = place.pop("title", None)
    return {"type": "file_citation", **place, **({} if name is None else {"filename": name}), **extras}


def _anthropic(answer: Answer) -> list[Part]:
    made: list[Part] = []
    called: set[str] = set()
    for path, block in answer.blocks:
        own = {name: value for name, value in block.items() if name != "index"}
        match block.get("type"):
            case "text" if isinstance(block.get("text"), str):
                made.append(Text(path, block["text"], fields=_citations(own)))
            case "reasoning":
                made.append(
                    Thinking(path, (text(block, "reasoning") or "",), text(mapping(block, "extras"), "signature"))
                )
            case "non_standard":
                made.append(Native(path, _ANTHROPIC, mapping(block, "value")))
            case "tool_call" | "invalid_tool_call":
                made.append(_call(path, block, answer))
                called.add(str(block.get("id")))
            case "server_tool_call" | "server_tool_result":
                made.append(Native(path, _ANTHROPIC, _server_tool(block)))
            case "thinking" if isinstance(block.get("thinking"), str):
                rest = {name: value for name, value in own.items() if name not in {"type", "thinking", "signature"}}
                made.append(Thinking(path, (block["thinking"],), text(block, "signature"), fields=rest))
            case _:
                made.append(Native(path, _ANTHROPIC, own))
                called.add(str(block.get("id")))
    return [*made, *(call for call in _calls(answer) if call.id not in called)]


def _citations(block: Json) -> Json:
    kept = {"citations": block["citations"]} if block.get("citations") else {}
    notes = [_anthropic_note(note) for note in listing(block, "annotations")]
    return {"citations": notes} if notes else kept


def _anthropic_note(note: Any) -> Any:  # noqa: ANN401 - any JSON value
    """An annotation, in the words of Anthropic where it is in LangChain's."""
    if mapping({"": note}, "").get("type") != "citation":
        return note.get("value", note) if isinstance(note, dict) else note
    extras = mapping(note, "extras")
    own = {name: note[name] for name in ("cited_text", "url") if name in note}
    if "url" in note:
        return {"type": "web_search_result_location", **own, "title": note.get("title"), **extras}
    kinds = {"start_char_index": "char", "start_page_number": "page", "start_block_index": "content_block"}
    kind = next((name for field, name in kinds.items() if field in extras), "search_result")
    title = "title" if kind == "search_result" else "document_title"
    return {"type": f"{kind}_location", **own, title: note.get("title"), **extras}


def _server_tool(block: Json) -> Json:
    extras, name = mapping(block, "extras"), block.get("name")
    if block.get("type") == "server_tool_result":
        kind = {"type": extras.get("block_type"), "tool_use_id": block.get("tool_call_id")}
        failed = {"is_error": block.get("status") == "error"} if kind["type"] == "mcp_tool_result" else {}
        return {**kind, **({"content": block["output"]} if "output" in block else {}), **failed}
    own: Json = {"type": "server_tool_use", "id": block.get("id"), "name": name, "input": block.get("args", {})}
    if name == "code_interpreter":
        return own | {"name": "code_execution"}
    if name == "remote_mcp":
        return own | {"type": "mcp_tool_use", "name": extras.get("tool_name"), "server_name": extras.get("server_name")}
    return own


def _gemini(answer: Answer) -> list[Part]:
    made: list[Part] = []
    sealed = mapping(answer.extra, _GEMINI_CALLS)
    beside = [text(block, "signature") for _p, block in answer.blocks if block.get("type") == "function_call_signature"]
    for path, block in answer.blocks:
        state = text(block, "thought_signature", "signature") or text(mapping(block, "extras"), "signature")
        match block.get("type"):
            case "text" if isinstance(block.get("text"), str):
                if block["text"] or state is not None:
                    made.append(Text(path, block["text"], state=state))
            case "thinking" | "reasoning":
                made.append(Thinking(path, (text(block, "thinking", "reasoning") or "",), state))
            case "function_call_signature" | "tool_call" | "function_call":
                continue  # below, with what it was called with
            case "executable_code":
                code = {"code": block.get("executable_code"), "language": block.get("language", "PYTHON")}
                made.append(Native(path, _GEMINI, {"executableCode": code} | _signed(state)))
            case "code_execution_result":
                output = {"output": block.get("code_execution_result"), "outcome": block.get("outcome")}
                made.append(Native(path, _GEMINI, {"codeExecutionResult": output} | _signed(state)))
            case _:
                made.append(_picture(path, block, state))
    for place, call in enumerate(_calls(answer)):
        state = text(sealed, call.id or "") or (beside[place] if place < len(beside) else None)
        made.append(call._replace(state=state))
    return made


def _signed(state: str | None) -> Json:
    return {} if state is None else {"thoughtSignature": state}


def _picture(path: str, block: Json, state: str | None) -> Part:
    url = text(mapping(block, "image_url"), "url") or text(block, "image_url", "url")
    data = text(block, "base64", "data")
    if data is not None:
        return media(path, f"data:{text(block, 'mime_type') or ''};base64,{data}")._replace(state=state)
    return media(path, url)._replace(state=state) if url is not None else Native(path, "unknown", block)


def _bedrock(answer: Answer) -> list[Part]:
    made: list[Part] = []
    called: set[str] = set()
    for path, block in answer.blocks:
        inner = mapping(block, "reasoning_content")
        match block.get("type"):
            case "text" if isinstance(block.get("text"), str):
                made.append(Text(path, block["text"]))
            case "reasoning_content" if "redacted_content" in inner or "redactedContent" in inner:
                sealed = text(inner, "redacted_content", "redactedContent")
                made.append(Native(path, _BEDROCK, {"reasoningContent": {"redactedContent": sealed}}))
            case "reasoning_content":
                made.append(Thinking(path, (text(inner, "text") or "",), text(inner, "signature")))
            case "reasoning":
                made.append(
                    Thinking(path, (text(block, "reasoning") or "",), text(mapping(block, "extras"), "signature"))
                )
            case "tool_use":
                made.append(Call(path, identifier(block.get("id")), text(block, "name") or "", block.get("input", {})))
                called.add(str(block.get("id")))
            case "tool_call":
                made.append(_call(path, block, answer))
                called.add(str(block.get("id")))
            case _:
                made.append(Native(path, "unknown", block))
    return [*made, *(call for call in _calls(answer) if call.id not in called)]


def _chat(answer: Answer) -> list[Part]:
    made: list[Part] = []
    for path, block in answer.blocks:
        match block.get("type"):
            case "text" if isinstance(block.get("text"), str):
                made.append(Text(path, block["text"]))
            case "reasoning":  # `v1`, which does not say in which field it came
                if not any(name in answer.extra for name in _REASONING_FIELDS):
                    made.append(Thinking(path, (text(block, "reasoning") or "",)))
            case "refusal":
                made.append(Native(path, _CHAT, {"refusal": block.get("refusal")}))
            case "tool_call" | "invalid_tool_call":
                continue
            case _:
                made.append(Native(path, "unknown", block))
    path = f"{answer.path}/additional_kwargs"
    for name in _REASONING_FIELDS:
        said = text(answer.extra, name)
        if said is not None:
            made.append(Thinking(f"{path}/{name}", (said,), field=name))
    for place, detail in enumerate(listing(answer.extra, "reasoning_details")):
        known = detail if isinstance(detail, dict) else {}
        state = text(known, "signature", "data")
        made.append(Thinking(f"{path}/reasoning_details/{place}", state=state, field="reasoning_details", fields=known))
    refusal = text(answer.extra, "refusal")
    made += [] if refusal is None else [Native(f"{path}/refusal", _CHAT, {"refusal": refusal})]
    return [*made, *_calls(answer)]


def _calls(answer: Answer) -> Iterator[Call]:
    """Calls beside the content, with the model's own text of the arguments where a raw copy has it."""
    raw = {str(one.get("id")): one for one in listing(answer.extra, "tool_calls") if isinstance(one, dict)}
    good, bad = listing(answer.fields, "tool_calls"), listing(answer.fields, "invalid_tool_calls")
    for place, one in enumerate(chain(good, bad)):
        if isinstance(one, dict):
            yield _call(f"{answer.path}/tool_calls/{place}", one, answer, raw.get(str(one.get("id"))))


def _call(path: str, block: Json, answer: Answer, raw: Json | None = None) -> Call:
    extras, known = mapping(block, "extras"), identifier(block.get("id"))
    written = text(extras, "arguments") or text(mapping(raw, "function"), "arguments")
    fields: Json = {name: extras[name] for name in ("status", "namespace", "async") if name in extras}
    return Call(
        path,
        known,
        text(block, "name") or "",
        block.get("args", {}) if written is None else written,
        text(extras, "item_id") or text(mapping(answer.extra, _ITEM_IDS), known or ""),
        text(mapping(raw, "extra_content", "google"), "thought_signature"),
        fields,
    )


PARTS: Final[Mapping[str, Callable[[Answer], list[Part]]]] = {
    _ANTHROPIC: _anthropic,
    _BEDROCK: _bedrock,
    _CHAT: _chat,
    _GEMINI: _gemini,
    _RESPONSES: _responses,
}
"""By wire."""
