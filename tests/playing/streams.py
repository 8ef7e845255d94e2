"""Cases about the events of a stream: what is captured of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import ostinato
from tests.playing.verdict import Case, absent, differ, reported

# How a case's name of a wire begins, and by whose rules we read its stream; None for a wire's own. Others are of Chat.
SENDERS: tuple[tuple[str, str, str | None], ...] = (
    ("xai-responses", "openai-responses", "xai"),
    ("codex", "openai-responses", "codex"),
    ("openai-responses (Copilot)", "openai-responses", "copilot"),
    ("openai-responses", "openai-responses", None),
    ("anthropic-messages", "anthropic-messages", None),
    ("bedrock-converse", "bedrock-converse", None),
    ("gemini-generate", "gemini-generate-content", None),
    ("gemini-interactions", "gemini-interactions", None),
    ("", "openai-chat", None),
)


def play(case: Case) -> list[str]:
    """What is wrong with what a capture makes of the stream."""
    if case["when"] != "stream" or not case["given"].keys() & {"events", "deltas", "network_chunks", "chunks"}:
        raise NotImplementedError("no stream")
    wire, profile = next(row[1:] for row in SENDERS if case["wire"].startswith(row[0]))
    named = case["given"].get("profile")
    capture = ostinato.Capture(wire, named if named in ostinato.PROFILES else profile)
    for event in _events(case["given"]):
        capture.feed(event)
    captured = capture.finish(case["given"].get("ended_by"))
    wrong = reported(case, captured.report)
    for name, expected in case["then"].get("output", {}).items():
        wrong += differ(name, _output(captured, name), expected)
    return wrong + absent(case, captured, captured.items, [state.to_dict() for state in captured.state])


def _events(given: dict[str, Any]) -> Iterator[Any]:
    """The events, however the case gives them: as they are, as pieces of bytes, or as what one choice holds of them."""
    if "network_chunks" in given:
        parser = ostinato.SseParser()
        pieces = (parser.feed(chunk.encode()) for chunk in given["network_chunks"])
        yield from itertools.chain.from_iterable(pieces)
        yield from parser.finish()
    elif "deltas" in given and "choices" not in given["deltas"][0]:
        yield from ({"choices": [{"delta": delta}]} for delta in given["deltas"])
    else:
        yield from next(given[name] for name in ("events", "deltas", "chunks") if name in given)


def _output(captured: ostinato.Captured, name: str) -> Any:
    """What a case calls by a name."""
    message = captured.items[0] if captured.items else {}
    match name:
        case "captured":
            return [state.to_dict() for state in captured.state]
        case "items" | "output" | "steps":
            return captured.items
        case "arguments_text":
            return dict(captured.arguments)
        case "tool_call_ids":
            return [call.get("id") for call in message.get("tool_calls", [])]
        case "content" | "parts":
            return message.get(name, [])
    return message.get(name)
