"""Messages of Vercel's AI SDK."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

import ostinato

Json = dict[str, Any]

CASE = json.loads((pathlib.Path(__file__).parents[1] / "cases" / "load-ai-sdk-parts.json").read_text(encoding="utf-8"))


def load(*messages: Json) -> ostinato.Conversation:
    """The messages, dumped and loaded."""
    loaded = ostinato.load(json.dumps(messages).encode())
    assert loaded.format == "vercel-ai"
    return loaded


def openai(**fields: Any) -> Json:
    """What OpenAI attaches to a part."""
    return {"openai": fields}


def test_load_ai_sdk_parts() -> None:
    """Parts of one id are one item, and the last ciphertext that is there counts."""
    reasoning = [item for item in load(CASE["given"]["message"]).items if item["type"] == "reasoning"]
    assert reasoning == CASE["then"]["output"]["reasoning"]


def test_messages_of_the_interface_say_the_same() -> None:
    """UI messages keep the same under `providerMetadata`; their steps and results become turns."""
    parts = [
        {"type": "step-start"},
        {"type": "reasoning", "text": "A", "providerMetadata": openai(itemId="rs_1", reasoningEncryptedContent=None)},
        {
            "type": "reasoning",
            "text": "B",
            "providerMetadata": openai(itemId="rs_1", reasoningEncryptedContent="gAAAAA-e"),
        },
        {
            "type": "tool-f",
            "toolCallId": "c1",
            "state": "output-available",
            "input": {"a": 1},
            "output": {"r": 1},
            "callProviderMetadata": openai(itemId="fc_1"),
        },
        {"type": "step-start"},
        {"type": "text", "text": "x", "providerMetadata": openai(itemId="msg_1")},
    ]
    loaded = load(
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "q"}]},
        {"id": "2", "role": "assistant", "parts": parts},
    )
    assert loaded.wire == "openai-responses"
    summary = [{"type": "summary_text", "text": "A"}, {"type": "summary_text", "text": "B"}]
    assert loaded.items[1:] == [
        {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "gAAAAA-e"},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": '{"a":1}'},
        {"type": "function_call_output", "call_id": "c1", "output": '{"r":1}'},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "x", "annotations": []}],
        },
    ]
    assert [turn.role for turn in loaded.turns] == ["user", "assistant", "tool", "assistant"]
    assert loaded.report.counts == {"arguments_rebuilt": 1}
    assert loaded.report.records == 2


def test_state_without_text_has_no_summary() -> None:
    """A part of no text is there for its state alone."""
    part = {
        "type": "reasoning",
        "text": "",
        "providerOptions": openai(itemId="rs_1", reasoningEncryptedContent="gAAAAA-e"),
    }
    assert load({"role": "assistant", "content": [part]}).items == [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAA-e"}
    ]


def test_blocks_of_anthropic_are_native() -> None:
    """Signatures and redacted data make blocks; searches that Anthropic ran have the names of its wire."""
    found = [{"type": "web_search_result", "url": "u", "encryptedContent": "sealed", "pageAge": None}]
    content = [
        {"type": "reasoning", "text": "t", "providerOptions": {"anthropic": {"signature": "c2ln"}}},
        {"type": "reasoning", "text": "", "providerOptions": {"anthropic": {"redactedData": "ZGF0YQ=="}}},
        {
            "type": "tool-call",
            "toolCallId": "s1",
            "toolName": "web_search",
            "input": {"query": "k"},
            "providerExecuted": True,
        },
        {
            "type": "tool-result",
            "toolCallId": "s1",
            "toolName": "web_search",
            "output": {"type": "json", "value": found},
        },
        {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {"a": 1}},
    ]
    result = {
        "type": "tool-result",
        "toolCallId": "c1",
        "toolName": "f",
        "output": {"type": "error-text", "value": "r"},
    }
    loaded = load({"role": "assistant", "content": content}, {"role": "tool", "content": [result]})
    assert loaded.wire == "anthropic-messages"
    searched = [{"type": "web_search_result", "url": "u", "encrypted_content": "sealed", "page_age": None}]
    assert loaded.items == [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "t", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "ZGF0YQ=="},
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "k"}},
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": searched},
                {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "r", "is_error": True}]},
    ]


@pytest.mark.parametrize(("key", "provider"), [("google", "gemini"), ("vertex", "vertex")])
def test_signatures_of_gemini_stand_on_their_parts(key: str, provider: str) -> None:
    """Each part keeps its own signature, and the key tells whose it is."""
    content = [
        {"type": "reasoning", "text": "t", "providerOptions": {key: {"thoughtSignature": "c2lnMQ=="}}},
        {
            "type": "tool-call",
            "toolCallId": "c1",
            "toolName": "f",
            "input": {},
            "providerOptions": {key: {"thoughtSignature": "c2lnMg=="}},
        },
    ]
    loaded = load({"role": "assistant", "content": content})
    assert loaded.items[0]["parts"] == [
        {"text": "t", "thought": True, "thoughtSignature": "c2lnMQ=="},
        {"functionCall": {"id": "c1", "name": "f", "args": {}}, "thoughtSignature": "c2lnMg=="},
    ]
    assert loaded.turns[0].origin == ostinato.Origin(provider)


def test_chat_reasoning_goes_into_its_field() -> None:
    """Reasoning without metadata is what the SDK's chat providers leave."""
    content = [{"type": "reasoning", "text": "t"}, {"type": "text", "text": "x"}]
    loaded = load(
        {
            "role": "assistant",
            "content": [*content, {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {}}],
        }
    )
    assert (loaded.wire, loaded.items[0]["reasoning_content"]) == ("openai-chat", "t")


