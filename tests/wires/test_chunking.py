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


def _chat(event: Event) -> Iterator[list[Event]]:
    """Chunks that hold one thing: the second one has the finish reason and the counts."""
    choice = (event.get("choices") or [{}])[0]
    delta = {name: value for name, value in (choice.get("delta") or {}).items() if name != "role"}
    for early, late in _chat_deltas(*delta.items()) if len(delta) == 1 else ():
        yield [{"choices": [{"delta": early}]}, event | {"choices": [choice | {"delta": late}]}]


def _chat_deltas(field: tuple[str, Any]) -> Iterator[tuple[Event, Event]]:
    name, value = field
    for first, second in _halves(value):
        yield {name: first}, {name: second}
    if name == "tool_calls":
        *before, call = value
        for first, second in _halves(call["function"].get("arguments")):
            early = call | {"function": call["function"] | {"arguments": first}}
            yield {name: [*before, early]}, {name: [{"index": call["index"], "function": {"arguments": second}}]}
    if name == "reasoning_details":
        *before, block = value
        for grows in {"text", "summary"} & block.keys():
            for first, second in _halves(block[grows]):
                rest = {"type": block["type"], "index": block["index"], grows: second}
                yield {name: [*before, block | {grows: first}]}, {name: [rest]}


def _converse(event: Event) -> Iterator[list[Event]]:
    block = event.get("contentBlockDelta", {"delta": {}})
    for member, piece in block["delta"].items():
        for pieces in _halves(piece):
            yield [{"contentBlockDelta": block | {"delta": {member: half}}} for half in pieces]
        for name in {"text", "input"} & piece.keys() if isinstance(piece, dict) else ():
            for pieces in _halves(piece[name]):
                yield [{"contentBlockDelta": block | {"delta": {member: {name: half}}}} for half in pieces]


def _mmsp(event: Event) -> Iterator[list[Event]]:
    """A delta in two; what the item is called and what it keeps comes with the first."""
    for item in event.get("content_items", []):
        for grows in {"text", "thinking", "arguments"} & item.keys() if item["type"].endswith(".delta") else ():
            empty = {name: "" for name in ("name", "tool_call_id") if name in item}
            for first, second in _halves(item[grows]):
                late = {"type": item["type"], **empty, grows: second}
                yield [event | {"content_items": [item | {grows: first}]}, event | {"content_items": [late]}]


# Client type -> the ways to cut an event in two.
CUTS: dict[str, Callable[[Event], Iterator[list[Event]]]] = {
    "anthropic-official": _messages,
    "ant-messages": _messages,
    "google-genai": _generate_content,
    "google-official": _interactions,
    "bedrock-converse": _converse,
    "openai-chat": _chat,
    "openai-chat-vllm-adapter": _chat,
    "moonshot-official": _chat,
    "zai-official": _chat,
    "mmsp": _mmsp,
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
