"""The real package, asked the way its own request path asks it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from fast_agent.llm.provider.openai import compaction_replay, reasoning_replay

from tests.compat.fast_agent_vectors import compact


@dataclass(frozen=True)
class Answer:
    """What became of an input: `accepts` with a value, `refuses`, or the name of an exception."""

    verdict: str
    value: Any = None


def ask(function: Any, *given: Any, **named: Any) -> Answer:
    """Call a function that answers None where it refuses."""
    try:
        value = function(*given, **named)
    except (TypeError, ValueError, RecursionError, AttributeError) as error:
        return Answer(type(error).__name__)
    return Answer("refuses") if value is None else Answer("accepts", value)


def stored_text(answer: Answer) -> str | None:
    """The text that fast-agent stores for a captured envelope."""
    return None if answer.verdict != "accepts" else compact(answer.value)


def read(text: str) -> dict[str, Any] | None:
    """The provider input of a stored text: decoded, then parsed, malformed text being skipped."""
    try:
        decoded = json.loads(text)
    except json.JSONDecodeError:
        return None
    return reasoning_replay.parse_reasoning_replay(decoded) if isinstance(decoded, dict) else None


def read_compaction(text: str) -> dict[str, Any] | None:
    """The same for a compaction envelope."""
    decoded = json.loads(text)
    return compaction_replay.parse_compaction_replay(decoded) if isinstance(decoded, dict) else None
