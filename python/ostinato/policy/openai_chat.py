"""What Chat Completions servers take back: reasoning under the name it came in, details in order, signatures on calls.

The wire has no rules of its own for reasoning; each server has, and `ostinato.policy.profiles.openai_chat` lists them.
Reasoning inside of the content (`<think>`) is content, and goes back byte for byte.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from ostinato.errors import ReplayError
from ostinato.policy.chat_state import (
    TEXTS,
    bare_id,
    call_signature,
    calls_of,
    has_text,
    is_reasoning_alone,
    is_sealed,
    says_something,
    text_elsewhere,
    with_call_signature,
    without_state,
)
from ostinato.policy.decision import Log
from ostinato.policy.gemini_signatures import PLACEHOLDER, is_placeholder
from ostinato.policy.google import foreign_to_google
from ostinato.policy.profiles.openai_chat import ChatProfile, Setting
from ostinato.policy.reasoning_details import ENCRYPTED, KNOWN, is_whole, merged
from ostinato.policy.rules import Items, Marks, Rules
from ostinato.policy.target import OriginOf, Target, foreign_reason
from ostinato.replay import Origin, canonicalize_completed_reasoning_output_item

__all__ = ["RULES", "another_vendor"]

Json = dict[str, Any]
Message = Mapping[str, Any]

_WIRE: Final = "openai-chat"
_CODEC_FIELDS: Final = (*TEXTS, "encrypted_content")
_NO_FAULTS: Final = frozenset({"empty_value", "missing_field", "state_missing"})
"""What the codec refuses as state and a server takes: empty texts, fragments that lack what others of them have."""


def another_vendor(made_by: Any, model: Any) -> bool:  # noqa: ANN401 - whatever the caller and the history name
    """Whether a turn was made by another vendor's model behind the same gateway: `vendor/model`."""
    vendors = [name.partition("/")[0] for name in (made_by, model) if isinstance(name, str) and "/" in name]
    return len(set(vendors)) > 1


class _Request(NamedTuple):
    """What the rules of one request need to know."""

    target: Target
    rules: ChatProfile
    log: Log
    sealed: set[tuple[str, str]]
    """Ids and data of the sealed details that go out."""


def _prepare(items: Sequence[Any], target: Target, origin_of: OriginOf, log: Log) -> Items:
    if not isinstance(target.profile, ChatProfile):
        raise ReplayError("unknown_profile")
    request = _Request(target, target.profile, log, set())
    current = max((place for place, message in enumerate(items) if message.get("role") == "user"), default=-1)
    sendable: Items = []
    called: set[str] = set()
    renamed: set[str] = set()
    for index, message in enumerate(items):
        path = f"messages/{index}"
        written: Any = message
        if message.get("role") == "assistant":
            kept = _assistant(message, path, origin_of(index, message), request, is_current=index > current)
            if kept is None:
                continue
            written = kept
            renamed |= _ids(message) - _ids(kept)
            called |= _ids(kept)
        elif message.get("role") == "tool":
            foreign = _foreign(origin_of(index, message), request) if request.rules.foreign.value != "keep" else None
            written = _result(message, path, renamed, called, request, foreign=foreign)
            if written is None:
                continue
        sendable.append(written)
    _ask_for_settings(sendable, request)
    return sendable


def _ids(message: Message) -> set[str]:
    return {call["id"] for call in calls_of(message) if isinstance(call.get("id"), str)}


def _assistant(
    message: Message, path: str, origin: Origin | None, request: _Request, *, is_current: bool
) -> Message | None:
    """A message of the model as it may go out; None where nothing of it may."""
    foreign = _foreign(origin, request)
    if origin is None and (has_text(message) or is_sealed(message)):
        request.log.unknown_origin += 1
    own = _own_state(message, path, foreign, request)
    sound = None if own is None else _sound_state(own, path, request)
    if sound is None:
        return None
    whole = _named(_once(sound, path, request), path, request)
    whole = _complete(whole, path, request, is_foreign=foreign is not None)
    whole = _signed(whole, path, request, is_current=is_current)
    if not is_reasoning_alone(whole) or request.rules.orphans.value == "keep":
        return whole
    _orphan("orphan_thinking", path, request)
    return None


def _orphan(code: str, path: str, request: _Request) -> None:
    if request.rules.orphans.value == "raise":
        raise request.log.refuse(code, path)
    request.log.left_out(code, path)


def _result(
    message: Message, path: str, renamed: set[str], called: set[str], request: _Request, *, foreign: str | None
) -> Message | None:
    """A result, under the id of its call; None where the call is not there."""
    rules, log = request.rules, request.log
    name = message.get("tool_call_id")
    if isinstance(name, str) and (name in renamed or (foreign and bare_id(name) != name)):
        log.changed("foreign_state", path, foreign, fields=("tool_call_id",))
        name = bare_id(name)
        message = {**message, "tool_call_id": name}
    if not isinstance(name, str) or name in called or rules.orphans.value == "keep":
        return message
    _orphan("orphan_result", path, request)
    return None


# State: the target's own and sound, or not there.


