"""The known destinations: one file per wire, one row per destination."""

from collections.abc import Mapping
from typing import Final

from ostinato.errors import ReplayError
from ostinato.policy.profile import Profile
from ostinato.policy.profiles import (
    anthropic_messages,
    bedrock_converse,
    gemini_generate_content,
    gemini_interactions,
    openai_chat,
    responses,
)

__all__ = ["PROFILES", "profile"]

PROFILES: Final[Mapping[str, Profile]] = {
    **responses.PROFILES,
    **anthropic_messages.PROFILES,
    **bedrock_converse.PROFILES,
    **gemini_generate_content.PROFILES,
    **gemini_interactions.PROFILES,
    **openai_chat.PROFILES,
}
"""Every row by its name."""


def profile(name: str) -> Profile:
    """The row of a destination.

    Raises:
        ReplayError: `unknown_profile`; `PROFILES` has the names.
    """
    try:
        return PROFILES[name]
    except KeyError:
        raise ReplayError("unknown_profile") from None
