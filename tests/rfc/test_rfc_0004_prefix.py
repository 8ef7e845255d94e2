"""MMSP-RFC-0004, section 6 and 7: the history, one call at a time, and the identical prefix."""

import asyncio
import copy
import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import ostinato
from ostinato import AbortSignal, ConcurrentCallError, IncompleteStreamError, InvalidMessageError, UpstreamError
from tests.client.provider import Answer, Provider
from tests.rfc.exchanges import ANSWER, CLIENTS, EXCHANGES, QUESTION
from tests.rfc.talking import CONFIG, answers, ask, assistant, client_of, converse, items, result, run, say, text

every_client = pytest.mark.parametrize("client_type", CLIENTS)
SDKS = ("openai-official", "openai-chat", "anthropic-official", "google-genai", "google-official", "mmsp")
every_library = pytest.mark.parametrize("client_type", SDKS)
"""One client per library and kind of stream: what these rules are about does not depend on the dialect."""


def spoil(value: Any) -> None:
    """Change everything in a value that can be changed."""
    if isinstance(value, dict):
        for part in value.values():
            spoil(part)
        value.update(dict.fromkeys(value, "SPOILED"), spoiled=True)
    elif isinstance(value, list):
        for part in value:
            spoil(part)
        value.append("SPOILED")


# 6.1 The history holds copies.


@every_client
def test_6_1_the_history_shares_nothing_with_the_events(server: Provider, client_type: str) -> None:
    """Each event is spoiled as soon as it is yielded; the turn is recorded and replayed as it was."""
    server.play(*answers(client_type))

    async def scene() -> Any:
        client = client_of(server, client_type)
        for message in (text(QUESTION), result(), text("Thanks.")):
            async for event in client.streaming_response_stateful(message, CONFIG):
                spoil(event)
        return client

    client = run(server, scene)
    assert items(client, server.requests[2])[:-1] == EXCHANGES[client_type].back
    assert "SPOILED" not in json.dumps(client.get_history())


@every_client
def test_6_1_the_history_shares_nothing_with_the_message_sent(server: Provider, client_type: str) -> None:
    """It is spoiled while the stream runs, and so is the config."""
    server.play(*answers(client_type))

    async def scene() -> Any:
        client = client_of(server, client_type)
        for message in (text(QUESTION), result(), text("Thanks.")):
            config = copy.deepcopy(CONFIG)
            async for _ in client.streaming_response_stateful(message, config):
                spoil(message)
                spoil(config)
        return client

    client = run(server, scene)
    assert items(client, server.requests[2])[:-1] == EXCHANGES[client_type].back
    assert "SPOILED" not in json.dumps(client.get_history())


@every_library
def test_6_1_get_history_gives_copies_and_set_history_stores_them(server: Provider, client_type: str) -> None:
    """Neither list, nor anything in it, is the history's own."""

    async def scene() -> Any:
        client = await converse(server, client_type)
        recorded = json.dumps(client.get_history())
        given = client.get_history()
        client.set_history(given)
        spoil(given)
        spoil(client.get_history())
        assert json.dumps(client.get_history()) == recorded

    run(server, scene)


@every_library
def test_6_1_the_turn_is_recorded_before_its_stop_is_yielded(server: Provider, client_type: str) -> None:
    """A caller may stop at the stop, and the next call may begin from then, while the generator is still there."""
    server.play(*answers(client_type))

    async def scene() -> None:
        client = client_of(server, client_type)
        stream = client.streaming_response_stateful(text(QUESTION), CONFIG)
        async for event in stream:
            assert len(client.get_history()) == (2 if event["event_type"] == "stop" else 0)
            if event["event_type"] == "stop":
                break
        await say(client, result())
        await stream.aclose()
        assert len(client.get_history()) == 4

    run(server, scene)


@every_client
def test_6_1_a_stream_without_its_stop_appends_nothing(server: Provider, client_type: str) -> None:
    """The events end before the response does. The next call does not send what came of it."""
    exchange = EXCHANGES[client_type]
    end = next(n for n, event in enumerate(exchange.first) if is_end(event))
    server.play(exchange.first[:end], exchange.second)

    async def scene() -> None:
        client = client_of(server, client_type)
        with pytest.raises(IncompleteStreamError) as caught:
            await say(client, text(QUESTION))
        assert "finish_reason" in caught.value.missing
        assert client.get_history() == []
        await say(client, text("Again."))
        assert len(items(client, server.requests[1])) == 1

    run(server, scene)


