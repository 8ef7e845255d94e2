"""What holds for every wire, whatever the conversation."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.errors import TurnError
from ostinato.messages import admit
from ostinato.wires import CLIENT_TYPES
from tests.budget import examples
from tests.wires.playing import cases, is_about_a_client

RECORDED = {case.client: case.vector["model"] for client in CLIENT_TYPES for case in list(cases(client))[:1]}
MODELS = {client: RECORDED.get(client, "m") for client in CLIENT_TYPES}
PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACw="

TEXT = st.text(max_size=8)
SOME_TEXT = st.text(min_size=1, max_size=8)
FIDELITY = st.dictionaries(
    st.sampled_from(
        [
            "id",
            "channel",
            "encrypted_content",
            "signature",
            "format",
            "phase",
            "reasoning_field",
            "reasoning_id",
            "summary",
            "reasoning_details",
            "extra_content",
        ]
    ),
    st.one_of(
        st.sampled_from(["summary", "content", "reasoning", "c2ln"]),
        st.lists(TEXT, max_size=2),
        st.lists(st.fixed_dictionaries({"type": st.just("reasoning.text"), "text": TEXT}), max_size=2),
        st.fixed_dictionaries({"google": st.fixed_dictionaries({"thought_signature": TEXT})}),
    ),
    max_size=3,
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(TEXT, inner, max_size=2)),
    max_leaves=4,
)


def _item(kind: str, **fields: Any) -> Any:
    return st.fixed_dictionaries({"type": st.just(f"{kind}.done"), **fields})


def _kept(kind: str, **fields: Any) -> Any:
    return st.fixed_dictionaries({"type": st.just(f"{kind}.done"), **fields}, optional={"fidelity": FIDELITY})


CALL = _kept("tool_call", name=SOME_TEXT, arguments=st.dictionaries(TEXT, JSON, max_size=2), tool_call_id=SOME_TEXT)
USER_ITEM = st.one_of(
    _item("text", text=SOME_TEXT),
    _item("image_url", image_url=st.just(PIXEL)),
    _item("tool_result", text=TEXT, tool_call_id=SOME_TEXT),
)
ASSISTANT_ITEM = st.one_of(_kept("text", text=SOME_TEXT), _kept("thinking", thinking=TEXT), CALL)
MESSAGE = st.one_of(
    st.fixed_dictionaries({"role": st.just("user"), "content_items": st.lists(USER_ITEM, min_size=1, max_size=3)}),
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content_items": st.lists(ASSISTANT_ITEM, max_size=3).flatmap(
                lambda items: st.one_of(CALL, _item("text", text=SOME_TEXT)).map(lambda last: [*items, last])
            ),
        },
        optional={"origin": st.sampled_from([{"provider": "elsewhere"}, {"provider": "openai"}])},
    ),
)
CONVERSATION = st.lists(MESSAGE, min_size=1, max_size=5)
QUICK = examples(20)


def encoded(wire: Any, messages: list[Any]) -> list[list[Any]]:
    """The wire items of each message."""
    groups, carry = [], wire.start
    for index, message in enumerate(messages):
        items, carry, *_ = wire.encode_message(admit(message, index), carry, index)
        groups.append(items)
    return groups


def containers(value: Any) -> set[int]:
    """The identities of all containers in a value."""
    if isinstance(value, dict):
        return {id(value)}.union(*(containers(part) for part in value.values()))
    return {id(value)}.union(*(containers(part) for part in value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("client", MODELS)
@QUICK
@given(messages=CONVERSATION)
def test_a_past_turn_is_always_written_the_same(client: str, messages: list[Any]) -> None:
    """The wire form of each message does not depend on what follows it, and encoding changes no message."""
    wire = ostinato.wire(client, MODELS[client])
    before = json.dumps(messages)
    try:
        whole = encoded(wire, messages)
    except TurnError:
        return
    for count in range(1, len(messages)):
        assert encoded(wire, messages[:count]) == whole[:count]
    assert json.dumps(messages) == before


@pytest.mark.parametrize("client", MODELS)
@QUICK
@given(messages=CONVERSATION)
def test_a_body_shares_nothing_with_the_messages(client: str, messages: list[Any]) -> None:
    """Whoever edits a request edits no history."""
    wire = ostinato.wire(client, MODELS[client])
    try:
        body = wire.encode(messages)
    except TurnError:
        return
    json.dumps(body)
    assert not containers(body) & containers(messages)


@pytest.mark.parametrize("client", [client for client in RECORDED if client != "openai-embedding"])
def test_a_recorded_turn_may_be_sent_back(client: str) -> None:
    """Every response in the vectors that ends well gives a message that is admitted and can be encoded."""
    wire = ostinato.wire(client, MODELS[client])
    played = 0
    for case in cases(client):
        for turn in [] if is_about_a_client(case) else case.vector["input"].get("turns", [])[:1]:
            decoder = wire.decoder()
            try:
                for event in turn["response"]["sse"]:
                    if isinstance(event.get("data"), dict):
                        decoder.feed(copy.deepcopy(event["data"]))
                decoder.finish()
            except TurnError:
                continue
            message = decoder.message()
            assert admit(message) is message
            wire.encode([{"role": "user", "content_items": [{"type": "text.done", "text": "Hi"}]}, message])
            played += 1
    assert played


CHAT_PIECE = st.fixed_dictionaries(
    {}, optional={"index": JSON, "id": JSON, "function": st.fixed_dictionaries({}, optional={"name": JSON})}
)
CHAT_DELTA = st.fixed_dictionaries(
    {},
    optional={
        "content": JSON,
        "reasoning": JSON,
        "reasoning_details": st.lists(
            st.fixed_dictionaries({"type": st.sampled_from(["reasoning.text", "x"]), "index": JSON, "text": JSON}),
            max_size=2,
        ),
        "tool_calls": st.lists(CHAT_PIECE, max_size=2),
        "encrypted_content": JSON,
    },
)
EVENT = st.dictionaries(
    st.sampled_from(["type", "item", "item_id", "output_index", "delta", "response", "choices", "error", "text"]),
    st.one_of(
        JSON,
        st.sampled_from(
            [
                "response.output_text.delta",
                "response.output_item.added",
                "response.output_item.done",
                "response.completed",
                "response.function_call_arguments.delta",
                "content_block_start",
                "content_block_delta",
                "message_delta",
                "step.delta",
            ]
        ),
        st.lists(st.fixed_dictionaries({}, optional={"delta": CHAT_DELTA, "finish_reason": JSON}), max_size=2),
        st.fixed_dictionaries(
            {"type": st.sampled_from(["reasoning", "message", "function_call"])}, optional={"id": JSON}
        ),
    ),
    max_size=4,
)


@pytest.mark.parametrize("client", MODELS)
@QUICK
@given(events=st.lists(EVENT, max_size=6))
def test_whatever_arrives_gives_events_or_a_typed_error(client: str, events: list[Any]) -> None:
    """No event of any shape raises anything else."""
    decoder = ostinato.wire(client, MODELS[client]).decoder()
    try:
        for event in events:
            decoder.feed(event)
        decoder.finish()
    except TurnError:
        return
    assert admit(decoder.message())
