"""Messages of LangChain, in its envelopes and output versions, over all providers."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ostinato

Json = dict[str, Any]

OPENAI = {"model_provider": "openai", "id": "resp_1", "model_name": "m"}
SUMMARY = [{"type": "summary_text", "text": "A"}, {"type": "summary_text", "text": "B"}]
ITEM = {"type": "reasoning", "id": "rs_1", "summary": SUMMARY, "encrypted_content": "gAAAAA-example"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'}
CALLS = [{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}]
TEXT = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "x", "annotations": []}],
}


def bare(content: Any, **fields: Any) -> Json:
    """The fields of an answer."""
    return {"type": "ai", "content": content, "additional_kwargs": {}, "response_metadata": OPENAI, **fields}


def dumped(fields: Json) -> Json:
    """As `dumpd` writes a message."""
    kind = {"ai": "AIMessage", "human": "HumanMessage", "tool": "ToolMessage", "system": "SystemMessage"}[
        fields["type"]
    ]
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind], "kwargs": fields}


def listed(fields: Json) -> Json:
    """As `messages_to_dict` writes a message."""
    return {"type": fields["type"], "data": fields}


def load(*messages: Json) -> ostinato.Conversation:
    """The messages, dumped and loaded."""
    loaded = ostinato.load(json.dumps(messages).encode())
    assert loaded.format == "langchain"
    return loaded


CONTENT = {
    "responses/v1": [ITEM | {"index": 0}, {"type": "text", "text": "x", "id": "msg_1", "annotations": []}, CALL],
    "v1": [
        {"type": "reasoning", "id": "rs_1", "reasoning": "A", "encrypted_content": "gAAAAA-example"},
        {"type": "reasoning", "id": "rs_1", "reasoning": "B"},
        {"type": "text", "text": "x", "id": "msg_1"},
        {
            "type": "tool_call",
            "name": "f",
            "args": {"a": 1},
            "id": "c1",
            "extras": {"item_id": "fc_1", "arguments": '{"a": 1}'},
        },
    ],
}


@pytest.mark.parametrize("version", CONTENT)
@pytest.mark.parametrize("envelope", [dumped, listed, dict])
def test_items_of_responses_are_whole(version: str, envelope: Any) -> None:
    """Both versions give the same items, in each of the envelopes."""
    loaded = load(
        envelope({"type": "human", "content": "q", "additional_kwargs": {}}),
        envelope(bare(CONTENT[version], tool_calls=CALLS)),
        envelope({"type": "tool", "content": "r", "tool_call_id": "c1", "additional_kwargs": {}}),
    )
    assert loaded.wire == "openai-responses"
    assert loaded.items[1:] == [ITEM, TEXT, CALL, {"type": "function_call_output", "call_id": "c1", "output": "r"}]
    assert loaded.report.findings == ()
    assert (loaded.turns[1].id, loaded.turns[1].origin) == ("resp_1", ostinato.Origin("openai", model="m"))


def test_v0_has_one_item_and_says_what_is_lost() -> None:
    """Reasoning comes first and searches last, as LangChain sends them; their order is not in the message."""
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    extra = {"reasoning": ITEM, "tool_outputs": [search], "__openai_function_call_ids__": {"c1": "fc_1"}}
    loaded = load(bare([{"type": "text", "text": "x"}], id="msg_1", additional_kwargs=extra, tool_calls=CALLS))
    assert loaded.items == [ITEM, TEXT, CALL | {"arguments": '{"a":1}'}, search]
    assert loaded.report.counts == {"not_rebuilt": 1, "arguments_rebuilt": 1}


def test_server_tools_of_v1_are_one_item() -> None:
    """A call and its result are the item they were made of."""
    called = {"type": "server_tool_call", "name": "web_search", "id": "ws_1", "args": {"type": "search", "query": "k"}}
    back = {"type": "server_tool_result", "tool_call_id": "ws_1", "status": "success"}
    listing = {"type": "server_tool_call", "name": "mcp_list_tools", "id": "mcpl_1", "extras": {"server_label": "s"}}
    tools = {"type": "server_tool_result", "tool_call_id": "mcpl_1", "output": [{"name": "t"}], "status": "success"}
    loaded = load(bare([called, back, listing, tools, {"type": "text", "text": "x", "id": "msg_1"}]))
    assert loaded.items[:2] == [
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "k"}},
        {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": [{"name": "t"}]},
    ]


BLOCKS = [
    {"type": "thinking", "thinking": "t", "signature": "c2ln"},
    {"type": "redacted_thinking", "data": "ZGF0YQ=="},
    {"type": "text", "text": "x"},
    {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
]
ANTHROPIC = {
    "native": BLOCKS,
    "v1": [
        {"type": "reasoning", "reasoning": "t", "extras": {"signature": "c2ln"}},
        {"type": "non_standard", "value": BLOCKS[1]},
        {"type": "text", "text": "x"},
        {"type": "tool_call", "id": "c1", "name": "f", "args": {"a": 1}},
    ],
}


@pytest.mark.parametrize("version", ANTHROPIC)
def test_blocks_of_anthropic_are_whole(version: str) -> None:
    """Both versions give the same blocks; a call is in the content alone."""
    loaded = load(bare(ANTHROPIC[version], tool_calls=CALLS, response_metadata={"model_provider": "anthropic"}))
    assert loaded.wire == "anthropic-messages"
    assert loaded.items == [{"role": "assistant", "content": BLOCKS}]


def test_citations_of_anthropic_are_native_again() -> None:
    """A citation in LangChain's words is the location it was made of, with its encrypted index."""
    cited = {"type": "citation", "url": "u", "title": "t", "cited_text": "c", "extras": {"encrypted_index": "sealed"}}
    loaded = load(
        bare([{"type": "text", "text": "x", "annotations": [cited]}], response_metadata={"model_provider": "anthropic"})
    )
    assert loaded.items[0]["content"][0]["citations"] == [
        {"type": "web_search_result_location", "cited_text": "c", "url": "u", "title": "t", "encrypted_index": "sealed"}
    ]


