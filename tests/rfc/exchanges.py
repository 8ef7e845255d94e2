"""One exchange per client type: a turn as its provider streams it, and what every later request must hold of it.

The turn thinks, speaks and calls a tool. The conversation is the same everywhere: a question, that turn, the result of
the call, an answer, thanks.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

QUESTION = "Weather in Paris?"
THOUGHTS = ("Look it up.", "One call will do.")
SPOKEN = "Checking."
CALL = "call_1"
TOOL = {"name": "weather", "description": "The weather of a city.", "parameters": {"type": "object"}}
ARGUMENTS = '{"city":"Paris",  "days": 1.0}'
"""As the model wrote it: no JSON writer would write it so again."""
RESULT = "20 degrees"
ANSWER = "It is 20 degrees."
THANKS = "Thanks."


@dataclass
class Exchange:
    """What a provider streams, and what it must get back."""

    model: str
    first: list[Json]
    """The events of the turn that calls a tool."""
    second: list[Json]
    """The events of the answer."""
    back: list[Json]
    """The wire items of the question, the turn, the result and the answer."""
    under: str = "/v1"
    """The path of the base URL."""
    state: tuple[str, ...] = ()
    """Texts of the turn that only its issuer may get."""


# OpenAI Responses.


def response(*items: Json, status: str = "completed") -> Iterator[Json]:
    """The events of a response: each item is announced, streamed and completed."""
    yield {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}
    for place, item in enumerate(items):
        bare = {**item, "status": "in_progress", "summary": [], "content": [], "arguments": ""}
        yield {"type": "response.output_item.added", "output_index": place, "item": bare}
        at = {"output_index": place, "item_id": item["id"]}
        for number, part in enumerate(item.get("summary", ())):
            delta = {"type": "response.reasoning_summary_text.delta", "summary_index": number, "delta": part["text"]}
            yield delta | at
        for number, part in enumerate(item.get("content") or ()):
            kind = {"output_text": "output_text", "reasoning_text": "reasoning_text"}[part["type"]]
            for half in (part["text"][:4], part["text"][4:]):
                yield {"type": f"response.{kind}.delta", "content_index": number, "delta": half} | at
        if "arguments" in item:
            yield {"type": "response.function_call_arguments.delta", "delta": item["arguments"]} | at
        yield {"type": "response.output_item.done", "output_index": place, "item": {**item, "status": "completed"}}
    usage = {"input_tokens": 20, "output_tokens": 30, "output_tokens_details": {"reasoning_tokens": 10}}
    yield {"type": "response.completed", "response": {"id": "resp_1", "status": status, "output": [], "usage": usage}}


def _said(text: str, **more: str) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": content, **more}


_CALLED = {"type": "function_call", "id": "fc_1", "call_id": CALL, "name": "weather", "arguments": ARGUMENTS}
_SUMMARY = [{"type": "summary_text", "text": text} for text in THOUGHTS]
_STATE = "gAAAAAB-state-of-the-turn"


def _responses(model: str, thought: Json, thought_back: Json, *, phase: bool = True, **more: Any) -> Exchange:
    said = {"phase": "commentary"} if phase else {}

    def message(role: str, text: str, **extra: str) -> Json:
        kind = "input_text" if role == "user" else "output_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}], **extra}

    return Exchange(
        model,
        list(response({"type": "reasoning", "id": "rs_1", **thought}, _said(SPOKEN, phase="commentary"), _CALLED)),
        list(response(_said(ANSWER))),
        [
            message("user", QUESTION),
            {"type": "reasoning", **thought_back},
            message("assistant", SPOKEN, **said),
            {"type": "function_call", "call_id": CALL, "name": "weather", "arguments": ARGUMENTS},
            {"type": "function_call_output", "call_id": CALL, "output": RESULT},
            message("assistant", ANSWER),
        ],
        **more,
    )


_OWN = {"summary": _SUMMARY, "encrypted_content": _STATE}
_SIGNED = {**_OWN, "signature": "sig-of-the-gateway", "format": "openai-responses-v1"}
_PLAIN = {"content": [{"type": "reasoning_text", "text": "".join(THOUGHTS)}]}

# Chat Completions.


def chat(*deltas: Json, finish: str = "stop") -> Iterator[Json]:
    """The chunks of a completion."""
    for delta in deltas:
        yield {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    yield {"id": "c", "choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 30}}


def _chat(model: str, thoughts: list[Json], thoughts_back: Json, **more: Any) -> Exchange:
    calls = [
        {
            "tool_calls": [
                {"index": 0, "id": CALL, "type": "function", "function": {"name": "weather", "arguments": ""}}
            ]
        },
        *({"tool_calls": [{"index": 0, "function": {"arguments": half}}]} for half in (ARGUMENTS[:7], ARGUMENTS[7:])),
    ]
    called = {"id": CALL, "type": "function", "function": {"name": "weather", "arguments": ARGUMENTS}}
    return Exchange(
        model,
        list(chat(*thoughts, {"content": SPOKEN}, *calls, finish="tool_calls")),
        list(chat({"content": ANSWER})),
        [
            {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": SPOKEN}],
                "tool_calls": [called],
                **thoughts_back,
            },
            {"role": "tool", "tool_call_id": CALL, "content": RESULT},
            {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
        ],
        **more,
    )


_FIELD = [{"reasoning_content": text} for text in THOUGHTS]
_DETAILS = [
    {
        "type": "reasoning.text",
        "text": "".join(THOUGHTS),
        "signature": "sig-1",
        "format": "anthropic-claude-v1",
        "index": 0,
    },
    {"type": "reasoning.encrypted", "data": _STATE, "id": "rs_1", "format": "openai-responses-v1", "index": 1},
]

# Anthropic Messages.


def messages(*blocks: tuple[Json, list[Json]], stop: str = "end_turn") -> Iterator[Json]:
    """The events of a message: for each block how it starts and its deltas."""
    usage = {"input_tokens": 20, "output_tokens": 1}
    yield {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage": usage}}
    for index, (start, deltas) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 30}}
    yield {"type": "message_stop"}


def _messages(model: str) -> Exchange:
    whole, signature, redacted = "".join(THOUGHTS), "c2lnbmF0dXJlLW9mLXRoZS10dXJu", "cmVkYWN0ZWQtb2YtdGhlLXR1cm4="
    first = messages(
        (
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                *({"type": "thinking_delta", "thinking": text} for text in THOUGHTS),
                {"type": "signature_delta", "signature": signature},
            ],
        ),
        ({"type": "redacted_thinking", "data": redacted}, []),
        ({"type": "text", "text": ""}, [{"type": "text_delta", "text": SPOKEN}]),
        (
            {"type": "tool_use", "id": CALL, "name": "weather", "input": {}},
            [{"type": "input_json_delta", "partial_json": half} for half in (ARGUMENTS[:7], ARGUMENTS[7:])],
        ),
        stop="tool_use",
    )
    return Exchange(
        model,
        list(first),
        list(messages(({"type": "text", "text": ""}, [{"type": "text_delta", "text": ANSWER}]))),
        [
            {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": whole, "signature": signature},
                    {"type": "redacted_thinking", "data": redacted},
                    {"type": "text", "text": SPOKEN},
                    {"type": "tool_use", "id": CALL, "name": "weather", "input": json.loads(ARGUMENTS)},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "content": [{"type": "text", "text": RESULT}], "tool_use_id": CALL}
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
        ],
        under="",
        state=(signature, redacted),
    )


# Gemini.


def _generate_content() -> Exchange:
    signature = "c2lnbmF0dXJlLW9mLXRoZS10dXJu"

    def chunk(*parts: Json, **more: Any) -> Json:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}]}

    usage = {"usageMetadata": {"promptTokenCount": 20, "candidatesTokenCount": 20, "thoughtsTokenCount": 10}}
    called = {"functionCall": {"id": CALL, "name": "weather", "args": json.loads(ARGUMENTS)}}
    result = {"functionResponse": {"id": CALL, "name": "weather", "response": {"result": RESULT}}}
    return Exchange(
        "gemini-3.8-flash",
        [
            *(chunk({"text": text, "thought": True}) for text in THOUGHTS),
            chunk({"text": SPOKEN}),
            chunk({**called, "thoughtSignature": signature}),
            chunk(finishReason="STOP") | usage,
        ],
        [chunk({"text": ANSWER}), chunk(finishReason="STOP") | usage],
        [
            {"role": "user", "parts": [{"text": QUESTION}]},
            {
                "role": "model",
                "parts": [
                    {"text": "".join(THOUGHTS), "thought": True},
                    {"text": SPOKEN},
                    {**called, "thoughtSignature": signature},
                ],
            },
            {"role": "user", "parts": [result]},
            {"role": "model", "parts": [{"text": ANSWER}]},
        ],
        under="",
        state=(signature,),
    )


def interaction(*steps: tuple[Json, list[Json]]) -> Iterator[Json]:
    """The events of an interaction: for each step how it starts and its deltas."""
    for index, (start, deltas) in enumerate(steps):
        yield {"event_type": "step.start", "index": index, "step": start}
        for delta in deltas:
            yield {"event_type": "step.delta", "index": index, "delta": delta}
        yield {"event_type": "step.stop", "index": index}
    usage = {"total_input_tokens": 20, "total_output_tokens": 20, "total_thought_tokens": 10}
    yield {"event_type": "interaction.completed", "interaction": {"id": "i", "status": "completed", "usage": usage}}


def _interactions() -> Exchange:
    signature = "c2lnbmF0dXJlLW9mLXRoZS10dXJu"
    summaries = [{"type": "thought_summary", "content": {"type": "text", "text": text}} for text in THOUGHTS]
    call = {"type": "function_call", "id": CALL, "name": "weather"}
    return Exchange(
        "gemini-3.8-flash",
        list(
            interaction(
                ({"type": "thought"}, [*summaries, {"type": "thought_signature", "signature": signature}]),
                ({"type": "model_output"}, [{"type": "text", "text": SPOKEN}]),
                (call, [{"type": "arguments_delta", "arguments": ARGUMENTS}]),
            )
        ),
        list(interaction(({"type": "model_output"}, [{"type": "text", "text": ANSWER}]))),
        [
            {"type": "user_input", "content": [{"type": "text", "text": QUESTION}]},
            {"type": "thought", "summary": [{"type": "text", "text": "".join(THOUGHTS)}], "signature": signature},
            {"type": "model_output", "content": [{"type": "text", "text": SPOKEN}]},
            {"type": "function_call", "name": "weather", "arguments": json.loads(ARGUMENTS), "id": CALL},
            {"type": "function_result", "name": "weather", "result": RESULT, "call_id": CALL},
            {"type": "thought", "signature": "skip_thought_signature_validator"},  # the stand-in of a turn without one
            {"type": "model_output", "content": [{"type": "text", "text": ANSWER}]},
        ],
        under="",
        state=(signature,),
    )


# The relay.


def relayed(*items: Json, finish: str = "stop") -> Iterator[Json]:
    """The events of an MMSP server: each done item after its delta. Arguments are given as text."""
    grows = {"text": "text", "thinking": "thinking", "tool_call": "arguments"}
    empty: Json = {"role": "assistant", "event_type": "delta", "usage_metadata": None, "finish_reason": None}
    for item in items:
        kind = item["type"].removesuffix(".done")
        whole = {"arguments": json.loads(item["arguments"])} if kind == "tool_call" else {}
        delta = {**item, "type": f"{kind}.delta", grows[kind]: item[grows[kind]]}
        yield empty | {"content_items": [delta], "created_at": 1}
        yield empty | {"content_items": [item | whole], "created_at": 1}
    usage = {"cached_tokens": 0, "prompt_tokens": 20, "thoughts_tokens": 10, "response_tokens": 20}
    stop = {"event_type": "stop", "content_items": [], "usage_metadata": usage, "finish_reason": finish}
    yield empty | stop | {"created_at": 1}


def _relay() -> Exchange:
    thought = {"type": "thinking.done", "thinking": "".join(THOUGHTS), "fidelity": {"signature": "c2lnLTE="}}
    called = {"type": "tool_call.done", "name": "weather", "arguments": ARGUMENTS, "tool_call_id": CALL}
    said, answer = ({"type": "text.done", "text": text} for text in (SPOKEN, ANSWER))
    usage = {"cached_tokens": 0, "prompt_tokens": 20, "thoughts_tokens": 10, "response_tokens": 20}
    turn = {"role": "assistant", "usage_metadata": usage}
    verbatim = {**called, "arguments": json.loads(ARGUMENTS), "fidelity": {"arguments": ARGUMENTS}}
    return Exchange(
        "claude-opus-5-5",
        list(relayed(thought, said, called, finish="tool_call")),
        list(relayed(answer)),
        [
            {"role": "user", "content_items": [{"type": "text.done", "text": QUESTION}]},
            {**turn, "content_items": [thought, said, verbatim], "finish_reason": "tool_call"},
            {"role": "user", "content_items": [{"type": "tool_result.done", "text": RESULT, "tool_call_id": CALL}]},
            {**turn, "content_items": [answer], "finish_reason": "stop"},
        ],
        state=("c2lnLTE=",),
    )


EXCHANGES: dict[str, Exchange] = {
    "openai-official": _responses("gpt-6-astra", _OWN, {"id": "rs_1", **_OWN}, state=(_STATE,)),
    "openai-responses": _responses(
        "openai/gpt-6", _SIGNED, {"id": "rs_1", **_SIGNED}, state=(_STATE, "sig-of-the-gateway")
    ),
    "xai-responses": _responses("grok-4", _OWN, {"id": "rs_1", **_OWN}, phase=False, state=(_STATE,)),
    "deepseek-official": _responses("deepseek-chat", _PLAIN, {"summary": [], **_PLAIN}, phase=False),
    "minimax-official": _responses("MiniMax-M3", _PLAIN, _PLAIN, phase=False),
    "openai-chat": _chat("gpt-oss", _FIELD, {"reasoning_content": "".join(THOUGHTS)}),
    "openai-chat-vllm-adapter": _chat("gpt-oss", _FIELD, {"reasoning_content": "".join(THOUGHTS)}),
    "moonshot-official": _chat("kimi-k3", _FIELD, {"reasoning_content": "".join(THOUGHTS)}),
    "zai-official": _chat("glm-5", _FIELD, {"reasoning_content": "".join(THOUGHTS)}),
    "qwen": _chat("qwen3", _FIELD, {"reasoning_content": "".join(THOUGHTS)}),
    "openrouter": _chat(
        "openai/gpt-6", [{"reasoning_details": _DETAILS}], {"reasoning_details": _DETAILS}, state=(_STATE,)
    ),
    "anthropic-official": _messages("claude-opus-5-5"),
    "ant-messages": _messages("claude-like"),
    "google-genai": _generate_content(),
    "google-official": _interactions(),
    "mmsp": _relay(),
}

CLIENTS = tuple(EXCHANGES)

# Client types by wire.

RESPONSES = ("openai-official", "openai-responses", "xai-responses", "deepseek-official", "minimax-official")
ONE_FIELD = ("qwen", "openrouter")
"""Chat servers whose field is known: text without a name goes in that one alone."""
CHAT = ("openai-chat", "openai-chat-vllm-adapter", "moonshot-official", "zai-official", "qwen", "openrouter")
MESSAGES = ("anthropic-official", "ant-messages")
GEMINI = ("google-genai", "google-official")
