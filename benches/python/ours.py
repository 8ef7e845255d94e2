"""ostinato with the face of a peer, so that one table of rows serves all."""
# ruff: noqa: D102 - the methods are described once, in peers.Peer

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ostinato import (
    ReasoningItem,
    ReplayTelemetry,
    canonicalize_completed_reasoning_output_item,
    measure,
    parse_reasoning_replay_envelope,
    parse_reasoning_replay_envelopes,
    reasoning_replay_dedupe_key,
    reasoning_replay_dedupe_keys,
    reasoning_replay_item_to_provider_input,
    reasoning_replay_items_to_provider_input,
    redact_reasoning_replay_for_diagnostics,
    serialize_reasoning_replay_envelope,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Ostinato:
    """The six functions and their batch forms."""

    name = "ostinato"

    parse = staticmethod(parse_reasoning_replay_envelope)
    redact = staticmethod(redact_reasoning_replay_for_diagnostics)
    items = staticmethod(parse_reasoning_replay_envelopes)

    @staticmethod
    def to_dict(text: str | bytes) -> dict[str, Any]:
        return parse_reasoning_replay_envelope(text).to_dict()

    @staticmethod
    def to_input(text: str | bytes) -> bytes:
        return reasoning_replay_item_to_provider_input(parse_reasoning_replay_envelope(text), as_json=True)

    @staticmethod
    def inputs(texts: list[str]) -> bytes:
        return reasoning_replay_items_to_provider_input(parse_reasoning_replay_envelopes(texts), as_json=True)

    @staticmethod
    def store(item: dict[str, Any]) -> str:
        return serialize_reasoning_replay_envelope(canonicalize_completed_reasoning_output_item(item))

    @staticmethod
    def store_bytes(item: dict[str, Any]) -> bytes:
        return Ostinato.store(item).encode()

    @staticmethod
    def key(text: str | bytes) -> object:
        return reasoning_replay_dedupe_key(parse_reasoning_replay_envelope(text))

    @staticmethod
    def keys(texts: list[str]) -> object:
        return reasoning_replay_dedupe_keys(parse_reasoning_replay_envelopes(texts))

    @staticmethod
    def measure(texts: list[str]) -> ReplayTelemetry:
        return ReplayTelemetry.from_items(parse_reasoning_replay_envelopes(texts))

    @staticmethod
    def scan(paths: Sequence[Path]) -> dict[str, int]:
        """Measure a corpus on one thread, in the terms of the peers. It counts a great deal more than they do."""
        total = measure(paths, threads=1, timing=False).total
        refused = sum(total["refused"].values())
        valid = total["items"]["openai.reasoning"] - refused
        return {"valid": valid, "refused": refused, "repeats": total["duplicates"]}

    @staticmethod
    def restore(item: ReasoningItem) -> str:
        return serialize_reasoning_replay_envelope(item)
