"""A conversation as a file to pass on: without its state and marked as such, or with it and warned about.

The layout is rule E1 to E6 of `docs/export.md`.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.redaction import redact
from ostinato.saved import EXPORT_MARK, Conversation, SavedTurn, is_redacted_export, load
from ostinato.saved.file import SavedFile
from ostinato.saved.formats.ostinato_export import VERSION, turn_record
from ostinato.saved.formats.ostinato_session import OSTINATO_SESSION

__all__ = ["WARNING", "export_redacted", "export_resumable", "export_session", "exported_session"]

WARNING: Final = (
    "This file holds encrypted reasoning state. Whoever has it can go on with the conversation as its owner: "
    "keep it private (mode 0600) and delete it when it is no longer needed."
)


@discreet
def export_redacted(conversation: Conversation, *, reasoning_text: bool = False, length_only: bool = False) -> bytes:
    """A conversation without its opaque state: visible turns and structure, with lengths and digests instead of state.

    The file says that it cannot be resumed, and `load` refuses it (`redacted_export`).

    Args:
        conversation: what `load` gave back.
        reasoning_text: keep reasoning text; without it, only its length.
        length_only: lengths without digests, which can be linked from file to file.

    Raises:
        ReplayError: `type_mismatch`: an item is no JSON value.
    """
    keep = {"reasoning_text": not reasoning_text, "length_only": length_only}
    records = [redact(record, **keep).value for record in _records(conversation)]
    return _file(conversation, "redacted", records, {})


@discreet
def export_resumable(conversation: Conversation) -> bytes:
    """A conversation with all of its state, as `load` reads it back: the same items, turns and origins.

    It is a bearer secret: write it with `ostinato export`, or to a file that nobody else can read.

    Raises:
        ReplayError: `type_mismatch`: an item is no JSON value.
    """
    return _file(conversation, "resumable", list(_records(conversation)), {"warning": WARNING})


@discreet
def export_session(data: bytes) -> bytes:
    """A session file of `SessionStore` with all of its state: the mark, and behind it the file's own bytes.

    `load` reads it like the session, and `SessionStore.restore` puts it back, byte for byte.

    Raises:
        ReplayError: `unknown_format`: it is no session file.
    """
    if not OSTINATO_SESSION.sniff(SavedFile(data)):
        raise ReplayError("unknown_format")
    conversation = load(data, format=OSTINATO_SESSION.name)
    return (
        _line({EXPORT_MARK: _mark(conversation, "resumable", [data], {"holds": "session", "warning": WARNING})}) + data
    )


@discreet
def exported_session(data: bytes) -> bytes:
    """The session file in an export of `export_session`, or the bytes themselves where they are a session file.

    Raises:
        ReplayError: `redacted_export`; `unknown_format`: neither of the two.
    """
    first, _newline, rest = data.partition(b"\n")
    (mark,) = SavedFile(first).records or ({},)
    if is_redacted_export(mark):
        raise ReplayError("redacted_export")
    told = mark.get(EXPORT_MARK)
    if isinstance(told, dict) and told.get("holds") == "session":
        data = rest
    if not OSTINATO_SESSION.sniff(SavedFile(data)):
        raise ReplayError("unknown_format")
    return data


def _records(conversation: Conversation) -> Iterator[dict[str, Any]]:
    """What stands before the items, and then each turn."""
    yield {
        "record": "head",
        "session": conversation.session,
        "parent": conversation.parent,
        "system": conversation.system,
    }
    everything = SavedTurn("user", range(len(conversation.items)))
    for turn in conversation.turns or (everything,) * bool(conversation.items):
        yield turn_record(turn, [conversation.items[place] for place in turn.items])


def _file(conversation: Conversation, kind: str, records: list[Any], more: dict[str, str]) -> bytes:
    lines = [_line(record) for record in records]
    return b"".join([_line({EXPORT_MARK: _mark(conversation, kind, lines, {"holds": "turns", **more})}), *lines])


def _mark(conversation: Conversation, kind: str, lines: list[bytes], more: dict[str, str]) -> dict[str, Any]:
    return {
        "export": kind,
        "resumable": kind == "resumable",
        "version": VERSION,
        "format": conversation.format,
        "wire": conversation.wire,
        "turns": len(conversation.turns),
        "items": len(conversation.items),
        "sha256": hashlib.sha256(b"".join(lines)).hexdigest(),
        **more,
    }


def _line(record: Any) -> bytes:  # noqa: ANN401 - any JSON value
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    except (TypeError, ValueError, RecursionError):
        raise ReplayError("type_mismatch", "items") from None