def is_end(event: Any) -> bool:
    """Whether an event says that the response is over."""
    names = ("response.completed", "message_delta", "interaction.completed", "stop")
    choices = [*event.get("choices", ()), *event.get("candidates", ())]
    ends = any(choice.get("finish_reason") or choice.get("finishReason") for choice in choices)
    return ends or any(event.get(field) in names for field in ("type", "event_type"))


# 6.2 One stateful call at a time.


def held(client_type: str) -> Answer:
    """The turn, stopped in the middle until the client goes away."""
    return Answer(EXCHANGES[client_type].first, wait_after=4)


async def begin(client: Any, **options: Any) -> Any:
    """A stateful call that is under way."""
    stream = client.streaming_response_stateful(text(QUESTION), CONFIG, **options)
    await anext(stream)
    return stream


@every_library
def test_6_2_a_second_stateful_call_is_refused_before_anything_is_sent(server: Provider, client_type: str) -> None:
    """Also through `AutoLLMClient`, which forwards to the client that holds the claim."""
    server.play(held(client_type))

    async def scene() -> None:
        client = client_of(server, client_type)
        first = await begin(client)
        for _ in range(2):
            with pytest.raises(ConcurrentCallError):
                await say(client, text("b"))
        assert len(server.bodies) == 1
        await first.aclose()
        assert client.get_history() == []

    run(server, scene)


@every_library
@pytest.mark.parametrize("way", ["stop", "error", "abort", "close"])
def test_6_2_a_call_holds_the_client_until_it_ends(server: Provider, client_type: str, way: str) -> None:
    """By its stop, its error, the abort of its signal or the close of its generator: then the next one begins."""
    failing = Answer(status=400, body={"error": {"message": "no", "type": "t", "code": 400, "status": "S"}})
    server.play(
        {"stop": Answer(EXCHANGES[client_type].first), "error": failing}.get(way, held(client_type)),
        Answer(EXCHANGES[client_type].second),
    )

    async def scene() -> None:
        client, signal = client_of(server, client_type), AbortSignal()
        if way == "error":
            with pytest.raises(UpstreamError):
                await begin(client)
        else:
            stream = await begin(client, signal=signal)
            if way == "stop":
                async for _ in stream:
                    pass
            elif way == "abort":
                signal.abort()
            else:
                await stream.aclose()
        message = result() if way == "stop" else text("b")
        await say(client, message)
        assert len(client.get_history()) == (4 if way == "stop" else 2)
        if way == "abort":
            with pytest.raises(asyncio.CancelledError):
                await anext(stream)

    run(server, scene)


@every_library
def test_6_2_an_abort_as_the_stop_arrives_records_nothing(server: Provider, client_type: str) -> None:
    """The response is complete, its done items were yielded, and the stop was not."""
    server.play(Answer(EXCHANGES[client_type].second))

    async def scene() -> None:
        client, signal = client_of(server, client_type), AbortSignal()

        async def read() -> None:
            async for event in client.streaming_response_stateful(text(QUESTION), CONFIG, signal):
                assert event["event_type"] != "stop"
                if event["content_items"][0] == {"type": "text.done", "text": ANSWER}:
                    signal.abort("enough")

        with pytest.raises(asyncio.CancelledError) as caught:
            await read()
        assert caught.value.args == ("enough",)
        assert client.get_history() == []

    run(server, scene)


@every_library
def test_6_2_a_stateless_call_runs_beside_a_stateful_one(server: Provider, client_type: str) -> None:
    """It keeps no history."""
    server.play(held(client_type), Answer(EXCHANGES[client_type].second))

    async def scene() -> None:
        client = client_of(server, client_type)
        first = await begin(client)
        assert (await ask(client, [text("b")]))[-1]["event_type"] == "stop"
        assert client.get_history() == []
        await first.aclose()

    run(server, scene)


# 6.3 created_at.


