"""The state in a message as envelopes of the codec, and back (rules S6 to S8 of `docs/sessions.md`).

What a fidelity holds of a provider's state is put together to the wire item it came from, and kept in the codec's own
envelope; where it stood, null is left. Each way that wires keep state is a row of `_FORMS`. A row counts only if the
envelope gives back exactly what was taken out, so no row can lose anything: state that fits none stays where it is.
"""

import base64
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from ostinato._core import providers
from ostinato.errors import ReplayError
from ostinato.messages import VERBATIM
from ostinato.replay import (
    ReasoningItem,
    canonicalize_completed_reasoning_output_items,
    parse_reasoning_replay_envelope,
    serialize_reasoning_replay_envelopes,
)
from ostinato.store.frame import FaultError, compact
from ostinato.wires import CLIENT_TYPES, wire

__all__ = ["restored", "taken_out", "wires_of"]

Json = dict[str, Any]

_SHOWN: Final = "thinking"
"""The field of a thinking item with the text that is shown."""
_REDACTED: Final = "_REDACTED_THINKING"


class _Form(NamedTuple):
    """One way in which one wire keeps state in an item."""

    wire: str
    make: Callable[[Json, Json], Sequence[Any]]
    """Item and fidelity -> the wire items that its state is; none where it is of another form."""
    state: frozenset[str]
    """The opaque fields of the fidelity. All that are there must go into the envelopes, or none."""
    evident: frozenset[str] = frozenset()
    """Fields that tell this form where the issuer is not known."""
    provider: str | None = None
    """Whose table the item is captured by: that of the widest contract."""


def _texts(value: object) -> list[str]:
    return list(value) if isinstance(value, list) and all(isinstance(part, str) for part in value) else []


def _responses(item: Json, kept: Json) -> Sequence[Any]:
    if item["type"] != "thinking.done" or "reasoning_id" in kept:
        return ()
    text, summary, content = item[_SHOWN], _texts(kept.get("summary")), _texts(kept.get("content"))
    if "".join(summary + content) != text or not (summary or content):
        whole = [text] if text else []
        summary, content = ([], whole) if kept.get("channel") == "content" else (whole, [])
    made = {
        "type": "reasoning",
        "id": kept.get("id"),
        "summary": [{"type": "summary_text", "text": part} for part in summary],
        "content": [{"type": "reasoning_text", "text": part} for part in content],
    }
    return [made | {name: kept.get(name) for name in ("encrypted_content", "signature", "format")}]


_FLAT: Final = {"encrypted_content": "data", "format": "format", "reasoning_id": "id", "index": "index"}
_FIELDS: Final = ("reasoning_content", "reasoning")


def _is_block(kept: Json) -> bool:
    return "reasoning_id" in kept or "format" in kept


def _blocks(_item: Json, kept: Json) -> Sequence[Any]:
    details = kept.get("reasoning_details")
    if isinstance(details, list):
        return details
    if "channel" in kept or not _is_block(kept):
        return ()
    return [{"type": "reasoning.encrypted", **{name: kept[flat] for flat, name in _FLAT.items() if flat in kept}}]


def _chat_text(item: Json, kept: Json) -> Sequence[Any]:
    name = kept.get("reasoning_field")
    if item["type"] != "thinking.done" or name not in _FIELDS or _is_block(kept):
        return ()
    return [{name: item[_SHOWN], "encrypted_content": kept.get("encrypted_content")}]


def _messages(item: Json, kept: Json) -> Sequence[Any]:
    if item["type"] != "thinking.done":
        return ()
    if item[_SHOWN] == _REDACTED:
        return [{"type": "redacted_thinking", "data": kept.get("signature")}]
    return [{"type": "thinking", "thinking": item[_SHOWN], "signature": kept.get("signature")}]


def _part(item: Json, kept: Json) -> Sequence[Any]:
    thought = {"thought": True, "text": item[_SHOWN]} if item["type"] == "thinking.done" else {}
    return [{**thought, "thoughtSignature": kept.get("signature")}]


def _step(item: Json, kept: Json) -> Sequence[Any]:
    text = item.get(_SHOWN) if item["type"] == "thinking.done" else None
    summary = [{"type": "text", "text": text}] if text else []
    return [{"type": "thought", "signature": kept.get("signature"), "summary": summary}]


def _converse(item: Json, kept: Json) -> Sequence[Any]:
    if item["type"] != "thinking.done":
        return ()
    if "redacted_content" in kept:
        return [{"reasoningContent": {"redactedContent": kept["redacted_content"]}}]
    return [{"reasoningContent": {"reasoningText": {"text": item[_SHOWN], "signature": kept.get("signature")}}}]


