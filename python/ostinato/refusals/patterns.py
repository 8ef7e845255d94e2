"""What providers say when they refuse a request for its reasoning state, and what it means. One row per refusal.

Rows are tried in order: what is said more exactly stands first. The words are those of public reports; ids and places
in them are read by `places.py`.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["ACTIONS", "PATTERNS", "Action", "Pattern"]

Action = Literal["strip_named", "strip_state", "prepare", "change_request", "none"]
ACTIONS: Final[dict[Action, str]] = {
    "strip_named": "Leave out the state that is named, whole; visible turns stay.",
    "strip_state": "Leave out all state; visible turns stay.",
    "prepare": "Prepare the items for their destination: it changes what is refused, and keeps the rest.",
    "change_request": "Nothing is wrong with the items: change the request around them.",
    "none": "Nothing is known about this refusal.",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """One refusal."""

    words: re.Pattern[str]
    code: str
    """The decision that would have prevented it, a key of `DECISION_CODES`."""
    action: Action
    wire: str | None
    """Whose refusal it is; None where several wires say the same."""
    source: str
    reason: str | None = None
    status: tuple[int, ...] = ()
    """HTTP statuses it comes with; empty where any will do. A status that is not known fits."""
    profile: str | None = None
    """The destination that says so, where only one does."""


def _row(
    words: str,
    code: str,
    action: Action,
    wire: str | None,
    source: str,
    *,
    reason: str | None = None,
    status: tuple[int, ...] = (),
    profile: str | None = None,
) -> Pattern:
    return Pattern(re.compile(words, re.IGNORECASE), code, action, wire, source, reason, status, profile)


_RESPONSES: Final = "openai-responses"
_MESSAGES: Final = "anthropic-messages"
_GEMINI: Final = "gemini-generate-content"
_CHAT: Final = "openai-chat"

PATTERNS: Final[tuple[Pattern, ...]] = (
    # OpenAI Responses, and servers that speak it.
    _row(
        r"of type 'reasoning' was provided without its required following item",
        "orphan_reasoning",
        "strip_named",
        _RESPONSES,
        "continuedev/continue#8933, vercel/ai#7099",
    ),
    _row(
        r"was provided without its required 'reasoning' item",
        "id_omitted",
        "strip_named",
        _RESPONSES,
        "mastra-ai/mastra#15509, ag2ai/ag2#3150, vercel/ai#8379",
        reason="pair",
    ),
    _row(
        r"item_id did not match the target item id",
        "id_ciphertext_conflict",
        "strip_state",
        _RESPONSES,
        "maximhq/bifrost#5186, pydantic/pydantic-ai#7185",
        reason="id_changed",
    ),
    _row(
        r"encrypted payloads can only be replayed to the endpoint that created them",
        "foreign_state",
        "strip_state",
        None,
        "rowboatlabs/rowboat#832",
        reason="endpoint",
    ),
    _row(
        r"encrypted_content'? was not issued to this caller",
        "foreign_state",
        "strip_state",
        None,
        "anomalyco/opencode#48773",
        reason="account",
    ),
    _row(
        r"could not decrypt the provided encrypted_content",
        "foreign_state",
        "strip_state",
        _RESPONSES,
        "openclaw/openclaw#97926",
        profile="xai",
    ),
    _row(
        r"encrypted content\b.{0,200}could not be verified|\binvalid_encrypted_content\b"
        r"|encrypted content could not be decrypted or parsed",
        "foreign_state",
        "strip_named",
        _RESPONSES,
        "openai/codex#8119, openai/codex#3942, openai/codex#35334",
    ),
    _row(
        r"duplicate item found with id",
        "exact_duplicate",
        "prepare",
        _RESPONSES,
        "vercel/ai#7883, NousResearch/hermes-agent#7946",
    ),
    _row(
        r"missing required parameter:? '?input\[\d+\]\.encrypted_content",
        "not_replayable",
        "strip_named",
        _RESPONSES,
        "openai/codex#19661",
        reason="no_encrypted_content",
    ),
    _row(
        r"items are not persisted when '?store'? is set to false|\bitem (with id )?'?(rs|msg|fc|cmp)_[\w-]+'? not found"
        r"|reasoning item not found",
        "not_replayable",
        "strip_named",
        _RESPONSES,
        "vercel/ai#7543, microsoft/agent-framework#4562, openai-agents#919",
        reason="no_encrypted_content",
    ),
    _row(
        r"input\[\d+\]\.id'?:? string too long|input\[\]\.id too long|string_above_max_length.{0,99}input\[\d+\]\.id\b",
        "id_omitted",
        "prepare",
        _RESPONSES,
        "can1357/oh-my-pi#284, NousResearch/hermes-agent#27038",
        reason="over_64_chars",
    ),
    _row(
        r"input\[\d+\]\.content'?:? array too long|\barray_above_max_length\b|content array too long \(max 0\)",
        "state_omitted",
        "prepare",
        _RESPONSES,
        "musistudio/claude-code-router#1783, inspect_ai 0.3.285",
    ),
    _row(
        r"unknown parameter:? '?input\[\d+\]\.\w+",
        "fields_omitted",
        "prepare",
        _RESPONSES,
        "BerriAI/litellm#13420, digitallyinduced/haskell-agent#689",
    ),
    _row(
        r"(missing required parameter:?|invalid type for) '?input\[\d+\]\.summary|cannot determine type of 'item'",
        "summary_added",
        "prepare",
        _RESPONSES,
        "ggml-org/llama.cpp#29159, microsoft/agent-framework-go#784",
    ),
    _row(
        r"could not decode the compaction blob",
        "summary_added",
        "prepare",
        _RESPONSES,
        "chenyme/grok2api#689, chenyme/grok2api#1025",
        reason="changed_item",
        profile="xai",
    ),
    _row(
        r"invalid type for '?input\[\d+\]\.(content|status)\b",
        "fields_omitted",
        "prepare",
        _RESPONSES,
        "lidge-jun/opencodex#2237, vllm-project/vllm#36839",
    ),
    _row(
        r"encrypted content is not supported",
        "state_omitted",
        "prepare",
        _RESPONSES,
        "vllm entrypoints/responses_utils.py",
        profile="vllm-responses",
    ),
    _row(
        r"no tool call found for function call output",
        "orphan_output",
        "prepare",
        _RESPONSES,
        "continuedev/continue#10092, can1357/oh-my-pi#106",
    ),
    _row(
        r"\binvalid_payload\b",
        "id_missing",
        "prepare",
        _RESPONSES,
        "Azure/azure-sdk-for-net#59967",
        status=(400,),
        profile="azure-project",
    ),
    # Anthropic Messages, wherever Claude is reached. The binding says more than the words before it do.
    _row(
        r"bound to a different conversation",
        "prefix_changed",
        "strip_state",
        _MESSAGES,
        "anomalyco/opencode#46653, anomalyco/opencode#48637",
    ),
    _row(
        r"block_binding.{0,60}extra inputs are not permitted",
        "setting_without_beta",
        "change_request",
        _MESSAGES,
        "Wei-Shaw/sub2api#6677",
    ),
    _row(
        r"invalid '?signature'? in '?thinking'? block",
        "foreign_state",
        "strip_named",
        _MESSAGES,
        "anthropics/anthropic-sdk-python#1598, ding113/claude-code-hub#518",
        reason="signature",
    ),
    _row(
        r"blocks in the latest assistant message cannot be modified|blocks must remain as they were",
        "thinking_chain_broken",
        "strip_state",
        _MESSAGES,
        "anthropics/claude-code#63475, bastani-inc/atomic#1318",
    ),
    _row(
        r"the final block in an assistant message cannot be '?thinking",
        "orphan_thinking",
        "prepare",
        _MESSAGES,
        "anthropics/claude-code#10199, tailcallhq/forgecode#2107",
    ),
    _row(
        r"expected '?thinking'? or '?redacted_thinking'?,? but found"
        r"|the first block must be '?thinking'? or '?redacted_thinking",
        "thinking_chain_broken",
        "change_request",
        _MESSAGES,
        "pydantic/pydantic-ai#2075, anomalyco/opencode#3077",
        reason="missing",
    ),
    _row(
        r"thinking\.thinking: field required|each thinking block must contain thinking",
        "text_restored",
        "prepare",
        _MESSAGES,
        "langchain-ai/langchain#38638, sepivip/SeekerClaw#431",
    ),
    _row(
        r"thinking\.signature: field required",
        "unsigned_thinking",
        "prepare",
        _MESSAGES,
        "kaitranntt/ccs#415, openclaw/openclaw#91501",
    ),
    _row(
        r"content\[\]\.thinking.{0,80}must be passed back",
        "unsigned_thinking",
        "change_request",
        _MESSAGES,
        "esengine/DeepSeek-Reasonix#8902",
        reason="stripped",
    ),
    # Gemini.
    _row(
        r"missing an? '?thought_?signature",
        "missing_signature",
        "prepare",
        _GEMINI,
        "langgenius/dify-official-plugins#2088, n8n-io/n8n#22181",
    ),
    _row(
        r"base64 decoding failed.{0,120}thought_?signature|thought_?signature.{0,160}base64 decoding failed",
        "unsound_state",
        "strip_named",
        _GEMINI,
        "crmne/ruby_llm#521",
        reason="signature_not_base64",
    ),
    _row(
        r"illegal base64 data at input byte",
        "unsound_state",
        "strip_state",
        _GEMINI,
        "googleapis/python-genai#2105",
        reason="signature_not_base64",
    ),
    _row(
        r"unknown name 'thought_?signature' at '[\w.\[\]]*function_?call",
        "relocated_field",
        "prepare",
        _GEMINI,
        "TanStack/ai#459, anthonyhaussman/opencode-agy-auth#56",
    ),
    _row(
        r"corrupted thought signature",
        "fragments_merged",
        "strip_state",
        None,
        "agentjido/req_llm#300",
        reason="signature",
    ),
    # Chat Completions.
    _row(
        r"reasoning_content'? in the thinking mode must be passed back",
        "missing_reasoning_field",
        "prepare",
        _CHAT,
        "api-docs.deepseek.com, zed-industries/zed#55321",
        profile="deepseek",
    ),
    _row(
        r"thinking is enabled but reasoning_content is missing",
        "missing_reasoning_field",
        "prepare",
        _CHAT,
        "anomalyco/opencode#16318, continuedev/continue#11600",
        profile="moonshot",
    ),
)
