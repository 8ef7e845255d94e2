"""The rules of the OpenAI Responses wire."""

from ostinato.policy.responses.items import replayed
from ostinato.policy.responses.sending import prepare
from ostinato.policy.responses.stripping import strip
from ostinato.policy.responses.units import units
from ostinato.policy.rules import Marks, Rules

__all__ = ["RULES"]

_MARKS = Marks(
    "items",
    ("type", "role"),
    ("reasoning_content", "reasoning_details", "thinking_blocks", "tool_calls"),
    frozenset({"thinking", "redacted_thinking", "tool_use", "tool_result"}),  # parts of Anthropic's messages
)

RULES = Rules(prepare, units, strip, replayed, counted_as="openrouter", marks=_MARKS)
