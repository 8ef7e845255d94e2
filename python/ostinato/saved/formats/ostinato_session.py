"""Sessions of `SessionStore` (docs/sessions.md), as native items of the wire that their client speaks."""

import pathlib
from typing import Any, Final

from ostinato.errors import InvalidMessageError, ReplayError, RoutingError, StoreError, UnsupportedContentError
from ostinato.policy.target import as_origin
from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft, identifier, usage_of
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.store.findings import Findings
from ostinato.store.frame import SCHEMA
from ostinato.store.reading import Header, SessionFile, StoredTurn
from ostinato.wires import wire

__all__ = ["OSTINATO_SESSION", "conversation_of", "message_path", "turns_of"]

_NO_PATH: Final = pathlib.Path("session.jsonl")
_FALLBACK: Final = ("openai-official", "any")
"""Client type and model where no turn says: what is written does not depend on the model."""


class _InMemory(SessionFile):
    """A session file that is in memory already."""

    def __init__(self, data: bytes) -> None:
        super().__init__(_NO_PATH, lambda size, place: data[place : place + size], -1, limit=len(data) + 1)
        self._length = len(data)

    @property
    def size(self) -> int:
        return self._length


def _sniff(file: SavedFile) -> bool:
    return bool(file.records) and file.records[0].get("schema") == SCHEMA


def _read(file: SavedFile) -> list[Conversation]:
    return [conversation_of(file.data)]


def conversation_of(data: bytes) -> Conversation:
    """The conversation of a session file, as its last epoch has it."""
    seen = Findings()
    header, turns, refused = _turns(_InMemory(data), seen)
    binding = next((turn.binding for turn in reversed(turns) if turn.binding.client_type), None)
    client, model = (binding.client_type, binding.model) if binding is not None else _FALLBACK
    try:
        bound = wire(client or _FALLBACK[0], model or _FALLBACK[1])
    except RoutingError:
        bound = wire(*_FALLBACK)
    draft = Draft(OSTINATO_SESSION.name, bound.name)
    draft.session = identifier(header and header.session)
    carry, number = bound.start, 0
    for turn in turns:
        draft.used += 1
        for index, message in enumerate(turn.messages):
            path = message_path(turn.number, index)
            try:
                encoded = bound.encode_message(message, carry, number)
            except (InvalidMessageError, UnsupportedContentError):
                draft.say("unsound_record", path, reason="invalid_message")
                continue
            carry, number = encoded.carry, number + 1
            for decision in encoded.decisions:
                if decision.action == "left_out":
                    draft.say("not_taken", path, reason=decision.code)
            own = message["role"] == "assistant"
            for item in encoded.items:
                draft.add(
                    item,
                    message["role"],
                    Source(0, len(data), None, path),
                    origin=_origin(message.get("origin")) if own else None,
                    usage=usage_of(message.get("usage_metadata")) if own else None,
                )
    for finding in seen.all:
        draft.say("session_finding", "" if finding.turn is None else f"turns/{finding.turn}", reason=finding.code)
    if refused:
        draft.say("unsound_record", reason=refused, records=1)
    return draft.conversation()


def _origin(given: Any) -> Origin | None:  # noqa: ANN401 - whatever a message has there
    try:
        return as_origin(given)
    except ReplayError:
        return None


def message_path(turn: int, message: int) -> str:
    """Where a message stands in its session, as findings and sources name it."""
    return f"turns/{turn}/messages/{message}"


def turns_of(data: bytes) -> tuple[Header | None, list[StoredTurn]]:
    """The header, and the turns of the last epoch that can be read."""
    header, turns, _refused = _turns(_InMemory(data), Findings())
    return header, turns


def _turns(session: SessionFile, seen: Findings) -> tuple[Header | None, list[StoredTurn], str | None]:
    """The header, the turns of the last epoch, and why they could not be read to the end."""
    turns: list[StoredTurn] = []
    header = None
    try:
        header = session.header("", Findings())
        for _place, turn in session.turns((header and header.session) or "", seen):
            if turn is None:
                continue
            if turn.begins_history:
                turns.clear()
            turns.append(turn)
    except StoreError as error:
        return header, turns, error.code
    return header, turns, None


OSTINATO_SESSION: Final = Format("ostinato-session", _sniff, _read)
