"""MMSP-RFC-0004, sections 3 to 5: what a message keeps, and what goes back.

Through the public client over the real libraries. Tests are named after sections; `docs/rfc-0004.md` says which rule
each of them holds, and where ostinato keeps more than the rule asks, or reads it differently.
"""

import json
from typing import Any

import pytest

from ostinato import InvalidMessageError
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
    THOUGHTS,
    chat,
)
from tests.rfc.talking import (
    ask,
    assistant,
    client_of,
    converse,
    every_client,
    items,
    result,
    run,
    say,
    sent_after,
    text,
    thinking,
)

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
