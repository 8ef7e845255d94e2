"""What Gemini streams, on each of its two wires."""

from typing import Any


def chunk(*parts: Any, **more: Any) -> Any:
    """One event of generateContent."""
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}]}


def content(text: str, thought: str = "A thought.") -> list[Any]:
    """The events of a generateContent response: a thought, and a signed text."""
    return [
        chunk({"text": thought, "thought": True}),
        chunk({"text": text, "thoughtSignature": "c2lnLTE="}),
        chunk({"text": ""}, finishReason="STOP")
        | {"usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "thoughtsTokenCount": 1}},
    ]


def interaction(text: str, thought: str = "A thought.") -> list[Any]:
    """The events of an interaction: a signed thought, and a text."""
    usage = {"total_input_tokens": 3, "total_output_tokens": 2, "total_thought_tokens": 1}
    deltas = [
        {"type": "thought_summary", "content": {"type": "text", "text": thought}},
        {"type": "thought_signature", "signature": "c2lnLTE="},
    ]
    return [
        {"event_type": "step.start", "index": 0, "step": {"type": "thought"}},
        *({"event_type": "step.delta", "index": 0, "delta": delta} for delta in deltas),
        {"event_type": "step.stop", "index": 0},
        {"event_type": "step.start", "index": 1, "step": {"type": "model_output"}},
        {"event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": text}},
        {"event_type": "step.stop", "index": 1},
        {"event_type": "interaction.completed", "interaction": {"id": "i", "status": "completed", "usage": usage}},
    ]
