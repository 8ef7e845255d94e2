"""Dedupe over a sequence: what a policy leaves out, and that every repeat is reported (rules D1 to D4)."""

from __future__ import annotations

import base64
import hashlib
import time
from typing import Any

import pytest

import ostinato

POLICIES = ["re-encrypts", "exact", "positional", "unique-state"]


def reasoning(item_id: str | None, state: str, **fields: Any) -> dict[str, Any]:
    """A reasoning item."""
    named = {} if item_id is None else {"id": item_id}
    return {"type": "reasoning", **named, "summary": [], "encrypted_content": state, **fields}


def token(seconds: int, *, blocks: int = 1, fill: int = 0) -> str:
    """An OpenAI token: version, time, IV and text, checksum."""
    whole = b"\x80" + seconds.to_bytes(8, "big") + bytes([fill]) * (16 + 16 * blocks + 32)
    return base64.urlsafe_b64encode(whole).decode()


def classes(items: list[Any], **named: Any) -> list[tuple[int, str, bool]]:
    """Place, class and fate of every repeat."""
    return [(repeat.place, repeat.code, repeat.kept) for repeat in ostinato.dedupe(items, **named).report.repeats]


def test_an_exact_repeat_is_dropped() -> None:
    """The same provider, id and ciphertext is one item; the first stays, in its place."""
    first, other = reasoning("rs_1", "a"), reasoning("rs_2", "b")
    deduped = ostinato.dedupe([first, other, reasoning("rs_1", "a")], provider="openai")
    assert deduped.items == [first, other]
    assert deduped.items[0] is first
    assert deduped.report.counts == {"new": 2, "exact_duplicate": 1}
    (repeat,) = deduped.report.repeats
    assert repeat.key == ostinato.DedupeKey("openai", "rs_1", hashlib.sha256(b"a").hexdigest())


def test_a_repeat_is_judged_by_its_state() -> None:
    """Another summary makes no other item: identity is provider, id and ciphertext."""
    repeated = reasoning("rs_1", "a", summary=[{"type": "summary_text", "text": "later"}])
    assert classes([reasoning("rs_1", "a"), repeated], provider="openai") == [(1, "exact_duplicate", False)]


@pytest.mark.parametrize("provider", ["openai", "xai", "codex"])
def test_an_id_with_another_ciphertext_is_kept_and_reported(provider: str) -> None:
    """It is never dropped in silence."""
    items = [reasoning("rs_1", "a"), reasoning("rs_1", "b")]
    assert classes(items, provider=provider) == [(1, "id_ciphertext_conflict", True)]
    assert ostinato.dedupe(items, provider=provider).items == items


def test_a_state_encrypted_twice() -> None:
    """OpenAI's done and completed events carry one item in two ciphertexts: same length, seconds apart (rule D3)."""
    items = [reasoning("rs_1", token(1000)), reasoning("rs_1", token(1070, fill=1))]
    assert classes(items, provider="openai") == [(1, "re_encrypted", False)]
    assert classes(items, provider="xai") == [(1, "id_ciphertext_conflict", True)]


@pytest.mark.parametrize(
    "later",
    [token(1601, fill=1), token(1000, blocks=2), token(1000, fill=1)[:-4], "gAAAA" + "x" * 96],
    ids=["later than ten minutes", "longer", "cut", "no token"],
)
def test_other_states_of_an_id_are_a_conflict(later: str) -> None:
    """What does not look like the same state is kept."""
    items = [reasoning("rs_1", token(1000)), reasoning("rs_1", later)]
    assert classes(items, provider="openai") == [(1, "id_ciphertext_conflict", True)]


def test_one_ciphertext_under_two_ids_follows_the_policy() -> None:
    """Two positions of one turn are kept by default; a measurement may count the state once."""
    items = [reasoning("rs_1", "a"), reasoning("rs_2", "a")]
    assert classes(items, provider="openai") == [(1, "ciphertext_shared", True)]
    assert classes(items, provider="openai", policy="unique-state") == [(1, "ciphertext_shared", False)]


