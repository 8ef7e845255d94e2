"""From a provider's stream over disk to two more requests: several reasoning items with summaries of several parts.

A conversation is streamed, persisted as messages and as envelopes, reloaded, and continued over HTTP and over
WebSocket. No model is called.
"""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import ostinato
from ostinato import AutoLLMClient
from tests.client.provider import Provider
from tests.client.test_websocket import input_of, sockets
from tests.rfc.exchanges import CALL, RESULT, response
from tests.rfc.talking import result, say, text

Json = dict[str, Any]
CIPHER = "CIPHERTEXT"
WORDS = "SUMMARY"
CONFIG: Any = {}


def state(number: int, *summary: str, **extra: Any) -> Json:
    """A reasoning item as a provider streams it: with a lifecycle, an empty content, and fields nobody knows yet."""
    return {
        "id": f"rs_{number}",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": f"{WORDS} {text}"} for text in summary],
        "content": [],
        "encrypted_content": f"gAAAAAB-{CIPHER}-{number}-" + "x" * number,
        "status": "completed",
        "future_field": {"created_at": 1, "deep": [None]},
        **extra,
    }


ITEMS = (
    state(1, "first part.", "second part, with \u2028 and \U0001f600.", ""),
    state(2),
    state(3, "third.", "fourth.", content=None),
    state(4, "fifth."),
)
CALLED = {"type": "function_call", "id": "fc_1", "call_id": CALL, "name": "weather", "arguments": '{"city":"Paris"}'}
SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "It is 20 degrees.", "annotations": []}],
}
TURNS = (
    list(response(ITEMS[0], ITEMS[1], CALLED)),
    list(response(ITEMS[2], ITEMS[3], SAID)),
)


def allowed(item: Json) -> Json:
    """What may be sent of a reasoning item."""
    return {name: item[name] for name in ("type", "id", "summary", "encrypted_content")}


class Requests(NamedTuple):
    """What the two transports sent."""

    body: str
    frame: str
    log: str
    """Everything that was logged on the way, at every level, and every repr of what holds content."""


def client_of(url: str) -> AutoLLMClient:
    """A client of OpenAI's dialect."""
    return AutoLLMClient("gpt-6-astra", "test-key", url, "openai-official")


