"""Messages of pydantic-ai, over all providers."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ostinato

Json = dict[str, Any]


def request(*parts: Json, **fields: Any) -> Json:
    """A request of the application."""
    return {"kind": "request", "parts": list(parts), **fields}


def response(provider: str, *parts: Json, **fields: Any) -> Json:
    """An answer of a provider."""
    return {"kind": "response", "parts": list(parts), "provider_name": provider, "model_name": "m", **fields}


def thinking(text: str, **fields: Any) -> Json:
    """A thinking part."""
    return {"part_kind": "thinking", "content": text, **fields}


def said(text: str, **fields: Any) -> Json:
    """A text part."""
    return {"part_kind": "text", "content": text, **fields}


def call(**fields: Any) -> Json:
    """A call of a tool."""
    return {"part_kind": "tool-call", "tool_name": "f", "args": '{"a": 1}', "tool_call_id": "c1", **fields}


ASK = {"part_kind": "user-prompt", "content": "q"}
BACK = {"part_kind": "tool-return", "tool_name": "f", "content": {"r": 1}, "tool_call_id": "c1"}


def load(*messages: Json) -> ostinato.Conversation:
    """The messages, dumped and loaded."""
    loaded = ostinato.load(json.dumps(messages).encode())
    assert loaded.format == "pydantic-ai"
    return loaded


def test_summaries_of_one_id_are_one_item() -> None:
    """Parts of one id are summaries of one item; its state is on the first, and each text is a part of its own."""
    loaded = load(
        request(ASK),
        response(
            "openai",
            thinking("A", id="rs_1", signature="gAAAAA-example"),
            thinking("B", id="rs_1"),
            thinking("", id="rs_2", signature="gAAAAA-second"),
            said("x", id="msg_1", provider_details={"phase": "final_answer"}),
            said("y", id="msg_1"),
            call(id="fc_1"),
            provider_response_id="resp_1",
        ),
        request(BACK),
    )
    assert loaded.wire == "openai-responses"
    summary = [{"type": "summary_text", "text": "A"}, {"type": "summary_text", "text": "B"}]
    contents = [{"type": "output_text", "text": text, "annotations": []} for text in "xy"]
    assert loaded.items[1:] == [
        {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "gAAAAA-example"},
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAAAA-second"},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": contents, "phase": "final_answer"},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c1", "output": '{"r":1}'},
    ]
    assert loaded.report.findings == ()
    assert loaded.turns[1].id == "resp_1"
    assert loaded.turns[1].origin == ostinato.Origin("openai", model="m")


def test_combined_ids_of_older_dumps_are_parted() -> None:
    """The ids of the call and of its item, once kept in one text, are two again."""
    loaded = load(response("openai", call(tool_call_id="c1|fc_9"), provider_response_id="resp_1"))
    assert (loaded.items[0]["call_id"], loaded.items[0]["id"]) == ("c1", "fc_9")


def test_anthropic_blocks_are_native() -> None:
    """Signed and redacted thinking, calls with their object, and results in the one message that is wanted."""
    loaded = load(
        request({"part_kind": "system-prompt", "content": "s"}, ASK),
        response(
            "anthropic", thinking("t", signature="c2ln"), thinking("", id="redacted_thinking", signature="ZGF0YQ==")
        ),
        response("anthropic", said("x"), call(), call(tool_call_id="c2")),
        request(BACK, BACK | {"tool_call_id": "c2", "content": "r2"}),
    )
    assert loaded.wire == "anthropic-messages"
    assert loaded.system == [{"type": "text", "text": "s"}]
    assert loaded.items[1]["content"] == [
        {"type": "thinking", "thinking": "t", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "ZGF0YQ=="},
    ]
    assert loaded.items[2]["content"][1] == {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}
    assert [block["tool_use_id"] for block in loaded.items[3]["content"]] == ["c1", "c2"]


def test_gemini_signatures_stand_on_their_parts() -> None:
    """A signature of a part is its own; one of a thinking part, as older dumps have it, is the next part's."""
    loaded = load(
        request(ASK),
        response(
            "google",
            thinking("t", signature="c2lnMQ=="),
            said("x"),
            call(args={"a": 1}, provider_details={"thought_signature": "c2lnMg=="}),
        ),
        request(BACK),
    )
    assert loaded.items[1]["parts"] == [
        {"text": "t", "thought": True},
        {"text": "x", "thoughtSignature": "c2lnMQ=="},
        {"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}, "thoughtSignature": "c2lnMg=="},
    ]
    assert loaded.items[2]["parts"][0]["functionResponse"]["name"] == "f"
    assert loaded.turns[1].origin == ostinato.Origin("gemini", model="m")


def test_signature_behind_everything_is_kept() -> None:
    """A signature without a part after it is on an empty text, as Gemini sends it itself."""
    loaded = load(response("google-vertex", said("x"), thinking("", signature="c2ln")))
    assert loaded.items[0]["parts"] == [{"text": "x"}, {"text": "", "thoughtSignature": "c2ln"}]
    assert loaded.turns[0].origin == ostinato.Origin("vertex", model="m")


def test_bedrock_bytes_are_base64_of_the_text() -> None:
    """Redacted content is bytes on the wire, so its JSON has them in base64 once more."""
    loaded = load(
        response("bedrock", thinking("t", signature="c2ln"), thinking("", id="redacted_content", signature="ZGF0YQ=="))
    )
    assert loaded.items[0]["content"] == [
        {"reasoningContent": {"reasoningText": {"text": "t", "signature": "c2ln"}}},
        {"reasoningContent": {"redactedContent": "WkdGMFlRPT0="}},
    ]


def test_chat_reasoning_goes_back_into_its_field() -> None:
    """The id of a thinking part of a chat model is the field it came in."""
    loaded = load(request(ASK), response("deepseek", thinking("t", id="reasoning_content"), said("x"), call()))
    assert loaded.wire == "openai-chat"
    assert loaded.items[1]["reasoning_content"] == "t"
    assert loaded.items[1]["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"a": 1}'}


def test_details_of_openrouter_are_whole() -> None:
    """`reasoning_details` come back with text, data and signature in the fields of their types."""
    details = [
        {"type": "reasoning.text", "text": "t", "signature": "sig", "format": "anthropic-claude-v1", "index": 0},
        {"type": "reasoning.encrypted", "data": "sealed", "id": "rs_1", "format": "openai-responses-v1", "index": 1},
    ]
    loaded = load(
        response(
            "openrouter",
            thinking(
                "t",
                signature="sig",
                provider_details={"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0},
            ),
            thinking(
                "",
                id="rs_1",
                signature="sealed",
                provider_details={"type": "reasoning.encrypted", "format": "openai-responses-v1", "index": 1},
            ),
        )
    )
    assert loaded.items == [{"role": "assistant", "content": None, "reasoning_details": details}]


def test_other_wires_leave_what_is_visible() -> None:
    """State of another provider than the last is named, and its text stays."""
    loaded = load(
        response("anthropic", thinking("t", signature="c2ln"), said("x"), call()),
        request(BACK),
        response("openai", thinking("", id="rs_1", signature="gAAAAA-example"), said("y", id="msg_1")),
    )
    assert [item["type"] for item in loaded.items] == [
        "message",
        "function_call",
        "function_call_output",
        "reasoning",
        "message",
    ]
    assert [finding.to_dict() for finding in loaded.report.findings] == [
        {"code": "other_wire", "path": "0/parts/0", "line": 1, "wire": "anthropic-messages"}
    ]


TOOLS: list[tuple[Json, Json, Json]] = [
    (
        {"tool_name": "web_search", "args": {"type": "search", "query": "k"}, "id": "x_1"},
        {"status": "completed"},
        {"type": "web_search_call", "id": "x_1", "action": {"type": "search", "query": "k"}, "status": "completed"},
    ),
    (
        {"tool_name": "code_execution", "args": {"container_id": "k", "code": "1"}},
        {"status": "completed", "logs": ["2"]},
        {
            "type": "code_interpreter_call",
            "id": "x_1",
            "code": "1",
            "container_id": "k",
            "outputs": [{"type": "logs", "logs": "2"}],
            "status": "completed",
        },
    ),
    (
        {"tool_name": "mcp_server:s", "args": {"action": "list_tools"}},
        {"tools": [{"name": "t"}], "error": None},
        {"type": "mcp_list_tools", "id": "x_1", "server_label": "s", "tools": [{"name": "t"}]},
    ),
]


@pytest.mark.parametrize(("called", "back", "item"), TOOLS)
def test_tools_that_openai_ran_are_one_item(called: Json, back: Json, item: Json) -> None:
    """A built-in call and what it returned are the item they were made of."""
    loaded = load(
        response(
            "openai",
            {"part_kind": "builtin-tool-call", "tool_call_id": "x_1", **called},
            {
                "part_kind": "builtin-tool-return",
                "tool_call_id": "x_1",
                "tool_name": called["tool_name"],
                "content": back,
            },
            provider_response_id="resp_1",
        )
    )
    assert loaded.items == [item]


def test_pictures_and_unknown_parts() -> None:
    """Bytes come in the standard alphabet; what nobody knows is named by its place."""
    picture = {"kind": "binary", "data": "-_8=", "media_type": "image/png"}
    loaded = load(
        request({"part_kind": "user-prompt", "content": ["q", picture, {"kind": "cache-point"}, {"kind": "new"}]}),
        response("openai", {"part_kind": "newest"}, said("x", id="msg_1")),
    )
    assert loaded.items[0]["content"][1] == {"type": "input_image", "image_url": "data:image/png;base64,+/8="}
    assert [(finding.code, finding.path) for finding in loaded.report.findings] == [
        ("not_sent", "0/parts/0/content/2"),
        ("unknown_part", "0/parts/0/content/3"),
        ("unknown_part", "1/parts/0"),
    ]
