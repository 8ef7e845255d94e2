"""Cases about the events of a stream: what is captured of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import ostinato
from tests.playing.verdict import Case, absent, at, differ, reported

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
    whole = case["when"] == "capture" and any(isinstance(case["given"].get(name), dict) for name in ANSWERS)
    if not whole and (case["when"] != "stream" or not case["given"].keys() & {*STREAMS, *PIECES}):
        raise NotImplementedError("no stream")
    wire, profile = next(row[1:] for row in SENDERS if case["wire"].startswith(row[0]))
    named = case["given"].get("profile") or case["given"].get("provider")
    capture = ostinato.Capture(wire, named if named in ostinato.PROFILES else profile)
    for event in _events(case["given"]):
        capture.feed(event)
    captured = capture.finish(case["given"].get("ended_by"))
    wrong = reported(case, captured.report)
    for name, expected in case["then"].get("output", {}).items():
        wrong += differ(name, _output(captured, name), expected)
    return wrong + absent(case, captured, captured.items, [state.to_dict() for state in captured.state])


STREAMS = ("events", "deltas", "chunks", "stream", "parts")
ANSWERS: dict[str, Callable[[Any], Any]] = {
    "content": lambda content: {"candidates": [{"content": content, "finishReason": "STOP"}]},
    "message": lambda message: {"choices": [{"message": message, "finish_reason": "stop"}]},
    "response": lambda response: (
        {"type": "response.completed", "response": response} if "output" in response else response
    ),
}
"""Answers that came without a stream, as the one event that says the same."""
PIECES = ("network_chunks", "sse", "raw")
"""Under which names a case gives events, and bytes of a body."""


def _events(given: dict[str, Any]) -> Iterator[Any]:
    """The events, however the case gives them: as they are, as pieces of bytes, or as what one choice holds of them."""
    answer = next((name for name in ANSWERS if isinstance(given.get(name), dict)), None)
    if answer is not None:
        yield ANSWERS[answer](given[answer])
        return
    body = next((given[name] for name in PIECES if name in given), None)
    if body is not None:
        parser = ostinato.SseParser()
        pieces = (parser.feed(chunk.encode()) for chunk in ([body] if isinstance(body, str) else body))
        yield from itertools.chain.from_iterable(pieces)
        yield from parser.finish()
    elif "parts" in given:
        yield from ({"candidates": [{"content": {"parts": [part]}}]} for part in given["parts"])
    elif "deltas" in given and "choices" not in given["deltas"][0]:
        yield from ({"choices": [{"delta": delta}]} for delta in given["deltas"])
    else:
        yield from next(given[name] for name in STREAMS if name in given)


def _output(captured: ostinato.Captured, name: str) -> Any:
    """What a case calls by a name."""
    message = captured.items[0] if captured.items else {}
    whole = {"items": captured.items, "output": captured.items, "steps": captured.items, "message": message}
    whole |= {"captured": [state.to_dict() for state in captured.state], **message}
    whole |= {"content": message} if "parts" in message else {}
    match name:
        case "arguments_text":
            return dict(captured.arguments)
        case "tool_call_ids":
            return [call.get("id") for call in message.get("tool_calls", [])]
        case "complete":
            return captured.complete
        case "content" | "parts" if "parts" not in message or name == "parts":
            return message.get(name, [])
    return at(whole, name)