def _verbatim(name: str) -> Callable[[Json, Json], Sequence[Any]]:
    def make(_item: Json, kept: Json) -> Sequence[Any]:
        whole = kept.get(VERBATIM)
        return [whole.get("item")] if isinstance(whole, dict) and whole.get("wire") == name else ()

    return make


_SIGNED: Final = frozenset({"signature"})
_CODEC_WIRES: Final = tuple(dict.fromkeys(name for _, name, _ in providers()))
_WIDEST: Final = "openrouter"
"""The provider whose items of Responses may hold every field."""

_FORMS: Final = (
    *(
        _Form(
            name,
            _verbatim(name),
            frozenset({VERBATIM}),
            frozenset({VERBATIM}),
            _WIDEST if name == "openai-responses" else None,
        )
        for name in _CODEC_WIRES
    ),
    _Form(
        "openai-responses",
        _responses,
        frozenset({"encrypted_content", "signature"}),
        frozenset({"channel"}),
        _WIDEST,
    ),
    _Form(
        "openai-chat",
        _blocks,
        frozenset({"reasoning_details", "encrypted_content"}),
        frozenset({"reasoning_details", "reasoning_id"}),
    ),
    _Form("openai-chat", _chat_text, frozenset({"encrypted_content"}), frozenset({"reasoning_field"})),
    _Form("anthropic-messages", _messages, _SIGNED),
    _Form("gemini-generate-content", _part, _SIGNED),
    _Form("gemini-interactions", _step, _SIGNED),
    _Form(
        "bedrock-converse",
        _converse,
        frozenset({"signature", "redacted_content"}),
        frozenset({"redacted_content"}),
    ),
)


# What the wire items of an item hold of it: names of the fidelity, and `thinking`.


def _held(states: Sequence[ReasoningItem]) -> Json:
    """What can be taken out of the envelopes of an item."""
    items = [state.to_dict() for state in states]
    name, kind, first = states[0].wire, states[0].kind, items[0]
    held: Json = {}
    if len(items) == 1:
        held[VERBATIM] = {"wire": name, "item": first}
    if name == "openai-responses":
        summary, content = list(states[0].summary), list(states[0].content)
        opaque = {field: first.get(field) for field in ("encrypted_content", "signature", "format", "id")}
        return held | opaque | {_SHOWN: "".join(summary + content), "summary": summary, "content": content}
    if name == "openai-chat" and kind != "reasoning":
        flat = {kept: first.get(field) for kept, field in _FLAT.items()} if len(items) == 1 else {}
        return held | flat | {"reasoning_details": items, _SHOWN: "".join(map(_shown, items))}
    return held | _OF_ONE[name](first)


def _shown(block: Json) -> str:
    text = block.get("summary") or block.get("text")
    return text if isinstance(text, str) else ""


def _of_converse(block: Json) -> Json:
    content = block["reasoningContent"]
    text = content.get("reasoningText") or {}
    sealed = content.get("redactedContent")
    if isinstance(sealed, bytes):  # as boto3 has it; the fidelity has what was on the wire
        sealed = base64.b64encode(sealed).decode()
    shown = _REDACTED if sealed is not None else text.get("text")
    return {"redacted_content": sealed, "signature": text.get("signature"), _SHOWN: shown}


_OF_ONE: Final[Mapping[str, Callable[[Json], Json]]] = {
    "openai-chat": lambda message: {
        _SHOWN: next((message[name] for name in _FIELDS if name in message), ""),
        "encrypted_content": message.get("encrypted_content"),
    },
    "anthropic-messages": lambda block: {
        _SHOWN: block.get("thinking", _REDACTED),
        "signature": block.get("signature", block.get("data")),
    },
    "gemini-generate-content": lambda part: {_SHOWN: part.get("text"), "signature": part["thoughtSignature"]},
    "gemini-interactions": lambda step: {
        _SHOWN: "".join(part.get("text", "") for part in step.get("summary", ())),
        "signature": step["signature"],
    },
    "bedrock-converse": _of_converse,
}


# Out of a message, and back into it.


@cache
def _known() -> Mapping[str, frozenset[str]]:
    """The wires that each provider speaks, by the names that origins have."""
    bound = [wire(client_type, "") for client_type in CLIENT_TYPES]
    rows = [(one.provider, one.name) for one in bound] + [(provider, name) for provider, name, _ in providers()]
    return {own: frozenset(name for provider, name in rows if provider == own) for own, _ in rows if own}


