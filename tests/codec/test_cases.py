"""The field cases of `tests/cases` that the codec alone answers: capture, stored records, dedupe.

A case proposes names for codes; where ours differ, the difference is in one table here, with its reason.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

import ostinato

CASES = pathlib.Path(__file__).parents[1] / "cases"
# How a case names a wire or profile, and the contract that we read its items by.
CONTRACTS = {
    "openai-responses": ("openai-responses", "openai"),
    "openrouter-responses": ("openai-responses", "openrouter"),
    "anthropic-messages": ("anthropic-messages", "anthropic"),
    "bedrock-converse": ("bedrock-converse", "bedrock"),
    "gemini-generate": ("gemini-generate-content", "gemini"),
}


def case(name: str) -> dict[str, Any]:
    """A case by its id."""
    loaded: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def capture(item: Any, wire: str) -> ostinato.ReasoningItem:
    """An item by the contract that the case names."""
    name, provider = CONTRACTS[wire]
    return ostinato.canonicalize_completed_reasoning_output_item(item, wire=name, provider=provider)


@pytest.mark.parametrize(
    "name",
    [
        "resp-capture-drops-unknown-and-status",
        "resp-content-empty-list-omitted",
        "resp-gateway-signature-format",
        "resp-summary-parts-and-text-exact",
        "gem-signature-on-image-part",
    ],
)
def test_item_is_captured(name: str) -> None:
    """What the case keeps is kept, and what it drops is dropped by name."""
    given, then = case(name)["given"], case(name)["then"]
    key = "part" if "part" in given else "item"
    item = capture(given[key], case(name)["wire"])
    assert item.to_dict() == then["output"][key]
    dropped = [report["at"] for report in then.get("report", []) if report["code"] == "unknown_field_dropped"]
    assert list(item.dropped_fields) == dropped


def test_item_is_refused() -> None:
    """A part of an unknown type refuses the item, without a word of its state."""
    unknown = case("resp-unknown-summary-part")
    with pytest.raises(ostinato.ReplayError) as caught:
        capture(unknown["given"]["item"], unknown["wire"])
    error = unknown["then"]["error"]
    assert (caught.value.code, caught.value.path) == (error["code"], error["at"])
    assert unknown["then"]["absent"][0] not in f"{caught.value} {caught.value!r}"


def test_block_without_data_is_refused() -> None:
    """The place is given within the block; the caller knows which block of the message it was."""
    redacted = case("anth-redacted-without-data")
    with pytest.raises(ostinato.ReplayError) as caught:
        capture(redacted["given"]["content"][0], redacted["wire"])
    error = redacted["then"]["error"]
    assert (caught.value.code, f"content/0/{caught.value.path}") == (error["code"], error["at"])


def test_bytes_are_kept_as_base64() -> None:
    """What boto3 gives as bytes is stored as the wire spells it."""
    bedrock = case("bed-redacted-bytes")
    given = bytes.fromhex(bedrock["given"]["content"][0]["reasoningContent"]["redactedContent_bytes_hex"])
    item = capture({"reasoningContent": {"redactedContent": given}}, bedrock["wire"])
    expected = bedrock["then"]["output"]["content"][0]
    assert json.loads(ostinato.reasoning_replay_item_to_provider_input(item, as_json=True)) == expected
    assert item.to_dict() == {"reasoningContent": {"redactedContent": given}}


def test_stored_record_is_refused() -> None:
    """An unknown field inside a canonical envelope is a fault."""
    unknown = case("resp-unknown-canonical-field")
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.parse_reasoning_replay_envelope(json.dumps(unknown["given"]["record"]))
    error = unknown["then"]["error"]
    assert (caught.value.code, caught.value.path) == (error["code"], error["at"])


def test_missing_id_is_a_choice_of_the_contract() -> None:
    """The case keeps the item and reports it; we refuse it under the contract of OpenAI, and keep it under others.

    OpenAI's input type requires an id, and a refusal by name at capture is a report that cannot be overlooked.
    """
    missing = case("resp-missing-id-policy")
    with pytest.raises(ostinato.ReplayError) as caught:
        capture(missing["given"]["item"], missing["wire"])
    assert (caught.value.code, caught.value.path) == ("missing_field", "id")
    kept = ostinato.canonicalize_completed_reasoning_output_item(missing["given"]["item"], provider="codex")
    assert kept.to_dict() == missing["then"]["output"]["item"]


@pytest.mark.parametrize(
    "name", ["dedupe-real-repeat-kept", "dedupe-same-ciphertext-other-id", "dedupe-same-id-other-ciphertext"]
)
def test_sequence_is_kept(name: str) -> None:
    """Nothing is dropped, and what the case reports is reported, with its ids and digests."""
    given, then = case(name)["given"], case(name)["then"]
    deduped = ostinato.dedupe(given["items"], provider="openai")
    assert deduped.items == then["output"]["items"]
    for report in then.get("report", []):
        repeats = [repeat for repeat in deduped.report.repeats if repeat.code == report["code"]]
        # A case counts the items that share a state; we report those that repeat an earlier one.
        assert len(repeats) == report.get("count", 2) - 1
        assert repeats[0].key.sha256 in report.get("sha256", [repeats[0].key.sha256])
        assert repeats[0].key.id == report.get("id", repeats[0].key.id)


def test_items_without_id() -> None:
    """The digest of the ciphertext is the identity of an item that has no id."""
    codex = case("dedupe-no-id-items")
    deduped = ostinato.dedupe(codex["given"]["items"], provider="codex")
    assert deduped.report.counts == {"new": codex["then"]["output"]["unique_reasoning"], "exact_duplicate": 1}
    item = ostinato.canonicalize_completed_reasoning_output_item(codex["given"]["items"][0], provider="codex")
    assert list(ostinato.reasoning_replay_dedupe_key(item)) == codex["then"]["output"]["key"]


def test_providers_never_meet() -> None:
    """The same id and ciphertext of two providers are two states."""
    records = case("dedupe-same-id-other-provider")
    keys = set()
    for record in records["given"]["records"]:
        item = ostinato.canonicalize_completed_reasoning_output_item(record["item"], provider=record["provider"])
        keys.add(ostinato.reasoning_replay_dedupe_key(item, provider=record["provider"]))
    assert len(keys) == records["then"]["output"]["kept"]
