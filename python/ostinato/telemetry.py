"""Counters of replayed state: nine numbers, never content."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Self

from ostinato._core import meter
from ostinato.discretion import discreet
from ostinato.replay import DedupeReport, ReasoningItem

__all__ = ["ReplayTelemetry"]

CANONICAL_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class ReplayTelemetry:
    """What one turn replays, or many turns together. Bytes are UTF-8 bytes of decoded text.

    Merge with `+`: counters add up, the schema version is the newest of the two.
    """

    reasoning_replay_item_count: int = 0
    reasoning_replay_encrypted_bytes: int = 0
    reasoning_replay_summary_parts: int = 0
    reasoning_replay_summary_bytes: int = 0
    reasoning_replay_content_parts: int = 0
    reasoning_replay_content_bytes: int = 0
    replay_deduplicated_exact_count: int = 0
    replay_id_ciphertext_conflict_count: int = 0
    canonical_schema_version: int = CANONICAL_SCHEMA_VERSION

    @classmethod
    @discreet
    def from_items(cls, items: Iterable[ReasoningItem], *, report: DedupeReport | None = None) -> Self:
        """Count the items that are replayed and, where they were deduplicated, what the report says.

        Args:
            items: the items that go out, after dedupe.
            report: the report of `dedupe` over the items before.
        """
        batch = list(items)
        encrypted, summary_parts, summary_bytes, content_parts, content_bytes = meter(batch)
        counts = report.counts if report is not None else {}
        return cls(
            reasoning_replay_item_count=len(batch),
            reasoning_replay_encrypted_bytes=encrypted,
            reasoning_replay_summary_parts=summary_parts,
            reasoning_replay_summary_bytes=summary_bytes,
            reasoning_replay_content_parts=content_parts,
            reasoning_replay_content_bytes=content_bytes,
            replay_deduplicated_exact_count=counts.get("exact_duplicate", 0),
            replay_id_ciphertext_conflict_count=counts.get("id_ciphertext_conflict", 0),
        )

    def __add__(self, other: Self) -> Self:
        # By attribute: `asdict` copies deeply, and this runs for every message of a request.
        summed = {name: getattr(self, name) + getattr(other, name) for name in self.__slots__}
        summed["canonical_schema_version"] = max(self.canonical_schema_version, other.canonical_schema_version)
        return type(self)(**summed)

    def to_dict(self) -> dict[str, int]:
        """The nine counters by name."""
        return asdict(self)
