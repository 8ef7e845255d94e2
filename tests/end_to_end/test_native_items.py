"""The same without a client: Capture, envelopes, prepare, a refusal, recovery and trimming, over the SDKs alone."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anthropic
import openai
import pytest
from google import genai

import ostinato
from ostinato import Target, privacy
from tests.client.provider import SSE, Answer, Framing, Provider
from tests.rfc.exchanges import ANSWER, CALL, EXCHANGES, QUESTION, RESULT, SPOKEN, THANKS

Json = dict[str, Any]


def _openai(server: Provider, items: list[Any]) -> Iterator[Json]:
    with openai.OpenAI(api_key="test-key", base_url=server.url, max_retries=0) as client:
        for event in client.responses.create(model="m", input=items, stream=True, store=False):
            yield event.to_dict(mode="json")


def _anthropic(server: Provider, items: list[Any]) -> Iterator[Json]:
    url = server.url.removesuffix("/v1")
    with anthropic.Anthropic(api_key="test-key", base_url=url, max_retries=0) as client:
        for event in client.messages.create(model="m", max_tokens=9, messages=items, stream=True):
            yield event.to_dict(mode="json")


def _bedrock(server: Provider, items: list[Any]) -> Iterator[Json]:
    keys: Any = {"aws_access_key": "access", "aws_secret_key": "test-key", "aws_region": "eu-west-1"}
    with anthropic.AnthropicBedrock(base_url=server.url, max_retries=0, **keys) as client:
        client.messages.create(model="m", max_tokens=9, messages=items)
    yield from ()


def _google(server: Provider, items: list[Any]) -> Iterator[Json]:
    options = genai.types.HttpOptions(base_url=server.url.removesuffix("/v1"))
    with genai.Client(api_key="test-key", http_options=options) as client:
        for chunk in client.models.generate_content_stream(model="m", contents=items):
            yield chunk.model_dump(mode="json", by_alias=True, exclude_none=True)


def _vertex(server: Provider, items: list[Any]) -> Iterator[Json]:
    options = genai.types.HttpOptions(base_url=server.url.removesuffix("/v1"))
    with genai.Client(vertexai=True, api_key="test-key", http_options=options) as client:
        client.models.generate_content(model="m", contents=items)
    yield from ()


class Story(NamedTuple):
    """How a conversation is sent over the SDK of its wire, and what is met on the way."""

    wire: str
    home: str
    """The profile of where it is made."""
    away: str
    send: Callable[[Provider, list[Any]], Iterable[Json]]
    send_away: Callable[[Provider, list[Any]], Iterable[Json]]
    exchange: str
    key: str
    """The field of the request that holds the items."""
    question: Json
    result: Json
    thanks: Json
    refusal: Json
    code: str
    accepted: Json
    """What the other provider answers, when it takes the request."""


def _said(words: str) -> Json:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": words}]}


STORIES = [
    Story(
        "openai-responses",
        "openai",
        "azure",
        _openai,
        _openai,
        "openai-official",
        "input",
        _said(QUESTION),
        {"type": "function_call_output", "call_id": CALL, "output": RESULT},
        _said(THANKS),
        {
            "error": {
                "message": "The encrypted content for item rs_1 could not be verified.",
                "code": "invalid_encrypted_content",
            }
        },
        "foreign_state",
        {"events": EXCHANGES["openai-official"].second},
    ),
    Story(
        "anthropic-messages",
        "anthropic",
        "bedrock-messages",
        _anthropic,
        _bedrock,
        "anthropic-official",
        "messages",
        {"role": "user", "content": QUESTION},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": CALL, "content": RESULT}]},
        {"role": "user", "content": THANKS},
        {"message": "messages.1.content.0: Invalid `signature` in `thinking` block"},
        "foreign_state",
        {"body": {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": {}}},
    ),
    Story(
        "gemini-generate-content",
        "gemini",
        "vertex-gemini",
        _google,
        _vertex,
        "google-genai",
        "contents",
        {"role": "user", "parts": [{"text": QUESTION}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": CALL, "name": "weather", "response": {"result": RESULT}}}],
        },
        {"role": "user", "parts": [{"text": THANKS}]},
        {"error": {"code": 400, "message": "Corrupted thought signature.", "status": "INVALID_ARGUMENT"}},
        "fragments_merged",
        {"body": {"candidates": []}},
    ),
]


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Everything that is logged, with the guard in place."""
    caplog.set_level(logging.DEBUG)
    privacy.install()
    yield caplog
    privacy.uninstall()


