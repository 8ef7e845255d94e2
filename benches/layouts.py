"""How agents lay their histories out on disk: fast-agent, Codex CLI, Claude Code.

Each layout gives turns of messages or records without end; the generator decides when a file is full.
A turn yields `(value, records)`: what goes into the file, and the stored replay records inside it.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from synthetic import Source

Record = tuple[str, dict[str, object], str]
Unit = tuple[dict[str, object], list[Record]]

START = datetime(2026, 11, 30, 7, 40, tzinfo=UTC)


def _clock(source: Source) -> Iterator[datetime]:
    """Times a few seconds apart."""
    now = START + timedelta(minutes=source.rng.randrange(100_000))
    while True:
        now += timedelta(microseconds=source.rng.randrange(40_000, 9_000_000))
        yield now


def _micro(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _milli(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


# --- fast-agent 0.10.48 -------------------------------------------------------------------------


def _block(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def _diagnostics(source: Source) -> dict[str, object]:
    """The channels fast-agent writes beside the reasoning: Python's default JSON inside a text block."""
    wait, took = round(source.rng.uniform(1, 900), 2), round(source.rng.uniform(400, 9000), 2)
    begin = round(source.rng.uniform(900, 99_999), 9)
    timing = {"duration_ms": took, "ttft_ms": wait, "time_to_response_ms": wait}
    prompt, out = source.rng.randrange(900, 90_000), source.rng.randrange(50, 4000)
    usage = {
        "schema": "fast-agent.usage/v2",
        "provider_attempts": [
            {
                "provider": "responses",
                "upstream_provider": None,
                "usage_schema": "openai-responses",
                "model": "gpt-5",
                "prompt": {"total": prompt, "uncached": None, "cache_read": 0, "cache_write": None, "tool_use": None},
                "completion": {"total": out, "reasoning": out // 2},
                "tool_calls": 1,
                "reasoning_effort": "medium",
                "requested_service_tier": None,
                "service_tier": None,
                "cost_usd": None,
                "timestamp": 1796024418.7711172,
                "timing": timing,
                "raw_usage": {
                    "input_tokens": prompt,
                    "input_tokens_details": {"cache_write_tokens": None, "cached_tokens": 0},
                    "output_tokens": out,
                    "output_tokens_details": {"reasoning_tokens": out // 2},
                    "total_tokens": prompt + out,
                },
                "context_tokens": None,
                "total": prompt + out,
            }
        ],
    }
    stream = {
        "events_received": source.rng.randrange(9, 400),
        "first_event_wait_ms": wait,
        "max_inter_event_wait_ms": wait,
        "inter_event_waits_over_10s": 0,
        "timed_out": False,
    }
    return {
        "fast-agent-provider-diagnostics": _block(json.dumps({"transport": "sse", "stream_timing": stream})),
        "fast-agent-responses-cache-state": _block(
            '{"model":"gpt-5","key":"916a8ffd610641b783fabe370a960d38","effort":null}'
        ),
        "fast-agent-timing": _block(
            json.dumps({"start_time": begin, "end_time": round(begin + took / 1000, 9), **timing})
        ),
        "fast-agent-usage": _block(json.dumps(usage)),
    }


def _channels(source: Source, between: dict[str, object]) -> tuple[dict[str, object], list[Record]]:
    """The channels of one assistant message: display text, records, then whatever comes after them."""
    records = [source.record() for _ in range(source.rng.choices((1, 2), weights=(6, 1))[0])]
    display = [
        "\n\n".join(part["text"].strip() for part in item["summary"])  # type: ignore[attr-defined]
        for _, item, _ in records
    ]
    channels: dict[str, object] = {}
    if any(display):
        channels["reasoning"] = [block for text in display if text for block in _block(text)]
    channels["openai-reasoning-encrypted"] = [block for _, _, text in records for block in _block(text)]
    return channels | between | _diagnostics(source), records


def _raw_answer(source: Source, text: str) -> dict[str, object]:
    message = {
        "id": source.hex_id("msg_"),
        "content": [{"annotations": [], "text": text, "type": "output_text", "logprobs": []}],
        "role": "assistant",
        "status": "completed",
        "type": "message",
        "phase": "final_answer",
    }
    return {"openai-assistant-message-items": _block(json.dumps(message))}


def fast_agent(source: Source) -> Iterator[Unit]:
    """Messages of a history file: a request, a loop of tool calls, an answer; then the next turn."""
    clock = _clock(source)
    calls = count(1)

    def close(message: dict[str, object]) -> dict[str, object]:
        return {**message, "is_template": False, "timestamp": _micro(next(clock))}

    while True:
        question = source.text(source.rng.randrange(40, 200), ascii_only=source.rng.random() < 0.6)
        yield close({"role": "user", "content": _block(question)}), []
        for _ in range(source.rng.randrange(1, 8)):
            call = f"call_{next(calls)}"
            query = source.text(30)
            method = {"method": "tools/call", "params": {"name": "lookup", "arguments": {"query": query}}}
            channels, records = _channels(source, {})
            asked = {"role": "assistant", "content": [], "tool_calls": {call: method}, "channels": channels}
            yield close({**asked, "stop_reason": "toolUse"}), records
            output = source.text(source.rng.randrange(40, 240), ascii_only=source.rng.random() < 0.8)
            result = {"content": _block(f"result for {query!r} #0: {output}"), "isError": False}
            took = {call: {"timing_ms": round(source.rng.uniform(1, 900), 2), "transport_channel": None}}
            answered = {
                "role": "user",
                "content": [],
                "tool_results": {call: {**result, "resultType": "complete"}},
                "channels": {"fast-agent-tool-timing": _block(json.dumps(took))},
            }
            yield close(answered), []
        answer = source.text(source.rng.randrange(80, 400), ascii_only=source.rng.random() < 0.5)
        channels, records = _channels(source, _raw_answer(source, answer))
        final = {"role": "assistant", "content": _block(answer), "channels": channels, "stop_reason": "endTurn"}
        yield close({**final, "phase": "final_answer"}), records


# --- Codex CLI 0.104 rollouts -------------------------------------------------------------------


def _token_count(source: Source) -> dict[str, object]:
    used = {
        "input_tokens": source.rng.randrange(9000, 200_000),
        "cached_input_tokens": 8000,
        "output_tokens": source.rng.randrange(100, 4000),
        "reasoning_output_tokens": source.rng.randrange(50, 2000),
        "total_tokens": source.rng.randrange(9000, 200_000),
    }
    info = {"total_token_usage": used, "last_token_usage": used, "model_context_window": 258_400}
    window = {"used_percent": 13.0, "window_minutes": 300, "resets_at": 1796024418}
    limits = {"limit_id": "codex", "limit_name": None, "primary": window, "secondary": window, "plan_type": None}
    return {"type": "token_count", "info": info, "rate_limits": limits}


def _turn_context(source: Source, instructions: str) -> dict[str, object]:
    return {
        "turn_id": source.uuid(),
        "cwd": "/srv/demo/agent",
        "approval_policy": "on-request",
        "sandbox_policy": {"type": "workspace-write", "network_access": False},
        "model": "gpt-5.3-codex",
        "effort": "medium",
        "summary": "auto",
        "user_instructions": instructions,
        "truncation_policy": {"mode": "tokens", "limit": 10_000},
    }


def codex(source: Source) -> Iterator[Unit]:
    """Records of a rollout: the session's head, then turns of reasoning, calls and messages."""
    clock = _clock(source)

    def line(kind: str, payload: dict[str, object]) -> dict[str, object]:
        return {"timestamp": _milli(next(clock)), "type": kind, "payload": payload}

    def message(role: str, text: str) -> dict[str, object]:
        kind = "output_text" if role == "assistant" else "input_text"
        return line("response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    instructions = source.text(4000, ascii_only=False)
    head = {
        "id": source.uuid(),
        "timestamp": _milli(START),
        "cwd": "/srv/demo/agent",
        "originator": "codex_cli_rs",
        "cli_version": "0.104.0",
        "source": "cli",
        "model_provider": "openai",
        "base_instructions": {"text": source.text(12_000)},
    }
    yield line("session_meta", head), []
    while True:
        question = source.text(source.rng.randrange(100, 2000), ascii_only=source.rng.random() < 0.5)
        yield message("user", question), []
        asked = {"type": "user_message", "message": question, "images": [], "local_images": [], "text_elements": []}
        yield line("event_msg", asked), []
        for _ in range(source.rng.randrange(1, 7)):
            yield line("turn_context", _turn_context(source, instructions)), []
            summary = source.summary()[:1]
            for part in summary:
                yield line("event_msg", {"type": "agent_reasoning", "text": part["text"]}), []
            item = {"type": "reasoning", "summary": summary, "content": None}
            item["encrypted_content"] = source.fernet(source.ciphertext_length())
            yield line("response_item", item), [("codex", item, "")]
            call = f"call_{source.rng.getrandbits(96):024x}"
            command = json.dumps({"cmd": source.text(60)})
            function = {"type": "function_call", "name": "exec_command", "arguments": command, "call_id": call}
            yield line("response_item", function), []
            output = source.text(source.rng.randrange(100, 5000), ascii_only=source.rng.random() < 0.7)
            yield line("response_item", {"type": "function_call_output", "call_id": call, "output": output}), []
            yield line("event_msg", _token_count(source)), []
        answer = source.text(source.rng.randrange(100, 900), ascii_only=source.rng.random() < 0.4)
        yield line("event_msg", {"type": "agent_message", "message": answer}), []
        yield message("assistant", answer), []


# --- Claude Code transcripts --------------------------------------------------------------------


def claude_code(source: Source) -> Iterator[Unit]:
    """Lines of a transcript: each response split over several lines of one block, chained by uuid."""
    clock = _clock(source)
    session, parent = source.uuid(), None

    def line(rest: dict[str, object]) -> dict[str, object]:
        nonlocal parent
        head = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/srv/demo/agent",
            "sessionId": session,
            "version": "2.1.12",
            "gitBranch": "main",
        }
        parent = source.uuid()
        return {**head, **rest, "uuid": parent, "timestamp": _milli(next(clock))}

    def assistant(ident: str, block: dict[str, object]) -> dict[str, object]:
        usage = {
            "input_tokens": 10,
            "cache_creation_input_tokens": 9810,
            "cache_read_input_tokens": 32_244,
            "cache_creation": {"ephemeral_5m_input_tokens": 9810, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 6,
            "service_tier": "standard",
        }
        body = {"model": "claude-opus-4-5-20251101", "id": ident, "type": "message", "role": "assistant"}
        body |= {"content": [block], "stop_reason": None, "stop_sequence": None, "usage": usage}
        return line({"message": body, "requestId": ident.replace("msg", "req"), "type": "assistant"})

    while True:
        question = source.text(source.rng.randrange(40, 600), ascii_only=source.rng.random() < 0.6)
        yield line({"type": "user", "message": {"role": "user", "content": question}}), []
        for _ in range(source.rng.randrange(1, 7)):
            ident = f"msg_01{source.rng.getrandbits(88):022x}"
            thinking = source.text(source.rng.randrange(80, 900), ascii_only=source.rng.random() < 0.4)
            length = min(max(len(thinking) * 27 // 10, 300), 130_000)
            block = {"type": "thinking", "thinking": thinking, "signature": source.signature(length)}
            yield assistant(ident, block), [("claude_code", block, "")]
            tool = f"toolu_01{source.rng.getrandbits(88):022x}"
            use = {"type": "tool_use", "id": tool, "name": "Read", "input": {"file_path": "/srv/demo/agent/main.py"}}
            yield assistant(ident, use), []
            text = source.text(source.rng.randrange(100, 6000), ascii_only=source.rng.random() < 0.7)
            result = {"tool_use_id": tool, "type": "tool_result", "content": text}
            copy = {"type": "text", "file": {"filePath": "/srv/demo/agent/main.py", "content": text, "numLines": 48}}
            message = {"role": "user", "content": [result]}
            yield line({"type": "user", "message": message, "toolUseResult": copy}), []
        answer = source.text(source.rng.randrange(80, 900), ascii_only=source.rng.random() < 0.4)
        yield assistant(f"msg_01{source.rng.getrandbits(88):022x}", {"type": "text", "text": answer}), []


LAYOUTS = {"fast_agent": fast_agent, "codex": codex, "claude_code": claude_code}
