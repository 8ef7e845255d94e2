"""An exception that leaves ostinato shows no values, whoever looks at its frames."""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import io
import logging
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rich.console import Console
from rich.traceback import Traceback

import ostinato
from ostinato import AutoLLMClient, InvalidMessageError, OstinatoError, UpstreamError
from ostinato.discretion import discreet
from tests.client.provider import Answer, Provider, provider, reasoning, responses
from tests.security.canary import ITEM, MARKER, STATE

HERE = str(pathlib.Path(__file__).parents[1])
SAID = {"role": "user", "content_items": [{"type": "text.done", "text": "hi"}]}
THOUGHT = {"type": "thinking.done", "thinking": "", "fidelity": {"encrypted_content": STATE, "id": "rs_1"}}
ANSWER = {"role": "assistant", "content_items": [THOUGHT, {"type": "text.done", "text": "ok"}]}


def frames_of(error: BaseException) -> Iterator[str]:
    """The locals of every frame but those of the tests, as crash reporters read them."""
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        current = left.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        left += [current.__cause__, current.__context__]
        for frame, _ in traceback.walk_tb(current.__traceback__):
            if not frame.f_code.co_filename.startswith(HERE):
                yield repr(frame.f_locals)
        yield f"{current} {current!r} {vars(current)!r}"


def shown_by_traceback(error: BaseException) -> str:
    """As the standard library writes it, with locals."""
    return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())


def shown_by_rich(error: BaseException) -> str:
    """As rich draws it, with locals."""
    out = io.StringIO()
    shown = Traceback.from_exception(type(error), error, error.__traceback__, show_locals=True, locals_max_string=None)
    Console(file=out, width=200).print(shown)
    return out.getvalue()


def shown_by_a_reporter(error: BaseException) -> str:
    """As a crash reporter sends it."""
    return "\n".join(frames_of(error))


LOOKS = [shown_by_traceback, shown_by_rich, shown_by_a_reporter, lambda error: pickle.dumps(error).decode("latin-1")]


def refusals() -> dict[str, Callable[[], object]]:
    """Calls that end in an error while they hold state."""
    bad = {"role": "assistant", "content_items": [THOUGHT, {"type": "no such type"}]}
    wire = ostinato.wire("openai-official", "gpt-6")
    broken = {"type": "response.output_item.done", "item": {**ITEM, "summary": 5}, "output_index": 0}

    def feed() -> None:
        decoder = wire.decoder()
        for _ in range(2):
            decoder.feed(broken)
        decoder.finish()

    return {
        "capture": lambda: ostinato.canonicalize_completed_reasoning_output_item(ITEM | {"summary": [5]}),
        "dedupe": lambda: ostinato.dedupe([ITEM, ITEM | {"summary": [STATE]}], provider="openai"),
        "encode": lambda: wire.encode([ANSWER, bad]),
        "decode": feed,
        "history": lambda: AutoLLMClient("gpt-6", "k").set_history([ANSWER, bad]),
        "config": lambda: wire.encode([ANSWER], {"temperature": STATE}),
        "concat": lambda: ostinato.concat_uni_events_to_uni_message([ANSWER, 5]),  # type: ignore[list-item]
        "prepare": lambda: ostinato.prepare([ITEM, STATE], "openai"),
        "strip": lambda: ostinato.strip_state([ITEM, STATE], wire="openai-responses"),
        "trim": lambda: ostinato.trim([ITEM, STATE], keep=1, wire="openai-responses"),
    }


def raised(call: Callable[[], object]) -> BaseException:
    """The exception that a call ends in. This frame holds no state of its own."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - whatever it is
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("name", refusals())
@pytest.mark.parametrize("look", LOOKS, ids=["traceback", "rich", "reporter", "pickle"])
def test_no_values_in_frames(name: str, look: Callable[[BaseException], str]) -> None:
    """Whatever shows locals finds none, and a pickle holds none."""
    error = raised(refusals()[name])
    # The frames of this file hold what the caller holds; looking at them is the caller's own choice.
    error = error.with_traceback(_below_here(error))
    assert MARKER not in look(error)


def _below_here(error: BaseException) -> Any:
    """The traceback below the last frame of the tests."""
    at = below = error.__traceback__
    while at is not None:
        below = at.tb_next if at.tb_frame.f_code.co_filename.startswith(HERE) else below
        at = at.tb_next
    return below


def test_tracebacks_keep_their_places() -> None:
    """Emptied frames still say which lines an exception went through."""
    text = "".join(traceback.format_exception(raised(refusals()["encode"])))
    assert "in admit_all" in text
    assert "InvalidMessageError" in text


def test_the_callers_own_frames_and_exceptions_stay() -> None:
    """What was being handled when the call began is the caller's, with its frames; so are frames above the call."""

    def inner() -> None:
        word = "mine"
        raise KeyError(word)

    try:
        inner()
    except KeyError:
        error = raised(refusals()["capture"])
        quiet = raised(lambda: ostinato.dedupe([5], provider="openai"))
    assert isinstance(error.__context__, KeyError)
    assert isinstance(quiet.__context__, KeyError)
    frames = [frame.f_locals for frame, _ in traceback.walk_tb(quiet.__context__.__traceback__)]
    assert {"word": "mine"} in frames


def test_discreet_keeps_signatures_and_kinds() -> None:
    """A discreet function is the same to whoever asks what it is."""

    @discreet
    def function(given: int) -> int:
        """Double."""
        return given * 2

    @discreet
    async def coroutine(given: int) -> int:
        return given * 2

    assert function(2) == asyncio.run(coroutine(2)) == 4
    assert function.__doc__ == "Double."
    with pytest.raises(TypeError):
        function()  # type: ignore[call-arg]


