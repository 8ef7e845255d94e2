"""Destinations of Gemini's generateContent."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final

from ostinato.policy.profile import Cell, Profile

__all__ = ["PROFILES", "GeminiProfile"]

_SIGNATURES = "ai.google.dev thought-signatures"


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiProfile(Profile):
    """What varies where contents go, and what a caller may choose."""

    missing_signature: Cell[str] = Cell(
        "report",
        f"{_SIGNATURES}: without one on the first call of a step of the current turn the request is refused, and the "
        "placeholder is the last resort",
        "2026-11",
    )
    """A call that must be signed and is not: `report`, `placeholder` or `raise`."""
    placeholder: Cell[str] = Cell(
        "skip_thought_signature_validator",
        f"{_SIGNATURES}, FAQ, and its counterpart of Google Cloud; pydantic-ai#3881 (2025-12) says that Google Cloud "
        "takes no other",
        "2026-11",
    )
    """The stand-in that is put in."""
    unsigned_models: Cell[tuple[str, ...]] = Cell(
        ("gemini-1", "gemini-2"), f"{_SIGNATURES}: optional before Gemini 3", "2026-11"
    )
    """Parts of the ids of models that take unsigned calls."""
    sibling_placeholder: Cell[str] = Cell(
        "drop",
        f"{_SIGNATURES}: of parallel calls only the first is signed; litellm#37541 (2026-08): with placeholders on the "
        "others the model answers nothing",
        "2026-11",
    )
    """A placeholder on a call that is not the first of its step: `drop` or `keep`."""
    split_batches: Cell[str] = Cell(
        "join",
        f"{_SIGNATURES}: FC1, FC2, FR1, FR2 and no other order; pipecat#3420 (2026-01), mastra#15294 "
        "(2026-04): parallel calls in several contents are refused as unsigned",
        "2026-11",
    )
    """Parallel calls, or their results, that stand in several contents: `join` those of one answer; join them also
    `across` the results between them, where a store is known to tear batches apart; `keep` or `raise`."""
    unsound: Cell[str] = Cell(
        "raise",
        "ruby_llm#521 (2026-03), litellm#42204 (2026-09): a signature that is no base64 fails the whole "
        "request; litellm#42237 (2026-09) leaves it out instead",
        "2026-11",
    )
    """A signature that cannot be one: `raise`, or `drop` it."""
    orphans: Cell[str] = Cell(
        "drop",
        "a model content of thoughts alone, and a result whose call is not before it: the API wants a response right "
        "after its call (error text); mmsp 0.5.6 refuses the former",
        "2026-11",
    )
    """What lost the half it belongs to: `drop`, `keep` or `raise`."""

    choices: ClassVar[Mapping[str, tuple[Any, ...]]] = MappingProxyType(
        {
            **Profile.choices,
            "missing_signature": ("report", "placeholder", "raise"),
            "sibling_placeholder": ("drop", "keep"),
            "split_batches": ("join", "across", "keep", "raise"),
            "unsound": ("raise", "drop"),
            "orphans": ("drop", "keep", "raise"),
        }
    )


_APART = (
    "pydantic-ai 2.68.0, models/google.py (2026-10-27): the Gemini API and Google Cloud refuse each other's "
    "signatures. Of models: ai.google.dev thinking says to send all when the model is switched, dirge#839 (2026-09) "
    "sends a model's own alone"
)

_ROWS: Final = (
    GeminiProfile(
        name="gemini",
        provider="gemini",
        wire="gemini-generate-content",
        endpoint="generativelanguage.googleapis.com",
        same_origin=Cell(("provider", "endpoint"), _APART, "2026-11", certain=False),
    ),
    GeminiProfile(
        name="vertex-gemini",
        provider="vertex",
        wire="gemini-generate-content",
        endpoint="aiplatform.googleapis.com",
        same_origin=Cell(("provider", "endpoint"), _APART, "2026-11", certain=False),
    ),
)

PROFILES: Final[Mapping[str, Profile]] = {row.name: row for row in _ROWS}
