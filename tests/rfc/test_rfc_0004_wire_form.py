"""MMSP-RFC-0004, sections 6.4 to 7: the wire form of a past turn, and nothing dropped."""

import copy
import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import ostinato
from ostinato import InvalidMessageError
from tests.client.provider import Answer, Provider
from tests.rfc.exchanges import EXCHANGES, QUESTION
from tests.rfc.talking import ask, assistant, client_of, converse, every_client, items, run, say, text

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
