"""Items of a made-up provider answer, for the tests of the seed's lists."""

from __future__ import annotations

from typing import Any

import ostinato

Json = dict[str, Any]

ALLOWED = ["type", "id", "summary", "encrypted_content"]
SCHEMA = "fast-agent.openai-responses.reasoning-replay"


def item(number: int = 1, *summary: str, **extra: Any) -> Json:
    """A completed reasoning item with a summary part for each text."""
    return {
        "type": "reasoning",
        "id": f"rs_{number}",
        "summary": [{"type": "summary_text", "text": text} for text in summary],
        "encrypted_content": f"gAAAAAB-state-{number}",
        **extra,
    }


def without(fields: Json, name: str) -> Json:
    """A copy that lacks a field."""
    return {key: value for key, value in fields.items() if key != name}


def captured(*items: Json) -> list[ostinato.ReasoningItem]:
    """The items as they are kept."""
    return [ostinato.canonicalize_completed_reasoning_output_item(each) for each in items]


def replayed(*items: Json) -> list[Json]:
    """The items after a trip to storage and back, as provider input."""
    stored = [ostinato.serialize_reasoning_replay_envelope(each) for each in captured(*items)]
    read = [ostinato.parse_reasoning_replay_envelope(text) for text in stored]
    return [ostinato.reasoning_replay_item_to_provider_input(each) for each in read]
