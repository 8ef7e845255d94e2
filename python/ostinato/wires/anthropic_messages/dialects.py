"""The dialects of Anthropic Messages: one row each, and nothing but data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

__all__ = ["BEDROCK", "BEDROCK_SCHEME", "DIALECTS", "Dialect"]

API_VERSION: Final = "2026-10-21"
BEDROCK_SCHEME: Final = "bedrock://"
"""Base URLs of Bedrock: `bedrock://<region>`."""

Level = tuple[str, str | None]
"""A type of thinking and an effort, which is not sent where it is None."""


def _levels(none: Level, *, xhigh: str = "xhigh") -> Mapping[str, Level]:
    efforts = {"low": "low", "medium": "medium", "high": "high", "xhigh": xhigh, "max": "max"}
    return {"none": none, **{level: ("adaptive", effort) for level, effort in efforts.items()}}


_OFF: Final = ("disabled", None)
_LEAST: Final = ("adaptive", "low")


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
    unsigned: Literal["send", "leave_out"]
    """Thinking without a signature: sent, or left out because the API refuses it."""
    may_end_thinking: bool
    """Whether a message may end with thinking; the API refuses one that does."""
    names_model: bool = True
    """Whether the body says model and stream; on Bedrock the path does."""
    body_versions: tuple[tuple[str, str], ...] = ()
    """API versions that stand in the body, by a part of the model id; the first that fits counts."""
    headers: Mapping[str, str]
    inlines_images: bool = False
    temperature: Literal["any", "one"]
    levels: tuple[tuple[str, Mapping[str, Level]], ...]
    """Thinking levels, by a part of the model id; the first that fits counts."""
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
    unsigned="leave_out",
    may_end_thinking=False,
    headers={"anthropic-version": API_VERSION},
    temperature="one",
    levels=(
        # These always think: the lowest effort is the least there is.
        ("opus-5-5", _levels(_LEAST)),
        ("fable-5", _levels(_LEAST)),
        ("haiku-5-5", _levels(_LEAST)),
        # This one can leave out what it thinks before it answers, not what it thinks between calls.
        ("sonnet-5-5", _levels(("between_tools", None))),
        ("4-6", _levels(_OFF, xhigh="high")),
        ("", _levels(_OFF)),
    ),
    never_forced=("opus-5-5", "sonnet-5-5", "haiku-5-5", "fable-5-1"),
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
        unsigned="send",
        may_end_thinking=True,
        headers={"anthropic-version": API_VERSION},
        temperature="any",
        levels=(("", _levels(_OFF)),),
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
    names_model=False,
    # Models of 4.6 and before know only the version that Bedrock began with.
    body_versions=(("4-6", "bedrock-2023-05-31"), ("", API_VERSION)),
    headers={},
    inlines_images=True,
    never_fast=("",),
    caching="marker",
)
"""`anthropic-official` at a base URL of Bedrock."""
