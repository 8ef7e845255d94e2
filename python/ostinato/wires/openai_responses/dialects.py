"""The dialects of OpenAI Responses: one row each, and nothing but data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from ostinato.policy.profiles.responses import PROFILES, ResponsesProfile

__all__ = ["DIALECTS", "Dialect"]

Levels = tuple[tuple[str, Mapping[str, str]], ...]
"""Thinking levels in the provider's words, by a part of the lower-cased model id; the first that fits counts."""


def _levels(*words: str) -> Mapping[str, str]:
    return dict(zip(("none", "low", "medium", "high", "xhigh", "max"), words, strict=True))


_AS_NAMED: Final = _levels("none", "low", "medium", "high", "xhigh", "max")
_NEVER_NONE: Final = _levels("low", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What varies from one server of this wire to the next."""

    endpoint: str | None
    """The base URL, where the dialect has one."""
    provider: str
    """Whose state it is: the issuer that recorded messages name."""
    per_endpoint: bool = False
    """Whether the provider is whoever answers at the endpoint."""
    captures_as: str | None
    """The codec's provider whose rules a completed reasoning item must meet; None where no state is kept."""
    rules: ResponsesProfile
    """What the API takes back: plain reasoning, long ids, reasoning that nothing follows, the same id twice."""
    signs: bool = True
    """Whether `signature` and `format` of a gateway mean something here."""
    lone_ciphertext_is_summary: bool = False
    """Whether text beside a ciphertext is a summary where no channel was recorded (histories before channels)."""
    summary_key: bool = True
    """Whether a reasoning item has a summary; without one its content is always there."""
    streams_summary: bool = True
    """Whether summary text is this model's thinking."""
    calls_when_complete: bool = False
    """Whether calls are read from the completed item alone."""
    phases: bool = False
    detail_for: str | None = None
    """A part of the model ids to which very large images must be marked."""
    text_only: re.Pattern[str] | None = None
    """Model ids (after the last slash) that refuse images."""
    includes: tuple[str, ...] = ()
    temperature: Literal["any", "unit", "one"] = "any"
    levels: Levels = (("", _AS_NAMED),)
    summary: Literal["alone", "beside_level", "never"] = "beside_level"
    choices: tuple[str, ...] = ("auto", "required", "none")
    names_choices: bool = True
    """Whether a tool choice may be a list of names."""
    refuses: tuple[tuple[str, str, object], ...] = ()
    """Settings refused with a value: part of the lower-cased model id, setting, value."""


_OPENAI_LEVELS: Final = (("gpt-6-luna", _AS_NAMED), ("gpt-6", _NEVER_NONE), ("", _AS_NAMED))

# A message may hold text beside a ciphertext, and a gateway's fields; MMSP sends both (RFC-0004, section 5).
_OPENAI_RULES: Final = replace(PROFILES["openai"].but(plaintext_reasoning="beside"), contract="openrouter")

DIALECTS: Final[Mapping[str, Dialect]] = {
    "openai-official": Dialect(
        endpoint="https://api.openai.com/v1",
        provider="openai",
        # OpenAI promises an id, and responses that are not stored were seen without one. Such an item replays well, so
        # it is kept by the rules of the providers whose items may lack the id, and the lack is noted.
        captures_as="codex",
        rules=_OPENAI_RULES,
        lone_ciphertext_is_summary=True,
        phases=True,
        detail_for="gpt-5.6",
        includes=("reasoning.encrypted_content",),
        temperature="one",
        levels=_OPENAI_LEVELS,
        summary="alone",
    ),
    "openai-responses": Dialect(
        endpoint=None,
        provider="openai-responses",
        per_endpoint=True,
        captures_as="openrouter",  # the widest rules: a gateway's signature and format, and plain text as state
        rules=PROFILES["open-responses"],
        phases=True,
        detail_for="gpt-5.6",
        levels=_OPENAI_LEVELS,
    ),
    "xai-responses": Dialect(
        endpoint="https://api.x.ai/v1",
        provider="xai",
        captures_as="xai",
        rules=PROFILES["xai"],
        signs=False,
        lone_ciphertext_is_summary=True,
        includes=("reasoning.encrypted_content",),
    ),
    "deepseek-official": Dialect(
        endpoint="https://api.deepseek.com",
        provider="deepseek",
        captures_as=None,
        rules=PROFILES["deepseek-responses"],
        streams_summary=False,
        text_only=re.compile(r"deepseek-v4-(flash|pro)(-\d{4})?"),
        temperature="one",
        levels=(("", _levels("none", "low", "high", "high", "high", "max")),),
        summary="alone",
        choices=("auto", "none"),
        names_choices=False,
        refuses=(("", "fast_mode", True),),
    ),
    "minimax-official": Dialect(
        endpoint="https://api.minimax.io/v1",
        provider="minimax",
        captures_as=None,
        rules=PROFILES["open-responses"],
        summary_key=False,
        streams_summary=False,
        calls_when_complete=True,
        temperature="unit",
        levels=(
            ("m3.1", _levels("low", "low", "medium", "high", "xhigh", "max")),
            ("", _levels("none", "low", "medium", "high", "high", "high")),
        ),
        summary="never",
        choices=("auto", "none"),
        names_choices=False,
        refuses=(("m3.1", "tool_choice", "none"), ("m3.1", "fast_mode", True)),
    ),
}
