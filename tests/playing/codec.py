"""Cases about one item or one stored record, and about repeats in a sequence of items of one provider."""

from __future__ import annotations

import json
from typing import Any

import ostinato
from tests.codec.test_cases import CONTRACTS
from tests.playing.verdict import Case, differ, refused


def play(case: Case) -> list[str]:
    """What is wrong with what capture, the reader of envelopes, or dedupe makes of the case."""
    given = case["given"]
    match case["when"]:
        case "capture" if "item" in given or "part" in given:
            return _capture(case)
        case "load" if "schema" in given.get("record", {}):
            return _load(case)
        case "dedupe" if "items" in given:
            return _dedupe(case)
        case "dedupe" if "records" in given:
            return _dedupe_providers(case)
    raise NotImplementedError("no item, envelope or sequence of items")


def _capture(case: Case) -> list[str]:
    given, then = case["given"], case["then"]
    value = given["item"] if "item" in given else given["part"]
    if case["wire"] not in CONTRACTS:
        raise NotImplementedError("no contract is known for the wire")
    wire, provider = CONTRACTS[case["wire"]]
    if case["policy"] and "id_missing" in str(then.get("report")):
        provider = "codex"  # the contract under which an item without id is kept
    try:
        item = ostinato.canonicalize_completed_reasoning_output_item(value, wire=wire, provider=provider)
    except ostinato.ReplayError as error:
        return refused(case, error)
    if "output" not in then:
        return ["the item was accepted"]
    expected = next(iter(then["output"].values()))
    dropped = [row["at"] for row in then.get("report", []) if row["code"] == "unknown_field_dropped"]
    return differ("item", item.to_dict(), expected) + differ("dropped", list(item.dropped_fields), dropped)


def _load(case: Case) -> list[str]:
    try:
        ostinato.parse_reasoning_replay_envelope(json.dumps(case["given"]["record"]))
    except ostinato.ReplayError as error:
        return refused(case, error)
    return ["the record was accepted"]


def _dedupe(case: Case) -> list[str]:
    given, then = case["given"], case["then"]
    provider = "codex" if case["wire"] == "codex-rollout" else "openai"
    deduped = ostinato.dedupe(given["items"], provider=provider)
    codes = {repeat.code for repeat in deduped.report.repeats}
    wrong = [f"not reported: {row['code']}" for row in then.get("report", []) if row["code"] not in codes]
    if "items" in then["output"]:
        wrong += differ("items", deduped.items, then["output"]["items"])
    return wrong


def _dedupe_providers(case: Case) -> list[str]:
    """Items of different providers never meet."""
    by_provider: dict[str, list[Any]] = {}
    for record in case["given"]["records"]:
        by_provider.setdefault(record["provider"], []).append(record["item"])
    deduped = [ostinato.dedupe(items, provider=provider) for provider, items in by_provider.items()]
    kept = sum(len(each.items) for each in deduped)
    return differ("kept", kept, case["then"]["output"]["kept"])