def _foreign(origin: Origin | None, request: _Request) -> str | None:
    """Which part of an origin makes reasoning unreadable at the target."""
    google = request.target.provider in ("gemini", "vertex")
    reason = (foreign_to_google if google else foreign_reason)(origin, request.target)
    if reason is not None or origin is None or not request.rules.vendor_in_model.value:
        return reason
    return "model" if another_vendor(origin.model, request.target.model) else None


def _own_state(message: Message, path: str, foreign: str | None, request: _Request) -> Message | None:
    rules, log = request.rules, request.log
    if foreign is None:
        return message
    bare, names = without_state(message, text=True)
    if not names:
        return message
    if rules.foreign.value == "raise":
        raise log.refuse("foreign_state", path, foreign)
    if rules.foreign.value == "keep":
        log.kept("foreign_state", path, foreign)
        return message
    log.say("foreign_state", path, "changed" if says_something(bare) else "left_out", foreign, fields=names)
    return bare if says_something(bare) else None


def _sound_state(message: Message, path: str, request: _Request) -> Message | None:
    """Reasoning as the codec reads it; fragments that somebody stored unmerged are put together."""
    fields = {name: message[name] for name in _CODEC_FIELDS if message.get(name) is not None}
    fault = _fault(fields) if fields else None
    if fault is not None and fault not in _NO_FAULTS:
        return _without(message, (*fields, "reasoning_details"), path, fault, request)
    details = message.get("reasoning_details")
    if not details:
        return message
    fault = _details_fault(details)
    if fault is not None:
        return _without(message, ("reasoning_details",), path, fault, request)
    if is_whole(details):
        return message
    whole = merged(details)
    request.log.changed("fragments_merged", path, None, **{"from": len(details), "to": len(whole)})
    return {**message, "reasoning_details": whole}


def _once(message: Message, path: str, request: _Request) -> Message:
    """A message without sealed details that go out already: 'Duplicate item found' (ai-sdk-provider#254, 2025-11).

    Only what has the same id and the same data is a repeat: two places of a turn may share their state (lingua#426).
    """
    details = message.get("reasoning_details")
    kept = []
    for number, entry in enumerate(details if isinstance(details, list | tuple) else ()):
        key = (entry.get("id"), entry.get("data"))
        if entry.get("type") != ENCRYPTED or not all(isinstance(value, str) for value in key):
            kept.append(entry)
        elif key in request.sealed:
            request.log.left_out("exact_duplicate", f"{path}/reasoning_details/{number}")
        else:
            request.sealed.add(key)
            kept.append(entry)
    if len(kept) == len(details or ()):
        return message
    return {name: value for name, value in {**message, "reasoning_details": kept}.items() if value != []}


def _fault(item: Mapping[str, Any]) -> str | None:
    try:
        canonicalize_completed_reasoning_output_item(item, wire=_WIRE, provider="openrouter")
    except ReplayError as error:
        return error.code
    return None


def _details_fault(details: Any) -> str | None:  # noqa: ANN401 - what a history holds
    """Why a run of details cannot go back. Entries of kinds that are not known yet go back as they came."""
    if not isinstance(details, list | tuple):
        return "type_mismatch"
    for entry in details:
        if not isinstance(entry, Mapping):
            return "type_mismatch"
        kind = entry.get("type")
        fault = _fault(entry) if isinstance(kind, str) and kind in KNOWN else None
        if fault is not None and fault not in _NO_FAULTS:
            return fault
    return None


def _without(message: Message, names: tuple[str, ...], path: str, fault: str, request: _Request) -> Message | None:
    """A message without reasoning that cannot go out; None where nothing else is in it."""
    if request.rules.unsound.value == "raise":
        raise request.log.refuse("unsound_state", path, fault)
    bare = {name: value for name, value in message.items() if name not in names}
    fields = tuple(name for name in names if name in message)
    request.log.say("unsound_state", path, "changed" if says_something(bare) else "left_out", fault, fields=fields)
    return bare if says_something(bare) else None


# Fields: under the name that the server reads, and there where it must be.


def _named(message: Message, path: str, request: _Request) -> Message:
    rules, log = request.rules, request.log
    present = [name for name in TEXTS if isinstance(message.get(name), str)]
    elsewhere = None if present or rules.missing_field.value == "keep" else text_elsewhere(message)
    if elsewhere is not None:
        log.changed("reasoning_field_renamed", path, None, **{"from": elsewhere.field, "to": rules.fields.value[0]})
        return {**elsewhere.rest, rules.fields.value[0]: elsewhere.text}
    if not present:
        return message
    if rules.field_name.value == "both":
        if len(present) == len(TEXTS):
            return message
        log.changed("reasoning_field_added", path, "both_names")
        return {**message, **dict.fromkeys(TEXTS, message[present[0]])}
    if any(name in rules.fields.value for name in present) or not rules.fields.value:
        return message
    was, to = present[0], rules.fields.value[0]
    log.changed("reasoning_field_renamed", path, **{"from": was, "to": to})
    return {(to if name == was else name): value for name, value in message.items() if name != to}


