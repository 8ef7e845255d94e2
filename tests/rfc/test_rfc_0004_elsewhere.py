"""MMSP-RFC-0004, section 5: thinking produced elsewhere."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ostinato import EmptyResponseError, InvalidMessageError
from tests.client.provider import Answer, Provider
from tests.rfc.exchanges import (
    CALL,
    CHAT,
    EXCHANGES,
    MESSAGES,
    ONE_FIELD,
    QUESTION,
    RESPONSES,
    SPOKEN,
    chat,
    interaction,
    messages,
    relayed,
    response,
)
from tests.rfc.talking import (
    ask,
    assistant,
    client_of,
    every_client,
    items,
    result,
    run,
    say,
    sent_after,
    text,
    thinking,
)

# 5. Thinking produced elsewhere.

MARK = "FOREIGN-THOUGHT"
STATE = "Rk9SRUlHTi1TVEFURQ=="  # base64, so that it could be anybody's
FOREIGN = {
    "nothing": {},
    "messages": {"signature": STATE},
    "responses": {"channel": "summary", "encrypted_content": STATE, "id": "rs_9"},
    "gateway": {"channel": "content", "encrypted_content": STATE, "signature": STATE, "format": "openai-responses-v1"},
    "chat": {"reasoning_field": "reasoning"},
    "sealed": {"encrypted_content": STATE, "format": "anthropic-claude-v1", "reasoning_id": "rs_9"},
}


def foreign(kept: Any, **more: Any) -> list[Any]:
    """A conversation whose assistant turn was made elsewhere."""
    thought = {"type": "thinking.done", "thinking": MARK, **({"fidelity": kept} if kept else {})}
    call = {"type": "tool_call.done", "name": "weather", "arguments": {}, "tool_call_id": CALL}
    said = {"type": "text.done", "text": SPOKEN}
    return [text(QUESTION), assistant(thought, said, call, **more), result()]


def holders(value: Any, mark: str, holder: Any = None, name: str = "") -> Iterator[tuple[Any, str]]:
    """Every text that holds the mark: the innermost object around it that says what it is, and the field's name."""
    if isinstance(value, dict):
        says = {"type", "thought", "role"} & value.keys()
        for key, part in value.items():
            yield from holders(part, mark, value if says else holder, key)
    elif isinstance(value, list):
        for part in value:
            yield from holders(part, mark, holder, name)
    elif isinstance(value, str) and mark in value:
        yield holder, name


THINKS = {"reasoning", "reasoning_text", "summary_text", "thinking", "thinking.done", "thought", "reasoning.text"}


def is_thinking(holder: Any, field: str) -> bool:
    """Whether a text stands where its wire has thinking."""
    return holder.get("thought") is True or holder.get("type") in THINKS or field in ("reasoning", "reasoning_content")


def thoughts_named(found: list[Any]) -> list[Any]:
    """A thought of Interactions holds its parts as texts: they are named after it here."""
    return [
        item | {"summary": [part | {"type": "thought"} for part in item["summary"]]}
        if item.get("type") == "thought" and "summary" in item
        else item
        for item in found
    ]


@every_client
def test_5_foreign_thinking_never_goes_back_as_the_assistants_own_text(server: Provider, client_type: str) -> None:
    """It goes out as thinking, or is left out; and state of a known other issuer goes nowhere but through the relay."""
    histories = [
        (origin, foreign(kept, **origin))
        for kept in FOREIGN.values()
        for origin in ({}, {"origin": {"provider": "other"}})
    ]
    server.play(*(Answer(EXCHANGES[client_type].second) for _ in histories))

    async def scene() -> None:
        client = client_of(server, client_type)
        for origin, history in histories:
            client.set_history(history)
            await say(client, text("Go on."))
            sent = thoughts_named(items(client, server.requests[-1]))
            assert all(is_thinking(holder, field) for holder, field in holders(sent, MARK))
            if origin and client_type != "mmsp":
                assert STATE not in json.dumps(sent)

    run(server, scene)


def test_5_anthropic_leaves_out_thinking_without_a_signature(server: Provider) -> None:
    """The API does the same with blocks its model cannot read. It is said, not silent."""
    server.play(Answer(EXCHANGES["anthropic-official"].second))

    async def scene() -> Any:
        client = client_of(server, "anthropic-official")
        client.set_history(foreign({}))
        await say(client, text("Go on."))
        return client.last_request.decisions, items(client, server.requests[0])[1]["content"]

    decisions, turn = run(server, scene)
    assert [block["type"] for block in turn] == ["text", "tool_use"]
    assert [(made.code, made.action) for made in decisions] == [("unsigned_thinking", "left_out")]


