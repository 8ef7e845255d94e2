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


def _halves(text: Any) -> Iterator[tuple[str, str]]:
    """A text in two pieces, for each place where it can be cut."""
    for cut in range(1, len(text)) if isinstance(text, str) else ():
        yield text[:cut], text[cut:]


def _messages(event: Event) -> Iterator[list[Event]]:
    delta = event.get("delta", {})
    for name in {"text", "thinking", "partial_json"} & delta.keys():
        for pieces in _halves(delta[name]):
            yield [event | {"delta": delta | {name: piece}} for piece in pieces]


def _generate_content(event: Event) -> Iterator[list[Event]]:
    """The last part of a chunk in two chunks; what comes with the end of it comes with the second."""
    for candidate in event.get("candidates", []):
        *before, last = (candidate.get("content") or {}).get("parts") or [{}]
        for first, second in _halves(last.get("text")):
            early = {"text": first} | ({"thought": True} if last.get("thought") else {})
            late = candidate | {"content": {"parts": [last | {"text": second}]}}
            yield [{"candidates": [{"content": {"parts": [*before, early]}}]}, event | {"candidates": [late]}]


def _interactions(event: Event) -> Iterator[list[Event]]:
    delta = event.get("delta", {})
    for name in {"text", "arguments"} & delta.keys():
        for pieces in _halves(delta[name]):
            yield [event | {"delta": delta | {name: piece}} for piece in pieces]
    content = delta.get("content") or {}
    for pieces in _halves(content.get("text")):
        yield [event | {"delta": delta | {"content": content | {"text": piece}}} for piece in pieces]


# Client type -> the ways to cut an event in two.
CUTS: dict[str, Callable[[Event], Iterator[list[Event]]]] = {
    "anthropic-official": _messages,
    "ant-messages": _messages,
    "google-genai": _generate_content,
    "google-official": _interactions,
}


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


@pytest.mark.parametrize("client", [client for client in CUTS if client in CLIENT_TYPES])
def test_any_cut_gives_the_same_message(client: str) -> None:
    """Every recorded stream, cut at every place."""
    tried = 0
    for case in cases(client):
        for turn in [] if is_about_a_client(case) else case.vector["input"].get("turns", [])[:1]:
            events = [event["data"] for event in turn["response"]["sse"] if isinstance(event.get("data"), dict)]
            model = case.vector["model"]
            expected = _received(client, model, events)
            for number, event in enumerate(events):
                for pieces in CUTS[client](event):
                    assert _received(client, model, [*events[:number], *pieces, *events[number + 1 :]]) == expected
                    tried += 1
    assert tried