def test_details_of_openrouter_count_once() -> None:
    """Details that are repeated on several parts of an answer are there once."""
    details = [
        {"type": "reasoning.encrypted", "data": "sealed", "id": "rs_1", "format": "openai-responses-v1", "index": 0}
    ]
    own = {"openrouter": {"reasoning_details": details}}
    content = [
        {"type": "reasoning", "text": "t", "providerOptions": own},
        {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {}, "providerOptions": own},
    ]
    assert load({"role": "assistant", "content": content}).items[0]["reasoning_details"] == details


def test_version_4_is_read() -> None:
    """The parts of version 4 have blocks inside of one part, and wrap their tools."""
    parts = [
        {
            "type": "reasoning",
            "reasoning": "t",
            "details": [{"type": "text", "text": "t", "signature": "c2ln"}, {"type": "redacted", "data": "ZGF0YQ=="}],
        },
        {
            "type": "tool-invocation",
            "toolInvocation": {"state": "result", "toolCallId": "c1", "toolName": "f", "args": {"a": 1}, "result": "r"},
        },
        {"type": "text", "text": "x", "providerMetadata": {"anthropic": {}}},
    ]
    loaded = load({"role": "assistant", "content": "x", "parts": parts})
    assert [block["type"] for block in loaded.items[0]["content"]] == [
        "thinking",
        "redacted_thinking",
        "tool_use",
        "text",
    ]
    assert loaded.items[1]["content"][0]["content"] == "r"


def test_what_is_shown_and_what_is_unknown_is_named() -> None:
    """Parts for display are not sent; calls that were cut, and parts of new kinds, are left out by name."""
    parts = [
        {"type": "source-url", "url": "u"},
        {"type": "data-weather", "data": {}},
        {"type": "tool-f", "toolCallId": "c1", "state": "input-streaming"},
        {"type": "newest"},
        {"type": "text", "text": "x"},
    ]
    loaded = load({"role": "assistant", "parts": parts})
    assert loaded.report.counts == {"not_sent": 2, "unknown_part": 2}
    assert len(loaded.items) == 1
