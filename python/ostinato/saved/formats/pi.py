"""Sessions of pi and of agents built on it, such as OpenClaw: one entry on a line, from version 2 in a tree of them.

The conversation is the path from the last entry to its root; what pi would send after a compaction is its summary, the
entries it kept, and what came after (pi-mono, session versions 1 to 3, read 2026-11). `thinkingSignature` is what
Anthropic or Gemini signed, the JSON of a whole OpenAI item, or the name of the chat field the text came in.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft, identifier, label, source
from ostinato.saved.fields import each, mapping, text
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.json_text import Value, parse
from ostinato.saved.native import conversation
from ostinato.saved.parts import Call, Media, Message, Native, Part, Result, Text, Thinking

__all__ = ["PI"]

Json = dict[str, Any]

_NAME: Final = "pi"
_ANTHROPIC: Final = "anthropic-messages"
_CHAT: Final = "openai-chat"
_GEMINI: Final = "gemini-generate-content"
_RESPONSES: Final = "openai-responses"
_WIRES: Final = {
    "anthropic-messages": _ANTHROPIC,
    "azure-openai-responses": _RESPONSES,
    "bedrock-converse-stream": "bedrock-converse",
    "google-gemini-cli": _GEMINI,
    "google-generative-ai": _GEMINI,
    "google-vertex": _GEMINI,
    "openai-codex-responses": _RESPONSES,
    "openai-completions": _CHAT,
    "openai-responses": _RESPONSES,
}
"""By pi's name of the interface."""
_PROVIDERS: Final = {
    "amazon-bedrock": "bedrock",
    "anthropic-vertex": "vertex",
    "azure-openai-responses": "azure",
    "github-copilot": "copilot",
    "google": "gemini",
    "google-vertex": "vertex",
    "openai-codex": "codex",
}
"""Names of pi that differ from ours."""
_SIGNED_BY: Final = {
    "amazon-bedrock": "bedrock-converse",
    "anthropic": _ANTHROPIC,
    "anthropic-vertex": _ANTHROPIC,
    "google": _GEMINI,
    "google-vertex": _GEMINI,
}
"""The wire of a provider that signs thinking, where an entry does not name its interface."""
_FIELD_NAME: Final = re.compile(r"reasoning(_[a-z]{1,16}){0,2}")
"""What pi keeps where state would be, of servers whose reasoning is text in a field: `reasoning_content` ..."""
_SAID: Final = frozenset({"message", "custom_message", "branch_summary", "compaction"})
"""Entries that are sent. Others are settings, marks and state of extensions."""
_OWN: Final = frozenset(
    {"custom", "label", "model_change", "service_tier_change", "session_info", "thinking_level_change", "leaf"}
)


class _Entry(NamedTuple):
    value: Value
    fields: Json
    id: str
    parent: str | None


def _sniff(file: SavedFile) -> bool:
    for one in file.records[:50]:
        if one.get("type") == "session" and isinstance(one.get("id"), str) and "cwd" in one:
            return True
        message = one.get("message") if one.get("type") == "message" else one
        if isinstance(message, dict) and text(message, "api") in _WIRES and message.get("role") == "assistant":
            return True
    return False


def _read(file: SavedFile) -> list[Conversation]:
    draft = Draft(_NAME, _CHAT)
    entries: list[_Entry] = []
    known: set[str] = set()
    indexes: list[str | None] = []  # ids by place in the file, header included, as version 1 counts them
    for value in file.values():
        if draft.damaged(value):
            continue
        fields = value.value
        if fields.get("type") == "session":
            draft.used += 1
            draft.session = draft.session or identifier(fields.get("id"))
            indexes.append(None)
            continue
        if "type" not in fields and isinstance(fields.get("role"), str):  # a message alone
            fields = {"type": "message", "message": fields}
        entry = _entry(value, fields, entries, known, draft)
        entries.append(entry)
        known.add(entry.id)
        indexes.append(entry.id)
    path = _path(entries)
    on_path = {id(entry.value) for entry in path}
    for entry in entries:
        if id(entry.value) not in on_path:
            _left_out(entry, draft, "other_branch")
    messages = [message for entry in _sent(path, indexes, draft) for message in _messages(entry, draft)]
    return [conversation(messages, draft)]


