"""Cases about blocks of thinking: of Anthropic Messages and Bedrock Converse."""

from __future__ import annotations

import json
from typing import Any

import ostinato
from ostinato import policy
from tests.playing.verdict import Case, absent, differ, refused, reported

WIRES = {"messages": "anthropic-messages", "anthropic-messages": "anthropic-messages"}
WIRES |= {"converse": "bedrock-converse", "bedrock-converse": "bedrock-converse"}
ROWS = {(row.wire, row.provider): row for row in ostinato.PROFILES.values()}


def play(case: Case) -> list[str]:
    """What is wrong with what the rules of thinking make of the case."""
    wire = WIRES.get(case["wire"])
    given = case["given"]
    if wire is None:
        raise NotImplementedError("no blocks of thinking")
    match case["when"]:
        case "replay" if given.get("operation") == "strip_state":
            return _strip(case, wire)
        case "replay" if "captured_chain" in given:
            return _chain(case, wire)
        case "replay" if "captured_prefix" in given:
            return _prefix(case, wire)
        case "replay" if given.keys() & {"content", "messages", "request"}:
            return _prepare(case, wire)
        case "capture" if "content" in given:
            return _capture(case, wire)
        case "load" if "block" in given.get("record", {}):
            return _verify(case)
    raise NotImplementedError("no request, chain, prefix or stored block")


def _target(case: Case, wire: str) -> ostinato.Target:
    given = case["given"]
    told = given.get("target") or {"provider": "bedrock" if wire == "bedrock-converse" else "anthropic"}
    settings = dict(given.get("request") or given.get("settings") or {})
    behavior = told.get("prefix_mismatch_behavior")
    if behavior is not None:
        settings |= policy.binding_settings(behavior)
    return ostinato.Target(
        profile=ROWS.get((WIRES.get(told.get("wire"), wire), told["provider"]), ostinato.PROFILES["ant-messages"]),
        endpoint=told.get("endpoint"),
        account=told.get("account"),
        model=told.get("model"),
        settings=settings,
        last_response=given.get("last_response"),
    )


def _prepare(case: Case, wire: str) -> list[str]:
    given, then = case["given"], case["then"]
    is_whole = "messages" in given
    messages = given["messages"] if is_whole else [{"role": "assistant", "content": given.get("content", [])}]
    before = repr(messages)
    try:
        prepared = ostinato.prepare(messages, _target(case, wire), origin=given.get("origin"))
    except (ostinato.PrepareError, ostinato.ReplayError) as error:
        return refused(case, error) + absent(case, error)
    if "error" in then:
        return ["the request was not refused"]
    report = prepared.report if is_whole else _within(prepared.report, "messages/0/")
    misses = reported(case, report) + absent(case, prepared.items, report)
    misses += [] if repr(messages) == before else ["the input was changed"]
    for name, expected in then.get("output", {}).items():
        misses += differ(name, _output(name, case, wire, messages, prepared.items), expected)
    return misses


def _output(name: str, case: Case, wire: str, messages: list[Any], sent: list[Any]) -> Any:
    """What the case asks for, of what was prepared."""
    match name:
        case "content":
            return sent[0]["content"] if sent else []
        case "messages":
            return sent
        case "messages_unchanged":
            return sent == messages
        case "common_prefix_messages" | "changed":
            count = case["given"]["previous_request_messages"]
            previous = ostinato.prepare(messages[:count], _target(case, wire)).items
            same = [place for place, (one, other) in enumerate(zip(previous, sent, strict=False)) if one == other]
            return len(same) if name != "changed" else [place for place in range(len(previous)) if place not in same]
        case "settings":
            settings = _target(case, wire).settings
            return {"thinking": settings["thinking"], "beta": settings["betas"][0]}
    raise NotImplementedError(name)


def _within(report: ostinato.ReplayReport, start: str) -> ostinato.ReplayReport:
    """The report of one message, its paths within that message."""
    decisions = tuple(decision._replace(path=decision.path.removeprefix(start)) for decision in report.decisions)
    return ostinato.ReplayReport(decisions, report.telemetry, report.unknown_origin)


def _strip(case: Case, wire: str) -> list[str]:
    messages = case["given"]["messages"]
    before = repr(messages)
    stripped = ostinato.strip_state(messages, wire=wire)
    found = {"messages": stripped.items, "removed": stripped.report.counts.get("state_stripped", 0)}
    misses = differ("stripped", found, case["then"]["output"])
    misses += [] if repr(messages) == before else ["the input was changed"]
    return misses + absent(case, stripped.items, stripped.report)


def _chain(case: Case, wire: str) -> list[str]:
    given, then = case["given"], case["then"]
    checked = policy.check_thinking_chain(given["messages"], given["captured_chain"], wire=wire)
    found = {
        name: [_signature(given["messages"], path) for path in getattr(checked, name)] for name in ("valid", "invalid")
    }
    wanted = {name: value for name, value in then.get("output", {}).items() if name in found}
    return differ("chain", {name: found[name] for name in wanted}, wanted) + reported(case, checked.report)


def _signature(messages: list[Any], path: str) -> str:
    _, message, _, place = path.split("/")
    block = messages[int(message)]["content"][int(place)]
    return block.get("signature") or block.get("data") or block["reasoningContent"]["reasoningText"]["signature"]


def _prefix(case: Case, wire: str) -> list[str]:
    given = case["given"]
    change = ostinato.prefix_change(given["captured_prefix"], given["now"], wire=wire)
    found = {"prefix_equal": change is None}
    if change is not None:
        found["first_difference"] = dict(change.facts)["part"]
    report = ostinato.ReplayReport(() if change is None else (change,))
    return differ("prefix", found, case["then"]["output"]) + reported(case, report)


def _capture(case: Case, wire: str) -> list[str]:
    captured = []
    for place, block in enumerate(case["given"]["content"]):
        value = _with_bytes(block)
        try:
            item = ostinato.canonicalize_completed_reasoning_output_item(value, wire=wire)
        except ostinato.ReplayError as error:
            if error.path == "type" or (wire == "bedrock-converse" and "reasoningContent" not in block):
                captured.append(block)  # no replay item
                continue
            return refused(case, ostinato.ReplayError(error.code, f"content/{place}/{error.path}"))
        stored = ostinato.parse_reasoning_replay_envelope(ostinato.serialize_reasoning_replay_envelope(item))
        captured.append(json.loads(ostinato.reasoning_replay_item_to_provider_input(stored, as_json=True)))
    if "error" in case["then"]:
        return ["the content was accepted"]
    return differ("content", captured, case["then"]["output"]["content"])


def _with_bytes(value: Any) -> Any:
    """A value whose bytes a case spells in hex."""
    if isinstance(value, dict):
        return {
            name.removesuffix("_bytes_hex"): bytes.fromhex(part) if name.endswith("_bytes_hex") else _with_bytes(part)
            for name, part in value.items()
        }
    return [_with_bytes(part) for part in value] if isinstance(value, list) else value


def _verify(case: Case) -> list[str]:
    record = case["given"]["record"]
    try:
        decision = policy.verify_thinking(record["block"], record.get("captured"))
    except ostinato.ReplayError as error:
        return refused(case, error) + absent(case, error)
    if "error" in case["then"]:
        return ["the block was accepted"]
    return reported(case, ostinato.ReplayReport(() if decision is None else (decision,)))
