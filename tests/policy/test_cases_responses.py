"""The field cases of `tests/cases` about what of a Responses conversation may be sent, and where it may be cut.

What each case says is compared by its player; what is a choice is tested here with the other choice.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

import ostinato
from tests.playing import responses

CASES = pathlib.Path(__file__).parents[1] / "cases"


def case(name: str) -> dict[str, Any]:
    """A case by its id."""
    loaded: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def prepared(name: str, **choices: Any) -> ostinato.Prepared:
    """What the case's items become under other rules."""
    given = case(name)["given"]
    return ostinato.prepare(
        given["items"], responses.destination(given["target"]).but(**choices), origin=given.get("origin")
    )


@pytest.mark.parametrize(
    "name",
    [
        "resp-chained-mode-delta-only",
        "resp-content-null-omitted",
        "resp-content-plaintext-to-open-weights",
        "resp-content-plaintext-to-openai",
        "resp-foreign-provider",
        "resp-id-64-kept",
        "resp-id-missing-stays-missing",
        "resp-id-never-minted",
        "resp-id-over-64-omitted",
        "resp-orphan-reasoning",
        "resp-status-kept-on-builtin-tool",
        "resp-trim-inside-group",
        "resp-two-items-stay-two",
    ],
)
def test_case_is_played_right(name: str) -> None:
    """Items, decisions and what must be absent are as the case says."""
    assert responses.play(case(name)) == []


def test_orphan_can_be_an_error() -> None:
    """The other choice: the caller is told before the request."""
    with pytest.raises(ostinato.PrepareError) as caught:
        prepared("resp-orphan-reasoning", orphans="raise")
    assert (caught.value.code, caught.value.path) == ("orphan_reasoning", "items/1")


def test_plaintext_can_be_dropped_where_it_is_taken() -> None:
    """The other choice for a server of open weights: the answer alone goes out."""
    kept = prepared("resp-content-plaintext-to-open-weights", plaintext_reasoning="drop")
    assert [item["type"] for item in kept.items] == ["message"]
    assert kept.report.counts == {"not_replayable": 1}


def test_cut_can_be_later() -> None:
    """The other choice for a cut: the whole group goes."""
    given = case("resp-trim-inside-group")["given"]
    trimmed = ostinato.trim(given["items"], keep=3, wire="openai-responses", earlier=False)
    assert trimmed.items == given["items"][4:]
    assert trimmed.report.decisions[0].to_dict()["to"] == 4


def test_missing_id_is_named_where_it_is_sent() -> None:
    """Captured by the contract that takes it, the item goes out as it is, and the report says what it lacks."""
    missing = case("resp-missing-id-policy")
    kept = ostinato.canonicalize_completed_reasoning_output_item(missing["given"]["item"], provider="codex")
    sent = ostinato.prepare([kept.to_dict()], ostinato.Target(profile=ostinato.PROFILES["openai"]).but(orphans="keep"))
    assert sent.items == [missing["then"]["output"]["item"]]
    assert sent.report.counts == {"id_missing": 1}


@pytest.mark.parametrize(
    ("choice", "kept"), [("first", ["rs_042", "msg_042"]), ("keep", ["rs_042", "msg_042", "rs_042"])]
)
def test_conflict_is_a_choice_of_the_request(choice: str, kept: list[str]) -> None:
    """A history keeps both; a request to OpenAI holds the first, and says so with both digests."""
    conflict = case("dedupe-same-id-other-ciphertext")
    goal = ostinato.Target(profile=ostinato.PROFILES["openai"]).but(conflicts=choice)
    sent = ostinato.prepare(conflict["given"]["items"], goal)
    assert [item["id"] for item in sent.items if "id" in item][: len(kept)] == kept
    row = conflict["then"]["report"][0]
    assert [decision.to_dict()["sha256"] for decision in sent.report.decisions if decision.code == row["code"]] == [
        row["sha256"]
    ]


def test_conflict_can_be_an_error() -> None:
    """The third choice: nobody decides for the caller."""
    goal = ostinato.Target(profile=ostinato.PROFILES["openai"]).but(conflicts="raise")
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare(case("dedupe-same-id-other-ciphertext")["given"]["items"], goal)
    assert (caught.value.code, caught.value.path) == ("id_ciphertext_conflict", "items/2")


def test_real_repeats_are_sent_twice() -> None:
    """A user may say the same thing twice, and be answered the same."""
    items = case("dedupe-real-repeat-kept")["given"]["items"]
    assert ostinato.prepare(items, "openai").items == items


def test_shared_ciphertext_is_kept() -> None:
    """Two places of one turn are two items."""
    shared = case("dedupe-same-ciphertext-other-id")["given"]["items"]
    sent = ostinato.prepare(shared, "openai")
    assert sent.items == shared
    assert sent.report.counts == {"ciphertext_shared": 1}


def test_repeat_without_ids_goes_with_its_call() -> None:
    """Without an id a state repeats for sure only where its call does too; then the whole turn goes out once."""
    items = case("dedupe-no-id-items")["given"]["items"]
    sent = ostinato.prepare(items, "codex")
    assert [item["type"] for item in sent.items] == ["reasoning", "function_call", "function_call_output"]
    assert sent.report.counts["exact_duplicate"] == 3
    other = [*items[:4], {**items[4], "call_id": "call_050"}, {**items[5], "call_id": "call_050"}]
    assert len(ostinato.prepare(other, "codex").items) == 6