def test_5_gemini_interactions_opens_the_turn_with_the_placeholder(server: Provider) -> None:
    """The text stays an unsigned thought behind it."""
    turn = sent_after(server, "google-official", *foreign({}))[1:3]
    assert turn[0] == {"type": "thought", "signature": "skip_thought_signature_validator"}
    assert turn[1] == {"type": "thought", "summary": [{"type": "text", "text": MARK}]}


def test_5_generate_content_signs_the_first_call_with_the_placeholder(server: Provider) -> None:
    """The text stays an unsigned thought before it."""
    thought, _, call = sent_after(server, "google-genai", *foreign({}))[1]["parts"]
    assert thought == {"text": MARK, "thought": True}
    assert call["thoughtSignature"] == "skip_thought_signature_validator"


@pytest.mark.parametrize("client_type", sorted(set(CHAT) - set(ONE_FIELD)))
def test_5_chat_sends_the_text_through_both_fields(server: Provider, client_type: str) -> None:
    """Where the item names none."""
    turn = sent_after(server, client_type, *foreign({}))[1]
    assert (turn["reasoning_content"], turn["reasoning"]) == (MARK, MARK)


@pytest.mark.parametrize("client_type", ["openai-responses", "deepseek-official", "minimax-official"])
def test_5_responses_rebuilds_an_item_with_reasoning_text(server: Provider, client_type: str) -> None:
    """Servers that take plain reasoning get it. OpenAI and xAI refuse it, so there it is left out and said."""
    (item,) = thinking(sent_after(server, client_type, *foreign({})))
    assert item["content"] == [{"type": "reasoning_text", "text": MARK}]


@pytest.mark.parametrize("client_type", ["openai-official", "xai-responses"])
def test_5_responses_leaves_plain_reasoning_out_where_the_api_refuses_it(server: Provider, client_type: str) -> None:
    """The rest of the turn goes out, and the decision says what did not."""
    server.play(Answer(EXCHANGES[client_type].second))

    async def scene() -> Any:
        client = client_of(server, client_type)
        client.set_history(foreign({}))
        await say(client, text("Go on."))
        return client.last_request.decisions, items(client, server.requests[0])

    decisions, sent = run(server, scene)
    assert [item["type"] for item in sent[1:3]] == ["message", "function_call"]
    assert MARK not in json.dumps(sent)
    assert [made.code for made in decisions] == ["not_replayable"]


def test_5_ant_messages_sends_unsigned_thinking_unsigned(server: Provider) -> None:
    """The form that other servers of the wire take."""
    turn = sent_after(server, "ant-messages", *foreign({}))[1]["content"]
    assert turn[0] == {"type": "thinking", "thinking": MARK}


def thinking_alone(client_type: str) -> list[Any]:
    """The events of a response that thinks and says nothing."""
    if client_type in RESPONSES:
        content = [{"type": "reasoning_text", "text": MARK}]
        return list(response({"type": "reasoning", "id": "rs_1", "content": content}))
    if client_type in CHAT:
        return list(chat({"reasoning_content": MARK}))
    if client_type in MESSAGES:
        return list(messages(({"type": "thinking", "thinking": MARK, "signature": "c2ln"}, [])))
    if client_type == "google-genai":
        part = {"text": MARK, "thought": True}
        return [{"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}]
    if client_type == "google-official":
        summary = {"type": "thought_summary", "content": {"type": "text", "text": MARK}}
        return list(interaction(({"type": "thought"}, [summary])))
    return list(relayed({"type": "thinking.done", "thinking": MARK}))


@every_client
def test_5_a_response_of_thinking_alone_is_not_recorded(server: Provider, client_type: str) -> None:
    """No provider takes it back."""
    server.play(thinking_alone(client_type))

    async def scene() -> None:
        client = client_of(server, client_type)
        with pytest.raises(EmptyResponseError) as caught:
            await say(client, text(QUESTION))
        assert caught.value.finish_reason == "stop"
        assert client.get_history() == []

    run(server, scene)


@every_client
def test_5_a_message_of_thinking_alone_is_refused(server: Provider, client_type: str) -> None:
    """Before anything is sent, and in a history before it is taken over."""
    alone = assistant({"type": "thinking.done", "thinking": MARK, "fidelity": {"signature": STATE}})

    async def scene() -> None:
        client = client_of(server, client_type)
        with pytest.raises(InvalidMessageError) as caught:
            await ask(client, [text(QUESTION), alone, text("Go on.")])
        assert caught.value.message_index == 1
        with pytest.raises(InvalidMessageError):
            client.set_history([text(QUESTION), alone])
        assert client.get_history() == []

    run(server, scene)
    assert server.bodies == []
