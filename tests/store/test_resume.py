"""A client with a session goes on in another process: the same history, the same wire form, the same guard."""

import json
import pathlib
from typing import Any

import pytest
from hypothesis import given

import ostinato
from ostinato import LLMClient, PrefixChangedError, SessionLockedError, SessionWriteError
from ostinato.store import Session
from tests.client.scripted import Scripted
from tests.rfc.exchanges import EXCHANGES
from tests.rfc.talking import every_client
from tests.rfc.test_properties import CONVERSATION, QUICK, Turns, hold, said
from tests.store.saved import Model, client_of, history, say, store, turn, user


def texts(model: Scripted) -> list[list[str]]:
    """What each request sent, message by message."""
    return [[json.dumps(group) for group in request.groups] for request in model.requests]


def test_a_conversation_goes_on_in_another_client(tmp_path: pathlib.Path) -> None:
    """History and request are those of a client that never stopped; and the guard agrees."""
    one, other, unbroken = Model(), Model(), Model()
    with store(tmp_path).open("s") as session:
        client = client_of(session, one)
        say(client, "a")
        say(client, "b")
    with store(tmp_path).open("s") as session:
        client = client_of(session, other)
        say(client, "c")
        recorded = client.get_history()
    through = client_of(None, unbroken)
    for text in "abc":
        say(through, text)
    assert json.dumps(recorded) == json.dumps(through.get_history())
    assert texts(one) + texts(other) == texts(unbroken)
    assert json.dumps(other.requests[0].body) == json.dumps(unbroken.requests[2].body)


@every_client
@QUICK
@given(conversation=CONVERSATION)
def test_the_wire_form_after_a_resume_is_that_before_it(
    tmp_path_factory: pytest.TempPathFactory, client_type: str, conversation: Any
) -> None:
    """For every wire: a process for each turn sends what one process for all of them sends."""
    through = hold(client_type, conversation)
    folder = tmp_path_factory.mktemp("sessions")
    transport = Turns(client_type, conversation)
    wire = ostinato.wire(client_type, EXCHANGES[client_type].model)
    for _ in conversation:
        with store(folder).open("s") as session:
            client = LLMClient(wire, lambda: transport, on_prefix_change="raise", now=lambda: 7, session=session)
            message = said(client.get_history())
            with client:
                assert list(client.stream(message))[-1]["event_type"] == "stop"
            assert session.findings == ()
    found = store(folder).read("s")
    assert json.dumps(found.messages) == json.dumps(through.client.get_history())
    assert texts(transport) == texts(through.transport)
    assert found.findings == ()


def test_the_turn_is_on_the_disk_before_its_stop_goes_out(tmp_path: pathlib.Path) -> None:
    """Whoever has seen the stop may pull the plug."""
    with store(tmp_path).open("s") as session, client_of(session, Model()) as client:
        for event in client.stream(user("a")):
            there = [info.name for info in store(tmp_path).sessions()]
            assert there == (["s"] if event["event_type"] == "stop" else [])
        assert store(tmp_path).read("s").messages == client.get_history()


def test_the_header_says_what_the_session_was_begun_with(tmp_path: pathlib.Path) -> None:
    """Client type and model, for listings."""
    with store(tmp_path).open("s") as session:
        say(client_of(session, Model()))
    (info,) = store(tmp_path).sessions()
    assert (info.client_type, info.model) == ("openai-official", "gpt-6")


def test_state_lies_on_the_disk_in_envelopes_alone(tmp_path: pathlib.Path) -> None:
    """The text that is shown stands beside it, and is marked as derived."""
    with store(tmp_path).open("s") as session:
        say(client_of(session, Model()))
        line = session.path.read_bytes().splitlines()[-1]
    record = json.loads(line)
    (entry,) = record["replay"]
    assert entry["derived"]
    thinking = record["message"]["content_items"][0]
    assert thinking["thinking"] == "Thought 1."
    assert thinking["fidelity"]["encrypted_content"] is None
    state = ostinato.parse_reasoning_replay_envelope(entry["envelopes"][0])
    assert state.encrypted_content == "gAAAAAB-state-1"
    assert line.count(b"gAAAAAB-state-1") == 1


def test_a_changed_system_prompt_is_noticed_across_processes(tmp_path: pathlib.Path) -> None:
    """The digest of what the last request sent is in the record."""
    model = Model()
    with store(tmp_path).open("s") as session:
        say(client_of(session, model), config={"system_prompt": "Be brief."})
    with store(tmp_path).open("s") as session:
        with pytest.raises(PrefixChangedError) as caught:
            say(client_of(session, model), config={"system_prompt": "Be kind."})
        assert caught.value.change.path == "instructions"  # type: ignore[attr-defined]
    with store(tmp_path).open("s") as session:
        say(client_of(session, model), config={"system_prompt": "Be brief."})
    assert len(model.requests) == 2


