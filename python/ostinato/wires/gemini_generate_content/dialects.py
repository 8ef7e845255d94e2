"""The dialects of generateContent: one row each, and nothing but data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["DIALECTS", "VERTEX", "VERTEX_HOST", "Dialect"]

VERTEX_HOST: Final = "aiplatform.googleapis.com"
"""A part of the base URLs of Vertex AI, which end with a location: `.../v1/projects/<project>/locations/<location>`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What varies from one server of this wire to the next."""

    endpoint: str | None
    """The base URL, where the dialect has one."""
    provider: str
    """Whose state it is, for recorded messages and for the codec. Each refuses the other's signatures."""
    models: str
    """Where models are, under the base URL."""


DIALECTS: Final[Mapping[str, Dialect]] = {
    "google-genai": Dialect(
        endpoint="https://generativelanguage.googleapis.com",
        provider="gemini",
        models="/v1/models",
    ),
}

VERTEX: Final = Dialect(endpoint=None, provider="vertex", models="/publishers/google/models")
"""`google-genai` at a base URL of Vertex AI."""