def _complete(message: Message, path: str, request: _Request, *, is_foreign: bool) -> Message:
    """With an empty text in the field, where the server refuses a call without the field."""
    rules, log = request.rules, request.log
    required = rules.missing_field.value != "keep" and bool(calls_of(message)) and _is_thinking(request.target)
    if not required or any(isinstance(message.get(name), str) for name in rules.fields.value):
        return message
    name = rules.fields.value[0]
    if rules.missing_field.value == "raise" and not is_foreign:
        raise log.refuse("missing_reasoning_field", path, field=name)
    # Another's turn never had reasoning that the server could read: nothing was lost, and the field must be there.
    log.say("reasoning_field_added", path, "added", "empty", field=name)
    return {**message, name: ""}


def _is_thinking(target: Target) -> bool:
    """Whether thinking is on, as far as the request says. It is on where it says nothing."""
    thinking = target.settings.get("thinking")
    kind = thinking.get("type") if isinstance(thinking, Mapping) else thinking
    return kind not in ("disabled", "none", False)


def _signed(message: Message, path: str, request: _Request, *, is_current: bool) -> Message:
    """With the signature that the route to Gemini wants on the first call of a message; see generateContent."""
    rules, log = request.rules, request.log
    calls = calls_of(message)
    if not calls or calls[0] is not message["tool_calls"][0] or rules.call_signature.value == "ignore":
        return message
    signature = call_signature(calls[0])
    where = f"{path}/tool_calls/0"
    if signature is not None:
        if is_placeholder(signature):
            log.kept("placeholder_present", where)
        return message
    if rules.call_signature.value == "placeholder":
        log.say("placeholder_used", where, "added")
        first = with_call_signature(calls[0], PLACEHOLDER)
        return {**message, "tool_calls": [first, *message["tool_calls"][1:]]}
    if is_current and rules.call_signature.value == "raise":
        raise log.refuse("missing_signature", where)
    if is_current:
        log.kept("missing_signature", where)
    return message


# Settings: what the request must say, which is the caller's to say.


def _ask_for_settings(messages: Sequence[Message], request: _Request) -> None:
    target = request.target
    for setting in request.rules.settings.value:
        if not _applies(setting, target) or _setting(target.settings, setting.name) == (True, setting.value):
            continue
        names = (setting.field,) if setting.field else (*TEXTS, "encrypted_content")
        if any(message.get("role") == "assistant" and any(message.get(name) for name in names) for message in messages):
            request.log.kept("request_setting_needed", "", None, setting=setting.name, value=setting.value)


def _applies(setting: Setting, target: Target) -> bool:
    if setting.unless_endpoint and setting.unless_endpoint in f"{target.endpoint or ''}/":
        return False
    return not setting.models or any(name in (target.model or "").lower() for name in setting.models)


def _setting(settings: Mapping[str, Any], name: str) -> tuple[bool, Any]:
    """Whether a setting is there, and what it says."""
    value: Any = settings
    for step in name.split("."):
        if not isinstance(value, Mapping) or step not in value:
            return False, None
        value = value[step]
    return True, value


# The rest of the record.


def _units(items: Sequence[Any]) -> list[range]:
    """A message with calls and the results after it; any other message is a unit of its own."""
    starts = [place for place, message in enumerate(items) if place == 0 or not _continues(items[place - 1], message)]
    return [range(start, stop) for start, stop in pairwise([*starts, len(items)])]


def _continues(before: Message, message: Message) -> bool:
    return message.get("role") == "tool" and (before.get("role") == "tool" or bool(calls_of(before)))


def _strip(items: Sequence[Any], log: Log) -> Items:
    """Without ciphertext, signed blocks and signatures, and without the text beside them. Plain reasoning stays."""
    stripped: Items = []
    for index, message in enumerate(items):
        path = f"messages/{index}"
        written: Any = message
        if message.get("role") == "assistant":
            written, names = without_state(message, text=False)
            if names:
                log.say("state_stripped", path, "changed" if says_something(written) else "left_out", fields=names)
                if not says_something(written):
                    continue
        elif message.get("role") == "tool" and bare_id(message.get("tool_call_id")) is not message.get("tool_call_id"):
            log.changed("state_stripped", path, fields=("tool_call_id",))
            written = {**message, "tool_call_id": bare_id(message["tool_call_id"])}
        stripped.append(written)
    return stripped


def _state(items: Sequence[Any]) -> list[tuple[str, Any]]:
    messages = [(f"messages/{index}", item) for index, item in enumerate(items) if isinstance(item, Mapping)]
    return [found for path, message in messages for found in _state_of(message, path)]


def _state_of(message: Message, path: str) -> Iterator[tuple[str, Any]]:
    if message.get("role") != "assistant":
        return
    fields = {name: message[name] for name in _CODEC_FIELDS if message.get(name)}
    if fields:
        yield path, fields
    details = message.get("reasoning_details")
    for place, entry in enumerate(details if isinstance(details, list | tuple) else ()):
        if isinstance(entry, Mapping):
            yield f"{path}/reasoning_details/{place}", entry


RULES: Final = Rules(_prepare, _units, _strip, _state, marks=Marks("messages", ("role",)))
