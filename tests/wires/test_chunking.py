"""Where a provider cuts its text into pieces is chance: however it does, the message is the same."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ostinato
from ostinato.errors import TurnError
from ostinato.wires import CLIENT_TYPES
from tests.wires.playing import cases, is_about_a_client

Event = dict[str, Any]
Place = tuple[Any, ...]


def _messages(event: Event) -> Iterator[Place]:
    for name in ("text", "thinking", "partial_json"):
        if event.get("type") == "content_block_delta":
            yield "delta", name


# Client type -> where an event may hold a piece of a longer text.
PLACES: dict[str, Callable[[Event], Iterator[Place]]] = {
    "anthropic-official": _messages,
    "ant-messages": _messages,
}


def _at(event: Event, place: Place) -> Any:
    for step in place:
        if not isinstance(event, (dict, list)) or (isinstance(event, dict) and step not in event):
            return None
        event = event[step]
    return event


def _with(event: Event, place: Place, text: str) -> Event:
    changed = copy.deepcopy(event)
    holder: Any = changed
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = text
    return changed


def cuts(client: str, events: list[Event]) -> Iterator[list[Event]]:
    """The events with one text of one of them cut in two, for each place where it can be cut."""
    for number, event in enumerate(events):
        for place in PLACES[client](event):
            text = _at(event, place)
            for cut in range(1, len(text)) if isinstance(text, str) else ():
                halves = [_with(event, place, text[:cut]), _with(event, place, text[cut:])]
                yield [*events[:number], *halves, *events[number + 1 :]]


def _received(client: str, model: str, events: list[Event]) -> Any:
    """The message, or the kind of error that the response amounts to."""
    decoder = ostinato.wire(client, model).decoder()
    try:
        for event in copy.deepcopy(events):
            decoder.feed(event)
        decoder.finish()
    except TurnError as error:
        return type(error)
    return decoder.message()


@pytest.mark.parametrize("client", [client for client in PLACES if client in CLIENT_TYPES])
def test_any_cut_gives_the_same_message(client: str) -> None:
    """Every recorded stream, cut at every place."""
    tried = 0
    for case in cases(client):
        for turn in [] if is_about_a_client(case) else case.vector["input"].get("turns", [])[:1]:
            events = [event["data"] for event in turn["response"]["sse"] if isinstance(event.get("data"), dict)]
            model = case.vector["model"]
            expected = _received(client, model, events)
            for cut in cuts(client, events):
                assert _received(client, model, cut) == expected
                tried += 1
    assert tried