def test_signatures_of_gemini_stand_on_their_parts() -> None:
    """Thoughts, texts and calls have the signatures that LangChain keeps in three places."""
    loaded = load(
        bare(
            [
                {"type": "thinking", "thinking": "t", "signature": "c2lnMQ=="},
                {"type": "text", "text": "x", "extras": {"signature": "c2lnMg=="}},
            ],
            additional_kwargs={"__gemini_function_call_thought_signatures__": {"c1": "c2lnMw=="}},
            response_metadata={"model_provider": "google_genai"},
            tool_calls=CALLS,
        ),
        {"type": "tool", "content": "r", "name": "f", "tool_call_id": "c1", "additional_kwargs": {}},
    )
    assert loaded.items == [
        {
            "role": "model",
            "parts": [
                {"text": "t", "thought": True, "thoughtSignature": "c2lnMQ=="},
                {"text": "x", "thoughtSignature": "c2lnMg=="},
                {"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}, "thoughtSignature": "c2lnMw=="},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "f", "response": {"output": "r"}}}]},
    ]


def test_reasoning_of_bedrock_is_native() -> None:
    """Converse blocks keep text, signature and redacted bytes."""
    content = [
        {"type": "reasoning_content", "reasoning_content": {"text": "t", "signature": "c2ln"}},
        {"type": "reasoning_content", "reasoning_content": {"redacted_content": "ZGF0YQ=="}},
    ]
    loaded = load(bare(content, response_metadata={"model_provider": "bedrock_converse"}))
    assert loaded.items[0]["content"] == [
        {"reasoningContent": {"reasoningText": {"text": "t", "signature": "c2ln"}}},
        {"reasoningContent": {"redactedContent": "ZGF0YQ=="}},
    ]


def test_chat_reasoning_and_raw_arguments() -> None:
    """Reasoning goes back into its field, and arguments are the model's own text where a raw copy has it."""
    raw = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    extra = {"reasoning_content": "t", "tool_calls": [raw]}
    loaded = load(
        bare("x", additional_kwargs=extra, tool_calls=CALLS, response_metadata={"model_provider": "deepseek"})
    )
    assert loaded.wire == "openai-chat"
    assert loaded.items == [{"role": "assistant", "content": "x", "reasoning_content": "t", "tool_calls": [raw]}]
    assert loaded.report.findings == ()


def test_state_of_a_graph_is_read() -> None:
    """The messages of a saved state are found, and what is none of them is named."""
    data = json.dumps({"messages": [dumped(bare("x", id="msg_1")), {"type": "remove", "id": "k"}]}).encode()
    loaded = ostinato.load(data)
    assert len(loaded.items) == 1
    assert [(finding.code, finding.path) for finding in loaded.report.findings] == [("unknown_record", "messages/1")]
