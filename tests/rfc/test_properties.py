"""Laws of the client over random conversations, for every wire: made by its decoder, kept by its history, sent again.

A turn is drawn as items, and streamed as the wire streams it, its texts cut at random places.
"""

import asyncio
import copy
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato import LLMClient
from tests.budget import examples
from tests.client.scripted import Scripted
from tests.rfc.exchanges import EXCHANGES, chat, interaction, messages, relayed, response
from tests.rfc.talking import every_client
from tests.rfc.test_rfc_0004 import CHAT, MESSAGES, RESPONSES
from tests.rfc.test_rfc_0004_prefix import spoil

Json = dict[str, Any]


class Piece(NamedTuple):
    """One thing that a model does in a turn."""

    kind: str
    texts: tuple[str, ...]
    """The parts of a thought; a text; the arguments of a call."""
    state: str
    cut: int


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
STATE = st.sampled_from(["", "c3RhdGUtb25l", "c3RhdGUtdHdv"])
ARGUMENTS = st.dictionaries(TEXT, st.none() | st.integers() | TEXT | st.floats(-9, 9), max_size=2).flatmap(
    lambda value: st.sampled_from([json.dumps(value), json.dumps(value, ensure_ascii=False, separators=(",", ":"))])
)


def _pieces(kind: str, texts: Any) -> Any:
    return st.builds(Piece, st.just(kind), texts, STATE, st.integers(0, 12))


THOUGHT = _pieces("thought", st.lists(TEXT, min_size=1, max_size=3).map(tuple))
SAID = _pieces("text", st.tuples(TEXT))
CALLED = _pieces("call", st.tuples(ARGUMENTS))
TURN = st.tuples(st.lists(st.one_of(THOUGHT, SAID, CALLED), max_size=3), st.one_of(SAID, CALLED)).map(
    lambda drawn: [*drawn[0], drawn[1]]
)
CONVERSATION = st.lists(TURN, min_size=1, max_size=3)


def cuts(piece: Piece, text: str) -> list[str]:
    """A text in two pieces, or one."""
    return [half for half in (text[: piece.cut], text[piece.cut :]) if half]


# How each wire streams a turn. A number makes ids.


def _responses(turn: list[Piece], number: int) -> Iterator[Json]:
    items: list[Json] = []
    for place, piece in enumerate(turn):
        name = f"{number}_{place}"
        if piece.kind == "thought":
            summary = [{"type": "summary_text", "text": text} for text in piece.texts]
            state = {"encrypted_content": f"gAAA-{piece.state}"} if piece.state else {}
            items.append({"type": "reasoning", "id": f"rs_{name}", "summary": summary, **state})
        elif piece.kind == "text":
            content = [{"type": "output_text", "text": piece.texts[0]}]
            items.append({"type": "message", "id": f"msg_{name}", "role": "assistant", "content": content})
        else:
            called = {"call_id": f"call_{name}", "name": "f", "arguments": piece.texts[0]}
            items.append({"type": "function_call", "id": f"fc_{name}", **called})
    return response(*items)


def _chat(turn: list[Piece], number: int) -> Iterator[Json]:
    deltas: list[Json] = []
    calls = 0
    for place, piece in enumerate(turn):
        for text in piece.texts if piece.kind != "call" else ():
            field = "content" if piece.kind == "text" else "reasoning_content"
            deltas += [{field: half} for half in cuts(piece, text)]
        if piece.kind == "call":
            head = {"index": calls, "id": f"call_{number}_{place}", "type": "function"}
            deltas.append({"tool_calls": [{**head, "function": {"name": "f", "arguments": ""}}]})
            for half in cuts(piece, piece.texts[0]):
                deltas.append({"tool_calls": [{"index": calls, "function": {"arguments": half}}]})
            calls += 1
    return chat(*deltas, finish="tool_calls" if calls else "stop")