def test_discreet_coroutines() -> None:
    """A coroutine that fails shows no values either."""

    @discreet
    async def fail(state: str) -> None:
        await asyncio.sleep(0)
        raise ValueError(len(state))

    error = raised(lambda: asyncio.run(fail(STATE)))
    assert MARKER not in shown_by_a_reporter(error)


def test_groups_are_emptied_to_their_leaves() -> None:
    """The exceptions in a group are emptied, too."""

    def leaf(state: str) -> None:
        raise ValueError(len(state))

    @discreet
    def fail() -> None:
        raise ExceptionGroup("several", [raised(lambda: leaf(STATE))])  # type: ignore[list-item]

    error = raised(fail)
    assert isinstance(error, ExceptionGroup)
    frames = [frame.f_locals for frame, _ in traceback.walk_tb(error.exceptions[0].__traceback__)]
    assert MARKER not in repr(frames[1:])


@pytest.fixture
def server() -> Iterator[Provider]:
    """A provider that is told what to answer."""
    with provider() as running:
        yield running


async def talk(server: Provider, client_type: str, model: str) -> None:
    """One turn after a history that holds state."""
    async with AutoLLMClient(model, "k", server.url, client_type) as client:
        client.set_history([SAID, ANSWER])
        async for _ in client.streaming_response_stateful(SAID):
            pass


REFUSED = {"error": {"type": "invalid_request_error", "message": f"bad item {STATE}", "param": STATE}}
CUT = Answer(responses({**reasoning(1, MARKER), "encrypted_content": STATE})[:2], break_off=True)
FAULTS = {
    "refused": Answer(status=400, body=REFUSED),
    "cut": CUT,
    "incomplete": Answer(responses({**reasoning(1, MARKER), "encrypted_content": STATE})[:3]),
    "no item": Answer([{"type": "response.output_item.done", "output_index": 0, "item": [STATE]}]),
    "told": Answer([{"type": "error", "code": "bad", "message": f"bad item {STATE}"}]),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("look", LOOKS, ids=["traceback", "rich", "reporter", "pickle"])
def test_no_values_in_the_frames_of_a_failed_turn(
    server: Provider, fault: str, look: Callable[[BaseException], str]
) -> None:
    """A turn that fails shows neither the request nor the answer, not even in the frames of the provider's library."""
    server.play(FAULTS[fault])
    error = raised(lambda: asyncio.run(talk(server, "openai-official", "gpt-6")))
    assert isinstance(error, OstinatoError)
    assert MARKER not in look(error.with_traceback(_below_here(error)))
    assert MARKER not in str(error)


def test_what_a_provider_quotes_is_redacted(server: Provider) -> None:
    """Some providers quote the request in their errors; the rest of their words stays."""
    server.play(FAULTS["refused"])
    error = raised(lambda: asyncio.run(talk(server, "openai-official", "gpt-6")))
    assert isinstance(error, UpstreamError)
    assert error.status == 400
    assert "bad item [redacted" in str(error)
    assert MARKER not in repr(vars(error))
    assert error.__cause__ is None


def test_words_about_reasoning_stay() -> None:
    """What a provider says of a field is no reasoning, even where it stands behind the field's name."""
    for words in ("reasoning_content: field required", "messages.1.content.0.thinking: must not be empty"):
        assert str(UpstreamError(None, words)) == words


def test_a_task_that_nobody_awaits_says_nothing(server: Provider, caplog: pytest.LogCaptureFixture) -> None:
    """In debug mode asyncio logs exceptions that were never retrieved, and slow callbacks with their arguments."""
    caplog.set_level(logging.DEBUG)
    server.play(FAULTS["refused"])

    async def scene() -> None:
        asyncio.get_running_loop().slow_callback_duration = 0.0
        task = asyncio.ensure_future(talk(server, "openai-official", "gpt-6"))
        await asyncio.wait([task])
        del task
        gc.collect()

    asyncio.run(scene(), debug=True)
    assert "never retrieved" in caplog.text
    ours = [record for record in caplog.records if record.name == "asyncio"]
    assert MARKER not in "\n".join(logging.Formatter().format(record) for record in ours)


def test_faulthandler_shows_lines_only() -> None:
    """A dump of all threads names files and lines."""
    with tempfile.TemporaryFile() as out:

        def dump(event: Any) -> Any:
            faulthandler.dump_traceback(out, all_threads=True)
            return event

        wire = ostinato.wire("openai-official", "gpt-6")
        ostinato.concat_uni_events_to_uni_message(
            dump(event) for event in [e for one in responses(ITEM) for e in wire.decoder().feed(one)]
        )
        out.seek(0)
        assert MARKER not in out.read().decode()


FAILING_TEST = f"""
import ostinato

def test_it():
    ostinato.wire("openai-official", "gpt-6").encode(make())

def make():
    state = "gAAAAAB" + "{MARKER[:4]}" + "{MARKER[4:]}"
    return [{{"role": "assistant", "content_items": [
        {{"type": "thinking.done", "thinking": "", "fidelity": {{"encrypted_content": state}}}}, {{"type": "x"}}]}}]
"""


def test_pytest_showlocals(tmp_path: pathlib.Path) -> None:
    """A failing test of a program shows no values of the frames here."""
    (tmp_path / "test_it.py").write_text(FAILING_TEST, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--showlocals", "--tb=long", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "InvalidMessageError" in run.stdout
    assert "1 failed" in run.stdout
    assert MARKER not in run.stdout + run.stderr


def test_the_search_would_find_it() -> None:
    """The same looks find the marker where a function is not discreet."""

    def fail(state: str) -> None:
        raise InvalidMessageError(None, "no", item_index=len(state))

    error = raised(lambda: fail(STATE))
    assert all(MARKER in look(error) for look in (shown_by_traceback, shown_by_rich))
