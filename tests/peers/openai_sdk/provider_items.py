"""Reasoning items as providers send them: good ones, odd ones, and those that must be refused."""

from __future__ import annotations

from typing import Any

SUMMARY = [
    {"type": "summary_text", "text": "First."},
    {"type": "summary_text", "text": 'Zweitens: ü 日本 😀 \u2028 " \\ /'},
]


def item(**changed: Any) -> dict[str, Any]:
    """A completed item as the API sends it, with some fields changed."""
    return {"id": "rs_1", "type": "reasoning", "summary": SUMMARY, "encrypted_content": "gAAAAAB-cipher_1"} | changed


def without(name: str) -> dict[str, Any]:
    """An item that lacks a field."""
    return {key: value for key, value in item().items() if key != name}


# name -> item
ACCEPTED: dict[str, dict[str, Any]] = {
    "plain": item(),
    "no summary parts": item(summary=[]),
    "empty summary text": item(summary=[{"type": "summary_text", "text": ""}]),
    "completed": item(status="completed"),
    "null content and status": item(content=None, status=None),
    "empty content": item(content=[]),
    "content": item(content=[{"type": "reasoning_text", "text": "raw"}]),
    "unknown fields": item(signature="s", format="f", nested={"a": [1, None, {"b": 1.5}]}, agent={"agent_name": "n"}),
    "unknown null field": item(agent=None),
    "unknown fields of parts": item(summary=[{"type": "summary_text", "text": "A", "obfuscation": "x", "n": None}]),
    "control characters": item(summary=[{"type": "summary_text", "text": "\x00\x01\x1f\x7f\b\f\n\r\t"}]),
    "long": item(encrypted_content="gAAAAAB" + "x" * 100_000),
}

REFUSED: dict[str, dict[str, Any]] = {
    "in progress": item(status="in_progress"),
    "incomplete": item(status="incomplete"),
    "unknown status": item(status="shelved"),
    "no id": without("id"),
    "null id": item(id=None),
    "empty id": item(id=""),
    "number as id": item(id=1),
    "no ciphertext": without("encrypted_content"),
    "null ciphertext": item(encrypted_content=None),
    "empty ciphertext": item(encrypted_content=""),
    "no summary": without("summary"),
    "null summary": item(summary=None),
    "text as summary": item(summary="First."),
    "unknown type of part": item(summary=[{"type": "summary_table", "rows": []}]),
    "null text": item(summary=[{"type": "summary_text", "text": None}]),
    "no text": item(summary=[{"type": "summary_text"}]),
    "null part": item(summary=[None]),
    "content of another type": item(content=[{"type": "summary_text", "text": "raw"}]),
    "text as content": item(content=""),
    "lone surrogate": item(encrypted_content="en\ud800c"),
}
