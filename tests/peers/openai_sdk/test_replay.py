"""What goes out over HTTP is the canonical item, byte for byte, with every version of the SDK."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from openai.types.responses import ResponseReasoningItem

import ostinato
from tests.peers.openai_sdk.provider_items import ACCEPTED, item
from tests.peers.openai_sdk.responses_server import Exchange

# Written out, so that two versions of the SDK cannot agree on another text.
PLAIN_BYTES = (
    '[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"First."},'
    '{"type":"summary_text","text":"Zweitens: ü 日本 😀 \u2028 \\" \\\\ /"}],"encrypted_content":"gAAAAAB-cipher_1"}]'
).encode()


def captured(name: str) -> ostinato.ReasoningItem:
    """A canonical item, captured from an SDK object where one can be made."""
    return ostinato.canonicalize_completed_reasoning_output_item(ResponseReasoningItem.construct(**ACCEPTED[name]))


def input_bytes(body: bytes) -> bytes:
    """The bytes of `input` in a request body."""
    start = body.index(b'"input":') + len(b'"input":')
    length = json.JSONDecoder().raw_decode(body[start:].decode())[1]
    return body[start:].decode()[:length].encode()


def send(client: openai.OpenAI, items: list[Any], *, stream: bool) -> None:
    """One request with these items as its input."""
    answer = client.responses.create(
        model="made-up", input=items, store=False, include=["reasoning.encrypted_content"], stream=stream
    )
    if stream:
        assert [event.type for event in answer] == ["response.completed"]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_plain_item_goes_out_as_written_here(client: openai.OpenAI, exchange: Exchange, *, stream: bool) -> None:
    """The bytes of a plain item on the wire are these."""
    send(client, [ostinato.reasoning_replay_item_to_provider_input(captured("plain"))], stream=stream)
    assert input_bytes(exchange.bodies[0]) == PLAIN_BYTES


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_items_go_out_as_the_codec_writes_them(client: openai.OpenAI, exchange: Exchange, *, stream: bool) -> None:
    """The bytes on the wire are the codec's own JSON of the items: no status, no null, no unknown field."""
    items = [captured(name) for name in ACCEPTED]
    send(client, ostinato.reasoning_replay_items_to_provider_input(items), stream=stream)
    sent = input_bytes(exchange.bodies[0])
    assert sent == ostinato.reasoning_replay_items_to_provider_input(items, as_json=True)
    for each in json.loads(sent):
        assert each.keys() <= {"type", "id", "summary", "encrypted_content", "content"}
        assert None not in each.values()


@pytest.mark.parametrize("version", [openai.__version__])
def test_openai_sdk_request_serialization(client: openai.OpenAI, exchange: Exchange, version: str) -> None:
    """Of the version that is named: what the seed asks of 2.53.0 and of 3.3.1."""
    assert version == openai.__version__
    items = [captured(name) for name in ACCEPTED]
    for stream in (False, True):
        send(client, ostinato.reasoning_replay_items_to_provider_input(items), stream=stream)
    whole, streamed = map(input_bytes, exchange.bodies)
    assert whole == streamed == ostinato.reasoning_replay_items_to_provider_input(items, as_json=True)
    assert b"null" not in whole
    assert b'"status"' not in whole


def test_replayed_history_keeps_its_first_bytes(client: openai.OpenAI, exchange: Exchange) -> None:
    """A second request begins with the bytes of the first, so that the provider's cache holds."""
    items = [ostinato.reasoning_replay_item_to_provider_input(captured(name)) for name in ACCEPTED]
    send(client, items[:3], stream=False)
    send(client, items, stream=False)
    first, second = map(input_bytes, exchange.bodies)
    assert second.startswith(first[:-1] + b",")


def test_item_of_an_answer_comes_back_from_storage(client: openai.OpenAI, exchange: Exchange) -> None:
    """An item that was received, stored and read again goes out with the bytes of its canonical form."""
    exchange.output = [item(status="completed", content=None, signature="s")]
    received = client.responses.create(model="made-up", input="hi")
    kept = ostinato.canonicalize_completed_reasoning_output_item(received.output[0], response_status=received.status)
    text = ostinato.serialize_reasoning_replay_envelope(kept)
    again = ostinato.parse_reasoning_replay_envelope(text)
    send_back = ostinato.reasoning_replay_item_to_provider_input(again)
    exchange.output = []
    send(client, [send_back], stream=False)
    assert input_bytes(exchange.bodies[1]) == PLAIN_BYTES
