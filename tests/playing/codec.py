"""Cases about one item or one stored record, and about repeats in a sequence of items of one provider."""

from __future__ import annotations

import json
from typing import Any

import ostinato
from ostinato.policy.gemini_signatures import standard_signature
from tests.codec.test_cases import CONTRACTS
from tests.playing.verdict import Case, absent, as_text, differ, is_said, refused, with_bytes


def play(case: Case) -> list[str]:
    """What is wrong with what capture, the reader of envelopes, or dedupe makes of the case."""
    given = case["given"]
    match case["when"]:
        case "capture" if given.keys() & ITEMS:
            return _capture(case)
        case "load" if (stored := _stored(given)) is not None:
            return _load(case, stored)
        case "dedupe" if (items := _items(given)) is not None:
            return _dedupe(case, items)
        case "dedupe" if "item" in given:
            return _key(case)
        case "dedupe" if "records" in given:
            return _dedupe_providers(case)
    raise NotImplementedError("no item, envelope or sequence of items")


ITEMS = {"item", "part", "block", "step", "output_item", "sdk_part", "sdk_item", "sdk_object"}
"""Under which names a case gives one item."""
SENDERS = {
    "anthropic": ("anthropic-messages", "anthropic"),
    "codex": ("openai-responses", "codex"),
    "openrouter": ("openai-responses", "openrouter"),
    "xai": ("openai-responses", "xai"),
    "openai-responses": ("openai-responses", "openai"),
    "azure": ("openai-responses", "azure"),
    "vllm": ("openai-responses", "vllm"),
    "bedrock": ("bedrock-converse", "bedrock"),
    "gemini-interactions": ("gemini-interactions", "gemini"),
    "chat": ("openai-chat", "openrouter"),
}
"""How a case's name of a wire begins, and whose contract that is, where the codec's own cases do not say."""


def _contract(case: Case) -> tuple[str, str]:
    given = case["given"]
    profile = given.get("profile") or given.get("target_profile") or ""
    if case["wire"] in CONTRACTS and profile not in ("xai", "codex"):
        return CONTRACTS[case["wire"]]
    for name in (profile, case["wire"]):
        for start, contract in SENDERS.items():
            if name.startswith(start):
                return contract
    raise NotImplementedError("no contract is known for the wire")


def _capture(case: Case) -> list[str]:
    given, then = case["given"], case["then"]
    value = with_bytes(next(given[name] for name in ITEMS if name in given))
    wire, provider = _contract(case)
    try:
        item = _captured(value, wire, provider)
    except ostinato.ReplayError as error:
        return refused(case, error) + absent(case, error)
    if "output" not in then:
        return ["the item was accepted"]
    expected = next(iter(then["output"].values()))
    dropped = [row["at"] for row in then.get("report", []) if row["code"] == "unknown_field_dropped"]
    wrong = differ("item", as_text(item.to_dict()), expected)
    return wrong + (differ("dropped", list(item.dropped_fields), dropped) if dropped else []) + absent(case, item)


def _captured(value: Any, wire: str, provider: str) -> ostinato.ReasoningItem:
    """An item as `Capture` takes it: OpenAI's also without the id that its answers sometimes lack."""
    if wire == "gemini-generate-content" and isinstance(value, dict):
        for name in ("thoughtSignature", "thought_signature"):
            if isinstance(value.get(name), str):
                standard_signature(value[name])
    try:
        return ostinato.canonicalize_completed_reasoning_output_item(value, wire=wire, provider=provider)
    except ostinato.ReplayError as error:
        if provider != "openai" or (error.code, error.path) != ("missing_field", "id"):
            raise
        return ostinato.canonicalize_completed_reasoning_output_item(value, wire=wire, provider="codex")


def _stored(given: Case) -> str | None:
    """The text of one stored record; None where the case gives no such thing."""
    record = given.get("record", given.get("stored", given.get("envelope", given.get("text"))))
    if isinstance(record, dict) and (record.get("type") == "reasoning" or "schema" in record):
        return json.dumps(record)
    if isinstance(record, str) and "reasoning-replay" in record.partition("\n")[0] and record.startswith("{"):
        return record
    return None


def _load(case: Case, stored: str) -> list[str]:
    try:
        item = ostinato.parse_reasoning_replay_envelope(stored)
    except ostinato.ReplayError as error:
        return refused(case, error) + absent(case, error)
    output = case["then"].get("output")
    if output is None:
        return ["the record was accepted"]
    return differ("item", item.to_dict(), next(iter(output.values())))


def _items(given: Case) -> list[Any] | None:
    """The items of one provider, also those that stand in messages."""
    if "items" in given:
        return list(given["items"])
    stored = given.get("messages") or given.get("history")
    if not isinstance(stored, list):
        return None
    return [item for one in stored for item in one.get("replay_items") or one.get("items") or []]


def _key(case: Case) -> list[str]:
    provider = case["given"].get("provider", "openai")
    item = ostinato.canonicalize_completed_reasoning_output_item(case["given"]["item"], provider=provider)
    key = ostinato.reasoning_replay_dedupe_key(item, provider=provider)
    return differ("key", list(key), case["then"]["output"]["key"])


def _dedupe(case: Case, items: list[Any]) -> list[str]:
    then = case["then"]
    provider = case["given"].get("provider") or "openai"
    if case["wire"] != "any" and "provider" not in case["given"]:
        provider = _contract(case)[1]
    deduped = ostinato.dedupe(items, provider=provider)
    said: list[dict[str, Any]] = [{"code": repeat.code} for repeat in deduped.report.repeats]
    wrong = [
        f"not reported: {row['code']}"
        for row in then.get("report", [])
        if not any(is_said(row["code"], one["code"]) for one in said)
    ]
    for name, found in (("items", deduped.items), ("kept", len(deduped.items))):
        if name in then.get("output", {}):
            wrong += differ(name, found, then["output"][name])
    return wrong + absent(case, deduped.report)


def _dedupe_providers(case: Case) -> list[str]:
    """Items of different providers never meet."""
    by_provider: dict[str, list[Any]] = {}
    for record in case["given"]["records"]:
        by_provider.setdefault(record["provider"], []).append(record["item"])
    deduped = [ostinato.dedupe(items, provider=provider) for provider, items in by_provider.items()]
    kept = sum(len(each.items) for each in deduped)
    return differ("kept", kept, case["then"]["output"]["kept"])
