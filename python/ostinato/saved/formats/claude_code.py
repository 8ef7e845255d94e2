"""Transcripts of Claude Code, and what it prints as `stream-json`: one response is spread over several records.

Records form a tree by `parentUuid`; the conversation is the path from the newest message to its root, or to the last
compaction. Lines with one `message.id` are one message: each holds a block, and the last one the final usage. Parallel
calls branch the tree, so results of calls on the path are taken although they are not on it.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from ostinato.replay import Origin
from ostinato.saved import fields
from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft, identifier, label, source, usage_of
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.json_text import Value

__all__ = ["CLAUDE_CODE"]

Json = dict[str, Any]

_WIRE: Final = "anthropic-messages"
_PROVIDERS: Final = {"msg_bdrk_": "bedrock", "msg_vrtx_": "vertex"}
"""Ids of messages say which platform made them."""
_OWN_MODEL: Final = "<synthetic>"
"""Messages that Claude Code wrote itself, about errors. It does not send them."""
_OWN_RECORDS: Final = frozenset(
    {
        "agent-name",
        "ai-title",
        "bridge-session",
        "custom-title",
        "file-history-snapshot",
        "frame-link",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "rate_limit_event",
        "relocated",
        "result",
        "started",
        "summary",
        "system",
        "worktree-state",
    }
)
_SESSION_RECORDS: Final = frozenset(
    {"queue-operation", "last-prompt", "ai-title", "custom-title", "permission-mode", "mode"}
)


_UNNAMED: Final = object()


class _Node(NamedTuple):
    """A record of the tree."""

    value: Value
    record: Json
    message: Json | None
    """Its message, if it is a turn of the conversation."""
    blocks: list[Json]
    """The blocks of that message, if it is made of blocks."""

    @property
    def boundary(self) -> bool:
        """Whether a compaction ended here."""
        return self.record.get("type") == "system" and self.record.get("subtype") == "compact_boundary"

    @property
    def kind(self) -> str:
        """What it is called in a report."""
        attachment, kind = self.record.get("attachment"), self.record.get("type")
        of_kind = attachment.get("type") if isinstance(attachment, dict) else self.record.get("subtype")
        return label(kind) if of_kind is None else f"{label(kind)}/{label(of_kind)}"

    def ids(self, kind: str, name: str) -> set[str]:
        """The ids of calls in its blocks: of `tool_use` by `id`, of `tool_result` by `tool_use_id`."""
        return {block[name] for block in self.blocks if block.get("type") == kind and isinstance(block.get(name), str)}


def _node(value: Value, record: Json) -> _Node:
    message = record.get("message")
    if fields.text(record, "type") not in {"user", "assistant"} or not isinstance(message, dict):
        return _Node(value, record, None, [])
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return _Node(value, record, message if isinstance(content, str) or blocks else None, blocks)


class _Tree:
    """The records of the main conversation, or of one subagent."""

    def __init__(self) -> None:
        self.draft = Draft(CLAUDE_CODE.name, _WIRE)
        self.nodes: list[_Node] = []
        self.places: dict[str, list[int]] = {}
        """The nodes of each id; more than one only where a file is damaged."""

    def take(self, value: Value, record: Json) -> None:
        """Read one record."""
        name = identifier(record.get("uuid"))
        known = self.places.setdefault(name, []) if name else []
        if any(self.nodes[place].record == record for place in known[-1:]):
            self.draft.leave_out("repeated_record", value.line, type=label(record.get("type")))
            return
        if known:
            self.draft.count("uuid_conflict", value.line, type=label(record.get("type")))
        known.append(len(self.nodes))
        self.nodes.append(_node(value, record))

    def conversation(self) -> Conversation:
        """The messages from the last compaction, or from the root, to the newest one."""
        path = self._path()
        order = self._with_branches(path)
        boundary = next((place for place in path[:1] if self.nodes[place].boundary), 0)
        retracted = {
            name for node in self.nodes for name in _retracted(node.record) if len(self.places.get(name, ())) == 1
        }
        for place in sorted(set(range(len(self.nodes))).difference(order)):
            if self.nodes[place].message is None:
                self._leave_out(self.nodes[place])
            else:
                code = "compacted_away" if place < boundary else "other_branch"
                self.draft.leave_out(code, self.nodes[place].value.line)
        made = _Messages(self.draft)
        for node in map(self.nodes.__getitem__, order):
            if node.boundary:
                self.draft.used += 1
            elif node.message is None:
                self._leave_out(node)
            elif _is_own(node.record, node.message):
                self.draft.leave_out("not_sent", node.value.line, type=f"{node.kind}/synthetic")
            elif fields.text(node.record, "uuid") in retracted:
                self.draft.leave_out("retracted", node.value.line)
            else:
                made.join(node, node.message)
        for message in made.messages:
            item = {"role": message.role, "content": message.content}
            role = "tool" if message.results else message.role
            self.draft.add(item, role, *message.sources, origin=message.origin, id=message.id, usage=message.usage)
        return self.draft.conversation()

    def _parent(self, place: int) -> int | None:
        """Which record one follows: the one before it, if it names none. Some are written before those they follow."""
        node = self.nodes[place]
        name = node.record.get("parentUuid", _UNNAMED)
        if name is None:
            return None
        before = place - 1 if place else None
        if name is _UNNAMED:
            return before
        named = self.places.get(name, []) if isinstance(name, str) else []
        earlier = bisect_left(named, place)
        later = earlier + (named[earlier : earlier + 1] == [place])
        if earlier:
            return named[earlier - 1]
        if named[later:]:
            return named[-1]
        self.draft.count("missing_parent", node.value.line)
        return before

    def _path(self) -> list[int]:
        """From the root or the last compaction down to the newest message."""
        place: int | None = self._newest()
        path: dict[int, None] = {}
        while place is not None and place not in path:
            path[place] = None
            place = None if self.nodes[place].boundary else self._parent(place)
        return list(reversed(path))

    def _newest(self) -> int | None:
        """The last message, or what was written before it although it follows it."""
        place = max((place for place, node in enumerate(self.nodes) if node.message is not None), default=None)
        follows: dict[str | None, int] = {}
        for other, node in enumerate(self.nodes):
            if node.message is not None:
                follows[fields.text(node.record, "parentUuid")] = other
        seen: set[int | None] = set()
        while place is not None and place not in seen:
            seen.add(place)
            name = self.nodes[place].record.get("uuid")
            place = follows.get(name, place) if isinstance(name, str) else place
        return place

    def _with_branches(self, path: list[int]) -> list[int]:
        """The path with what stands beside it and belongs to it: blocks of its responses, results of its calls."""
        on_path = set(path)
        beside = [place for place in range(len(self.nodes)) if place not in on_path]
        anchors: dict[str, int] = {name: place for place in path if (name := _id(self.nodes[place]))}
        after: dict[int, list[int]] = {}
        blocks = [place for place in beside if _id(self.nodes[place]) in anchors]
        for place in blocks:
            after.setdefault(anchors[_id(self.nodes[place]) or ""], []).append(place)
        taken = [*path, *blocks]
        calls = {name: place for place in taken for name in self.nodes[place].ids("tool_use", "id")}
        answered = {name for place in taken for name in self.nodes[place].ids("tool_result", "tool_use_id")}
        for place in beside:
            results = self.nodes[place].ids("tool_result", "tool_use_id")
            if results and results <= calls.keys() - answered:
                after.setdefault(calls[min(results)], []).append(place)
                answered |= results
        return [also for place in path for also in _expanded(place, after)]

    def _leave_out(self, node: _Node) -> None:
        kind = fields.text(node.record, "type")
        if kind == "attachment":  # the text that Claude Code makes of it is not in the file
            self.draft.leave_out("not_rebuilt", node.value.line, type=node.kind)
        elif kind == "stream_event":  # pieces of messages that follow as a whole
            self.draft.leave_out("display_copy", node.value.line, type=node.kind)
        elif kind in _OWN_RECORDS:
            self.draft.leave_out("not_sent", node.value.line, type=node.kind)
        else:
            self.draft.leave_out("unknown_record", node.value.line, type=node.kind)


def _expanded(place: int, after: dict[int, list[int]]) -> list[int]:
    """A node and what hangs on it: blocks, and on these results."""
    blocks = after.get(place, [])
    return [place, *(also for block in blocks for also in (block, *after.get(block, ())))]


@dataclass
class _Message:
    role: str
    id: str | None
    results: bool
    origin: Origin | None
    content: str | list[Json] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    usage: dict[str, int] | None = None

    def extend(self, node: _Node, message: Json) -> None:
        """Add the content of a record. Text alone stays text, unless more follows."""
        content = message["content"]
        if isinstance(content, str) and not self.sources:
            self.content, self.sources = content, [source(node.value, "message/content")]
            return
        if isinstance(self.content, str):
            self.content = [{"type": "text", "text": self.content}]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else node.blocks
        self.content += blocks
        self.sources += [source(node.value, f"message/content/{place}") for place in range(len(blocks))]


class _Messages:
    """The messages of a conversation while they are put together."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.messages: list[_Message] = []
        self._by_id: dict[str, _Message] = {}

    def join(self, node: _Node, message: Json) -> None:
        """Add a record's blocks to the message they belong to, which may be one before the last."""
        self.draft.used += 1
        name, results = _id(node), bool(node.ids("tool_result", "tool_use_id"))
        known = self._by_id.get(name) if name else None
        if results and self.messages and self.messages[-1].results:
            known = self.messages[-1]  # results of parallel calls go back in one message
        if known is None:
            known = _Message(str(node.record["type"]), name, results, _origin(message))
            self.messages.append(known)
            self._by_id |= {name: known} if name else {}
        known.extend(node, message)
        known.usage = usage_of(message.get("usage")) or known.usage
        for place, block in enumerate(node.blocks):
            if block.get("type") == "thinking" and block.get("thinking") == "" and block.get("signature"):
                self.draft.count("unknown_provenance", node.value.line, f"message/content/{place}")


