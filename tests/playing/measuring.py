"""Cases about figures: what a history holds, what each request sends again, and who may read the file."""

from __future__ import annotations

import json
import pathlib
import tempfile
from typing import Any

import ostinato
from ostinato.policy.prepare import counters
from tests.playing.verdict import Case, absent, differ


def play(case: Case) -> list[str]:
    """What is wrong with the figures of a history that holds what the case gives."""
    if case["when"] != "measure":
        raise NotImplementedError("no figures")
    given = case["given"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "history.jsonl"
        wire = next((WIRES[name] for name in WIRES if name in given), None)
        if "request" in given:
            return _body(case)
        if wire is not None:
            return _counted(case, wire)
        if "file" in given:
            return _modes(case, path)
        if "requests" in given:
            return _requests(case, path)
        if "turns" in given:
            return _turns(case, path)
        return _figures(case, path)


WIRES = {"contents": "gemini-generate-content", "messages": "openai-chat", "steps": "gemini-interactions"}
"""What a case gives that is no saved history, and whose native items these are where its wire does not say more."""


def _counted(case: Case, wire: str) -> list[str]:
    """Figures of native items: what a turn replays of them."""
    given, output = case["given"], case["then"].get("output", {})
    named = (known for known in ("anthropic-messages", "bedrock-converse") if case["wire"].startswith(known))
    wire = next(named, wire)
    items = next(given[name] for name in WIRES if name in given)
    if "requests" in given:
        sent = [counters(wire, items[:end]).reasoning_replay_encrypted_bytes for end in given["requests"]]
        named_sums = {"cumulative": sum(sent)}
        named_sums |= {name: sent for name in output if name.endswith("_per_request")}
        return [miss for name in output for miss in differ(name, named_sums.get(name), output[name])]
    found = counters(wire, items)
    text = ostinato.redact(items).report["reasoning_text"]
    figures = {
        "encrypted_bytes": found.reasoning_replay_encrypted_bytes,
        "signature_bytes": found.reasoning_replay_encrypted_bytes,
        "reasoning_text_bytes": text["bytes"],
        "placeholders": ostinato.prepare(items, "gemini").report.counts.get("placeholder_present", 0)
        if "contents" in given
        else 0,
        "items": found.reasoning_replay_item_count,
    }
    return [miss for name in output for miss in differ(name, figures.get(name), output[name])]


def _body(case: Case) -> list[str]:
    """Figures of the body of a request: which share of it each field of state has."""
    body, output = case["given"]["request"], case["then"].get("output", {})
    report = ostinato.redact(body).report
    size = len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())
    named = {
        "encrypted_bytes": report["opaque"]["bytes"],
        "summary_bytes": report["reasoning_text"]["bytes"],
        "body_bytes": size,
        "share": round(report["opaque"]["bytes"] / size, 2),
        "by_field": {name: field["bytes"] for name, field in report["opaque"]["fields"].items()},
    }
    wrong = [miss for name in output for miss in differ(name, named.get(name), output[name])]
    return wrong + absent(case, report)


def _lines(given: Any) -> list[str]:
    """A history as the case has it, or one that holds its items."""
    if "lines" in given:
        lines: list[str] = given["lines"]
        return lines
    if "text" in given:
        return [given["text"]]
    if "content" in given:
        message = {"role": "assistant", "id": "msg_1", "content": given["content"]}
        return [json.dumps({"type": "assistant", "parentUuid": None, "message": message})]
    message = given.get("message", {})
    events = []
    if "display_reasoning" in message:
        events.append({"type": "agent_reasoning", "text": message["display_reasoning"]})
    if "usage" in given:
        total = {"reasoning_output_tokens": given["usage"]["reasoning_tokens"]}
        events.append({"type": "token_count", "info": {"total_token_usage": total}})
    items = given["items"] if "items" in given else message.get("replay_items")
    if items is None:
        raise NotImplementedError("nothing to measure")
    records = [{"type": "response_item", "payload": item} for item in items]
    return [json.dumps(record) for record in [*records, *({"type": "event_msg", "payload": event} for event in events)]]


def _measured(path: pathlib.Path, lines: list[str]) -> Any:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return ostinato.measure(path).files[0]


def _figures(case: Case, path: pathlib.Path) -> list[str]:
    if "files" in case["given"]:
        files = case["given"]["files"]
        for place, lines in enumerate(files.values() if isinstance(files, dict) else files):
            path.with_name(f"{place}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        found = ostinato.measure(path.parent).total
    else:
        found = _measured(path, _lines(case["given"]))
    state, text = found["state"], found["text"]
    # How a case names a figure, and where it stands here.
    named = {
        "encrypted_bytes_total": state["bytes"],
        "encrypted_bytes_unique": state["unique_bytes"],
        "by_record": state["by_record"],
        "file_bytes": found["bytes"],
        "encrypted_bytes": state["bytes"],
        "provider_reasoning_tokens": found["tokens"]["reasoning"],
        "bytes_per_reasoning_token": found["tokens"]["state_bytes_per_token"],
        "thinking_blocks": found["thinking"]["blocks"],
        "redacted_blocks": found["items"].get("anthropic.redacted_thinking", 0),
        "signature_bytes": state["by_kind"].get("anthropic.thinking", 0),
        "signature_bytes_unique": state["unique_bytes"],
        "redacted_bytes": state["by_kind"].get("anthropic.redacted_thinking", 0),
        "thinking_text_bytes": text["thinking_bytes"],
        "summary_bytes": text["summary_bytes"],
        "summary_parts": text["summary_parts"],
        "content_bytes": text["content_bytes"],
        "display_bytes": found["display"]["bytes"],
        "items": sum(found["items"].values()),
        "messages": found["responses"],
        "lines": found["lines"],
        "items_with_id": found["ids"]["with_id"],
        "exact_duplicates": found["repeats"]["exact_duplicate"],
    }
    wrong = []
    for name, expected in case["then"].get("output", {}).items():
        parts = expected if name == "replay" else {name: expected}
        for part, figure in parts.items():
            if part not in named:
                raise NotImplementedError(f"no figure {part}")
            wrong += differ(part, named[part], figure)
    return wrong + absent(case, found)


def _requests(case: Case, path: pathlib.Path) -> list[str]:
    given, output = case["given"], case["then"]["output"]
    replays = [_measured(path, _lines({"items": given["items"][:end]}))["replay"] for end in given["requests"]]
    sent = [replay["final_request_bytes"] for replay in replays]
    return differ("encrypted_bytes_per_request", sent, output["encrypted_bytes_per_request"]) + differ(
        "cumulative", replays[-1]["cumulative_bytes"], output["cumulative"]
    )


def _turns(case: Case, path: pathlib.Path) -> list[str]:
    """Figures of each turn by itself."""
    each = [_measured(path, _lines({"items": turn}))["state"]["bytes"] for turn in case["given"]["turns"]]
    output = case["then"]["output"]
    return [miss for name in output for miss in differ(name, each, output[name])]


def _modes(case: Case, path: pathlib.Path) -> list[str]:
    given = case["given"]
    path.write_text("".join(f"{line}\n" for line in _lines(given)), encoding="utf-8")
    path.chmod(int(given["file"]["mode"], 8))
    path.parent.chmod(int(given["file"]["dir_mode"], 8))
    found = ostinato.measure(path.parent)
    path.parent.chmod(0o700)
    return differ("report", found.files[0]["findings"] + found.folders[0]["findings"], case["then"].get("report", []))
