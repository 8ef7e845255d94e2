"""Sessions of the store, as saved conversations like any other: loaded, examined and exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ostinato
from ostinato.exporting import export_session
from tests.client.provider import Provider
from tests.rfc.exchanges import QUESTION
from tests.rfc.talking import answers, client_of, every_client, result, run, say, text


def converse(server: Provider, client_type: str, folder: Path) -> tuple[bytes, list[Any]]:
    """Hold a conversation in a session: the file, and the wire items of its messages."""
    server.play(*answers(client_type))

    async def scene() -> list[Any]:
        with ostinato.SessionStore(folder).open("monday") as session:
            client = client_of(server, client_type, session=session)
            for message in (text(QUESTION), result()):
                await say(client, message)
            return client.transform_uni_message_to_model_input(client.get_history())

    items = run(server, scene)
    return (folder / "monday.jsonl").read_bytes(), items


@every_client
def test_a_session_is_loaded_as_it_would_be_sent(server: Provider, tmp_path: Path, client_type: str) -> None:
    """The native items are those of the next request, with their origin."""
    if client_type == "mmsp":
        pytest.skip("a relay has no native items")
    data, items = converse(server, client_type, tmp_path)
    loaded = ostinato.load(data)
    assert (loaded.format, loaded.session) == ("ostinato-session", "monday")
    assert loaded.items == items
    assert loaded.report.findings == ()
    answered = [turn for turn in loaded.turns if turn.role == "assistant"]
    assert all(turn.origin is not None and turn.origin.model for turn in answered)


@every_client
def test_an_exported_session_is_the_same_session(server: Provider, tmp_path: Path, client_type: str) -> None:
    """Loaded, it is the same conversation; its lines are those of the file, byte for byte."""
    data, _items = converse(server, client_type, tmp_path)
    exported = export_session(data)
    assert exported.split(b"\n", 1)[1] == data
    back, session = ostinato.load(exported), ostinato.load(data)
    assert (back.items, back.turns, back.session, back.wire) == (session.items, session.turns, "monday", session.wire)
    assert back.report.findings == ()
    assert ostinato.load(exported.replace(b"monday", b"sunday")).report.counts["edited_export"] == 1


def test_the_doctor_reads_sessions(server: Provider, tmp_path: Path) -> None:
    """As it reads those of other programs."""
    data, _items = converse(server, "openai-official", tmp_path)
    assert ostinato.diagnose(ostinato.load(data)).verdict == "resumable"
    damaged = data.replace(b"gAAAAAB", b"gAAAAAC")
    found = ostinato.diagnose(ostinato.load(damaged))
    assert [symptom.code for symptom in found.symptoms] == ["absent", "damaged"] or found.verdict != "resumable"


def test_what_is_no_session_is_refused() -> None:
    """By name."""
    with pytest.raises(ostinato.ReplayError) as caught:
        export_session(b'{"schema":"other"}\n')
    assert caught.value.code == "unknown_format"
