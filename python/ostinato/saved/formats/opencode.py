"""Sessions of opencode, as `opencode export` writes them, and its single parts (read 2026-11).

Parts are those of the AI SDK under other names: `metadata` is what the provider attached; tools have a `state`.
"""

from typing import Any, Final

from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft, identifier, label, source
from ostinato.saved.fields import each, listing, mapping, text
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.formats.vercel_ai import Placed, answers
from ostinato.saved.native import conversation
from ostinato.saved.parts import Message, Part, Text, media

__all__ = ["OPENCODE"]

Json = dict[str, Any]

_NAME: Final = "opencode"
_PROVIDERS: Final = {
    "amazon-bedrock": "bedrock",
    "github-copilot": "copilot",
    "google": "gemini",
    "google-vertex": "vertex",
    "google-vertex-anthropic": "vertex",
    "moonshotai": "moonshot",
}
"""Names of opencode that differ from ours."""
_STATES: Final = {"completed": "output-available", "error": "output-error", "pending": "input-streaming"}
_OWN: Final = frozenset({"agent", "compaction", "patch", "retry", "snapshot", "step-finish", "subtask"})
"""Parts that opencode keeps for itself."""


def _sniff(file: SavedFile) -> bool:
    first = file.records[0] if file.records else {}
    inner = [one for one in listing(first, "messages")[:5] if isinstance(one, dict)]
    exported = "info" in first and any("info" in one and isinstance(one.get("parts"), list) for one in inner)
    return exported or ({"sessionID", "messageID", "type"} <= first.keys())


def _read(file: SavedFile) -> list[Conversation]:
    draft = Draft(_NAME, "openai-chat")
    messages: list[Message] = []
    for value in file.values():
        if draft.damaged(value):
            continue
        if "messageID" in value.value:
            messages += _message("", {"parts": value.value, "info": {"role": "assistant"}}, source(value), draft)
            continue
        draft.session = draft.session or identifier(mapping(value.value, "info").get("id"))
        for path, one in each(value.value, "messages", ""):
            if isinstance(one, dict):
                messages += _message(path, one, source(value, path), draft)
            else:
                draft.say("not_a_record", path, records=1)
    return [conversation(messages, draft)]


def _message(path: str, one: Json, place: Source, draft: Draft) -> list[Message]:
    info, parts = mapping(one, "info"), each(one, "parts", path)
    if not path:  # a part alone
        parts = [("", one["parts"])]
    match info.get("role"):
        case "user":
            made = [made for where, part in parts for made in _asked(where, part, place, draft)]
            return [Message(path, "user", made, source=place)]
        case "assistant":
            provider, model = text(info, "providerID"), identifier(info.get("modelID"))
            origin = Origin(_PROVIDERS.get(provider or "", provider), model=model) if provider or model else None
            known = [Placed(where, _as_sdk(part)) for where, part in parts if _is_sent(where, part, place, draft)]
            said = answers(path, {}, known, place, draft)
            return [m._replace(origin=origin or m.origin) if m.role == "assistant" else m for m in said]
        case role:
            draft.say("unknown_record", path, line=place.line, records=1, type=label(role))
            return []


def _is_sent(path: str, part: Any, place: Source, draft: Draft) -> bool:  # noqa: ANN401 - any JSON value
    kind = text(part, "type")
    if kind in _OWN:
        draft.count("not_sent", place.line, path, type=label(kind))
    return kind not in _OWN


def _as_sdk(part: Any) -> Json:  # noqa: ANN401 - any JSON value
    """A part under the names of the AI SDK."""
    if not isinstance(part, dict):
        return {}
    own: Json = {"providerMetadata": part.get("metadata")}
    if part.get("type") != "tool":
        return {**part, **own, "mediaType": part.get("mime")}
    state = mapping(part, "state")
    outcome = _STATES.get(text(state, "status") or "", "input-available")
    return {
        "type": f"tool-{text(part, 'tool') or ''}",
        "toolCallId": part.get("callID"),
        "state": outcome,
        "input": state.get("input"),
        "output": state.get("output"),
        "errorText": state.get("error"),
        **own,
    }


def _asked(path: str, part: Any, place: Source, draft: Draft) -> list[Part]:  # noqa: ANN401 - any JSON value
    said, url = text(part, "text"), text(part, "url")
    if said is not None and text(part, "type") == "text":
        return [Text(path, said)]
    if url is not None:
        return [media(path, url, text(part, "mime"))]
    if _is_sent(path, part, place, draft):
        draft.say("unknown_part", path, line=place.line, type=label(text(part, "type")))
    return []


OPENCODE: Final = Format(_NAME, _sniff, _read)