def test_items_without_id_are_judged_by_their_state() -> None:
    """Codex stores none: the ciphertext alone is the identity."""
    items = [reasoning(None, "a"), reasoning(None, "b"), reasoning(None, "a")]
    assert classes(items, provider="codex") == [(2, "exact_duplicate", False)]
    key = ostinato.dedupe(items, provider="codex").report.repeats[0].key
    assert key == ostinato.DedupeKey("codex", None, hashlib.sha256(b"a").hexdigest())


def test_providers_never_meet() -> None:
    """The provider is part of the key, and a call is about one provider."""
    item = ostinato.canonicalize_completed_reasoning_output_item(reasoning("rs_1", "a"))
    keys = {ostinato.reasoning_replay_dedupe_key(item, provider=provider) for provider in ("openai", "xai")}
    assert len(keys) == 2


def test_an_item_that_belongs_to_its_place_is_kept() -> None:
    """On Anthropic a repeated block stays where it stands, and is reported."""
    block = {"type": "thinking", "thinking": "", "signature": "s"}
    deduped = ostinato.dedupe([block, block], provider="anthropic")
    assert deduped.items == [block, block]
    assert [repeat.code for repeat in deduped.report.repeats] == ["exact_duplicate"]


def test_only_state_is_deduplicated() -> None:
    """Messages and calls pass, however often they repeat, and even with an id that a reasoning item has."""
    message = {"type": "message", "id": "rs_1", "role": "user", "content": [{"type": "input_text", "text": "again"}]}
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}
    items = [message, reasoning("rs_1", "a"), message, call, call, reasoning("rs_1", "a")]
    deduped = ostinato.dedupe(items, provider="openai")
    assert deduped.items == items[:-1]
    assert deduped.report.counts == {"new": 1, "exact_duplicate": 1}


def test_stable_across_a_resume() -> None:
    """Items that were stored and read are judged as those that were captured."""
    given = [reasoning("rs_1", "a"), reasoning("rs_1", "b"), reasoning("rs_2", "a"), reasoning("rs_1", "a")]
    captured = ostinato.canonicalize_completed_reasoning_output_items(given)
    stored = ostinato.serialize_reasoning_replay_envelopes(captured)
    read = ostinato.parse_reasoning_replay_envelopes(stored)
    reports = [ostinato.dedupe(items, provider="openai").report for items in (given, captured, read)]
    assert reports[0] == reports[1] == reports[2]
    again = ostinato.dedupe(ostinato.dedupe(read, provider="openai").items, provider="openai")
    assert again.report.counts.get("exact_duplicate", 0) == 0


@pytest.mark.parametrize("policy", POLICIES)
def test_dedupe_twice_is_dedupe_once(policy: str) -> None:
    """What stays after one pass stays after another."""
    given = [reasoning(f"rs_{n % 3}", token(1000 + 7 * (n % 5), fill=n % 2)) for n in range(30)]
    once = ostinato.dedupe(given, provider="openai", policy=policy).items
    assert ostinato.dedupe(once, provider="openai", policy=policy).items == once


@pytest.mark.parametrize(
    ("named", "code"),
    [({"provider": "nobody"}, "unknown_provider"), ({"provider": "openai", "policy": "none"}, "unknown_policy")],
)
@pytest.mark.parametrize("items", [[], [reasoning("rs_1", "a")]])
def test_wrong_names(named: dict[str, str], code: str, items: list[Any]) -> None:
    """A wrong name is a mistake, even where there is nothing to judge."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.dedupe(items, **named)
    assert caught.value.code == code


def test_a_damaged_item_is_refused() -> None:
    """State that cannot be replayed is not passed off as a foreign item."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.dedupe([reasoning("rs_1", "a"), reasoning("rs_1", "")], provider="openai")
    assert (caught.value.code, caught.value.path) == ("empty_value", "encrypted_content")


@pytest.mark.parametrize(
    "items",
    [
        [reasoning("rs_1", token(n * 1000)) for n in range(20_000)],
        [reasoning(f"rs_{n}", "a") for n in range(20_000)],
        [reasoning("rs_1", "a")] * 20_000,
    ],
    ids=["one id", "one state", "one item"],
)
def test_many_repeats_take_linear_time(items: list[Any]) -> None:
    """Twenty thousand of a kind are judged in seconds, not hours."""
    begin = time.perf_counter()
    assert len(ostinato.dedupe(items, provider="openai").report.repeats) == len(items) - 1
    assert time.perf_counter() - begin < 20