LINES = Framing("text/event-stream", lambda event: f"data: {json.dumps(event)}\n\n".encode(), b"")
"""As Google has it: without names of events."""


def turn(server: Provider, story: Story, history: list[Any], events: list[Json], disk: Path) -> ostinato.Captured:
    """Prepare, send, capture, and store the items and their state."""
    server.play(Answer(events, framing=SSE if "type" in events[0] else LINES))
    prepared = ostinato.prepare(history, story.home, origin=[{"provider": story.home}] * len(history))
    assert not any(decision.action in ("left_out", "refused") for decision in prepared.report.decisions)
    capture = ostinato.Capture(story.wire, story.home)
    for event in story.send(server, prepared.items):
        capture.feed(event)
    captured = capture.finish()
    assert captured.complete
    history += captured.items
    with disk.open("a") as file:
        for envelope in ostinato.serialize_reasoning_replay_envelopes(list(captured.state)):
            file.write(envelope + "\n")
    return captured


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.wire)
def test_native_items_survive_a_move_a_refusal_and_a_cut(
    server: Provider, tmp_path: Path, log: pytest.LogCaptureFixture, story: Story
) -> None:
    """State goes back as it came, never to another, whole or not at all; and nothing shows any."""
    exchange, disk = EXCHANGES[story.exchange], tmp_path / "state.jsonl"
    history: list[Any] = []
    captured = []
    for told, events in ((story.question, exchange.first), (story.result, exchange.second)):
        history.append(told)
        captured.append(turn(server, story, history, events, disk))
    first, second = (request[story.key] for request in server.requests)
    assert json.dumps(second[: len(first)]) == json.dumps(first)
    assert all(state in json.dumps(second) for state in exchange.state)

    # What was stored is what was captured, and counts what was sent.
    stored = ostinato.parse_reasoning_replay_envelopes(disk.read_text().splitlines())
    assert stored == [state for one in captured for state in one.state]

    # Elsewhere it is refused as it is, and the refusal says what goes.
    history.append(story.thanks)
    here, away = {"provider": story.home}, Target(profile=ostinato.PROFILES[story.away])
    refusal = {"error": story.refusal} if "error" not in story.refusal else story.refusal
    server.play(Answer(status=400, body=refusal))
    with pytest.raises((openai.APIError, anthropic.APIError, genai.errors.APIError)) as refused:
        list(story.send_away(server, history))
    explanation = ostinato.explain(refused.value)
    assert (explanation.code, explanation.status) == (story.code, 400)
    recovered = explanation.recover(history, story.wire, target=away)
    server.play(Answer(**story.accepted))
    list(story.send_away(server, recovered.items))
    sent = json.dumps(server.requests[-1])
    assert not any(state in sent for state in exchange.state)
    assert all(words in sent for words in (QUESTION, SPOKEN, CALL, RESULT, ANSWER, THANKS))

    # Who had prepared would have been spared it.
    spared = ostinato.prepare(recovered.items, away)
    assert all(one is other for one, other in zip(spared.items, recovered.items, strict=True))
    prepared = ostinato.prepare(history, away, origin=[here] * len(history))
    assert not any(state in json.dumps(prepared.items) for state in exchange.state)

    # A cut tears nothing apart, wherever it is asked for.
    for keep in range(len(history) + 1):
        cut = ostinato.trim(history, keep=keep, wire=story.wire)
        kept = ostinato.prepare(cut.items, story.home)
        assert [decision.code for decision in kept.report.decisions if decision.action == "left_out"] == []
        assert len(cut.items) >= keep

    said = (explanation, recovered, prepared, *captured, *stored, recovered.report, prepared.report)
    shown = log.text + "".join(f"{one!r}{one}" for one in said)
    assert not any(state in shown for state in exchange.state)
    assert "test-key" not in shown
