"""The seed's list "Deduplication tests"."""

from __future__ import annotations

import hashlib

import ostinato
from tests.seed.items import captured, item


def test_same_provider_id_and_ciphertext_is_dropped_as_an_exact_duplicate() -> None:
    """The first place stays, and the drop is counted."""
    kept = ostinato.dedupe([item(1), item(2), item(1)], provider="openai")
    assert [each["id"] for each in kept.items] == ["rs_1", "rs_2"]
    assert kept.report.counts == {"new": 2, "exact_duplicate": 1}


def test_same_id_with_different_ciphertext_is_not_silently_dropped() -> None:
    """It stays and is reported; where a provider refuses two items of one id, its policy drops it and says so."""
    other = item(1, encrypted_content="gAAAAAB-another-state-of-another-length")
    kept = ostinato.dedupe([item(1), other], provider="xai")
    assert len(kept.items) == 2
    (repeat,) = kept.report.repeats
    assert (repeat.code, repeat.kept, repeat.place) == ("id_ciphertext_conflict", True, 1)
    assert repeat.key.sha256 == hashlib.sha256(other["encrypted_content"].encode()).hexdigest()
    assert ostinato.dedupe([item(1), other], provider="openai").report.counts["id_ciphertext_conflict"] == 1


def test_same_ciphertext_with_different_ids_follows_explicit_provider_policy() -> None:
    """The policy has a name, and another can be asked for."""
    twins = [item(1), item(2, encrypted_content=item(1)["encrypted_content"])]
    assert len(ostinato.dedupe(twins, provider="openai").items) == 2
    assert len(ostinato.dedupe(twins, provider="openai", policy="unique-state").items) == 1
    for policy in (None, "unique-state"):
        report = ostinato.dedupe(twins, provider="openai", policy=policy).report
        assert report.counts["ciphertext_shared"] == 1


def test_same_id_on_different_providers_is_not_conflated() -> None:
    """The provider is part of the key."""
    (kept,) = captured(item(1))
    keys = {ostinato.reasoning_replay_dedupe_key(kept, provider=name) for name in ("openai", "xai", "azure")}
    assert len(keys) == 3


def test_deduplication_remains_stable_across_session_resume() -> None:
    """Keys of stored items are those of the fresh ones, so a resumed history repeats nothing and loses nothing."""
    fresh = captured(item(1, "A"), item(2), item(1, "A"))
    stored = ostinato.serialize_reasoning_replay_envelopes(fresh)
    resumed = ostinato.parse_reasoning_replay_envelopes(stored)
    assert ostinato.reasoning_replay_dedupe_keys(resumed) == ostinato.reasoning_replay_dedupe_keys(fresh)
    before = ostinato.dedupe(fresh, provider="openai")
    after = ostinato.dedupe([*resumed, *before.items], provider="openai")
    assert after.items == before.items
    assert after.report.counts["exact_duplicate"] == 3
