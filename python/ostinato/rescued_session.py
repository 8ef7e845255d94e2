"""A session of `SessionStore` written again without the state of some messages.

Its turns are sealed, so nothing can be cut out of the file: what is left of the conversation is written as a session
anew. What a turn sent is not in the copy, since the wire form of what is left is another one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, cast

from ostinato.errors import ReplayError
from ostinato.messages import VERBATIM, UniMessage
from ostinato.policy import Decision
from ostinato.policy.gemini_signatures import is_placeholder
from ostinato.saved import Conversation
from ostinato.saved.formats.ostinato_session import message_path, turns_of
from ostinato.state_places import STATE, at, texts
from ostinato.store.frame import SCHEMA, VERSION, sealed
from ostinato.store.reading import Header, StoredTurn
from ostinato.store.record import write_message

__all__ = ["Left", "without_state"]

Json = dict[str, Any]

_STATE: Final = frozenset({"signature", "encrypted_content", "redacted_content", "reasoning_details", VERBATIM})
"""The fields of a fidelity that hold opaque state."""
_NAMES: Final = STATE | {"id"}
"""The fields of native items by which an item of a message is known to be the same."""
_CALL_IDS: Final = frozenset({"call_id", "tool_call_id", "tool_use_id", "toolUseId", "id"})
_PAIRS: Final[Mapping[str, str]] = {
    "orphan_call": "tool_call.done",
    "orphan_output": "tool_result.done",
    "orphan_result": "tool_result.done",
}
"""The items of messages that go whole although they are seen: half a call cannot be sent."""
_SOUND: Final = frozenset({"clock_went_back", "name_differs"})
"""What a session may say of itself without anything being lost in it."""


class Left(NamedTuple):
    """Something that is not in the copy."""

    code: str
    path: str
    """Which message, or which turn: `turns/3/messages/0`."""
    reason: str | None


def without_state(
    data: bytes, conversation: Conversation, decisions: Sequence[Decision]
) -> tuple[bytes, tuple[Left, ...]]:
    """The file without what the decisions leave out and without what is damaged; the same bytes where that is nothing.

    Args:
        data: the session file.
        conversation: what was loaded of it.
        decisions: of `prepare` or `strip_state`, about its items.

    Raises:
        ReplayError: `version_unknown`, `schema_unknown`; `not_rescuable` where what must go is no state.
    """
    left = [*_damage(conversation)]
    goes: dict[str, list[Decision]] = {}
    for decision in decisions:
        if _is_stand_in(at(conversation.items, decision.path.split("/")[1:])):
            continue  # the encoder writes it again; it is no state, and not in the file
        path = _message_of(conversation, decision)
        goes.setdefault(path, []).append(decision)
        left.append(Left(decision.code, path, decision.reason))
    if not left:
        return data, ()
    header, turns = turns_of(data)
    kept = [replace(turn, messages=list(_messages(turn, conversation, goes))) for turn in turns]
    return _written(header, kept, conversation.wire), tuple(left)


def _damage(conversation: Conversation) -> Iterator[Left]:
    for finding in conversation.report.findings:
        reason = str(dict(finding.facts).get("reason"))
        if finding.code == "session_finding" and reason not in _SOUND:
            yield Left(reason, finding.path, None)
        elif finding.code == "unsound_record" and finding.records:  # the file could not be read to its end
            raise ReplayError(reason if reason in ("version_unknown", "schema_unknown") else "not_rescuable")


def _message_of(conversation: Conversation, decision: Decision) -> str:
    place = next((int(step) for step in decision.path.split("/") if step.isdecimal()), None)
    if place is None or place >= len(conversation.sources):
        raise ReplayError("not_rescuable", decision.path)
    return conversation.sources[place][0].path


def _messages(
    turn: StoredTurn, conversation: Conversation, goes: Mapping[str, Sequence[Decision]]
) -> Iterator[UniMessage]:
    """The messages of a turn, without what goes; one of which nothing is left goes too."""
    for index, message in enumerate(turn.messages):
        items: list[Any] = list(message["content_items"])
        for decision in goes.get(message_path(turn.number, index), ()):
            items = _without(items, at(conversation.items, decision.path.split("/")[1:]), decision.code)
        if items or not message["content_items"]:
            yield cast("UniMessage", message | {"content_items": items})


def _is_stand_in(native: object) -> bool:
    """Whether all that a native item has for state is what Google documents for calls without any."""
    signatures = list(texts(native, STATE))
    return bool(signatures) and all(map(is_placeholder, signatures))


def _without(items: list[Json], native: object, code: str) -> list[Json]:
    """The items of a message without those that a native one is: by its ciphertext or id, else all state there is."""
    if code in _PAIRS:
        calls = set(texts(native, _CALL_IDS))
        left = [item for item in items if item["type"] != _PAIRS[code] or item.get("tool_call_id") not in calls]
        if len(left) == len(items):
            raise ReplayError("not_rescuable")
        return left
    names = set(texts(native, _NAMES))
    same = [not names.isdisjoint(texts(item.get("fidelity"), _NAMES | _STATE)) for item in items]
    chosen = same if any(same) else [VERBATIM not in (item.get("fidelity") or ()) for item in items]
    return [bare for item, hit in zip(items, chosen, strict=True) for bare in (_bare(item) if hit else [item])]


def _bare(item: Json) -> list[Json]:
    """An item without state: thinking goes whole, and what stands for an item of the wire; what is seen stays."""
    kept = item.get("fidelity") or {}
    if item["type"] == "thinking.done" or VERBATIM in kept:
        return []
    fidelity = {name: value for name, value in kept.items() if name not in _STATE}
    rest = {name: value for name, value in item.items() if name != "fidelity"}
    return [rest | ({"fidelity": fidelity} if fidelity else {})]


def _written(header: Header | None, turns: Iterable[StoredTurn], wire: str) -> bytes:
    """A session file with these turns as its only history."""
    kept = list(turns)
    told = header or Header(None, kept[0].at if kept else 0, None, None)
    parts = [sealed({"schema": SCHEMA, "version": VERSION, **told._asdict()})]
    for number, turn in enumerate(kept, 1):
        head = {
            "record": "turn",
            "turn": number,
            "epoch": 0,
            "at": turn.at,
            "messages": len(turn.messages),
            "client_type": turn.binding.client_type,
            "model": turn.binding.model,
            "sent": None,
        }
        parts.append(sealed(head, [write_message(message, wire) for message in turn.messages]))
    return b"".join(parts)