def wires_of(origin: object, hint: str | None) -> Collection[str]:
    """The wires that state of an issuer may be of; none where that is not known.

    Args:
        origin: of the message.
        hint: the wire that the message came over, or is likely to have: of those its issuer speaks, it is this one.
    """
    provider = origin.get("provider") if isinstance(origin, dict) else None
    spoken = _known().get(provider, frozenset()) if isinstance(provider, str) else frozenset()
    return {hint} if hint in spoken else spoken


def taken_out(item: Json, place: int, wires: Collection[str], origin: object) -> tuple[Json, list[Json]]:
    """An item without the state that envelopes hold, and the entries that say how it comes back.

    Args:
        item: an item of an admitted message; it is not changed.
        place: its place in the message.
        wires: see `wires_of`.
        origin: of the message.
    """
    kept = item.get("fidelity")
    entries: list[Json] = []
    if not isinstance(kept, dict) or not kept:
        return item, entries
    left = dict(kept)
    shown = item.get(_SHOWN) if item["type"] == "thinking.done" else None
    for form in _FORMS:
        if not (form.wire in wires if wires else form.evident & left.keys()):
            continue
        entry = _entry(form, item, left, shown, origin)
        if entry is not None:
            entries.append({"item": place, **entry})
            left |= dict.fromkeys(entry["fills"])
            shown = None if entry["derived"] else shown
    return (item | {"fidelity": left} if entries else item), entries


def _entry(form: _Form, item: Json, left: Json, shown: str | None, origin: object) -> Json | None:
    """What one form makes of an item: envelopes, the fields they hold, and whether the text is theirs."""
    states = _captured(form, form.make(item, item["fidelity"]))
    if not states:
        return None
    held = _held(states)
    fills = [name for name, value in left.items() if value is not None and name in held and _same(held[name], value)]
    derived = shown is not None and held.get(_SHOWN) == shown
    if not (fills or (derived and shown)) or any(left.get(name) is not None for name in form.state - set(fills)):
        return None
    return {"envelopes": _stored(states, origin), "fills": fills, "derived": derived}


def _captured(form: _Form, made: Sequence[Any]) -> list[ReasoningItem]:
    """The states of wire items; none where one of them is no sound state, or more than state."""
    if not made:
        return []
    found = canonicalize_completed_reasoning_output_items(
        list(made), wire=form.wire, provider=form.provider, errors="return"
    )
    states = [state for state in found if isinstance(state, ReasoningItem) and not state.dropped_fields]
    return states if len(states) == len(found) else []


def _stored(states: list[ReasoningItem], origin: object) -> list[str]:
    if isinstance(origin, dict) and origin:
        try:
            return serialize_reasoning_replay_envelopes(states, origin=origin)
        except ReplayError:
            pass  # an origin that envelopes do not hold (E7): it stays with the message, which has it anyway
    return serialize_reasoning_replay_envelopes(states)


def _same(one: object, other: object) -> bool:
    try:
        return compact(one) == compact(other)
    except (TypeError, ValueError, RecursionError):  # bytes, as the oldest histories have them
        return False


def restored(item: Json, entry: Json, path: str) -> bool:
    """Put the state of an entry back into an item, which is changed. Whether the text that is shown was its own.

    Raises:
        FaultError: the codec's code where it refuses an envelope, or `replay_misfit`.
    """
    texts, fills, derived = entry["envelopes"], entry["fills"], entry["derived"]
    states = []
    for number, text in enumerate(texts):
        try:
            states.append(parse_reasoning_replay_envelope(text))
        except ReplayError as error:
            raise FaultError(error.code, f"{path}/envelopes/{number}") from None
    if not states or len({(state.wire, state.kind == "reasoning") for state in states}) > 1:
        raise FaultError("replay_misfit", path)
    held, kept = _held(states), item.get("fidelity")
    for name in fills:
        if not isinstance(kept, dict) or name == _SHOWN or held.get(name) is None or kept.get(name, "") is not None:
            raise FaultError("replay_misfit", path)
        kept[name] = held[name]
    if not derived:
        return True
    if item.get("type") != "thinking.done" or not isinstance(held.get(_SHOWN), str):
        raise FaultError("replay_misfit", path)
    own: bool = item.get(_SHOWN) == held[_SHOWN]
    item[_SHOWN] = held[_SHOWN]
    return own
