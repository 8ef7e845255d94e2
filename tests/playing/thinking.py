"""Cases about blocks of thinking: of Anthropic Messages and Bedrock Converse."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import ostinato
from ostinato import policy
from tests.playing.verdict import Case, absent, as_text, differ, refused, reported, under_policy, with_bytes

ROWS = {(row.wire, row.provider): row for row in ostinato.PROFILES.values()}


def play(case: Case) -> list[str]:
    """What is wrong with what the rules of thinking make of the case."""
    given = case["given"]
    wire = _wire(case)
    if wire is None:
        raise NotImplementedError("no blocks of thinking")
    match case["when"]:
        case "replay" if given.get("operation") == "strip_state":
            return _strip(case, wire)
        case "replay" if "captured_chain" in given:
            return _chain(case, wire)
        case "replay" if "captured_prefix" in given:
            return _prefix(case, wire)
        case "replay" if given.keys() & {"content", "messages", "message", "request"}:
            return _prepare(case, wire)
        case "capture" if _content(given) is not None:
            return _capture(case, wire)
        case "load" if "block" in given.get("record", {}) or "block" in given:
            return _verify(case, wire)
    raise NotImplementedError("no request, chain, prefix or stored block")


def _wire(case: Case) -> str | None:
    """The wire of the target, else what the case's name of it begins with."""
    named = case["given"].get("target", {}).get("wire")
    if named is not None:
        return next((wire for start, wire in STARTS.items() if named.startswith(start)), None)
    return next((wire for start, wire in STARTS.items() if case["wire"].startswith(start)), None)


STARTS = {"anthropic": "anthropic-messages", "bedrock": "bedrock-converse"}
STARTS |= {"messages": "anthropic-messages", "converse": "bedrock-converse"}
RULES = {"unsigned_thinking": "unsigned", "unsigned_allowed": "unsigned"}
"""How a case names a rule of a target, where the name differs."""


def _target(case: Case, wire: str) -> ostinato.Target:
    given = case["given"]
    told = given.get("target") or {"provider": "bedrock" if wire == "bedrock-converse" else "anthropic"}
    settings = dict(given.get("request") or given.get("settings") or {})
    behavior = told.get("prefix_mismatch_behavior")
    if behavior is not None:
        settings |= policy.binding_settings(behavior)
    for name in ("thinking", "betas", "tools", "system"):
        if name in told:
            settings[name] = {"type": told[name]} if name == "thinking" and isinstance(told[name], str) else told[name]
    row = ROWS.get((wire, told["provider"]))
    if row is None:  # a server that nobody knows is one of its own
        row = replace(ostinato.PROFILES["ant-messages"], provider=told["provider"])
    known = {name for name, _cell in row.cells()}
    rules = {RULES.get(name, name): value for name, value in told.items() if RULES.get(name, name) in known}
    rules = {name: "keep" if value is True else value for name, value in rules.items()}
    return ostinato.Target(
        profile=row.but(**rules),
        endpoint=told.get("endpoint"),
        account=told.get("account"),
        model=told.get("model"),
        settings=settings,
        last_response=given.get("last_response"),
    )


def _prepare(case: Case, wire: str) -> list[str]:
    return under_policy(case, _target(case, wire), lambda target: _prepared(case, wire, target))


def _prepared(case: Case, wire: str, target: ostinato.Target) -> list[str]:
    given, then = case["given"], case["then"]
    is_whole = "messages" in given
    one = given.get("message") or {"role": "assistant", "content": given.get("content", [])}
    messages = with_bytes(given["messages"] if is_whole else [one])
    before = repr(messages)
    try:
        prepared = ostinato.prepare(messages, target, origin=given.get("origin"))
    except (ostinato.PrepareError, ostinato.ReplayError) as error:
        return refused(case, error) + absent(case, error)
    if "error" in then:
        return ["the request was not refused"]
    report = prepared.report if is_whole else _within(prepared.report, "messages/0/")
    misses = reported(case, report) + absent(case, prepared.items, report)
    misses += [] if repr(messages) == before else ["the input was changed"]
    for name, expected in then.get("output", {}).items():
        found = _output(name, case, wire, messages, prepared.items)
        misses += differ(name, as_text(found), as_text(with_bytes(expected)))
    return misses


def _output(name: str, case: Case, wire: str, messages: list[Any], sent: list[Any]) -> Any:
    """What the case asks for, of what was prepared."""
    match name:
        case "content":
            return sent[0]["content"] if sent else []
        case "messages":
            return sent
        case "message":
            return sent[0] if sent else None
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
    wanted = case["then"]["output"]
    misses = differ("stripped", {name: found.get(name) for name in wanted}, wanted) + reported(case, stripped.report)
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
    found: dict[str, Any] = {"prefix_equal": change is None}
    wanted = dict(case["then"]["output"])
    if change is not None:
        # A case names the part of the request, or the place in it.
        places = (dict(change.facts)["part"], change.path)
        found["first_difference"] = next((place for place in places if place == wanted.get("first_difference")), places)
    report = ostinato.ReplayReport(() if change is None else (change,))
    return differ("prefix", {name: found.get(name) for name in wanted}, wanted) + reported(case, report)


def _capture(case: Case, wire: str) -> list[str]:
    captured = []
    for place, block in enumerate(_content(case["given"]) or []):
        value = with_bytes(block)
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
        return _no_answer(case, wire, captured)
    output = case["then"]["output"]
    wanted = output["content"] if "content" in output else next(iter(output.values()))["content"]
    return differ("content", captured, wanted)


def _content(given: dict[str, Any]) -> list[Any] | None:
    """The blocks of an answer, however the case gives it."""
    if isinstance(given.get("content"), list):
        return list(given["content"])
    answer = given.get("message") or given.get("response") or {}
    answer = answer.get("output", {}).get("message", answer) if isinstance(answer.get("output"), dict) else answer
    return answer["content"] if isinstance(answer.get("content"), list) else None


def _no_answer(case: Case, wire: str, content: list[Any]) -> list[str]:
    """Where a message is thinking and nothing else, which no provider takes back."""
    message = {"role": "assistant", "content": content}
    try:
        ostinato.prepare([message], _target(case, wire).but(empty_messages="raise"))
    except ostinato.PrepareError as error:
        return refused(case, ostinato.ReplayError(error.code, "content"))
    return ["the content was accepted"]


def _verify(case: Case, wire: str) -> list[str]:
    record = case["given"].get("record", case["given"])
    try:
        decision = policy.verify_thinking(record["block"], record.get("captured"))
        item = ostinato.canonicalize_completed_reasoning_output_item(record["block"], wire=wire)
        stored = ostinato.parse_reasoning_replay_envelope(ostinato.serialize_reasoning_replay_envelope(item))
    except ostinato.ReplayError as error:
        return refused(case, error) + absent(case, error)
    if "error" in case["then"]:
        return ["the block was accepted"]
    misses = reported(case, ostinato.ReplayReport(() if decision is None else (decision,)))
    output = case["then"].get("output", {})
    return misses + (differ("block", stored.to_dict(), output["block"]) if "block" in output else [])
