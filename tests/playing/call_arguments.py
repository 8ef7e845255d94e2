"""Cases about the text of a call's arguments: on every wire that has them as text, and through the message model."""

from __future__ import annotations

import json

import ostinato
from tests.playing.verdict import Case, absent, differ, unanswered


def play(case: Case) -> list[str]:
    """Where the text that goes out is not the text that came."""
    given = case["given"]
    if case["when"] not in ("replay", "load") or "tool_call" not in given:
        raise NotImplementedError("no call")
    call, expected = given["tool_call"], case["then"]["output"]["bytes"]
    if not isinstance(call["arguments"], str):
        return _rebuilt(case)
    found = {name: send(call["call_id"], call["arguments"]) for name, send in _WAYS.items()}
    return [miss for name, sent in found.items() for miss in differ(name, sent, expected)] + absent(case, found)


def _rebuilt(case: Case) -> list[str]:
    """Of a call whose text nobody kept: the one form in which it is written, and that it was."""
    call = case["given"]["tool_call"]
    asked = {"type": "tool_call.done", "name": "f", "arguments": call["arguments"], "tool_call_id": call["call_id"]}
    loaded = ostinato.load(json.dumps([{"role": "assistant", "content_items": [asked]}]).encode())
    said = [finding.to_dict() for finding in loaded.report.findings]
    found = next(item["arguments"] for item in loaded.items if "arguments" in item)
    return differ("arguments", found, case["then"]["output"]["bytes"]) + unanswered(case, said)


def _responses(call_id: str, arguments: str) -> str:
    call = {"type": "function_call", "call_id": call_id, "name": "f", "arguments": arguments}
    result = {"type": "function_call_output", "call_id": call_id, "output": "ok"}
    sent: str = ostinato.prepare([call, result], "openai").items[0]["arguments"]
    return sent


def _chat(call_id: str, arguments: str) -> str:
    call = {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": call_id, "content": "ok"}
    sent = ostinato.prepare([{"role": "user", "content": "q"}, asked, result], "openai-chat").items[1]
    text: str = sent["tool_calls"][0]["function"]["arguments"]
    return text


def _message(call_id: str, arguments: str) -> str:
    """Recorded by the client, whose model has arguments as an object and keeps the text beside it."""
    decoded = {"name": "f", "arguments": json.loads(arguments), "tool_call_id": call_id}
    asked = {"type": "tool_call.done", **decoded, "fidelity": {"arguments": arguments}}
    said = {"type": "text.done", "text": "q"}
    messages = [{"role": "user", "content_items": [said]}, {"role": "assistant", "content_items": [asked]}]
    body = ostinato.wire("openai-official", "gpt-6").encode(messages)  # type: ignore[arg-type] - as JSON has it
    text: str = body["input"][-1]["arguments"]
    return text


_WAYS = {"responses": _responses, "chat": _chat, "message": _message}
