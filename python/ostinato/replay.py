"""The codec's face: six functions over replay items, their batch forms, and dedupe over a sequence.

The functions are compiled; this module adds the types they speak in. Rules are numbered in `docs/format.md`.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ostinato._core import (
    ReasoningItem,
    canonicalize_completed_reasoning_output_item,
    canonicalize_completed_reasoning_output_items,
    parse_decoded_envelope,
    parse_reasoning_replay_envelope,
    parse_reasoning_replay_envelopes,
    providers,
    reasoning_replay_dedupe_key,
    reasoning_replay_dedupe_keys,
    reasoning_replay_item_to_provider_input,
    reasoning_replay_items_to_provider_input,
    serialize_reasoning_replay_envelope,
    serialize_reasoning_replay_envelopes,
)
from ostinato._core import dedupe as _judge
from ostinato.discretion import discreet
from ostinato.errors import ReplayError

__all__ = [
    "DedupeKey",
    "DedupeReport",
    "Deduped",
    "Limits",
    "Origin",
    "ReasoningItem",
    "Repeat",
    "canonicalize_completed_reasoning_output_item",
    "canonicalize_completed_reasoning_output_items",
    "dedupe",
    "parse_decoded_envelope",
    "parse_reasoning_replay_envelope",
    "parse_reasoning_replay_envelopes",
    "reasoning_replay_dedupe_key",
    "reasoning_replay_dedupe_keys",
    "reasoning_replay_item_to_provider_input",
    "reasoning_replay_items_to_provider_input",
    "serialize_reasoning_replay_envelope",
    "serialize_reasoning_replay_envelopes",
]


class DedupeKey(NamedTuple):
    """What tells one state from another (rule D1)."""

    provider: str
    """States of different providers are never the same."""
    id: str | None
    """The provider's name of the item; None where there is none."""
    sha256: str
    """SHA-256 of the decoded state, in lower-case hex."""


class Origin(NamedTuple):
    """Where state was made. At least one field is given."""

    provider: str | None = None
    endpoint: str | None = None
    account: str | None = None
    """A salted SHA-256 in hex, never the account itself: see `account_digest`."""
    model: str | None = None

    @staticmethod
    def account_digest(account: str, *, salt: bytes) -> str:
        """The form in which an account is kept: SHA-256 of the salt and the name, in lower-case hex."""
        return hashlib.sha256(salt + account.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Limits:
    """What is too much for one item (rules L1 to L3). Larger input is refused by name."""

    max_depth: int = 128
    """Levels of nesting; at most 512."""
    max_item_bytes: int = 64 * 1024 * 1024
    """Bytes of an item and of the text it is read from; at most 2 GiB."""
    max_parts: int = 10_000
    """Parts in one list."""


class Repeat(NamedTuple):
    """One item of a sequence that is not simply new."""

    place: int
    """Where it stood in the sequence, counted from 0."""
    code: str
    """`exact_duplicate`, `re_encrypted`, `id_ciphertext_conflict` or `ciphertext_shared`."""
    kept: bool
    """Whether the policy keeps it."""
    key: DedupeKey


@dataclass(frozen=True, slots=True)
class DedupeReport:
    """What dedupe saw. Holds ids and digests, no state."""

    counts: Mapping[str, int]
    """Items by class; `new` among them."""
    repeats: tuple[Repeat, ...]
    """Every item that is not new, in order."""


@dataclass(frozen=True, slots=True)
class Deduped:
    """The items that stay, in order, and what was seen."""

    items: list[Any] = field(repr=False)
    report: DedupeReport


@discreet
def dedupe(items: Iterable[Any], *, provider: str, policy: str | None = None, wire: str | None = None) -> Deduped:
    """Leave out what a provider's policy calls a repeat, and report every repeat, kept or not (rules D1 to D4).

    Args:
        items: `ReasoningItem`s, or the provider's own items as mappings. A mapping that is no replay item of the wire
            (a message, a call) passes through untouched: only opaque state is deduplicated.
        provider: whose items they are. Items of different providers never meet: call once per provider.
        policy: a policy by name in place of the provider's own: `re-encrypts`, `exact`, `positional`, `unique-state`.
        wire: the wire of mappings; the provider's first one if None.

    Raises:
        ReplayError: `unknown_provider`, `unknown_policy`, or why a mapping that is a replay item is not a sound one.
    """
    sequence = list(items)
    found = _states(sequence, provider, wire)
    refusal = next((state for state in found if isinstance(state, ReplayError)), None)
    if refusal is not None:
        raise refusal
    places = [place for place, state in enumerate(found) if state is not None]
    states = [state for state in found if isinstance(state, ReasoningItem)]
    dropped: set[int] = set()
    repeats: list[Repeat] = []
    counts: Counter[str] = Counter()
    judged = _judge(states, provider=provider, policy=policy)
    for place, (code, kept, item_id, sha256) in zip(places, judged, strict=True):
        counts[code] += 1
        if code != "new":
            repeats.append(Repeat(place, code, kept, DedupeKey(provider, item_id, sha256)))
        if not kept:
            dropped.add(place)
    kept_items = [item for place, item in enumerate(sequence) if place not in dropped]
    return Deduped(kept_items, DedupeReport(dict(counts), tuple(repeats)))


def _states(sequence: list[Any], provider: str, wire: str | None) -> list[ReasoningItem | ReplayError | None]:
    """The state in each element, None where it is no replay item of the wire, or why a damaged one is refused."""
    found: list[ReasoningItem | ReplayError | None] = [
        item if isinstance(item, ReasoningItem) else None for item in sequence
    ]
    others = [place for place, item in enumerate(found) if item is None]
    if others:
        captured = canonicalize_completed_reasoning_output_items(
            [sequence[place] for place in others], wire=wire or _wire_of(provider), provider=provider, errors="return"
        )
        for place, state in zip(others, captured, strict=True):
            found[place] = None if isinstance(state, ReplayError) and _is_foreign(state) else state
    return found


def _is_foreign(refusal: ReplayError) -> bool:
    """Whether an element is no replay item at all. The path tells it (`type`) from a damaged one (anything else)."""
    return refusal.code in {"unknown_item_type", "missing_field"} and refusal.path == "type"


def _wire_of(provider: str) -> str:
    """The first wire that a provider speaks."""
    for name, wire, _policy in providers():
        if name == provider:
            return wire
    raise ReplayError("unknown_provider")
