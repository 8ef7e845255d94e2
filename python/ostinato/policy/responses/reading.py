"""The rules about one item alone: whose it is, whether its state is sound, which of its fields go out."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ostinato.errors import ReplayError
from ostinato.policy.decision import Log
from ostinato.policy.profiles.responses import ResponsesProfile
from ostinato.policy.responses.entry import Entry
from ostinato.policy.responses.items import READ_BY_CODEC, ciphertexts, is_state, reads_as_text
from ostinato.policy.target import OriginOf, Target, foreign_reason
from ostinato.replay import canonicalize_completed_reasoning_output_items
from ostinato.soundness import key_name

__all__ = ["drop_foreign", "drop_unstored_references", "read_state", "tidy"]

_TIDIED: Final = frozenset(
    {
        "message",
        "function_call",
        "custom_tool_call",
        "function_call_output",
        "custom_tool_call_output",
        "compaction_summary",
    }
)
"""Kinds of which no field has to be null. In calls of built-in tools some have to, so those stay as they are."""

_WITHOUT_STATUS: Final = frozenset({"message", "function_call"})
"""Kinds of which the status is taken out, beside reasoning: 'Unknown parameter: input[1].status'
(BerriAI/litellm#13420, can1357/oh-my-pi#6513, 2026-07). Input of built-in tools requires its own (openai 3.57.0)."""

_STATE: Final = ("content", "encrypted_content")

_BESIDE: Final = ("agent",)
"""Fields beside the codec's table that a replay item keeps: input of the multi-agent beta has it (openai 3.57.0)."""


def drop_foreign(entries: Sequence[Entry], target: Target, origin: OriginOf, log: Log) -> None:
    """State of another origin cannot be read; no part of it becomes anything else (NousResearch/hermes-agent#32062)."""
    for entry in entries:
        made = origin(entry.place, entry.given)
        stateful = is_state(entry.given)
        if stateful and made is None:
            log.unknown_origin += 1
        reason = foreign_reason(made, target)
        if reason is None:
            continue
        choice = target.profile.foreign.value
        if stateful and choice == "raise":
            raise log.refuse("foreign_state", entry.path, reason, **entry.named)
        if choice == "keep":
            if stateful:
                log.kept("foreign_state", entry.path, reason, **entry.named)
            continue
        entry.foreign = True
        if stateful:
            entry.item = None
            log.left_out("foreign_state", entry.path, reason, **entry.named)


def drop_unstored_references(entries: Sequence[Entry], target: Target, log: Log) -> None:
    """A reference to an item that is not stored finds nothing (vercel/ai#10290)."""
    if target.settings.get("store") is not False:
        return
    for entry in entries:
        if entry.kind == "item_reference":
            entry.item = None
            log.left_out("not_replayable", entry.path, "not_stored", **entry.named)


def tidy(entries: Sequence[Entry], log: Log) -> None:
    """Nulls, empty ids and the status of an answer are no input (lidge-jun/opencodex#2237, can1357/oh-my-pi#6513)."""
    for entry in entries:
        if entry.item is None or entry.kind not in _TIDIED:
            continue
        out = [
            name
            for name, value in entry.item.items()
            if value is None or (name == "id" and value == "") or (name == "status" and entry.kind in _WITHOUT_STATUS)
        ]
        parts = entry.item.get("content")
        kept = _without_nulls(parts) if entry.kind == "message" and isinstance(parts, list) else parts
        if kept is not parts:
            entry.item = {**entry.item, "content": kept}
            out.append("content")
        if out:
            entry.without(*(name for name in out if name != "content" or parts is None))
            log.changed("fields_omitted", entry.path, fields=_shown(out))


def _without_nulls(parts: list[Any]) -> list[Any]:
    """The parts of a message without nulls; the same list where there are none."""
    if not any(isinstance(part, dict) and None in part.values() for part in parts):
        return parts
    return [
        {name: value for name, value in part.items() if value is not None} if isinstance(part, dict) else part
        for part in parts
    ]


def read_state(entries: Sequence[Entry], rules: ResponsesProfile, log: Log) -> None:
    """Every replay item goes out whole and sound, or not at all: never a husk (openai/codex#25290, #19661)."""
    asked: list[tuple[Entry, dict[str, Any]]] = []
    for entry in entries:
        if entry.item is None or not is_state(entry.given):
            continue
        if entry.kind in READ_BY_CODEC:
            fields = _fields(entry, rules, log)
            if fields is not None:
                asked.append((entry, fields))
        else:
            for ciphertext in ciphertexts(entry.given):
                if entry.item is not None:
                    _opaque(entry, ciphertext, rules, log)
    states = canonicalize_completed_reasoning_output_items(
        [fields for _entry, fields in asked], provider=rules.contract, errors="return"
    )
    for (entry, _fields_asked), state in zip(asked, states, strict=True):
        if isinstance(state, ReplayError):
            _refuse_state(entry, state, log)
            continue
        entry.state = state
        _write(entry, state.to_dict(), state.dropped_fields, log)


def _fields(entry: Entry, rules: ResponsesProfile, log: Log) -> dict[str, Any] | None:
    """What the codec is to read of a replay item; None where the item does not go out, or goes out unread."""
    fields = {name: value for name, value in entry.given.items() if value is not None and value not in ("", [])}
    if entry.kind == "reasoning":
        fields.setdefault("summary", [])
        _plain(entry, fields, rules, log)
    if fields.get("status") in ("incomplete", "in_progress") and not _finished(entry, fields, rules, log):
        return None
    if entry.kind == "reasoning" and "content" in fields and "encrypted_content" not in fields:
        return fields
    if _opaque(entry, fields.get("encrypted_content"), rules, log):
        return fields
    if entry.item is not None:
        fields.pop("status", None)
        _write(entry, fields, (), log)
    return None


def _finished(entry: Entry, fields: dict[str, Any], rules: ResponsesProfile, log: Log) -> bool:
    """Whether an item that was cut goes out all the same. One that was still being written never does."""
    if fields["status"] == "incomplete" and rules.incomplete.value == "keep":
        del fields["status"]
        log.kept("incomplete_item", entry.path, **entry.named)
        return True
    entry.item = None
    log.left_out("incomplete_item", entry.path, **entry.named)
    return False


def _plain(entry: Entry, fields: dict[str, Any], rules: ResponsesProfile, log: Log) -> None:
    """Plain reasoning and a ciphertext, as far as the target takes each of them."""
    refused = []
    plaintext = rules.plaintext_reasoning.value
    if "content" in fields and (plaintext == "drop" or (plaintext == "beside" and "encrypted_content" not in fields)):
        refused.append("content")
    if "encrypted_content" in fields and rules.ciphertext.value == "refuse":
        refused.append("encrypted_content")
    left = {"content", "encrypted_content"} & fields.keys() - set(refused)
    for name in refused:
        del fields[name]
    if refused and left:
        log.changed("state_omitted", entry.path, fields=tuple(refused), **entry.named)


def _opaque(entry: Entry, ciphertext: Any, rules: ResponsesProfile, log: Log) -> bool:  # noqa: ANN401 - as it was given
    """Whether the state is there, and is a token that could be one."""
    if ciphertext is None or ciphertext == "":
        reason = "no_fingerprint" if entry.kind == "program" else "no_encrypted_content"
        choice = rules.no_ciphertext.value
    elif isinstance(ciphertext, str) and reads_as_text(ciphertext):
        reason, choice = "readable_ciphertext", rules.readable_ciphertext.value
    elif isinstance(ciphertext, str) or entry.kind in READ_BY_CODEC:
        return True
    else:
        reason, choice = "type_mismatch", "drop"
    if choice == "raise":
        raise log.refuse("not_replayable", entry.path, reason, **entry.named)
    if choice == "keep":
        log.kept("not_replayable", entry.path, reason, **entry.named)
        return reason == "readable_ciphertext"
    entry.item = None
    log.left_out("not_replayable", entry.path, reason, **entry.named)
    return False


def _refuse_state(entry: Entry, error: ReplayError, log: Log) -> None:
    """An item that the codec refuses; a ciphertext that is no text of UTF-8, for one."""
    entry.item = None
    log.left_out("unsound_state", entry.path, error.code, field=error.path, **entry.named)


def _write(entry: Entry, fields: dict[str, Any], dropped: tuple[str, ...], log: Log) -> None:
    """The item with the fields that its contract names, and a decision where that is not what was given."""
    given = dict(entry.given)
    fresh = fields | {name: given[name] for name in _BESIDE if isinstance(given.get(name), Mapping)}
    unknown = tuple(name for name in dropped if name not in fresh)
    gone = [name for name in given if name not in fresh]
    told = {*dropped, *(name for name in _STATE if given.get(name))}  # by `state_omitted`, where it is not there
    omitted = [name for name in gone if name not in told and _is_name(name)]
    added = [name for name in fresh if given.get(name) is None]
    if unknown:
        log.changed("unknown_field_dropped", entry.path, fields=unknown)
    if omitted:
        log.changed("fields_omitted", entry.path, fields=_shown(omitted))
    if added:
        log.say("summary_added", entry.path, "added")
    if unknown or gone or added:
        entry.item = fresh


def _shown(names: Sequence[Any]) -> tuple[str, ...]:
    return tuple(key_name(name) if isinstance(name, str) else "?" for name in names)


def _is_name(name: Any) -> bool:  # noqa: ANN401 - a key may be anything
    return isinstance(name, str) and key_name(name) == name
