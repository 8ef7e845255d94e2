"""The loggers of the providers' libraries at DEBUG show no state, once the guard is installed.

The libraries are the real ones, the provider is on 127.0.0.1, and every opaque field of its answers holds a marker.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import boto3
import botocore.exceptions
import httpx2
import openai
import pytest
from google import genai

from tests.client.provider import AWS, SSE, Answer, Framing, Provider, provider, reasoning, responses
from tests.privacy.state import MARKER, STATE, logged

Json = dict[str, Any]

UNNAMED = Framing(SSE.content_type, lambda event: f"data: {json.dumps(event)}\n\n".encode(), SSE.filler)
SAID = "a-word-that-is-no-state"
SIGNED = base64.b64encode(STATE.encode()).decode()
ITEM = {**reasoning(1, f"Plan {MARKER}."), "encrypted_content": STATE}
THINKING = {"type": "thinking", "thinking": f"Plan {MARKER}.", "signature": STATE}
BLOCKS = [THINKING, {"type": "redacted_thinking", "data": STATE}, {"type": "text", "text": "ok"}]
MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "c",
    "content": BLOCKS,
    "stop_reason": "end_turn",
}
MESSAGE["usage"] = {"input_tokens": 1, "output_tokens": 1}
PARTS = [{"text": f"Plan {MARKER}.", "thought": True}, {"text": "ok", "thoughtSignature": SIGNED}]
CANDIDATES = {"candidates": [{"content": {"role": "model", "parts": PARTS}, "finishReason": "STOP"}]}
REASONED = {"reasoningContent": {"reasoningText": {"text": f"Plan {MARKER}.", "signature": STATE}}}
SEALED = {"reasoningContent": {"redactedContent": SIGNED}}
CONVERSE = {"output": {"message": {"role": "assistant", "content": [REASONED, SEALED]}}, "stopReason": "end_turn"}
CONVERSE |= {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}}
REFUSED = {"error": {"type": "invalid_request_error", "message": f"bad item {STATE}", "param": STATE, "code": "bad"}}
CHAT = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, "message": {
    "role": "assistant", "content": "ok", "reasoning_content": f"Plan {MARKER}.",
    "reasoning_details": [{"type": "reasoning.encrypted", "data": STATE, "id": "r", "format": "x", "index": 0}],
}, "finish_reason": "stop"}]}  # fmt: skip


def _messages() -> list[Json]:
    started = {**MESSAGE, "content": [], "stop_reason": None}
    return [
        {"type": "message_start", "message": started},
        {"type": "content_block_start", "index": 0, "content_block": {**THINKING, "thinking": "", "signature": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": MARKER}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": STATE}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def _converse_stream() -> list[Json]:
    return [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": MARKER}}}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": STATE}}}},
        {"messageStop": {"stopReason": "end_turn"}},
    ]


@pytest.fixture
def server() -> Iterator[Provider]:
    """A provider that is told what to answer."""
    with provider() as running:
        yield running


def _root(server: Provider) -> str:
    return server.url.removesuffix("/v1")


def _openai(server: Provider) -> None:
    with openai.OpenAI(api_key="k", base_url=server.url, max_retries=0) as client:
        server.play(
            responses(ITEM), Answer(body={"id": "r", "object": "response", "output": [ITEM]}), Answer(body=CHAT)
        )
        server.play(Answer(status=400, body=REFUSED))
        asked: Any = [{"role": "user", "content": SAID}, ITEM]
        for _ in client.responses.create(model="gpt-6", input=asked, stream=True):
            pass
        client.responses.create(model="gpt-6", input=asked)
        replay: Any = [CHAT["choices"][0]["message"]]
        client.chat.completions.create(model="m", messages=replay)
        with pytest.raises(openai.BadRequestError):
            client.responses.create(model="gpt-6", input=asked)


def _anthropic(server: Provider) -> None:
    with anthropic.Anthropic(api_key="k", base_url=_root(server), max_retries=0) as client:
        server.play(Answer(_messages()), Answer(body=MESSAGE), Answer(status=400, body={"type": "error"} | REFUSED))
        asked: Any = [{"role": "user", "content": SAID}, {"role": "assistant", "content": BLOCKS}]
        with client.messages.stream(model="c", max_tokens=9, messages=asked) as stream:
            stream.get_final_message()
        client.messages.create(model="c", max_tokens=9, messages=asked)
        with pytest.raises(anthropic.BadRequestError):
            client.messages.create(model="c", max_tokens=9, messages=asked)


def _google(server: Provider) -> None:
    options: Any = {"base_url": _root(server)}
    client = genai.Client(api_key="k", http_options=options)
    server.play(Answer([CANDIDATES], framing=UNNAMED), Answer(body=CANDIDATES), Answer(status=400, body=REFUSED))
    asked: Any = [{"role": "user", "parts": [{"text": SAID}]}, {"role": "model", "parts": PARTS}]
    for _ in client.models.generate_content_stream(model="gemini-4", contents=asked):
        pass
    client.models.generate_content(model="gemini-4", contents=asked)
    with pytest.raises(genai.errors.ClientError):
        client.models.generate_content(model="gemini-4", contents=asked)
    client.close()


def _boto(server: Provider) -> None:
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "region_name": "us-east-1"}
    config = boto3.session.Config(retries={"max_attempts": 1})
    client = boto3.client("bedrock-runtime", endpoint_url=_root(server), config=config, **keys)
    server.play(Answer(_converse_stream(), framing=AWS), Answer(body=CONVERSE))
    server.play(Answer(status=400, body={"message": f"bad {STATE}"}))
    sealed = {"reasoningContent": {"redactedContent": STATE.encode()}}
    said = {"role": "user", "content": [{"text": SAID}]}
    asked: Any = [said, {"role": "assistant", "content": [REASONED, sealed]}]
    list(client.converse_stream(modelId="m", messages=asked)["stream"])
    client.converse(modelId="m", messages=asked)
    with pytest.raises(botocore.exceptions.ClientError):
        client.converse(modelId="m", messages=asked)
    client.close()


def _httpx(server: Provider) -> None:
    server.play(Answer(responses(ITEM)))
    headers = {"x-continuation": STATE, "x-said": SAID}
    with httpx2.Client() as client:
        client.post(f"{_root(server)}/?state={STATE}", json={"input": [ITEM]}, headers=headers)


SDKS: dict[str, Callable[[Provider], None]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google_genai": _google,
    "botocore": _boto,
    "httpx2": _httpx,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SDKS)
def test_the_libraries_of_providers_log_no_state(server: Provider, name: str) -> None:
    """Requests, answers, streams and refusals with state in every opaque field, with every logger at DEBUG."""
    with logged() as log:
        SDKS[name](server)
    assert any(record.name.partition(".")[0].startswith(name[:5]) for record in log.records)
    assert MARKER not in log.text
    assert SIGNED not in log.text
    assert server.bodies


@pytest.mark.filterwarnings("ignore")
def test_without_the_guard_they_do(server: Provider) -> None:
    """The search finds what the libraries log: Anthropic's and Amazon's log requests and answers whole."""
    for name in ("anthropic", "botocore"):
        with logged(guard=False) as log:
            SDKS[name](server)
        assert MARKER in log.text
        assert SAID in log.text


def test_the_rest_of_a_request_stays_readable(server: Provider) -> None:
    """What is no state stays in the logs: the guard does not make them useless."""
    with logged() as log:
        _anthropic(server)
    assert SAID in log.text
