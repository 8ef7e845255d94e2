"""MMSP-RFC-0004, sections 3 to 5: what a message keeps, and what goes back.

Through the public client over the real libraries. Tests are named after sections; `docs/rfc-0004.md` says which rule
each of them holds, and where ostinato keeps more than the rule asks, or reads it differently.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ostinato import EmptyResponseError, InvalidMessageError
from tests.client.provider import Answer, Provider
from tests.rfc.exchanges import (
    CALL,
    CLIENTS,
    EXCHANGES,
    QUESTION,
    SPOKEN,
    THOUGHTS,
    chat,
    interaction,
    messages,
    relayed,
    response,
)
from tests.rfc.talking import ask, assistant, client_of, converse, items, result, run, say, text

RESPONSES = ("openai-official", "openai-responses", "xai-responses", "deepseek-official", "minimax-official")
ONE_FIELD = ("qwen", "openrouter")
"""Chat servers whose field is known: text without a name goes in that one alone."""
CHAT = ("openai-chat", "openai-chat-vllm-adapter", "moonshot-official", "zai-official", "qwen", "openrouter")
MESSAGES = ("anthropic-official", "ant-messages")
GEMINI = ("google-genai", "google-official")
every_client = pytest.mark.parametrize("client_type", CLIENTS)


def sent_after(server: Provider, client_type: str, *history: Any) -> list[Any]:
    """The wire items of a request that continues a given history."""
    server.play(Answer(EXCHANGES[client_type].second))

    async def scene() -> list[Any]:
        client = client_of(server, client_type)
        client.set_history(list(history))
        await say(client, text("Go on."))
        return items(client, server.requests[-1])

    return run(server, scene)


# 3. What a message keeps.


@every_client
def test_3_every_later_call_replays_the_items_and_their_fidelity(server: Provider, client_type: str) -> None:
    """The turn goes back whole and in order on the call after it, and on the one after that."""
    client = run(server, lambda: converse(server, client_type))
    back = EXCHANGES[client_type].back
    assert items(client, server.requests[2])[:-1] == back
    upto = len(items(client, server.requests[1]))
    assert items(client, server.requests[1]) == back[:upto]


@every_client
def test_3_tool_call_id_holds_the_providers_call_id(server: Provider, client_type: str) -> None:
    """Where the wire has an id of the item beside it, that one is not taken for it."""
    client = run(server, lambda: converse(server, client_type))
    calls = [item for item in client.get_history()[1]["content_items"] if item["type"] == "tool_call.done"]
    assert [call["tool_call_id"] for call in calls] == [CALL]


@every_client
def test_3_a_replay_sends_the_call_id_back(server: Provider, client_type: str) -> None:
    """With the call and with its result, on every later request."""
    client = run(server, lambda: converse(server, client_type))
    for request in server.requests[1:]:
        assert json.dumps(items(client, request)).count(f'"{CALL}"') == 2


@every_client
@pytest.mark.parametrize("call_id", [..., None, ""], ids=["missing", "null", "empty"])
def test_3_a_result_without_a_call_id_is_refused(server: Provider, client_type: str, call_id: Any) -> None:
    """Nothing is sent: no provider could tell which call it answers."""
    message = result(call_id)
    if call_id is ...:
        del message["content_items"][0]["tool_call_id"]

    async def scene() -> None:
        client = client_of(server, client_type)
        for call in (say(client, message), ask(client, [message])):
            with pytest.raises(InvalidMessageError) as caught:
                await call
            assert caught.value.item_type == "tool_result"

    run(server, scene)
    assert server.bodies == []


@every_client
def test_3_an_assistant_message_keeps_usage_and_finish_reason(server: Provider, client_type: str) -> None:
    """They are those of the stop."""
    server.play(Answer(EXCHANGES[client_type].first))

    async def scene() -> Any:
        client = client_of(server, client_type)
        stop = (await say(client, text(QUESTION)))[-1]
        return stop, client.get_history()[1]

    stop, message = run(server, scene)
    assert stop["event_type"] == "stop"
    for name in ("usage_metadata", "finish_reason", "created_at"):
        assert message[name] == stop[name] is not None
    assert message["finish_reason"] == "tool_call"


# 4. What each wire needs back.


def thinking(found: list[Any]) -> list[Any]:
    """The wire items that are state or thinking, without the texts and calls beside them."""
    return [item for item in found if item.get("type") in ("reasoning", "thought")]


@every_client
def test_4_own_thinking_goes_back_with_everything_it_needs(server: Provider, client_type: str) -> None:
    """Text, order and state of it, also after the conversation was saved as JSON and taken over by another client."""
    first = run(server, lambda: converse(server, client_type))
    saved = json.dumps(first.get_history()[:-2])
    server.play(Answer(EXCHANGES[client_type].second))

    async def scene() -> None:
        second = client_of(server, client_type)
        second.set_history(json.loads(saved))
        await say(second, text("Thanks."))

    run(server, scene)
    assert items(first, server.requests[3]) == items(first, server.requests[2])
    for state in (*EXCHANGES[client_type].state, "".join(THOUGHTS)[:10]):
        assert state in json.dumps(server.requests[3])


@pytest.mark.parametrize("client_type", RESPONSES)
def test_4_responses_keeps_channel_ciphertext_and_phase(server: Provider, client_type: str) -> None:
    """A summary goes back as a summary, content as content, and a phase on the message that had it."""
    client = run(server, lambda: converse(server, client_type))
    sent, back = items(client, server.requests[2]), EXCHANGES[client_type].back
    assert thinking(sent) == thinking(back)
    phases = [item.get("phase") for item in sent if item.get("role") == "assistant"]
    assert phases == (["commentary", None] if client_type in ("openai-official", "openai-responses") else [None, None])


def test_4_responses_keeps_a_gateways_signature_and_format(server: Provider) -> None:
    """They go back on the reasoning item that they came with."""
    client = run(server, lambda: converse(server, "openai-responses"))
    (item,) = thinking(items(client, server.requests[2]))
    assert (item["signature"], item["format"]) == ("sig-of-the-gateway", "openai-responses-v1")


@pytest.mark.parametrize("client_type", MESSAGES)
def test_4_messages_keeps_signature_and_redacted_data(server: Provider, client_type: str) -> None:
    """Both blocks stand before the text and the call, as they came."""
    client = run(server, lambda: converse(server, client_type))
    turn = items(client, server.requests[2])[1]["content"]
    assert turn == EXCHANGES[client_type].back[1]["content"]
    assert [block["type"] for block in turn] == ["thinking", "redacted_thinking", "text", "tool_use"]


def test_4_interactions_keeps_a_thoughts_signature(server: Provider) -> None:
    """It goes back on its step."""
    client = run(server, lambda: converse(server, "google-official"))
    assert thinking(items(client, server.requests[2])) == thinking(EXCHANGES["google-official"].back)


def test_4_generate_content_keeps_a_signature_on_its_part(server: Provider) -> None:
    """It goes back on the part that it came with, and on no other."""
    client = run(server, lambda: converse(server, "google-genai"))
    parts = items(client, server.requests[2])[1]["parts"]
    assert [sorted(part) for part in parts] == [["text", "thought"], ["text"], ["functionCall", "thoughtSignature"]]


@pytest.mark.parametrize("client_type", CHAT)
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_4_chat_sends_the_text_back_in_the_field_it_came_in(server: Provider, client_type: str, field: str) -> None:
    """And in no other."""
    server.play(Answer(list(chat({field: THOUGHTS[0]}, {"content": SPOKEN}))), Answer(EXCHANGES[client_type].second))

    async def scene() -> Any:
        client = client_of(server, client_type)
        await say(client, text(QUESTION))
        await say(client, text("Go on."))
        return items(client, server.requests[1])[1]

    turn = run(server, scene)
    assert {name: value for name, value in turn.items() if name.startswith("reasoning")} == {field: THOUGHTS[0]}


@pytest.mark.parametrize("client_type", sorted(set(CHAT) - set(ONE_FIELD)))
def test_4_chat_sends_the_text_in_both_fields_when_the_name_is_unknown(server: Provider, client_type: str) -> None:
    """Whichever of them the server reads, it finds it."""
    thought = {"type": "thinking.done", "thinking": THOUGHTS[0]}
    turn = sent_after(server, client_type, text(QUESTION), assistant(thought, text(SPOKEN)["content_items"][0]))[1]
    assert (turn["reasoning_content"], turn["reasoning"]) == (THOUGHTS[0], THOUGHTS[0])


def test_4_openai_chat_sends_the_field_empty_on_a_call_without_a_thought(server: Provider) -> None:
    """Once an earlier turn has thought in that field; before it, nothing is made up."""
    call = {"index": 0, "id": CALL, "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    silent = list(chat({"tool_calls": [call]}, finish="tool_calls"))
    thoughtful = list(chat({"reasoning_content": THOUGHTS[0]}, {"content": SPOKEN}))
    server.play(silent, thoughtful, silent, thoughtful)

    async def scene() -> Any:
        client = client_of(server, "openai-chat")
        for message in (text(QUESTION), result(), text("More?"), result()):
            await say(client, message)
        return [item for item in items(client, server.requests[3]) if item["role"] == "assistant"]

    before, thought, after = run(server, scene)
    assert "reasoning_content" not in before
    assert thought["reasoning_content"] == THOUGHTS[0]
    assert after["reasoning_content"] == ""


@pytest.mark.parametrize("client_type", ["openrouter", "openai-chat", "openai-chat-vllm-adapter"])
def test_4_a_gateways_encrypted_block_is_rebuilt(server: Provider, client_type: str) -> None:
    """With its data, its format and its id."""
    block = {
        "type": "reasoning.encrypted",
        "data": "c2VhbGVk",
        "id": "rs_1",
        "format": "anthropic-claude-v1",
        "index": 0,
    }
    first = chat({"reasoning_details": [block]}, {"content": SPOKEN})
    server.play(list(first), Answer(EXCHANGES[client_type].second))

    async def scene() -> Any:
        client = client_of(server, client_type)
        await say(client, text(QUESTION))
        await say(client, text("Go on."))
        return items(client, server.requests[1])[1]

    (rebuilt,) = run(server, scene)["reasoning_details"]
    assert {name: rebuilt[name] for name in ("type", "data", "id", "format")} == {
        name: block[name] for name in ("type", "data", "id", "format")
    }


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
    assert [made.code for made in decisions] == ["no_encrypted_content"]


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