def _entry(value: Value, fields: Json, before: list[_Entry], known: set[str], draft: Draft) -> _Entry:
    """An entry in the tree. Without an id (version 1), or after one that is not there, it follows the one before it."""
    last = before[-1].id if before else None
    own = identifier(fields.get("id")) or f"#{len(before)}"
    parent = identifier(fields.get("parentId"))
    if "parentId" not in fields:
        return _Entry(value, fields, own, last)
    if parent is None or parent == draft.session:
        return _Entry(value, fields, own, None)
    if parent not in known:
        draft.count("missing_parent", value.line)
        return _Entry(value, fields, own, last)
    return _Entry(value, fields, own, parent)


def _path(entries: list[_Entry]) -> list[_Entry]:
    """From the root to the last entry. A parent is always earlier in the file, so this ends."""
    by_id: dict[str, int] = {}
    parents: list[int | None] = []
    for place, entry in enumerate(entries):
        parents.append(by_id.get(entry.parent) if entry.parent is not None else None)
        by_id[entry.id] = place
    found: list[_Entry] = []
    at: int | None = len(entries) - 1 if entries else None
    while at is not None:
        found.append(entries[at])
        at = parents[at]
    return found[::-1]


def _left_out(entry: _Entry, draft: Draft, code: str) -> None:
    kind = text(entry.fields, "type")
    if kind in _SAID:
        draft.leave_out(code, entry.value.line)
    else:
        draft.leave_out("not_sent" if kind in _OWN else "unknown_record", entry.value.line, type=label(kind))


def _sent(path: list[_Entry], indexes: list[str | None], draft: Draft) -> Iterator[_Entry]:
    """The entries that pi would send: all, or from the last compaction on its summary and what it kept."""
    compactions = [place for place, entry in enumerate(path) if entry.fields.get("type") == "compaction"]
    last = compactions[-1] if compactions else None
    kept = 0 if last is None else last
    if last is not None:
        first = path[last].fields.get("firstKeptEntryId")
        index = path[last].fields.get("firstKeptEntryIndex")
        if isinstance(index, int) and 0 <= index < len(indexes):
            first = indexes[index]
        kept = next((place for place, entry in enumerate(path[:last]) if entry.id == first), last)
        yield path[last]
    for place, entry in enumerate(path):
        kind = text(entry.fields, "type")
        if place == last:
            continue
        if kind not in _SAID or (kind == "compaction" or place < kept):
            _left_out(entry, draft, "compacted_away")
        else:
            yield entry


def _messages(entry: _Entry, draft: Draft) -> Iterator[Message]:
    fields, place = entry.fields, source(entry.value)
    match fields.get("type"):
        case "compaction" | "branch_summary" as kind:  # pi puts a sentence before it, which is not in the file
            draft.say("compaction_rebuilt" if kind == "compaction" else "not_rebuilt", "summary", line=place.line)
            yield Message("summary", "user", [Text("summary", text(fields, "summary") or "")], source=place)
        case "custom_message":
            yield Message("content", "user", [*_asked("", fields, place, draft)], source=place)
        case _:
            within = "" if "role" in entry.value.value else "message"
            yield from _message(within, mapping(fields, "message"), source(entry.value, within), draft)


def _message(path: str, one: Json, place: Source, draft: Draft) -> Iterator[Message]:
    match one.get("role"):
        case "assistant":
            yield _answer(path, one, place, draft)
        case "user" | "custom" | "hookMessage":
            yield Message(path, "user", [*_asked(path, one, place, draft)], source=place)
        case "system":
            yield Message(path, "system", [*_asked(path, one, place, draft)], source=place)
        case "toolResult":
            blocks = [part for part in _asked(path, one, place, draft) if isinstance(part, Text | Media)]
            content = one.get("content")
            output = content if isinstance(content, str) else blocks
            call = (text(one, "toolCallId") or "").partition("|")[0]
            failed = one.get("isError") is True
            yield Message(path, "tool", [Result(path, call, output, text(one, "toolName"), failed)], source=place)
        case "bashExecution" if one.get("excludeFromContext") is True:
            draft.leave_out("not_sent", place.line, type="bashExecution")
        case "bashExecution":  # the words around it are pi's own, and not in the file
            draft.say("not_rebuilt", path, line=place.line, type="bashExecution")
            said = "\n".join(text(one, name) or "" for name in ("command", "output"))
            yield Message(path, "user", [Text(path, said)], source=place)
        case role:
            draft.leave_out("unknown_record", place.line, type=label(role))


def _asked(path: str, one: Json, place: Source, draft: Draft) -> Iterator[Part]:
    for where, block in each(one, "content", path):
        said = block if isinstance(block, str) else text(block, "text")
        if said is not None:
            yield Text(where, said)
        elif (data := text(block, "data")) is not None:
            yield Media(where, text(block, "mimeType"), data)
        else:
            draft.say("unknown_part", where, line=place.line, type=label(mapping({"": block}, "").get("type")))