def _id(node: _Node) -> str | None:
    """The id of the response that a record is a part of."""
    return identifier(node.message.get("id")) if node.message and node.record["type"] == "assistant" else None


def _origin(message: Json) -> Origin | None:
    """Who made a message. The id tells the provider, as other servers speak this wire too."""
    name, model = identifier(message.get("id")) or "", identifier(message.get("model"))
    if message.get("role") != "assistant" or not (name or model):
        return None
    platform = next((provider for prefix, provider in _PROVIDERS.items() if name.startswith(prefix)), None)
    own = name.startswith("msg_") and (model or "").startswith("claude")
    return Origin(platform or ("anthropic" if own else None), model=model)


def _is_own(record: Json, message: Json) -> bool:
    """Whether Claude Code shows a message and does not send it."""
    shown = record.get("isVisibleInTranscriptOnly") is True and record.get("isCompactSummary") is not True
    return shown or message.get("model") == _OWN_MODEL or record.get("isApiErrorMessage") is True


def _retracted(record: Json) -> Iterable[str]:
    for name in ("retractedMessageUuids", "supersedesUuids"):
        named = record.get(name)
        if isinstance(named, list):
            yield from (uuid for uuid in named if isinstance(uuid, str))


def _read(file: SavedFile) -> list[Conversation]:
    main, agents, whole = _Tree(), dict[str, _Tree](), Draft(CLAUDE_CODE.name, _WIRE)
    session, spawned = None, dict[str, str]()
    for value in file.values():
        if whole.damaged(value):
            continue
        record = value.value
        if "uuid" not in record and not isinstance(record.get("message"), dict):
            kind = fields.text(record, "type")
            own = kind in _OWN_RECORDS
            whole.leave_out("not_sent" if own else "unknown_record", value.line, type=label(kind))
            continue
        named = identifier(fields.text(record, "sessionId", "session_id"))
        session = named or session
        if record.get("isSidechain") is not True and identifier(record.get("parent_tool_use_id")) is None:
            main.draft.session = named or main.draft.session
            main.take(value, record)
        else:
            name = _agent(record, spawned)
            tree = agents.setdefault(name, _Tree())
            tree.draft.session, tree.draft.parent = name, session
            tree.take(value, record)
    found = [tree.conversation() for tree in ([main] if main.nodes or not agents else []) + list(agents.values())]
    first = whole.conversation().report
    found[0] = replace(found[0], report=first + found[0].report)
    return found


def _agent(record: Json, spawned: dict[str, str]) -> str:
    """Which subagent a record is of: it says so, or follows one that does, or begins one."""
    said = identifier(fields.text(record, "agentId", "parent_tool_use_id"))
    own, parent = identifier(record.get("uuid")), identifier(record.get("parentUuid"))
    name = said or spawned.get(parent or "") or own or "sidechain"
    if own:
        spawned.setdefault(own, name)
    return name


def _sniff(file: SavedFile) -> bool:
    def of_gemini(record: Json) -> bool:  # Qwen Code writes the same frame around messages of Gemini's shape
        message = record.get("message")
        return isinstance(message, dict) and "parts" in message

    def own(record: Json) -> bool:
        kind = fields.text(record, "type")
        return (
            "parentUuid" in record
            or (kind == "summary" and "leafUuid" in record)
            or kind == "file-history-snapshot"
            or (kind in _SESSION_RECORDS and "sessionId" in record)
            or (kind in {"user", "assistant"} and "uuid" in record and isinstance(record.get("message"), dict))
        )

    return any(map(own, file.records)) and not any(map(of_gemini, file.records))


CLAUDE_CODE: Final = Format("claude-code", _sniff, _read)
