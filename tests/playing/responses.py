"""Cases about what of a Responses conversation may be sent, trimmed, or said about one item."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import ostinato
from tests.playing.verdict import Case, absent, answers, differ, refused, reported, under_policy

WIRE = "openai-responses"
Json = dict[str, Any]


def play(case: Case) -> list[str]:
    """What is wrong with what is prepared, or with where a conversation is cut."""
    given = case["given"]
    if case["when"] != "replay" or not _is_of_this_wire(case) or not given.keys() & set(GIVEN):
        raise NotImplementedError("no items of this wire for a target")
    operation = given.get("operation")
    if isinstance(operation, dict):
        return _trim(case)
    if operation is not None:
        return _strip(case)
    return under_policy(case, _target(case), lambda target: _prepared(case, target))


GIVEN = ("items", "input", "request", "rows", "records", "message", "stored_item", "item", "record")
"""Under which names a case gives items."""
ONE = ("stored_item", "item", "record")


def _is_of_this_wire(case: Case) -> bool:
    return "responses" in (case["given"].get("target", {}).get("wire") or case["wire"])


def _items(given: Json) -> list[Any]:
    name = next(name for name in GIVEN if name in given)
    value = given[name]
    match name:
        case "request":
            return list(value["input"])
        case "rows":
            return [json.loads(row["message_data"]) for row in sorted(value, key=lambda row: row["id"])]
        case "records":
            return [record["item"] for record in value]
        case "message":
            if "replay_items" not in value:
                raise NotImplementedError("a message of another layout")
            said = {"type": "output_text", "text": value.get("text", ""), "annotations": []}
            return [*value["replay_items"], {"type": "message", "role": "assistant", "content": [said]}]
        case "record":
            return [value["item"]]
    return value if isinstance(value, list) else [value]


def _origin(given: Json) -> Any:
    """Where the state was made: all of it, or each item."""
    if "records" in given:
        return [record.get("origin") for record in given["records"]]
    return given.get("origin")


def _target(case: Case) -> ostinato.Target:
    given = case["given"]
    goal = destination(given.get("target", {}), given.get("response_items", {}))
    # One item alone is one that nothing can follow.
    return goal if not given.keys() & set(ONE) else goal.but(orphans="keep")


def _prepared(case: Case, target: ostinato.Target) -> list[str]:
    try:
        prepared = ostinato.prepare(_items(case["given"]), target, origin=_origin(case["given"]))
    except (ostinato.PrepareError, ostinato.ReplayError) as error:
        return refused(case, error) + absent(case, error)
    wrong = _no_error(case, prepared)
    return wrong + _written(case, prepared) + reported(case, prepared.report)


def _no_error(case: Case, prepared: ostinato.Prepared) -> list[str]:
    """A miss where an error was expected, and nothing was left out for its reason at its place either."""
    wanted = case["then"].get("error")
    if wanted is None:
        return []
    row = {name: wanted[name] for name in ("code", "at") if name in wanted}
    said = [one.to_dict() for one in prepared.report.decisions if one.action == "left_out"]
    return [] if case["policy"] and any(answers(row, one) for one in said) else ["no error"]


def _written(case: Case, prepared: ostinato.Prepared) -> list[str]:
    output = case["then"].get("output", {})
    wrong = absent(case, prepared.items, prepared.report)
    for name, found in (
        ("items", prepared.items),
        ("input", prepared.items),
        ("item", next(iter(prepared.items), None)),
        ("reasoning", [item for item in prepared.items if item.get("type") == "reasoning"]),
        ("items_unchanged", prepared.items == _items(case["given"])),
        ("removed", prepared.report.counts.get("state_stripped", 0)),
    ):
        if name in output:
            wrong += differ(name, found, output[name])
    return wrong


def _strip(case: Case) -> list[str]:
    """What is left when a provider refuses the state."""
    if "strip" not in case["given"]["operation"] and "recover" not in case["given"]["operation"]:
        raise NotImplementedError("another operation")
    items = _items(case["given"])
    before = repr(items)
    stripped = ostinato.strip_state(items, wire=WIRE)
    wrong = [] if repr(items) == before else ["the input was changed"]
    return wrong + _written(case, stripped) + reported(case, stripped.report)


def destination(target: Json, response_items: dict[str, list[str]] | None = None) -> ostinato.Target:
    """The target of a case, under the profile of its provider."""
    held = (response_items or {}).get(target.get("previous_response_id", ""))
    goal = ostinato.Target(
        profile=_profile(target.get("provider", "openai"), target.get("endpoint") or ""),
        endpoint=target.get("endpoint"),
        account=target.get("account"),
        model=target.get("model"),
        mode=target.get("mode", "stateless"),
        held=tuple(held) if held else None,
        # What a case calls stateless is a request that stores nothing, and finds nothing stored.
        settings={"store": target.get("store", target.get("mode") != "stateless")},
    )
    rules = {rule: target[rule] for rule, _cell in goal.profile.cells() if rule in target}
    ids = target.get("id_policy", "preserve")
    return goal.but(**rules, **({} if ids == "preserve" else {"ids": ids}))


def _profile(provider: str, endpoint: str) -> ostinato.Profile:
    """The row for an endpoint, else the first of the provider."""
    rows = [row for row in ostinato.PROFILES.values() if row.wire == WIRE and row.provider == provider]
    if "/projects/" in endpoint:
        rows = [row for row in rows if row.name.endswith("-project")] or rows
    at = [row for row in rows if row.endpoint and row.endpoint in endpoint]
    # A server that nobody knows is one of its own.
    return (at or rows or [replace(ostinato.PROFILES["open-responses"], provider=provider)])[0]


def _trim(case: Case) -> list[str]:
    given, output = case["given"], case["then"]["output"]
    operation = given["operation"]
    if "keep_last" in operation:
        keep = operation["keep_last"]
    elif "drop_first" in operation:
        keep = len(given["items"]) - operation["drop_first"]
    else:
        raise NotImplementedError("another operation")
    trimmed = ostinato.trim(given["items"], keep=keep, wire=WIRE, earlier="later" not in operation.values())
    wrong = reported(case, trimmed.report)
    if "cut_at" in output:
        wrong += differ("cut", len(given["items"]) - len(trimmed.items), output["cut_at"])
    if "kept_first" in output:
        wrong += differ("first item", trimmed.items[0].get("id") if trimmed.items else None, output["kept_first"])
    if "items" in output:
        wrong += differ("items", trimmed.items, output["items"])
    return wrong
