"""Rollouts of the Codex CLI: one record on a line, `{timestamp, type, payload}`, or in the oldest the bare item.

State is in the items, mostly without an id. Events repeat what the items say, for display. A compaction replaces all
that was before it: what is loaded is the conversation that `codex resume` would send.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ostinato.replay import Origin
from ostinato.saved import fields
from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft, identifier, label, source, usage_of
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.json_text import Value
from ostinato.saved.responses_items import COMPACTIONS, WIRE, is_item, native, role_of

__all__ = ["CODEX"]

Json = dict[str, Any]

_CONTRACT: Final = "codex"
"""The provider whose items may lack an id: rollouts up to 0.106 keep none."""
_OWN_ITEMS: Final = frozenset({"ghost_snapshot"})
"""Items that Codex keeps among the others and does not send (codex-rs 0.66)."""
_COPIES: Final = frozenset(
    {"agent_message", "agent_reasoning", "agent_reasoning_raw_content", "user_message", "item_completed"}
)
_OWN_RECORDS: Final = frozenset({"world_state", "inter_agent_communication_metadata"})


_SUMMARY: Final = "payload/message"
"""Where the summary of a compaction stands in its record."""


class _Entry(NamedTuple):
    item: Json
    source: Source
    origin: Origin | None
    usage: Mapping[str, int] | None = None


def _is_said(entry: _Entry) -> bool:
    """Whether a user said it. The summary of a compaction is only put as if one had."""
    return role_of(entry.item) == "user" and entry.source.path != _SUMMARY


class _Rollout:
    """One file while it is read. Entries wait until the end, since a compaction drops those before it."""

    def __init__(self) -> None:
        self.draft = Draft(CODEX.name, WIRE)
        self.entries: list[_Entry] = []
        self._kept = 0
        """How many entries at the beginning no compaction of the older kind removes."""
        self.provider: str | None = None
        self.model: str | None = None
        self._by_type: Mapping[str | None, Callable[[Value, Json], None]] = {
            "session_meta": self._session,
            "turn_context": self._context,
            "response_item": self._item,
            "event_msg": self._event,
            "compacted": self._compacted,
        }

    def take(self, value: Value) -> None:
        """Read one record."""
        if self.draft.damaged(value):
            return
        record, kind = value.value, fields.text(value.value, "type")
        payload = record.get("payload")
        if not isinstance(payload, dict):
            self._bare(value, record)
        elif kind in self._by_type:
            self._by_type[kind](value, payload)
        else:
            own = kind in _OWN_RECORDS
            self.draft.leave_out("not_sent" if own else "unknown_record", value.line, type=label(kind))

    def _session(self, _value: Value, payload: Json) -> None:
        """The head. In a fork the head of the session it was forked from follows, before what is copied from it."""
        self.draft.used += 1
        self.provider = identifier(payload.get("model_provider")) or self.provider
        if self.draft.session is not None:
            return
        self.draft.session = identifier(payload.get("id"))
        self.draft.parent = identifier(payload.get("parent_thread_id")) or _spawner(payload.get("source"))
        instructions = payload.get("base_instructions")
        if isinstance(instructions, dict) and isinstance(instructions.get("text"), str):
            self.draft.system = instructions["text"]

    def _context(self, _value: Value, payload: Json) -> None:
        self.draft.used += 1
        self.model = identifier(payload.get("model")) or self.model

    def _item(self, value: Value, payload: Json) -> None:
        if fields.text(payload, "type") in _OWN_ITEMS:
            self.draft.leave_out("not_sent", value.line, type=label(payload["type"]))
        elif is_item(payload):
            self._add(value, payload, "payload")
        else:
            self.draft.leave_out("unknown_record", value.line, type=f"response_item/{label(payload.get('type'))}")

    def _event(self, value: Value, payload: Json) -> None:
        kind = fields.text(payload, "type")
        info = payload.get("info")
        if kind in _COPIES:
            self.draft.leave_out("display_copy", value.line, type=label(kind))
        elif kind == "token_count" and isinstance(info, dict) and self.entries:
            self.draft.used += 1
            self.entries[-1] = self.entries[-1]._replace(usage=usage_of(info.get("last_token_usage")))
        else:
            self.draft.leave_out("not_sent", value.line, type=f"event_msg/{label(kind)}")

    def _compacted(self, value: Value, payload: Json) -> None:
        """Codex goes on from the replacement; older versions keep the user's messages, and add the summary."""
        replacement = payload.get("replacement_history")
        if isinstance(replacement, list):
            self.draft.used += 1
            self._leave_out(self.entries)
            self.entries, self._kept = [], 0
            for place, item in enumerate(replacement):
                self._replaced(value, item, f"payload/replacement_history/{place}")
            return
        self.draft.say("compaction_rebuilt", line=value.line)
        since = self.entries[self._kept :]
        said = [entry for entry in since if _is_said(entry)]
        self._leave_out([entry for entry in since if not _is_said(entry)])
        self.entries[self._kept :] = said
        self._kept = len(self.entries)
        part = {"type": "input_text", "text": fields.text(payload, "message") or ""}
        self._add(value, {"type": "message", "role": "user", "content": [part]}, _SUMMARY)

    def _leave_out(self, entries: Sequence[_Entry]) -> None:
        gone = {
            entry.source.start: entry.source.line or 0 for entry in entries
        }  # of a replacement, many are of one record
        if gone:
            self.draft.used -= len(gone)
            self.draft.leave_out("compacted_away", min(gone.values()), records=len(gone))

    def _replaced(self, value: Value, item: Any, path: str) -> None:  # noqa: ANN401 - any JSON value
        if isinstance(item, dict) and is_item(item):
            made = native(item, self.draft, value.line, path, _CONTRACT)
            # A compaction is the model's own; what stands beside it may be older than the last change of model.
            origin = self._origin() if item["type"] in COMPACTIONS else Origin(self.provider) if self.provider else None
            self.entries.append(_Entry(made, source(value, path), origin))
            return
        kind = fields.text(item, "type")
        own = kind in _OWN_ITEMS
        self.draft.count("not_sent" if own else "unknown_record", value.line, path, type=label(kind))

    def _bare(self, value: Value, record: Json) -> None:
        """A record of the oldest rollouts: the head, a mark, or the item itself. Some name no type but a role."""
        if "record_type" in record:
            self.draft.leave_out("not_sent", value.line, type=f"record_type/{label(record['record_type'])}")
            return
        if "type" not in record and "timestamp" in record and identifier(record.get("id")) and "role" not in record:
            self._session(value, record)
            return
        item = {name: part for name, part in record.items() if name != "timestamp"}
        if isinstance(item.get("content"), str | list):
            item = {"type": "message", **item}
        if is_item(item):
            self._add(value, item, "")
        else:
            self.draft.leave_out("unknown_record", value.line, type=label(record.get("type")))

    def _add(self, value: Value, item: Json, path: str) -> None:
        self.draft.used += 1
        made = native(item, self.draft, value.line, path, _CONTRACT)
        self.entries.append(_Entry(made, source(value, path), self._origin()))

    def _origin(self) -> Origin | None:
        return Origin(self.provider, model=self.model) if self.provider or self.model else None

    def conversation(self) -> Conversation:
        """What was read."""
        for entry in self.entries:
            role = role_of(entry.item)
            origin = entry.origin if role == "assistant" else None
            self.draft.add(entry.item, role, entry.source, origin=origin)
            if entry.usage:
                self.draft.spent(entry.usage)
        return self.draft.conversation()


def _spawner(came_from: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """The thread that started a subagent: `{"subagent": {"thread_spawn": {"parent_thread_id": ...}}}`."""
    for name in ("subagent", "thread_spawn", "parent_thread_id"):
        came_from = came_from.get(name) if isinstance(came_from, dict) else None
    return identifier(came_from)


def _sniff(file: SavedFile) -> bool:
    def enveloped(record: Json) -> bool:
        known = fields.text(record, "type") in {
            *_OWN_RECORDS,
            "session_meta",
            "turn_context",
            "response_item",
            "event_msg",
        }
        return (known or record.get("type") == "compacted") and isinstance(record.get("payload"), dict)

    first = file.records[0] if file.records else {}
    head = "type" not in first and first.keys() >= {"id", "timestamp", "instructions"}
    return head or "record_type" in first or any(map(enveloped, file.records))


def _read(file: SavedFile) -> list[Conversation]:
    rollout = _Rollout()
    for value in file.values():
        rollout.take(value)
    return [rollout.conversation()]


CODEX: Final = Format("codex", _sniff, _read)