def _answer(path: str, one: Json, place: Source, draft: Draft) -> Message:
    provider, model = text(one, "provider"), identifier(one.get("model"))
    wire = _wire(one, provider)
    write = _THINKING.get(wire or "", _chat_thinking)
    made: list[Part] = []
    for where, block in each(one, "content", path):
        match mapping({"": block}, "").get("type"):
            case "thinking":
                made += write(where, block)
            case "text":
                made.append(_said(where, block, wire))
            case "toolCall":
                made += _call(where, block, wire)
            case _ if isinstance(block, str):
                made.append(Text(where, block))
            case kind:
                draft.say("unknown_part", where, line=place.line, type=label(kind))
    origin = Origin(_PROVIDERS.get(provider or "", provider), model=model) if provider or model else None
    known = identifier(one.get("responseId"))
    return Message(path, "assistant", made, wire, origin, known, place)


def _wire(one: Json, provider: str | None) -> str | None:
    """The wire of an answer: as it says, else as its state tells, which must not be taken for a name."""
    said = _WIRES.get(text(one, "api") or "")
    if said is not None:
        return said
    for _path, block in each(one, "content", ""):
        sign = text(block, "thinkingSignature")
        if sign is None:
            continue
        if sign.startswith("{"):
            return _RESPONSES
        if _FIELD_NAME.fullmatch(sign) is None:
            return _SIGNED_BY.get(provider or "", _ANTHROPIC)
    return _SIGNED_BY.get(provider or "")


def _blocks(path: str, block: Json) -> Iterator[Part]:
    """Anthropic and Bedrock: the signature, or with `redacted` the data."""
    state = text(block, "thinkingSignature")
    if block.get("redacted") is True:
        yield Thinking(path, state=state, redacted=True)
    else:
        yield Thinking(path, (text(block, "thinking") or "",), state)


def _gemini_thinking(path: str, block: Json) -> Iterator[Part]:
    yield Thinking(path, (text(block, "thinking") or "",), text(block, "thinkingSignature") or None)


def _item(path: str, block: Json) -> Iterator[Part]:
    """OpenAI Responses: the whole item as JSON. Without one, the text is all there is."""
    item = parse(text(block, "thinkingSignature") or "null").value
    if isinstance(item, dict):
        yield Native(path, _RESPONSES, item)
    else:
        yield Thinking(path, (text(block, "thinking") or "",))


def _chat_thinking(path: str, block: Json) -> Iterator[Part]:
    """The name of the field. What is no name is state of another wire, and never becomes one."""
    sign = text(block, "thinkingSignature") or ""
    yield Thinking(path, (text(block, "thinking") or "",), field=sign if _FIELD_NAME.fullmatch(sign) else None)


_THINKING: Final[Mapping[str, Callable[[str, Json], Iterator[Part]]]] = {
    _ANTHROPIC: _blocks,
    "bedrock-converse": _blocks,
    _GEMINI: _gemini_thinking,
    _RESPONSES: _item,
}
"""By wire; on Chat Completions `thinkingSignature` is the name of a field."""


def _said(path: str, block: Json, wire: str | None) -> Text:
    """Text. Its signature is state on Gemini; on Responses the id of the message, alone or in JSON with the phase."""
    said, sign = text(block, "text") or "", text(block, "textSignature")
    if wire == _GEMINI:
        return Text(path, said, state=sign or None)
    if wire != _RESPONSES or not sign:
        return Text(path, said)
    known = parse(sign).value if sign.startswith("{") else None
    if not isinstance(known, dict):
        return Text(path, said, sign)
    phase = text(known, "phase")
    return Text(path, said, text(known, "id"), fields={} if phase is None else {"phase": phase})


def _call(path: str, block: Json, wire: str | None) -> Iterator[Part]:
    known, _bar, item = (text(block, "id") or "").partition("|")
    sealed = text(block, "thoughtSignature")
    name, arguments = text(block, "name") or "", block.get("arguments", {})
    if wire == _CHAT and sealed:  # OpenRouter's detail for the call, as JSON
        detail = parse(sealed).value
        found = detail if isinstance(detail, dict) else {}
        yield Thinking(path, state=text(found, "data"), field="reasoning_details", fields=found)
        sealed = None
    namespace = text(block, "namespace")
    fields = {} if namespace is None else {"namespace": namespace}
    yield Call(path, known, name, arguments, item or None, sealed or None, fields)


PI: Final = Format(_NAME, _sniff, _read)
