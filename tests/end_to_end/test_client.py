"""A session is saved, resumed in another process, refused, explained, rescued, and moved to another provider and back.

Over the providers' own libraries, against a provider on 127.0.0.1.
"""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import ostinato
from ostinato import AutoLLMClient, SessionStore, privacy
from tests.client.provider import Answer, Provider
from tests.rfc.exchanges import ANSWER, CALL, EXCHANGES, QUESTION, RESULT, SPOKEN, THANKS
from tests.rfc.talking import CONFIG, result, say, text

Json = dict[str, Any]
WORKING_DIRECTORY = Path(__file__).parents[2]

ONE_TURN = """
import asyncio, logging, sys
import ostinato
from ostinato import privacy
from tests.rfc.talking import CONFIG, result, say, text

async def one_turn(folder, client_type, model, url, said):
    with ostinato.SessionStore(folder).open("s") as session:
        assert session.findings == (), session.findings
        async with ostinato.AutoLLMClient(model, "test-key", url, client_type, session=session) as client:
            await say(client, result() if said == "result" else text(said))

logging.basicConfig(level=logging.DEBUG)
privacy.install()
asyncio.run(one_turn(*sys.argv[1:]))
"""
"""One turn of a session in a process of its own, which logs everything to its standard error."""

CANNOT_READ = {
    "message": "The encrypted content for item rs_1 could not be verified.",
    "type": "invalid_request_error",
    "code": "invalid_encrypted_content",
}
BAD_SIGNATURE = {
    "message": "messages.1.content.0: Invalid `signature` in `thinking` block",
    "type": "invalid_request_error",
}
CORRUPTED = {"code": 400, "message": "Corrupted thought signature.", "status": "INVALID_ARGUMENT"}


class Move(NamedTuple):
    """From one provider to another; the refusal is what comes of a change that nobody knew of, of the account, say."""

    made_at: str
    goes_to: str
    refusal: Json
    code: str = "foreign_state"


MOVES = (
    Move("openai-official", "xai-responses", {"error": CANNOT_READ}),
    Move("anthropic-official", "ant-messages", {"type": "error", "error": BAD_SIGNATURE}),
    Move("google-genai", "openai-official", {"error": CORRUPTED}, "fragments_merged"),
)


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Everything that is logged, with the guard in place."""
    caplog.set_level(logging.DEBUG)
    privacy.install()
    yield caplog
    privacy.uninstall()


def url_of(server: Provider, client_type: str) -> str:
    """The base URL of a client type."""
    return server.url.removesuffix("/v1") + EXCHANGES[client_type].under


def in_another_process(server: Provider, folder: Path, client_type: str, said: str) -> str:
    """One turn; what was logged."""
    arguments = [str(folder), client_type, EXCHANGES[client_type].model, url_of(server, client_type), said]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ONE_TURN, *arguments],
        cwd=WORKING_DIRECTORY,
        env={"PYTHONPATH": f"{WORKING_DIRECTORY / 'python'}:{WORKING_DIRECTORY}", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


async def here(server: Provider, store: SessionStore, client_type: str, message: Any) -> Json:
    """One turn in this process; the request of it."""
    with store.open("s") as session:
        assert session.findings == ()
        url = url_of(server, client_type)
        model = EXCHANGES[client_type].model
        async with AutoLLMClient(
            model, "test-key", url, client_type, session=session, on_prefix_change="raise"
        ) as client:
            await say(client, message, CONFIG)
    return server.requests[-1]


@pytest.mark.parametrize("move", MOVES, ids=lambda move: f"{move.made_at}-to-{move.goes_to}")
def test_a_session_survives_a_move_and_a_refusal(
    server: Provider, tmp_path: Path, log: pytest.LogCaptureFixture, move: Move
) -> None:
    """At home the prefix is the same bytes; elsewhere no state of another goes out; and nothing shows any."""
    made_at, goes_to = EXCHANGES[move.made_at], EXCHANGES[move.goes_to]
    folder = tmp_path / "sessions"
    store = SessionStore(folder)
    server.play(Answer(made_at.first), Answer(made_at.second))
    logged = in_another_process(server, folder, move.made_at, QUESTION)
    asyncio.run(here(server, store, move.made_at, result()))
    first, second = server.requests
    key = ostinato.wire(move.made_at, made_at.model).items_key
    assert json.dumps(second[key][: len(first[key])]) == json.dumps(first[key])
    assert all(state in json.dumps(second) for state in made_at.state)

    # A change that nobody knew of: the provider refuses its own state, and the session is as it was.
    path = store.directory / "s.jsonl"  # type: ignore[operator]
    before = path.read_bytes()
    server.play(Answer(status=400, body=move.refusal))
    with pytest.raises(ostinato.UpstreamError) as refused:
        asyncio.run(here(server, store, move.made_at, text(THANKS)))
    assert path.read_bytes() == before
    explanation = ostinato.explain(refused.value)
    assert (explanation.code, explanation.status) == (move.code, 400)

    # Without all state it goes on at home, and the words are all there.
    rescued = ostinato.rescue(path, all_state=True)
    assert path.read_bytes() == before
    copies = SessionStore(tmp_path / "rescued")
    copies.restore("s", rescued.data)
    server.play(Answer(made_at.second))
    again = json.dumps(asyncio.run(here(server, copies, move.made_at, text(THANKS))))
    assert not any(state in again for state in made_at.state)
    assert all(words in again for words in (QUESTION, SPOKEN, CALL, RESULT, ANSWER, THANKS))

    # The whole session goes on elsewhere, which is sent none of it, and sees what was said.
    server.play(Answer(goes_to.second))
    logged += in_another_process(server, folder, move.goes_to, THANKS)
    elsewhere = json.dumps(server.requests[-1])
    assert not any(state in elsewhere for state in made_at.state)
    assert all(words in elsewhere for words in (QUESTION, SPOKEN, CALL, RESULT, ANSWER, THANKS))

    # And back home all of its state is there again.
    server.play(Answer(made_at.second))
    home = asyncio.run(here(server, store, move.made_at, text("Back.")))
    assert json.dumps(home[key][: len(second[key])]) == json.dumps(second[key])

    shown = (
        logged
        + log.text
        + f"{explanation!r}{explanation}{rescued!r}{refused.value!r}"
        + str(list(ostinato.doctor(folder)))
    )
    assert not any(state in shown for state in made_at.state)
    assert "test-key" not in shown