def _messages(turn: list[Piece], number: int) -> Iterator[Json]:
    blocks: list[tuple[Json, list[Json]]] = []
    for place, piece in enumerate(turn):
        halves = cuts(piece, "".join(piece.texts))
        if piece.kind == "thought":
            deltas: list[Json] = [{"type": "thinking_delta", "thinking": half} for half in halves]
            if piece.state:
                deltas.append({"type": "signature_delta", "signature": piece.state})
            blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
        elif piece.kind == "text":
            blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": half} for half in halves]))
        else:
            start = {"type": "tool_use", "id": f"call_{number}_{place}", "name": "f", "input": {}}
            blocks.append((start, [{"type": "input_json_delta", "partial_json": half} for half in halves]))
    return messages(*blocks)


def _generate_content(turn: list[Piece], number: int) -> Iterator[Json]:
    for place, piece in enumerate(turn):
        if piece.kind == "call":
            args = json.loads(piece.texts[0])
            parts: list[Json] = [{"functionCall": {"id": f"call_{number}_{place}", "name": "f", "args": args}}]
        else:
            thought = {"thought": True} if piece.kind == "thought" else {}
            parts = [{"text": half, **thought} for half in cuts(piece, "".join(piece.texts))]
        if piece.state:
            parts[-1]["thoughtSignature"] = piece.state
        for part in parts:
            yield {"candidates": [{"content": {"role": "model", "parts": [part]}}]}
    yield {"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}]}


def _interactions(turn: list[Piece], number: int) -> Iterator[Json]:
    steps: list[tuple[Json, list[Json]]] = []
    for place, piece in enumerate(turn):
        halves = cuts(piece, "".join(piece.texts))
        if piece.kind == "thought":
            contents = ({"type": "text", "text": half} for half in halves)
            deltas: list[Json] = [{"type": "thought_summary", "content": content} for content in contents]
            if piece.state:
                deltas.append({"type": "thought_signature", "signature": piece.state})
            steps.append(({"type": "thought"}, deltas))
        elif piece.kind == "text":
            steps.append(({"type": "model_output"}, [{"type": "text", "text": half} for half in halves]))
        else:
            start = {"type": "function_call", "id": f"call_{number}_{place}", "name": "f"}
            steps.append((start, [{"type": "arguments_delta", "arguments": half} for half in halves]))
    return interaction(*steps)


def _relay(turn: list[Piece], number: int) -> Iterator[Json]:
    items: list[Json] = []
    for place, piece in enumerate(turn):
        kept = {"fidelity": {"signature": piece.state}} if piece.state else {}
        if piece.kind == "thought":
            items.append({"type": "thinking.done", "thinking": "".join(piece.texts), **kept})
        elif piece.kind == "text":
            items.append({"type": "text.done", "text": piece.texts[0], **kept})
        else:
            called = {"name": "f", "arguments": piece.texts[0], "tool_call_id": f"call_{number}_{place}"}
            items.append({"type": "tool_call.done", **called})
    return relayed(*items)


STREAMS: dict[str, Callable[[list[Piece], int], Iterator[Json]]] = {
    **dict.fromkeys(RESPONSES, _responses),
    **dict.fromkeys(CHAT, _chat),
    **dict.fromkeys(MESSAGES, _messages),
    "google-genai": _generate_content,
    "google-official": _interactions,
    "mmsp": _relay,
}
QUICK = examples(15)


class Turns(Scripted):
    """Answers with one turn after the other."""

    def __init__(self, client_type: str, conversation: list[list[Piece]]) -> None:
        super().__init__([], pauses=0)
        self.turns = [list(STREAMS[client_type](turn, number)) for number, turn in enumerate(conversation)]

    async def events(self, request: Any) -> Any:
        """The next turn."""
        self.events_of_an_answer = copy.deepcopy(self.turns[len(self.requests)])
        async for event in super().events(request):
            yield event


def said(history: list[Any]) -> Any:
    """What comes next: the results of the calls, or a text."""
    last = history[-1]["content_items"] if history else []
    calls = [item["tool_call_id"] for item in last if item["type"] == "tool_call.done"]
    results = [{"type": "tool_result.done", "text": "r", "tool_call_id": call_id} for call_id in calls]
    return {"role": "user", "content_items": results or [{"type": "text.done", "text": "Go on."}], "created_at": 1}


class Held(NamedTuple):
    """A conversation that was held."""

    client: LLMClient
    transport: Turns
    given: list[Any]
    """Every object that went out to the caller, or came from it."""


def hold(client_type: str, conversation: list[list[Piece]], touch: Callable[[Any], None] = lambda _: None) -> Held:
    """Hold a conversation; every event, and every message as soon as it is on its way, is touched."""
    transport = Turns(client_type, conversation)
    model = EXCHANGES[client_type].model
    client = LLMClient(ostinato.wire(client_type, model), lambda: transport, on_prefix_change="raise", now=lambda: 7)
    given: list[Any] = []

    async def scene() -> None:
        for _ in conversation:
            message = said(client.get_history())
            given.append(message)
            async for event in client.streaming_response_stateful(message):
                given.append(event)
                touch(event)
                touch(message)

    asyncio.run(scene())
    return Held(client, transport, given)


def containers(value: Any) -> set[int]:
    """The identities of all dicts and lists in a value."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = {id(value)} if isinstance(value, (dict, list)) else set()
    return own.union(*map(containers, parts))


@every_client
@QUICK
@given(conversation=CONVERSATION)
def test_what_the_caller_does_to_events_and_messages_changes_nothing(client_type: str, conversation: Any) -> None:
    """History and requests are the same whether everything that can be edited is spoiled or left alone."""
    spoiled, plain = hold(client_type, conversation, spoil), hold(client_type, conversation)
    assert spoiled.client.get_history() == plain.client.get_history()
    assert [r.body for r in spoiled.transport.requests] == [r.body for r in plain.transport.requests]


@every_client
@QUICK
@given(conversation=CONVERSATION)
def test_the_history_shares_no_object_with_anyone(client_type: str, conversation: Any) -> None:
    """Not with messages, events, copies given out, a history taken over, or the bodies of requests."""
    held = hold(client_type, conversation)
    own = containers(held.client._history._messages)
    handed, other = held.client.get_history(), held.client.get_history()
    assert not own & (containers(held.given) | containers(handed))
    assert not containers(handed) & containers(other)
    assert not own & containers([request.body for request in held.transport.requests]) or client_type == "mmsp"
    held.client.set_history(handed)
    assert not containers(held.client._history._messages) & containers(handed)


@every_client
@QUICK
@given(conversation=CONVERSATION)
def test_every_request_begins_with_the_one_before_it(client_type: str, conversation: Any) -> None:
    """Character by character, with all that is kept of a turn, and nothing is made anew."""
    requests = hold(client_type, conversation).transport.requests
    written = [[json.dumps(group) for group in request.groups] for request in requests]
    for before, after in itertools.pairwise(written):
        assert after[: len(before)] == before


@every_client
@QUICK
@given(conversation=CONVERSATION)
def test_a_conversation_that_was_saved_is_written_as_before(client_type: str, conversation: Any) -> None:
    """The history as JSON and back gives the same wire items, and the same history."""
    client = hold(client_type, conversation).client
    history = client.get_history()
    again = LLMClient(client.wire, Scripted)
    again.set_history(json.loads(json.dumps(history)))
    assert again.get_history() == history
    written = [json.dumps(one.transform_uni_message_to_model_input(history)) for one in (client, again)]
    assert written[0] == written[1]


@every_client
@QUICK
@given(conversation=CONVERSATION, cut=st.integers(0, 12))
def test_where_texts_are_cut_does_not_matter(client_type: str, conversation: Any, cut: int) -> None:
    """The same turns in other pieces give the same history."""
    otherwise = [[piece._replace(cut=cut) for piece in turn] for turn in conversation]
    assert hold(client_type, conversation).client.get_history() == hold(client_type, otherwise).client.get_history()
