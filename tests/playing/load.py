"""Cases about saved histories, and about text that no file could hold: chosen by what they give."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import ostinato
from ostinato.saved import export_mark
from tests.playing.verdict import Case, absent, differ, refused, unanswered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def play(case: Case) -> list[str]:
    """What is wrong with what is loaded, or with how it is refused."""
    given = case["given"]
    if "raw_json" in given:
        return _raw(case)
    if case["when"] != "load":
        raise NotImplementedError("nothing to load")
    if "operation" in given:
        return _export(case)
    for shape, data in SHAPES.items():
        if shape in given:
            return _loaded(case, data(given[shape]))
    raise NotImplementedError("no file of a known layout")


def _lines(lines: list[Any]) -> bytes:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return "\n".join(texts).encode("utf-8", "surrogatepass")


def _message(message: dict[str, Any]) -> bytes:
    if "channels" in message:
        return json.dumps({"messages": [message]}).encode()
    if "content_items" in message:
        return json.dumps([message]).encode()
    if "replay_items" not in message:
        raise NotImplementedError("a message of another layout")
    # Items with a text for display beside them: how fast-agent keeps both.
    channels = {
        "reasoning": [{"type": "text", "text": message.get("display_reasoning", "")}],
        "openai-reasoning-encrypted": [
            {"type": "text", "text": ostinato.serialize_reasoning_replay_envelope(_canonical(item))}
            for item in message["replay_items"]
        ],
    }
    return json.dumps({"messages": [{"role": "assistant", "content": [], "channels": channels}]}).encode()


def _channel(texts: Iterable[str]) -> bytes:
    """A history of fast-agent with these records."""
    channels = {"openai-reasoning-encrypted": [{"type": "text", "text": text} for text in texts]}
    return json.dumps({"messages": [{"role": "assistant", "content": [], "channels": channels}]}).encode()


def _canonical(item: dict[str, Any]) -> ostinato.ReasoningItem:
    return ostinato.canonicalize_completed_reasoning_output_item(item)


def _document(value: Any) -> bytes:
    return json.dumps(value).encode()


SHAPES: dict[str, Callable[[Any], bytes]] = {
    "lines": _lines,
    "text": lambda text: text.encode("utf-8", "surrogatepass"),
    "history": _document,
    "entry": _document,
    "parts": lambda parts: _document(
        {"info": {"id": "ses_1"}, "messages": [{"info": {"role": "assistant"}, "parts": parts}]}
    ),
    "items": lambda items: _document({"input": items}),
    "entries": _document,
    "records": lambda records: _channel(json.dumps(record) for record in records),
    "message": _message,
}


def _loaded(case: Case, data: bytes) -> list[str]:
    """Compare what was loaded with each thing that the case says of it."""
    try:
        loaded = ostinato.load(data)
    except ostinato.ReplayError as error:
        return refused(case, error)
    output = case["then"].get("output", {})
    unplayed = output.keys() - FACTS.keys() - {"path", "paths"}
    if unplayed or "error" in case["then"]:
        raise NotImplementedError(f"expects {sorted(unplayed)}")
    wrong = [
        miss
        for name in output.keys() & FACTS.keys()
        for miss in differ(name, FACTS[name](loaded, output[name]), output[name])
    ]
    found = [finding.to_dict() for finding in loaded.report.findings]
    # A stored record that the codec refuses has one finding, with the codec's code as its reason.
    found += [{**finding, "code": finding["reason"]} for finding in found if "reason" in finding]
    return wrong + unanswered(case, found) + absent(case, loaded, loaded.report)


def _reasoning(loaded: ostinato.Conversation, side: str = "") -> list[Any]:
    """The replay items, all of them or those that were read from one side of a log."""
    return [
        item
        for item, sources in zip(loaded.items, loaded.sources, strict=True)
        if item.get("type") == "reasoning" and side in sources[0].path
    ]


def _messages(loaded: ostinato.Conversation, wanted: list[dict[str, Any]]) -> list[Any]:
    """Messages with what the file says about them, of which the case names some."""
    rows = [
        {"id": turn.id, **(turn.usage or {}), **loaded.items[place], "role": turn.role}
        for turn in loaded.turns
        for place in turn.items
    ]
    return [{name: row.get(name) for name in one} for row, one in zip(rows, wanted, strict=False)]


def _blocks(loaded: ostinato.Conversation) -> list[Any]:
    """Blocks of thinking, wherever the wire has them."""
    return [
        block
        for item in loaded.items
        for name in ("content", "thinking_blocks")
        for block in (item.get(name) if isinstance(item.get(name), list) else [])
        if block.get("type") in ("thinking", "redacted_thinking")
    ]


def _unreadable(loaded: ostinato.Conversation, _wanted: Any) -> list[int | None]:
    return [finding.line for finding in loaded.report.findings if finding.records and finding.code in UNREADABLE]


UNREADABLE = {
    "lone_surrogate",
    "not_utf8",
    "truncated_line",
    "unreadable_line",
    "duplicate_key",
    "not_finite",
    "too_deep",
}
FACTS: dict[str, Callable[[ostinato.Conversation, Any], Any]] = {
    "reasoning": lambda loaded, _wanted: _reasoning(loaded),
    "in": lambda loaded, _wanted: _reasoning(loaded, "request/"),
    "out": lambda loaded, _wanted: _reasoning(loaded, "response/"),
    "items": lambda loaded, wanted: len(loaded.items) if isinstance(wanted, int) else loaded.items,
    "compaction": lambda loaded, _wanted: [item for item in loaded.items if item.get("type") == "compaction"],
    "blocks": lambda loaded, _wanted: _blocks(loaded),
    "message": lambda loaded, _wanted: loaded.items[0] if loaded.items else None,
    "messages": _messages,
    "origin_provider": lambda loaded, _wanted: next(origin.provider for origin in loaded.origins if origin),
    "unreadable_lines": _unreadable,
}


def _export(case: Case) -> list[str]:
    """A redacted export is marked, and no loader takes it for a conversation."""
    redacted = ostinato.redact(case["given"]["items"]).value
    export = export_mark() | {"items": redacted}
    marked = {"export": {"resumable": export["ostinato"]["resumable"]}}
    wrong = differ("mark", marked, case["then"]["output"])
    for data in (json.dumps(export).encode(), _lines([export_mark(), *redacted])):
        try:
            ostinato.load(data)
        except ostinato.ReplayError as error:
            wrong += differ("code", error.code, case["then"]["error"]["code"]) + absent(case, error, export)
        else:
            wrong.append("the export was loaded")
    return wrong


def _raw(case: Case) -> list[str]:
    value = json.loads(case["given"]["raw_json"])
    try:
        ostinato.check_json(value)
    except ostinato.ReplayError as error:
        return refused(case, error)
    output = case["then"].get("output")
    return ["the value was accepted"] if output is None else differ("value", value, next(iter(output.values())))
