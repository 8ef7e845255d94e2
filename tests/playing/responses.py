"""Cases about what of a Responses conversation may be sent, trimmed, or said about one item."""

from __future__ import annotations

from typing import Any

import ostinato
from tests.playing.verdict import Case, absent, differ, refused, reported

WIRE = "openai-responses"
Json = dict[str, Any]


def play(case: Case) -> list[str]:
    """What is wrong with what is prepared, or with where a conversation is cut."""
    given = case["given"]
    target = given.get("target", {})
    if case["when"] != "replay" or target.get("wire") != "responses" or not given.keys() & {"items", "stored_item"}:
        raise NotImplementedError("no items of this wire for a target")
    if "operation" in given:
        return _trim(case)
    items = given["items"] if "items" in given else [given["stored_item"]]
    goal = destination(target, given.get("response_items", {}))
    if "items" not in given:
        goal = goal.but(orphans="keep")  # one item alone, which nothing can follow
    try:
        prepared = ostinato.prepare(items, goal, origin=given.get("origin"))
    except (ostinato.PrepareError, ostinato.ReplayError) as error:
        return refused(case, error) + absent(case, error)
    wrong = ["no error"] if "error" in case["then"] else []
    output = case["then"].get("output", {})
    for name, found in (("items", prepared.items), ("item", next(iter(prepared.items), None))):
        if name in output:
            wrong += differ(name, found, output[name])
    return wrong + reported(case, prepared.report) + absent(case, prepared.items, prepared.report)


def destination(target: Json, response_items: dict[str, list[str]] | None = None) -> ostinato.Target:
    """The target of a case, under the profile of its provider."""
    held = (response_items or {}).get(target.get("previous_response_id", ""))
    goal = ostinato.Target(
        profile=_profile(target["provider"], target.get("endpoint") or ""),
        endpoint=target.get("endpoint"),
        account=target.get("account"),
        model=target.get("model"),
        mode=target.get("mode", "stateless"),
        held=tuple(held) if held else None,
        settings={"store": target["store"]} if "store" in target else {},
    )
    ids = target.get("id_policy", "preserve")
    return goal if ids == "preserve" else goal.but(ids=ids)


def _profile(provider: str, endpoint: str) -> ostinato.Profile:
    """The row for an endpoint, else the first of the provider."""
    rows = [row for row in ostinato.PROFILES.values() if row.wire == WIRE and row.provider == provider]
    if "/projects/" in endpoint:
        rows = [row for row in rows if row.name.endswith("-project")] or rows
    at = [row for row in rows if row.endpoint and row.endpoint in endpoint]
    return (at or rows or [ostinato.PROFILES["open-responses"]])[0]


def _trim(case: Case) -> list[str]:
    given, output = case["given"], case["then"]["output"]
    if "keep_last" not in given["operation"]:
        raise NotImplementedError("another operation")
    trimmed = ostinato.trim(given["items"], keep=given["operation"]["keep_last"], wire=WIRE)
    wrong = reported(case, trimmed.report)
    if "cut_at" in output:
        wrong += differ("cut", len(given["items"]) - len(trimmed.items), output["cut_at"])
    if "kept_first" in output:
        wrong += differ("first item", trimmed.items[0].get("id") if trimmed.items else None, output["kept_first"])
    if "items" in output:
        wrong += differ("items", trimmed.items, output["items"])
    return wrong
