"""What the SDK makes of an item is captured like the item itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import openai
import pytest
from openai.resources.responses.responses import ResponsesConnection
from openai.types.responses import Response, ResponseOutputItemDoneEvent, ResponseReasoningItem

import ostinato
from tests.peers.openai_sdk.provider_items import ACCEPTED, REFUSED, item
from tests.peers.openai_sdk.responses_server import Exchange


def outcome(given: object, **context: Any) -> tuple[Any, ...]:
    """What capture answers: the item with the names of what it dropped, or the code and the path of the refusal."""
    try:
        captured = ostinato.canonicalize_completed_reasoning_output_item(given, **context)
    except ostinato.ReplayError as refusal:
        return "refused", refusal.code
    return captured, captured.to_dict(), sorted(captured.dropped_fields), captured.completion


def from_socket(given: dict[str, Any]) -> object:
    """The item of a WebSocket event, as the SDK's connection parses it."""
    event = {"type": "response.output_item.done", "stream_id": "s", "output_index": 0, "sequence_number": 0}
    return ResponsesConnection(None).parse_event(json.dumps(event | {"item": given})).item


def from_response(given: dict[str, Any]) -> object:
    """The item inside a response resource."""
    exchange = Exchange(output=[given])
    return Response.construct(**exchange.response()).output[0]


def from_event(given: dict[str, Any]) -> object:
    """The item inside the event that says it is done."""
    return ResponseOutputItemDoneEvent.construct(
        type="response.output_item.done", output_index=0, sequence_number=0, item=given
    ).item


WAYS: dict[str, Callable[[dict[str, Any]], object]] = {
    "construct": lambda given: ResponseReasoningItem.construct(**given),
    "response": from_response,
    "event": from_event,
    "socket": from_socket,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ACCEPTED | REFUSED)
def test_object_is_captured_like_the_mapping(name: str, way: str) -> None:
    """An SDK object gives the same item, dropped names and refusals as the provider's own JSON."""
    given = (ACCEPTED | REFUSED)[name]
    made = WAYS[way](given)
    assert type(made) is ResponseReasoningItem
    assert outcome(made) == outcome(given)


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_items_hold_what_the_provider_sent(name: str) -> None:
    """The mapping is accepted, as JSON text too, and keeps the four or five fields that OpenAI takes back."""
    given = ACCEPTED[name]
    kept = {field: given[field] for field in ("type", "id", "encrypted_content")}
    kept["summary"] = [{"type": each["type"], "text": each["text"]} for each in given["summary"]]
    if given.get("content"):
        kept["content"] = given["content"]
    captured = ostinato.canonicalize_completed_reasoning_output_item(given)
    assert captured.to_dict() == kept
    assert outcome(json.dumps(given)) == outcome(given)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_items_are_refused_as_text_too(name: str) -> None:
    """The mapping and its JSON text are refused for the same reason."""
    assert outcome(REFUSED[name])[0] == "refused"
    assert outcome(json.dumps(REFUSED[name])) == outcome(REFUSED[name])


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_items_of_an_answer_are_captured(client: openai.OpenAI, exchange: Exchange, *, stream: bool) -> None:
    """Items that came over HTTP, streamed or not, are captured like the JSON that was sent."""
    exchange.output = list(ACCEPTED.values())
    if stream:
        with client.responses.create(model="made-up", input="hi", stream=True) as events:
            done = [event for event in events if event.type == "response.output_item.done"]
        items = [event.item for event in done]
    else:
        items = list(client.responses.create(model="made-up", input="hi").output)
    assert [outcome(each) for each in items] == [outcome(each) for each in exchange.output]


@pytest.mark.parametrize("status", ["completed", "incomplete", "failed", "in_progress", None])
def test_status_of_the_response_counts(client: openai.OpenAI, exchange: Exchange, status: str | None) -> None:
    """An item without a status of its own passes only where its response completed, or says nothing."""
    exchange.output, exchange.status = [item()], status
    response = client.responses.create(model="made-up", input="hi")
    got = outcome(response.output[0], response_status=response.status)
    if status is None:
        assert got[-1] == "not_stated"
    elif status == "completed":
        assert got[-1] == "response_status"
    else:
        assert got == ("refused", "response_incomplete")
