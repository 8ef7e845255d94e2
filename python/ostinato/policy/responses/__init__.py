"""The rules of the OpenAI Responses wire."""

from ostinato.policy.responses.items import replayed
from ostinato.policy.responses.sending import prepare
from ostinato.policy.responses.stripping import strip
from ostinato.policy.responses.units import units
from ostinato.policy.rules import Rules

__all__ = ["RULES"]

RULES = Rules(prepare, units, strip, replayed, counted_as="openrouter")
