"""Histories of MMSP: lists of messages, and the traces that mmsp writes around them.

The messages are written by the wire that they would be sent on, with the encoder of the client. Which one that is, mmsp
does not save: what the state looks like tells, then the model of a trace.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from ostinato.credentials import client_type_for
from ostinato.errors import InvalidMessageError, ReplayError, RoutingError, UnsupportedContentError
from ostinato.messages import UniMessage, admit
from ostinato.policy.target import as_origin
from ostinato.replay import Origin
from ostinato.saved import fields
from ostinato.saved.conversation import Conversation
from ostinato.saved.draft import Draft, identifier, label, source, usage_of
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.json_text import Value
from ostinato.wires import Wire, wire

__all__ = ["MMSP"]

Json = dict[str, Any]

_ITEMS: Final = "content_items"
_MODELS: Final[Mapping[str, str]] = {
    "anthropic-official": "claude-",
    "bedrock-converse": "anthropic.",
    "google-genai": "gemini-",
    "google-official": "gemini-",
    "openai-chat": "any",
    "openai-official": "gpt-",
}
"""A model to bind a wire to where none is named: what is written does not depend on it."""
_OF_ORIGIN: Final = {"openai": "openai-official", "anthropic": "anthropic-official", "bedrock": "bedrock-converse"}
_TEXT_ARGUMENTS: Final = frozenset({"openai-responses", "openai-chat"})
"""Wires that send arguments as text."""
_CHAT_KEYS: Final = frozenset({"reasoning_field", "reasoning_details", "reasoning_id"})
_RESPONSES_KEYS: Final = frozenset({"channel", "encrypted_content", "phase"})


class _Saved(NamedTuple):
    """A message with its place."""

    value: Value
    path: str


def _client_type(messages: Sequence[Json], model: str | None) -> str | None:
    """The client of the newest state, else that of the model; None where nothing tells."""
    items = [
        (message, item)
        for message in reversed(messages)
        if message.get("role") == "assistant"
        for item in fields.listing(message, _ITEMS)
    ]
    for message, item in items:
        told = _OF_ORIGIN.get(fields.text(message.get("origin"), "provider") or "")
        kept = fields.mapping(item, "fidelity").keys()
        if told or kept & _CHAT_KEYS:
            return told or "openai-chat"
        if kept & _RESPONSES_KEYS:
            return "openai-official"
        if "signature" in kept and not (fields.text(item, "type") or "").startswith(("thinking", "inline_thinking")):
            return "google-genai"  # the only wire that signs texts and calls
    try:
        return client_type_for(model or "")
    except RoutingError:
        signed = any("signature" in fields.mapping(item, "fidelity") for _message, item in items)
        return "anthropic-official" if signed else None


def _conversation(saved: Sequence[_Saved], config: Json) -> Conversation:
    model = identifier(config.get("model"))
    known = [one.value.value for one in saved if isinstance(one.value.value, dict)]
    told = _client_type(known, model)
    client = told or "openai-official"
    bound = wire(client, model or _MODELS.get(client, "any"))
    draft = Draft(MMSP.name, bound.name)
    draft.system = config.get("system_prompt")
    if told is None:
        draft.say("wire_assumed")
    carry = bound.start
    for number, one in enumerate(saved):
        if draft.damaged(one.value):
            continue
        try:
            message = admit(_with_bytes(one.value.value), number)
            encoded = bound.encode_message(message, carry, number)
        except (InvalidMessageError, UnsupportedContentError) as refused:
            where = one.path if refused.item_index is None else f"{one.path}/{_ITEMS}/{refused.item_index}"
            draft.say("unsound_record", where, line=one.value.line, records=1, reason="invalid_message")
            continue
        carry = encoded.carry
        draft.used += 1
        for decision in encoded.decisions:
            where = "/".join((one.path, *decision.path.split("/")[2:])).strip("/")
            draft.say("not_taken", where, line=one.value.line, reason=decision.code)
        _say_what_is_lost(draft, one, message)
        origin, usage = _origin(message, bound, told is not None), usage_of(message.get("usage_metadata"))
        role = _role(message)
        for item in encoded.items:
            own = role == "assistant"
            place = source(one.value, one.path)
            draft.add(item, role, place, origin=origin if own else None, usage=usage if own else None)
    return draft.conversation()


def _say_what_is_lost(draft: Draft, one: _Saved, message: UniMessage) -> None:
    """What mmsp 0.5.6 does not save: the parts of a summary, and the text of arguments."""
    for place, item in enumerate(cast("list[Json]", message["content_items"])):
        kept, path = fields.mapping(item, "fidelity"), f"{one.path}/{_ITEMS}/{place}".strip("/")
        if item["type"] == "tool_call.done" and draft.wire in _TEXT_ARGUMENTS and "arguments" not in kept:
            draft.say("arguments_rebuilt", path, line=one.value.line, id=label(item["tool_call_id"]))
        joined = item["type"] == "thinking.done" and item["thinking"] and "encrypted_content" in kept
        if joined and draft.wire == "openai-responses" and not kept.keys() & {"summary", "content"}:
            draft.say("summary_boundaries_unknown", path, line=one.value.line)


def _origin(message: UniMessage, bound: Wire, sure: bool) -> Origin | None:  # noqa: FBT001 - a fact, not a switch
    try:
        given = as_origin(cast("Json", message).get("origin"))
    except ReplayError:
        given = None
    if given is not None:
        return given
    return Origin(bound.provider, model=bound.model if bound.model not in _MODELS.values() else None) if sure else None


def _role(message: UniMessage) -> str:
    results = all(item["type"] == "tool_result.done" for item in message["content_items"])
    return "tool" if results else message["role"]


def _with_bytes(message: Json) -> UniMessage:
    """A message as it was in memory: traces hold bytes as base64."""
    items = [
        {**item, "data": _bytes(item["data"])} if isinstance(item, dict) and isinstance(item.get("data"), str) else item
        for item in fields.listing(message, _ITEMS)
    ]
    return cast("UniMessage", {**message, _ITEMS: items})


def _bytes(text: str) -> bytes | str:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text  # which the check of the message refuses


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get(_ITEMS), list) and "role" in value


def _sniff(file: SavedFile) -> bool:
    first = file.head[0].value if file.head else None
    if isinstance(first, dict) and isinstance(first.get("history"), list):
        return any(map(_is_message, first["history"]))
    if isinstance(first, list):
        return any(map(_is_message, first))
    if file.head and file.head[0].fault == "truncated_line":
        return any(_is_message(element.value) for element in file.elements("history"))
    return _is_message(first)


def _read(file: SavedFile) -> list[Conversation]:
    found: list[Conversation] = []
    loose: list[_Saved] = []
    for value in file.values():
        listed = value.value if isinstance(value.value, list) else fields.listing(value.value, "history")
        if listed:
            path = "" if isinstance(value.value, list) else "history/"
            whole = [_Saved(value._replace(value=one), f"{path}{place}") for place, one in enumerate(listed)]
            found.append(_conversation(whole, fields.mapping(value.value, "config")))
        elif value.fault is not None and not found and not loose:
            found.append(_conversation(list(_up_to_damage(file)), {}))
            break
        else:
            loose.append(_Saved(value, ""))  # one message, or one on each line
    return [*found, _conversation(loose, {})] if loose or not found else found


def _up_to_damage(file: SavedFile) -> Iterator[_Saved]:
    return (_Saved(element, "") for element in file.elements("history"))


MMSP: Final = Format("mmsp", _sniff, _read)