def test_a_message_that_changed_on_the_disk_is_named_by_the_guard(tmp_path: pathlib.Path) -> None:
    """Where a turn is lost, what follows stands elsewhere: the guard has nothing to compare, and the report says it."""
    model = Model()
    with store(tmp_path).open("s") as session:
        client = client_of(session, model)
        for text in "abc":
            say(client, text)
        path = session.path
    path.write_bytes(path.read_bytes().replace(b"Answer 3.", b"Answer X."))
    with store(tmp_path).open("s") as session:
        client = client_of(session, model)
        assert [one.code for one in session.findings] == ["digest_mismatch", "turn_missing"]
        assert len(client.get_history()) == 4
        say(client, "d")
        say(client, "e")


def test_another_model_goes_on_without_a_false_alarm(tmp_path: pathlib.Path) -> None:
    """Its requests are written otherwise, so there is nothing to compare."""
    model = Model()
    with store(tmp_path).open("s") as session:
        say(client_of(session, model), config={"system_prompt": "Be brief."})
    with store(tmp_path).open("s") as session:
        other = ostinato.wire("openai-official", "gpt-7")
        client = LLMClient(other, lambda: model, on_prefix_change="raise", session=session)
        say(client, config={"system_prompt": "Be kind."})
    bindings = [one.binding.model for one in store(tmp_path).turns("s")]
    assert bindings == ["gpt-6", "gpt-7"]


def test_repeated_state_is_left_out_as_before(tmp_path: pathlib.Path) -> None:
    """Dedupe sees the same items after a resume, and decides the same."""
    model, again = Model(), Model()
    twice = [*turn(1), user("Again."), turn(1)[1]]
    with store(tmp_path).open("s") as session:
        client = client_of(session, model)
        client.set_history(twice)
        say(client)
    with store(tmp_path).open("s") as session:
        client = client_of(session, again)
        say(client)
    first, second = model.requests[0], again.requests[0]
    assert [d.code for d in first.decisions] == ["exact_duplicate"] == [d.code for d in second.decisions]
    assert texts(again)[0][: len(texts(model)[0])] == texts(model)[0]


def test_a_history_that_is_set_begins_anew_on_the_disk(tmp_path: pathlib.Path) -> None:
    """`set_history` and `clear_history` mean the same here as without a session."""
    with store(tmp_path).open("s") as session:
        client = client_of(session, Model())
        say(client, "a")
        client.set_history([{"role": "user", "content_items": [{"type": "text", "text": "old form, no time"}]}])  # type: ignore[typeddict-item]
        assert store(tmp_path).read("s").messages == client.get_history()
        assert client.get_history()[0]["created_at"] == 7
        client.clear_history()
        assert store(tmp_path).read("s").messages == []
        say(client, "b")
    assert len(store(tmp_path).read("s").messages) == 2


def test_a_history_that_cannot_be_written_is_not_set(tmp_path: pathlib.Path) -> None:
    """The conversation is what it was, in memory and on the disk."""
    with store(tmp_path).open("s") as session:
        client = client_of(session, Model())
        say(client, "a")
        before = client.get_history()
        with pytest.raises(SessionWriteError):
            client.set_history([user() | {"beside": object()}])
        assert client.get_history() == before == store(tmp_path).read("s").messages


def test_a_message_that_cannot_be_stored_is_refused_before_it_is_sent(tmp_path: pathlib.Path) -> None:
    """Nobody pays for an answer that cannot be kept."""
    model = Model()
    with store(tmp_path).open("s") as session, client_of(session, model) as client:
        with pytest.raises(SessionWriteError) as caught:
            list(client.stream(user() | {"beside": {1, 2}}))
        assert caught.value.code == "message_not_storable"
        assert (model.requests, client.get_history()) == ([], [])
        assert say(client)[-1]["event_type"] == "stop"


def test_a_stateless_call_writes_nothing(tmp_path: pathlib.Path) -> None:
    """Its conversation is the caller's."""

    async def ask(client: LLMClient) -> None:
        async for _ in client.streaming_response([user()]):
            pass

    import asyncio  # noqa: PLC0415

    with store(tmp_path).open("s") as session:
        asyncio.run(ask(client_of(session, Model())))
        assert session.messages == []


def test_a_session_belongs_to_one_client_at_a_time(tmp_path: pathlib.Path) -> None:
    """Two histories in one file would be neither's; a client that is gone holds it no longer."""
    with store(tmp_path).open("s") as session:
        client = client_of(session, Model())
        with pytest.raises(SessionLockedError) as caught:
            client_of(session, Model())
        assert caught.value.code == "session_attached"
        del client
        say(client_of(session, Model()))


def test_a_closed_session_is_noticed_before_anything_is_sent(tmp_path: pathlib.Path) -> None:
    """The history stays, and the error says what to do."""
    model = Model()
    session: Session = store(tmp_path).open("s")
    client = client_of(session, model)
    say(client, "a")
    session.close()
    with pytest.raises(SessionWriteError) as caught:
        say(client, "b")
    assert caught.value.code == "session_closed"
    assert "open it again" in str(caught.value)
    assert len(model.requests) == 1
    assert len(client.get_history()) == 2


def test_a_session_of_other_hands_resumes(tmp_path: pathlib.Path) -> None:
    """Turns that were appended without a client are a history like any other."""
    with store(tmp_path).open("s") as session:
        session.append(history(1, 2))
    with store(tmp_path).open("s") as session:
        client = client_of(session, Model())
        assert client.get_history() == history(1, 2)
        say(client)
