"""Where the requests of each wire hold what a provider reads, and what of it counts as a change.

Providers read a request by the names of its fields, so their order is no change. What a model is shown as JSON is: the
arguments of calls, structured results and schemas of tools are written out for it in their order and spelling (field
reports R190 to R194).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["ALIASES", "HEADS", "LAYOUTS", "Layout", "items_name", "wire_of"]


@dataclass(frozen=True, slots=True)
class Layout:
    """One wire."""

    items: str
    """The field of its items."""
    head: tuple[str, ...]
    """What is read before the items, in order."""
    shown: frozenset[str]
    """Fields whose value a model is shown as JSON."""
    uncounted: frozenset[str] = frozenset()
    """Fields, and objects with nothing but such a field, that may move: cache markers."""
    text_block: Mapping[str, str] | None = None
    """The block that a bare text stands for; None where the two are not known to be the same."""
    two_alphabets: frozenset[str] = frozenset()
    """Fields of base64 that go out in either alphabet and mean the same bytes."""


_SCHEMAS: Final = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "schema",
)

LAYOUTS: Final[Mapping[str, Layout]] = {
    # Messages: the order of the cache is tools, system, messages; markers are outside of the comparison of thinking
    # (docs.litellm.ai anthropic_preserved_thinking, 2026-11).
    "anthropic-messages": Layout(
        "messages",
        ("tools", "system"),
        frozenset({"input", *_SCHEMAS}),
        frozenset({"cache_control"}),
        {"type": "text"},
    ),
    "bedrock-converse": Layout(
        "messages", ("toolConfig", "system"), frozenset({"input", "json", *_SCHEMAS}), frozenset({"cachePoint"})
    ),
    "openai-responses": Layout("input", ("tools", "instructions"), frozenset(_SCHEMAS)),
    # Gateways take the markers of Anthropic on this wire.
    "openai-chat": Layout("messages", ("tools",), frozenset(_SCHEMAS), frozenset({"cache_control"})),
    # google-genai writes signatures in the URL alphabet, whichever they came in (3.6.1).
    "gemini-generate-content": Layout(
        "contents",
        ("tools", "system_instruction"),
        frozenset({"args", "response", *_SCHEMAS}),
        two_alphabets=frozenset({"thoughtSignature", "thought_signature"}),
    ),
    "gemini-interactions": Layout(
        "input", ("tools", "system_instruction"), frozenset({"arguments", "result", *_SCHEMAS})
    ),
}

ALIASES: Final[Mapping[str, str]] = {"systemInstruction": "system_instruction"}
"""Two spellings of one field that is read before the items."""

HEADS: Final = frozenset(name for layout in LAYOUTS.values() for name in layout.head)
"""What may be read before the items."""

_ITEMS: Final = ("messages", "input", "contents", "steps")
_STEPS: Final = frozenset({"user_input", "thought", "model_output", "function_result"})
_OF_CONVERSE: Final = frozenset({"toolConfig", "inferenceConfig", "additionalModelRequestFields"})
_OF_CHAT: Final = frozenset({"system", "developer", "tool"})
_OF_MESSAGES: Final = frozenset({"thinking", "redacted_thinking", "tool_use", "tool_result"})


def items_name(body: Mapping[str, Any]) -> str | None:
    """The field that holds the items of a request; None where it is no request."""
    return next((name for name in _ITEMS if isinstance(body.get(name), (list, tuple, str))), None)


def wire_of(body: Mapping[str, Any]) -> str | None:
    """The wire of a request, by its fields and the types of its items; None where several wires are written so."""
    name = items_name(body)
    held = body.get(name or "")
    items = [item for item in held if isinstance(item, Mapping)] if isinstance(held, (list, tuple)) else []
    if name == "contents":
        return "gemini-generate-content"
    if name == "steps" or (name == "input" and _is_interaction(body, items)):
        return "gemini-interactions"
    if name == "input":
        return "openai-responses"
    return _of_messages(body, items)


def _is_interaction(body: Mapping[str, Any], items: list[Mapping[str, Any]]) -> bool:
    return "system_instruction" in body or any(_word(item, "type") in _STEPS for item in items)


def _of_messages(body: Mapping[str, Any], messages: list[Mapping[str, Any]]) -> str | None:
    blocks = [
        block
        for message in messages
        if isinstance(message.get("content"), (list, tuple))
        for block in message["content"]
        if isinstance(block, Mapping)
    ]
    if _OF_CONVERSE & body.keys() or any("type" not in block for block in blocks):
        return "bedrock-converse"
    if any(_word(message, "role") in _OF_CHAT or "tool_calls" in message for message in messages):
        return "openai-chat"
    if "system" in body or any(_word(block, "type") in _OF_MESSAGES for block in blocks):
        return "anthropic-messages"
    return None


def _word(item: Mapping[str, Any], name: str) -> str | None:
    word = item.get(name)
    return word if isinstance(word, str) else None
