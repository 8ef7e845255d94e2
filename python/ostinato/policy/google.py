"""Which of Google's two services state is of: the Gemini API, or Google Cloud. Each refuses the other's signatures."""

from dataclasses import replace
from typing import Final

from ostinato.policy.target import Target, foreign_reason, host
from ostinato.replay import Origin

__all__ = ["foreign_to_google"]

GEMINI_API: Final = "generativelanguage.googleapis.com"
GOOGLE_CLOUD: Final = "aiplatform.googleapis.com"
# How origins name the issuer -> the service, where the name says it.
_ISSUERS: Final = {
    "gemini": GEMINI_API,
    "google": None,
    "google-genai": None,
    "google-vertex": GOOGLE_CLOUD,
    "vertex": GOOGLE_CLOUD,
    "vertex-ai": GOOGLE_CLOUD,
}


def foreign_to_google(origin: Origin | None, target: Target) -> str | None:
    """Which part of an origin makes its state unreadable at a target of Google's; None where it is readable.

    Google Cloud has a host per region (`us-central1-aiplatform.googleapis.com`), and all of them are one service. A
    proxy in front of a service is told by the name of the provider.
    """
    if origin is None:
        return None
    goal = _named(target.origin)
    own = replace(target, endpoint=goal.endpoint, profile=replace(target.profile, provider=goal.provider or "google"))
    return foreign_reason(_named(origin), own)


def _named(origin: Origin) -> Origin:
    """An origin with Google's services under one provider, told apart by their endpoints."""
    if origin.provider is not None and origin.provider not in _ISSUERS:
        return origin
    service = _service(host(origin.endpoint))
    if service is None and origin.provider is not None:
        service = _ISSUERS[origin.provider]
    provider = "google" if origin.provider is not None or service is not None else None
    return origin._replace(provider=provider, endpoint=service or origin.endpoint)


def _service(name: str | None) -> str | None:
    if name is None:
        return None
    bare = name.partition(":")[0]
    if bare == GEMINI_API:
        return GEMINI_API
    regional = bare.endswith(".googleapis.com") and "aiplatform" in bare
    return GOOGLE_CLOUD if regional or bare == GOOGLE_CLOUD else None
