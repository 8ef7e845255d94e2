"""Resumable exports (rules E1 to E6 of `docs/export.md`). Redacted ones are refused before any format is asked."""

import hashlib
from dataclasses import replace
from typing import Any, Final

from ostinato.replay import Origin
from ostinato.saved.conversation import Conversation, SavedTurn
from ostinato.saved.draft import Draft, identifier, source, usage_of
from ostinato.saved.export_mark import EXPORT_MARK
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.formats.ostinato_session import conversation_of
from ostinato.saved.json_text import Value

__all__ = ["OSTINATO_EXPORT", "VERSION", "turn_record"]

VERSION: Final = 1


def turn_record(turn: SavedTurn, items: list[Any]) -> dict[str, Any]:
    """The line of a turn."""
    return {
        "record": "turn",
        "role": turn.role,
        "id": turn.id,
        "origin": turn.origin and turn.origin._asdict(),
        "usage": turn.usage and dict(turn.usage),
        "items": items,
    }


def _sniff(file: SavedFile) -> bool:
    return bool(file.records) and _mark(file.records[0]) is not None


def _mark(record: dict[str, Any]) -> dict[str, Any] | None:
    mark = record.get(EXPORT_MARK)
    return mark if isinstance(mark, dict) and mark.get("export") == "resumable" else None


def _read(file: SavedFile) -> list[Conversation]:
    values = file.values()
    first = next(values, None)
    if first is None:
        return []
    mark = (_mark(first.value) if isinstance(first.value, dict) else None) or {}
    draft = Draft("ostinato-export", mark["wire"] if isinstance(mark.get("wire"), str) else "")
    draft.used = 1
    if mark.get("version") != VERSION:
        draft.say("unknown_version", line=first.line, records=1)
        draft.used = 0
    elif hashlib.sha256(file.data[first.stop :].lstrip(b"\r\n")).hexdigest() != mark.get("sha256"):
        draft.say("edited_export", line=first.line)
    if mark.get("holds") == "session" and mark.get("version") == VERSION:
        rest = file.data[first.stop :]
        whole = conversation_of(rest[1:] if rest.startswith(b"\n") else rest)
        return [replace(whole, format=OSTINATO_EXPORT.name, report=draft.conversation().report + whole.report)]
    turns: list[SavedTurn] = []
    for value in values:
        if draft.damaged(value):
            continue
        if mark.get("version") != VERSION:
            draft.leave_out("unknown_version", value.line)
        else:
            _record(draft, value, turns)
    return [replace(draft.conversation(), turns=tuple(turns))]  # as they were, also where two could be one


def _record(draft: Draft, value: Value, turns: list[SavedTurn]) -> None:
    record = value.value
    items = record.get("items")
    if record.get("record") == "head":
        draft.used += 1
        draft.session, draft.parent = identifier(record.get("session")), identifier(record.get("parent"))
        draft.system = record.get("system")
    elif record.get("record") == "turn" and isinstance(items, list) and isinstance(record.get("role"), str):
        draft.used += 1
        start = len(draft.items)
        for place, item in enumerate(items):
            if isinstance(item, dict):
                draft.add(item, record["role"], source(value, f"items/{place}"))
            else:
                draft.say("not_a_record", f"items/{place}", line=value.line)
        turns.append(
            SavedTurn(
                role=record["role"],
                items=range(start, len(draft.items)),
                origin=_origin(record.get("origin")),
                id=identifier(record.get("id")),
                usage=usage_of(record.get("usage")),
            )
        )
    else:
        draft.leave_out("unknown_record", value.line)


def _origin(given: Any) -> Origin | None:  # noqa: ANN401 - any JSON value
    if not isinstance(given, dict) or not all(isinstance(part, str | None) for part in given.values()):
        return None
    known = {name: part for name, part in given.items() if name in Origin._fields}
    return Origin(**known) if any(known.values()) else None


OSTINATO_EXPORT: Final = Format("ostinato-export", _sniff, _read)