@pytest.fixture
def requests(server: Provider, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Requests:
    """Play it all, with files in between."""
    caplog.set_level(logging.DEBUG)
    history, envelopes = tmp_path / "history.json", tmp_path / "envelopes.jsonl"
    server.play(*TURNS, TURNS[1])

    async def record() -> None:
        async with client_of(server.url) as client:
            await say(client, text("Weather in Paris?"), CONFIG)
            await say(client, result(), CONFIG)
            history.write_text(json.dumps(client.get_history()))
        items = ostinato.canonicalize_completed_reasoning_output_items(list(ITEMS))
        envelopes.write_text("\n".join(ostinato.serialize_reasoning_replay_envelopes(items)))

    async def resume() -> tuple[str, str]:
        async with sockets(TURNS[1]) as socket:
            for url in (server.url, socket.url):
                async with client_of(url) as client:
                    client.set_history(json.loads(history.read_text()))
                    await say(client, text("Thanks."), CONFIG)
            return server.bodies[2].decode(), socket.frames[0]

    asyncio.run(record())
    body, frame = asyncio.run(resume())
    return Requests(body, frame, caplog.text)


def reasoning(requests: Requests) -> list[Json]:
    """The reasoning items of the request."""
    return [item for item in json.loads(requests.body)["input"] if item["type"] == "reasoning"]


def test_http_and_websocket_are_sent_the_same_input(requests: Requests) -> None:
    """Byte for byte."""
    assert input_of(requests.body) == input_of(requests.frame)
    assert json.loads(requests.frame)["type"] == "response.create"


def test_every_item_goes_back_with_its_own_fields_and_no_others(requests: Requests) -> None:
    """Id, ciphertext and summary belong together; parts stay parts, the empty one too; an empty summary stays empty."""
    assert reasoning(requests) == [allowed(item) for item in ITEMS]
    assert [list(item) for item in reasoning(requests)] == [["type", "id", "summary", "encrypted_content"]] * len(ITEMS)


@pytest.mark.parametrize("never", ["status", "future_field", "created_at", '"content": null', "null", '"content":[]'])
def test_no_lifecycle_no_unknown_field_and_no_empty_content_is_sent(requests: Requests, never: str) -> None:
    """Anywhere in the request, in either form."""
    assert never not in requests.body
    assert never not in requests.frame


def test_the_order_is_that_of_the_conversation(requests: Requests) -> None:
    """State stands before what followed from it."""
    sent = json.loads(requests.body)["input"]
    assert [item.get("id") or item.get("role") or item["type"] for item in sent] == [
        "user",
        "rs_1",
        "rs_2",
        "function_call",
        "function_call_output",
        "rs_3",
        "rs_4",
        "assistant",
        "user",
    ]
    assert sent[4]["output"] == RESULT


def test_no_summary_is_repeated(requests: Requests) -> None:
    """No item carries the summary of the whole message: each text is in the request once."""
    for item in ITEMS:
        for part in item["summary"]:
            if part["text"] != f"{WORDS} ":
                assert requests.body.count(json.dumps(part["text"], ensure_ascii=False)[1:-1]) == 1


def test_envelopes_and_messages_replay_alike(requests: Requests, tmp_path: Path) -> None:
    """Whoever stores native items gets the same provider input from the codec, as objects and as bytes."""
    stored = (tmp_path / "envelopes.jsonl").read_text().split("\n")
    items = ostinato.parse_reasoning_replay_envelopes(stored)
    assert ostinato.reasoning_replay_items_to_provider_input(items) == reasoning(requests)
    assert json.loads(ostinato.reasoning_replay_items_to_provider_input(items, as_json=True)) == reasoning(requests)


def test_a_resumed_session_drops_exact_repeats_and_nothing_else(requests: Requests, tmp_path: Path) -> None:
    """A record read twice is one item; another ciphertext under its id is kept apart, and is reported."""
    stored = (tmp_path / "envelopes.jsonl").read_text().split("\n")
    items = ostinato.parse_reasoning_replay_envelopes([*stored, *stored])
    result = ostinato.dedupe(items, provider="openai")
    assert ostinato.reasoning_replay_items_to_provider_input(result.items) == reasoning(requests)
    assert result.report.counts["exact_duplicate"] == len(ITEMS)

    other = ostinato.canonicalize_completed_reasoning_output_item({**ITEMS[0], "encrypted_content": "gAAAAAB-other"})
    keys = {ostinato.reasoning_replay_dedupe_key(item, provider=name) for item in (items[0], other) for name in "ab"}
    assert len(keys) == 4
    kept = ostinato.dedupe([*items[: len(ITEMS)], other], provider="xai")
    assert kept.items[-1] == other
    assert kept.report.counts["id_ciphertext_conflict"] == 1


def test_what_is_measured_is_what_is_sent(requests: Requests, tmp_path: Path) -> None:
    """Counters of items, parts and bytes, and no content."""
    stored = (tmp_path / "envelopes.jsonl").read_text().split("\n")
    items = ostinato.parse_reasoning_replay_envelopes(stored)
    counted = ostinato.ReplayTelemetry.from_items(items).to_dict()
    sent = reasoning(requests)
    texts = [part["text"] for item in sent for part in item["summary"]]
    assert counted["reasoning_replay_item_count"] == len(sent)
    assert counted["reasoning_replay_encrypted_bytes"] == sum(len(item["encrypted_content"]) for item in sent)
    assert counted["reasoning_replay_summary_parts"] == len(texts)
    assert counted["reasoning_replay_summary_bytes"] == sum(len(part.encode()) for part in texts)


def test_logs_and_views_hold_no_state(requests: Requests, tmp_path: Path) -> None:
    """Neither what was logged at the lowest level, nor a redacted view, nor a repr holds ciphertext or summary."""
    stored = (tmp_path / "envelopes.jsonl").read_text().split("\n")
    items = ostinato.parse_reasoning_replay_envelopes(stored)
    view = ostinato.redact_reasoning_replay_for_diagnostics(json.loads(requests.body))
    shown = [requests.log, repr(items), json.dumps(view), *map(str, items)]
    for told in shown:
        assert CIPHER not in told
        assert WORDS not in told
    assert requests.log
