"""The dialects of Anthropic Messages: one row each, and nothing but data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from ostinato.policy.profiles.anthropic_messages import PROFILES
from ostinato.policy.profiles.thinking import ThinkingProfile
from ostinato.wires.claude import LEVELS, NEVER_FORCED, OFF, Levels, levels

__all__ = ["BEDROCK", "DIALECTS", "Dialect"]

API_VERSION: Final = "2026-10-21"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What varies from one server of this wire to the next."""

    endpoint: str | None
    """The base URL, where the dialect has one."""
    path: str = "/v1/messages"
    provider: str
    """Whose state it is: the issuer that recorded messages name."""
    per_endpoint: bool = False
    """Whether the provider is whoever answers at the endpoint."""
    captures_as: str
    """The codec's provider whose rules a completed thinking block must meet."""
    rules: ThinkingProfile
    """What of thinking the server takes."""
    names_model: bool = True
    """Whether the body says model and stream; on Bedrock the path does."""
    body_versions: tuple[tuple[str, str], ...] = ()
    """API versions that stand in the body, by a part of the model id; the first that fits counts."""
    headers: Mapping[str, str]
    inlines_images: bool = False
    temperature: Literal["any", "one"]
    levels: Levels
    never_forced: tuple[str, ...] = ()
    """Parts of the ids of models that refuse to be told to call a tool."""
    never_fast: tuple[str, ...] = ()
    """Parts of the ids of models without a fast mode."""
    caching: Literal["field", "marker", "never"]
    """Where the cache breakpoint goes: a field of the request, the last block of the last user message, or nowhere."""
    late_counts: bool = False
    """Whether the last usage report counts the input too, and thinking apart."""


_OFFICIAL: Final = Dialect(
    endpoint="https://api.anthropic.com",
    provider="anthropic",
    captures_as="anthropic",
    rules=PROFILES["anthropic"],
    headers={"anthropic-version": API_VERSION},
    temperature="one",
    levels=LEVELS,
    never_forced=NEVER_FORCED,
    never_fast=("4-6", "sonnet-5-5", "haiku-5-5", "fable-5-1"),
    caching="field",
)

DIALECTS: Final[Mapping[str, Dialect]] = {
    "anthropic-official": _OFFICIAL,
    "ant-messages": Dialect(
        endpoint=None,
        provider="ant-messages",
        per_endpoint=True,
        captures_as="anthropic",
        rules=PROFILES["ant-messages"],
        headers={"anthropic-version": API_VERSION},
        temperature="any",
        levels=(("", levels(OFF)),),
        caching="never",
        late_counts=True,
    ),
}

BEDROCK: Final = replace(
    _OFFICIAL,
    endpoint=None,
    path="/model/{model}/invoke-with-response-stream",
    provider="bedrock",
    captures_as="bedrock",
    rules=PROFILES["bedrock-messages"],
    names_model=False,
    # Models of 4.6 and before know only the version that Bedrock began with.
    body_versions=(("4-6", "bedrock-2023-05-31"), ("", API_VERSION)),
    headers={},
    inlines_images=True,
    never_fast=("",),
    caching="marker",
)
"""`anthropic-official` at a base URL of Bedrock."""