@every_client
def test_6_3_a_message_is_stamped_with_the_time_it_is_sent_and_nothing_else(server: Provider, client_type: str) -> None:
    """On the caller's own object, by both kinds of calls; a time that is there stays. No model is sent it."""
    server.play(*(Answer(EXCHANGES[client_type].second) for _ in range(2)))
    fresh, dated = text(QUESTION), {**text("b"), "created_at": 7}
    other = text("c")

    async def scene() -> Any:
        client = client_of(server, client_type)
        await ask(client, [fresh, assistant({"type": "text.done", "text": "x"}), dated])
        await say(client, other)
        return client

    client = run(server, scene)
    assert fresh == {**text(QUESTION), "created_at": fresh["created_at"]}
    assert dated == {**text("b"), "created_at": 7}
    assert other == {**text("c"), "created_at": other["created_at"]}
    assert client.get_history()[0] == other
    if client_type != "mmsp":  # which relays messages as they are
        assert b"created_at" not in b"".join(server.bodies)


@every_library
def test_6_3_the_historys_copy_of_a_message_without_a_time_is_stamped(server: Provider, client_type: str) -> None:
    """And the caller's message that it was copied from is left alone."""
    server.play(Answer(EXCHANGES[client_type].second))
    given = [text(QUESTION), assistant({"type": "text.done", "text": "x"})]
    before = copy.deepcopy(given)

    async def scene() -> Any:
        client = client_of(server, client_type)
        client.set_history(given)
        await say(client, text("b"))
        return client.get_history()

    history = run(server, scene)
    assert given == before
    assert all(isinstance(message["created_at"], int) for message in history)


# 6.4 The wire form of a past turn.


@every_client
def test_6_4_a_past_turn_goes_out_in_the_same_wire_form_on_every_call(server: Provider, client_type: str) -> None:
    """Each request begins with all items of the one before it, written alike to the last character."""
    run(server, lambda: converse(server, client_type))
    client = server.clients[0]
    sent = [[json.dumps(item) for item in items(client, request)] for request in server.requests]
    for before, after in itertools.pairwise(sent):
        assert after[: len(before)] == before
        assert len(after) > len(before)


@every_client
def test_6_4_no_transform_reads_a_later_message(server: Provider, client_type: str) -> None:
    """A conversation that ends earlier, or goes on in another way, is written alike as far as it is alike."""
    client = run(server, lambda: converse(server, client_type))
    history = client.get_history()
    whole = client.transform_uni_message_to_model_input(history)
    thought = {
        "type": "thinking.done",
        "thinking": "x",
        "fidelity": {"reasoning_field": "reasoning", "signature": "c2ln"},
    }
    for upto in range(1, len(history)):
        for rest in ([], [text("Otherwise.")], [assistant(thought, {"type": "text.done", "text": "y"})]):
            written = client.transform_uni_message_to_model_input(history[:upto])
            other = client.transform_uni_message_to_model_input([*history[:upto], *rest])
            assert other[: len(written)] == written == whole[: len(written)]


@every_client
def test_6_4_what_is_added_depends_on_client_model_and_config_alone(server: Provider, client_type: str) -> None:
    """Everything but the messages is the same on every call, and what the caller passed is sent as given."""
    run(server, lambda: converse(server, client_type))
    client = server.clients[0]
    key = client.wire.items_key
    around = [{name: value for name, value in request.items() if name != key} for request in server.requests]
    assert around[0] == around[1] == around[2]
    assert "Be brief." in json.dumps(server.requests[0])
    assert "The weather of a city." in json.dumps(around[0])


PIXEL = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")


