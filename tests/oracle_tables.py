"""The tables of the oracle: every item and every contract, from the sources that `docs/format.md` names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

REQUIRED, OPTIONAL, OMIT_IF_EMPTY = "required", "optional", "omit"


@dataclass(frozen=True)
class Field:
    """One row of a table."""

    name: str
    kind: str
    presence: str = REQUIRED
    detail: Any = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """The rows of an object, and which of them are alternatives: (fewest, most, names)."""

    fields: tuple[Field, ...]
    rule: tuple[int, int, tuple[str, ...]] | None = None
    ignored: tuple[str, ...] = ()


def _parts(tag: str, **others: tuple[Field, ...]) -> dict[str, Any]:
    return {"kind": "parts", "detail": {tag: (Field("text", "text"),), **others}}


TYPE_REASONING = Field("type", "tag", detail="reasoning")
ID = Field("id", "id")
NO_ID = Field("id", "id", OMIT_IF_EMPTY)
SUMMARY = Field("summary", **_parts("summary_text"))
STATE = Field("encrypted_content", "opaque")
NO_STATE = Field("encrypted_content", "opaque", OMIT_IF_EMPTY)
CONTENT = Field("content", presence=OMIT_IF_EMPTY, **_parts("reasoning_text"))
FORMAT = Field("format", "id", OPTIONAL)
SIGNATURE = Field("signature", "opaque", OMIT_IF_EMPTY)
INDEX = Field("index", "integer", OPTIONAL)
DETAIL = (NO_ID, FORMAT, INDEX)
STATES = ("encrypted_content", "signature", "content")
STATUS = ("status",)
COMPACTION = Field("type", "tag", detail="compaction")
MESSAGE = (
    "annotations",
    "audio",
    "content",
    "function_call",
    "name",
    "reasoning_details",
    "refusal",
    "role",
    "tool_calls",
)
PARTS = ("functionCall", "functionResponse", "inlineData", "fileData", "executableCode", "codeExecutionResult")


def _snake(name: str) -> tuple[str, ...]:
    return (re.sub("([A-Z])", lambda found: "_" + found[1].lower(), name),)


WIDEST = Table((TYPE_REASONING, NO_ID, SUMMARY, NO_STATE, CONTENT, FORMAT, SIGNATURE), (1, 9, STATES), STATUS)
STRICT = Table((TYPE_REASONING, ID, SUMMARY, STATE, CONTENT), None, STATUS)
COMPACTION_ANY = Table((COMPACTION, NO_ID, STATE), None, ("status", "created_by"))
COMPACTION_STRICT = Table((COMPACTION, ID, STATE), None, ("status", "created_by"))
THINKING = Table(
    (Field("type", "tag", detail="thinking"), Field("thinking", "text"), Field("signature", "opaque")),
    None,
    ("cache_control",),
)
REDACTED = Table((Field("type", "tag", detail="redacted_thinking"), Field("data", "opaque")), None, ("cache_control",))
PART = Table(
    (
        Field("thought", "flag", OPTIONAL),
        Field("text", "text", OPTIONAL),
        *(Field(name, "json", OPTIONAL, aliases=_snake(name)) for name in PARTS),
        *(
            Field(name, "json", OPTIONAL, aliases=_snake(name))
            for name in ("toolCall", "toolResponse", "videoMetadata")
        ),
        Field("thoughtSignature", "base64", aliases=("thought_signature",)),
    )
)
IMAGE = (
    Field("data", "text", OMIT_IF_EMPTY),
    Field("mime_type", "id", OMIT_IF_EMPTY),
    Field("resolution", "id", OMIT_IF_EMPTY),
    Field("uri", "text", OMIT_IF_EMPTY),
)
STEP = Table(
    (
        Field("type", "tag", detail="thought"),
        Field("signature", "base64"),
        Field("summary", presence=OMIT_IF_EMPTY, **_parts("text", image=IMAGE)),
    )
)
CHAT = Table(
    (Field("reasoning_content", "text", OPTIONAL), Field("reasoning", "text", OPTIONAL), NO_STATE),
    (1, 9, ("reasoning_content", "reasoning", "encrypted_content")),
    MESSAGE,
)
TEXT = Table((Field("type", "tag", detail="reasoning.text"), Field("text", "text", OPTIONAL), SIGNATURE, *DETAIL))
SUMMARY_DETAIL = Table((Field("type", "tag", detail="reasoning.summary"), Field("summary", "text"), *DETAIL))
ENCRYPTED = Table((Field("type", "tag", detail="reasoning.encrypted"), Field("data", "opaque"), *DETAIL))
TOOL_CALL = Table(
    (
        Field("type", "tag", detail="reasoning.server_tool_call"),
        Field("tool_name", "id"),
        Field("arguments", "json", OPTIONAL),
        Field("result", "json", OPTIONAL),
        Field("tool_call_id", "id", OMIT_IF_EMPTY),
        *DETAIL,
    )
)
REASONING_TEXT = Table((Field("text", "text"), Field("signature", "opaque", OMIT_IF_EMPTY)))
REASONING_CONTENT = Table(
    (
        Field("reasoningText", "object", OPTIONAL, REASONING_TEXT),
        Field("redactedContent", "opaque", OMIT_IF_EMPTY),
    ),
    (1, 1, ("reasoningText", "redactedContent")),
)
BLOCK = Table((Field("reasoningContent", "object", detail=REASONING_CONTENT),))

SEALED = {
    "openai-responses.reasoning": WIDEST,
    "openai-responses.compaction": COMPACTION_ANY,
    "anthropic-messages.thinking": THINKING,
    "anthropic-messages.redacted_thinking": REDACTED,
    "gemini-generate-content.part": PART,
    "gemini-interactions.thought": STEP,
    "openai-chat.reasoning": CHAT,
    "openai-chat.reasoning.text": TEXT,
    "openai-chat.reasoning.summary": SUMMARY_DETAIL,
    "openai-chat.reasoning.encrypted": ENCRYPTED,
    "openai-chat.reasoning.server_tool_call": TOOL_CALL,
    "bedrock-converse.reasoning": BLOCK,
}
BARE = "fast-agent.openai-responses.reasoning-replay"
ROUTE = "fast-agent.openai-responses.compaction-replay"

# (wire, provider) -> the items of its contract by their name in SEALED.
NO_IDS = {
    "openai-responses.reasoning": Table((TYPE_REASONING, NO_ID, SUMMARY, STATE, CONTENT), None, STATUS),
    "openai-responses.compaction": COMPACTION_ANY,
}
CONTRACTS: dict[tuple[str, str], dict[str, Table]] = {
    ("openai-responses", "openai"): {
        "openai-responses.reasoning": STRICT,
        "openai-responses.compaction": COMPACTION_STRICT,
    },
    ("openai-responses", "xai"): NO_IDS,
    ("openai-responses", "codex"): NO_IDS,
    ("openai-responses", "openrouter"): {
        "openai-responses.reasoning": WIDEST,
        "openai-responses.compaction": COMPACTION_ANY,
    },
    ("openai-responses", "vllm"): {
        "openai-responses.reasoning": Table(
            (TYPE_REASONING, NO_ID, SUMMARY, NO_STATE, CONTENT), (1, 9, ("encrypted_content", "content")), STATUS
        ),
    },
} | {
    (wire, provider): {name: table for name, table in SEALED.items() if name.startswith(wire + ".")}
    for wire, provider in [
        ("anthropic-messages", "anthropic"),
        ("gemini-generate-content", "gemini"),
        ("gemini-interactions", "gemini"),
        ("openai-chat", "openrouter"),
        ("bedrock-converse", "bedrock"),
    ]
}
