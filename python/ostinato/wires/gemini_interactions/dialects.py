"""The dialects of Gemini Interactions: one row each, and nothing but data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["DIALECTS", "Dialect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What varies from one server of this wire to the next."""

    endpoint: str
    """The base URL."""
    provider: str
    """Whose state it is, for recorded messages and for the codec."""


DIALECTS: Final[Mapping[str, Dialect]] = {
    "google-official": Dialect(endpoint="https://generativelanguage.googleapis.com", provider="gemini"),
}
