"""A small and slow reader of the same formats, to compare with: plain Python, nothing shared with the package."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

STATE = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")


def is_state(text: str) -> bool:
    """Whether a text in a state field can be state."""
    shortest = 100 if text.startswith("gAAAA") else 40
    return len(text) >= shortest and STATE.fullmatch(text) is not None


def name(text: object) -> str:
    """A name of a file as it is shown: itself if it looks like one."""
    if not isinstance(text, str):
        return "None"
    return text if re.fullmatch(r"[A-Za-z0-9_.$:-]{1,64}", text) else f"<key of {len(text.encode())} bytes>"


class Count:
    """What is counted of one file."""

    def __init__(self) -> None:
        self.items: Counter[str] = Counter()
        self.nested: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self.values: list[str] = []
        self.ids: dict[str, set[str]] = {}
        self.placeholders = self.empty = self.with_id = self.records = self.unreadable = self.lines = 0

    def state(self, text: object, ident: object = None) -> None:
        """The value of a state field, under an id if the item has one."""
        values = None
        if isinstance(ident, str) and ident:
            self.with_id += 1
            values = self.ids.setdefault(ident, set())
        if not isinstance(text, str):
            return
        if not text:
            self.empty += 1
        elif is_state(text):
            self.values.append(text)
            if values is not None:
                values.add(text)
        else:
            self.placeholders += 1

    def figures(self) -> dict[str, Any]:
        """The counts under the names of `ostinato measure --json`."""
        different = set(self.values)
        return {
            "lines": self.lines,
            "records": self.records,
            "unreadable_bytes": self.unreadable,
            "record_types": dict(self.types),
            "items": dict(self.items),
            "nested": dict(self.nested),
            "opaque": {
                "values": len(self.values),
                "unique": len(different),
                "chars": sum(map(len, self.values)),
                "unique_chars": sum(map(len, different)),
                "placeholders": self.placeholders,
                "empty": self.empty,
            },
            "ids": {
                "with_id": self.with_id,
                "distinct": len(self.ids),
                "with_several_values": sum(len(values) > 1 for values in self.ids.values()),
            },
            "duplicates": len(self.values) - len(different),
        }


def refuse(word: str) -> None:
    """NaN and Infinity, which Python reads, are no JSON."""
    raise ValueError(word)


def values_of(line: str) -> list[Any]:
    """The JSON values of a line, as far as it is JSON."""
    decoder, found, at = json.JSONDecoder(parse_constant=refuse), [], 0
    while (at := len(line) - len(line[at:].lstrip(" \t\r\n"))) < len(line):
        try:
            value, at = decoder.raw_decode(line, at)
        except ValueError:
            break
        found.append(value)
    return found


def codex(content: bytes) -> dict[str, Any]:
    """The figures of a Codex rollout."""
    count = Count()
    for line in content.split(b"\n"):
        if not line.strip():
            continue
        count.lines += 1
        try:
            found = values_of(line.decode())
        except UnicodeDecodeError:
            found = []
        count.records += len(found)
        count.unreadable += 0 if found else len(line)
        for record in found:
            _codex_record(record, count)
    return count.figures()


def _codex_record(record: Any, count: Count) -> None:
    kind = record.get("type") if isinstance(record, dict) else None
    count.types[name(kind)] += 1
    payload = record.get("payload") if isinstance(record, dict) else None
    if not isinstance(payload, dict):
        return
    if kind == "response_item":
        _codex_item(payload, count, nested=False)
    elif kind == "compacted":
        history = payload.get("replacement_history")
        for item in history if isinstance(history, list) else []:
            if isinstance(item, dict):
                _codex_item(item, count, nested=True)


def _codex_item(item: dict[str, Any], count: Count, *, nested: bool) -> None:
    kind, state = item.get("type"), item.get("encrypted_content")
    kinds = count.nested if nested else count.items
    if kind in ("reasoning", "compaction") or isinstance(state, str):
        kinds[name(f"openai.{kind if isinstance(kind, str) else 'item'}")] += 1
        if not nested:
            count.state(state, item.get("id"))
    content = item.get("content")
    for part in content if isinstance(content, list) and kind not in ("reasoning", "compaction") else []:
        if isinstance(part, dict) and part.get("type") == "encrypted_content":
            kinds["openai.encrypted_part"] += 1
            if not nested:
                count.state(part.get("encrypted_content"))
