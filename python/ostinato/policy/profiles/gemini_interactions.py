"""Destinations of the Gemini Interactions API."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final

from ostinato.policy.profile import Cell, Profile

__all__ = ["PROFILES", "InteractionsProfile"]

_THINKING = "ai.google.dev thinking (snapshot 2026-09-16)"


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionsProfile(Profile):
    """What varies where steps go, and what a caller may choose."""

    missing_signature: Cell[str] = Cell(
        "report",
        f"{_THINKING}: a thought always has its signature. That a turn without one is refused is what mmsp 0.5.6 acts "
        "on, no page says it",
        "2026-11",
        certain=False,
    )
    """Calls of the current turn without a signed thought before them: `report`, `placeholder` or `raise`."""
    placeholder: Cell[str] = Cell(
        "skip_thought_signature_validator",
        "mmsp 0.5.6 opens such a turn with a thought that has it; documented for generateContent alone",
        "2026-11",
        certain=False,
    )
    """The stand-in that is put in."""
    unsound: Cell[str] = Cell("raise", f"{_THINKING}: signatures go back exactly as received", "2026-11")
    """A signature that cannot be one: `raise`, or `drop` its whole step."""
    orphans: Cell[str] = Cell(
        "drop",
        "a turn of thoughts alone: mmsp 0.5.6 refuses it; no page says what the API does",
        "2026-11",
        certain=False,
    )
    """Thoughts without anything that they led to: `drop`, `keep` or `raise`."""

    choices: ClassVar[Mapping[str, tuple[Any, ...]]] = MappingProxyType(
        {
            **Profile.choices,
            "missing_signature": ("report", "placeholder", "raise"),
            "unsound": ("raise", "drop"),
            "orphans": ("drop", "keep", "raise"),
        }
    )


_APART = (
    "pydantic-ai 2.68.0, models/google.py (2026-10-27) for generateContent: the Gemini API and Google Cloud refuse "
    f"each other's signatures; {_THINKING}: another model of the same service is no reason to leave steps out"
)

_ROWS: Final = (
    InteractionsProfile(
        name="gemini-interactions",
        provider="gemini",
        wire="gemini-interactions",
        endpoint="generativelanguage.googleapis.com",
        same_origin=Cell(("provider", "endpoint"), _APART, "2026-11", certain=False),
    ),
    InteractionsProfile(
        name="vertex-gemini-interactions",
        provider="vertex",
        wire="gemini-interactions",
        endpoint="aiplatform.googleapis.com",
        same_origin=Cell(("provider", "endpoint"), _APART, "2026-11", certain=False),
    ),
)

PROFILES: Final[Mapping[str, Profile]] = {row.name: row for row in _ROWS}