@pytest.mark.parametrize("client_type", ["openai-chat", "moonshot-official", "google-genai", "google-official"])
def test_6_4_an_image_by_url_is_read_once_in_a_conversation(server: Provider, client_type: str) -> None:
    """The prefix stays, whatever the URL serves later. A client that takes the conversation over reads it again."""
    served = []

    class Images(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(PIXEL + bytes(len(served)))

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    site = ThreadingHTTPServer(("127.0.0.1", 0), Images)
    threading.Thread(target=site.serve_forever, args=(0.01,), daemon=True).start()
    url = f"http://127.0.0.1:{site.server_address[1]}/pixel.gif"
    picture = {"role": "user", "content_items": [{"type": "image_url.done", "image_url": url}]}
    server.play(*(Answer(EXCHANGES[client_type].second) for _ in range(3)))

    async def scene() -> Any:
        client, other = client_of(server, client_type), client_of(server, client_type)
        await say(client, picture)
        await say(client, text("b"))
        assert len(served) == 1
        assert client.get_history()[0]["content_items"] == picture["content_items"]
        other.set_history(client.get_history()[:2])
        await say(other, text("b"))
        return [items(client, request)[0] for request in server.requests]

    try:
        first, second, elsewhere = run(server, scene)
    finally:
        site.shutdown()
        site.server_close()
    assert first == second != elsewhere
    assert len(served) == 2


def test_6_4_the_breakpoint_on_bedrock_is_the_one_marker_that_moves() -> None:
    """It stands on the last block of the newest message of the user, and nothing else changes."""
    bound = ostinato.wire("anthropic-official", "claude-opus-5-5", endpoint="bedrock://us-east-1")
    history = [text(QUESTION), assistant({"type": "text.done", "text": "x"}), text("b")]
    first, second = (bound.encode(history[:1])["messages"], bound.encode(history)["messages"])
    assert "cache_control" in first[0]["content"][-1]
    assert [["cache_control" in block for block in message["content"]] for message in second] == [
        [False],
        [False],
        [True],
    ]
    del first[0]["content"][-1]["cache_control"]
    assert second[:1] == first


def test_6_4_anthropics_own_api_has_no_marker_in_any_turn(server: Provider) -> None:
    """There the request has one field for all."""
    run(server, lambda: converse(server, "anthropic-official"))
    for request in server.requests:
        assert request["cache_control"] == {"type": "ephemeral"}
        assert "cache_control" not in json.dumps(request["messages"])


@pytest.mark.parametrize("client_type", ["google-genai", "google-official"])
def test_6_4_a_request_for_speech_has_no_prefix(client_type: str) -> None:
    """Only the newest message goes out, because the model refuses a conversation."""
    bound = ostinato.wire(client_type, "gemini-3.1-flash-tts-preview")
    body = bound.encode([text("first"), assistant({"type": "text.done", "text": "x"}), text("newest")])
    assert "newest" in json.dumps(body)
    assert "first" not in json.dumps(body)


# 6.5 Nothing is dropped silently.

NOTHING = {
    "no items": {"role": "user", "content_items": []},
    "empty text": text(""),
    "empty texts": {"role": "user", "content_items": [{"type": "text.done", "text": ""}] * 2},
    "partial call": assistant({"type": "partial_tool_call", "name": "f", "arguments": "", "tool_call_id": "c"}),
}


@every_client
@pytest.mark.parametrize("message", NOTHING.values(), ids=NOTHING)
def test_6_5_a_message_with_nothing_to_send_is_refused(server: Provider, client_type: str, message: Any) -> None:
    """It is neither dropped nor sent empty: the request is not made, and the error says which message it was."""

    async def scene() -> None:
        client = client_of(server, client_type)
        with pytest.raises(InvalidMessageError) as caught:
            await ask(client, [text(QUESTION), copy.deepcopy(message)])
        assert caught.value.message_index == 1
        with pytest.raises(InvalidMessageError):
            await say(client, copy.deepcopy(message))
        assert client.get_history() == []

    run(server, scene)
    assert server.bodies == []


@every_client
def test_6_5_request_and_history_hold_the_same_turns(server: Provider, client_type: str) -> None:
    """Every message of the history is in the request: none is dropped, and none is empty in wire form."""
    client = run(server, lambda: converse(server, client_type))
    groups = client.last_request.groups
    assert len(groups) == len(client.get_history()) - 1
    assert all(groups)
    assert [item for group in groups for item in group] == client.last_request.body[client.wire.items_key][
        -sum(map(len, groups)) :
    ]


# 7. The relay.


def test_7_the_relay_sends_items_and_fidelity_unchanged(server: Provider) -> None:
    """Whatever a server keeps in the fidelity, known here or not, goes back to it."""
    kept = {"signature": "c2ln", "channel": "summary", "unknown": {"deep": [1, 2.0, None]}}
    thought = {"type": "thinking.done", "thinking": "x", "fidelity": kept}
    history = [text(QUESTION), assistant(thought, {"type": "text.done", "text": "y", "fidelity": kept})]
    server.play(Answer(EXCHANGES["mmsp"].second))

    async def scene() -> Any:
        client = client_of(server, "mmsp")
        client.set_history(history)
        await say(client, text("b"))
        return items(client, server.requests[0])

    assert run(server, scene)[:2] == history
