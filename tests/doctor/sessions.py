"""Made-up sessions of Codex, line by line."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]
CANARY = "CANARY-SECRET"
META = {"type": "session_meta", "payload": {"id": "th_1", "cli_version": "0.1.0", "model_provider": "openai"}}


def reasoning(number: int, **extra: Any) -> Json:
    """A reasoning item whose state and text hold the canary."""
    return {
        "type": "reasoning",
        "id": f"rs_{number}",
        "summary": [{"type": "summary_text", "text": f"{CANARY} summary"}],
        "encrypted_content": f"gAAAAAB{CANARY}{number:04}",
    } | extra


def husk(number: int) -> Json:
    """A reasoning item without its state."""
    return {"type": "reasoning", "id": f"rs_{number}", "summary": []}


def said(text: str, role: str = "assistant") -> Json:
    """A message."""
    kind = "input_text" if role == "user" else "output_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": f"{CANARY} {text}"}]}


def call(number: int) -> tuple[Json, Json]:
    """A call and its result."""
    asked = {"type": "function_call", "name": "f", "arguments": "{}", "call_id": f"call_{number}"}
    return asked, {"type": "function_call_output", "call_id": f"call_{number}", "output": "ok"}


def lines(*items: Json) -> list[str]:
    """The lines of a rollout that holds items."""
    records = [{"type": "response_item", "payload": item} for item in items]
    return [
        json.dumps({"timestamp": "2026-01-05T10:00:00.000Z"} | each, separators=(",", ":")) for each in (META, *records)
    ]


def rollout(*items: Json) -> bytes:
    """A rollout that holds items."""
    return ("\n".join(lines(*items)) + "\n").encode()


HEALTHY = (said("question", "user"), reasoning(1), *call(1), reasoning(2), said("answer"), said("thanks", "user"))
