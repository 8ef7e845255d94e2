"""Log records come out without state, wherever in them it stood, and records without state as they were."""

from __future__ import annotations

import asyncio
import json
import logging
import logging.handlers
import pickle
import queue
import reprlib
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostinato import privacy
from tests.privacy.state import MARKER, STATE, logged
from tests.security.canary import ITEM, PLAIN, STORED, inputs, named_inputs

LOG = logging.getLogger("app.llm")


class Model:
    """An SDK object, as its repr shows it."""

    def __repr__(self) -> str:
        return f"ResponseReasoningItem(id='rs_1', summary=[], type='reasoning', encrypted_content='{STATE}')"


class Unreadable:
    """An object that quotes its state when it fails."""

    def __repr__(self) -> str:
        raise ValueError(STATE)


def fail(state: str) -> None:
    """Raise an error that quotes state, from another one."""
    try:
        {}[state]
    except KeyError as error:
        raise ValueError(f"cannot read {ITEM}") from error


def log_exception() -> None:
    """Log an exception whose text, whose cause and whose frames hold state."""
    try:
        fail(STATE)
    except ValueError:
        LOG.exception("failed")


CALLS: dict[str, Callable[[], None]] = {
    "text": lambda: LOG.info("got " + STORED),  # noqa: G003 - as programs do
    "repr in a text": lambda: LOG.info("got " + repr(ITEM)),  # noqa: G003 - as programs do
    "argument": lambda: LOG.info("got %s", ITEM),
    "repr of an argument": lambda: LOG.info("got %r", [ITEM, (ITEM,)]),
    "argument that is cut": lambda: LOG.info("got %.12s", STORED),
    "named arguments": lambda: LOG.info("got %(id)s", ITEM),
    "argument that is not shown": lambda: LOG.info("got %(id)s", {"id": "rs_1", "body": {"input": [ITEM]}}),
    "bytes": lambda: LOG.debug("Response body:\n%s", json.dumps(ITEM).encode()),
    "binary bytes": lambda: LOG.debug("signature %r", b"\xff\x00" + STATE.encode()),
    "bytearray": lambda: LOG.debug("body %s", bytearray(json.dumps(ITEM).encode())),
    "mapping in place of a text": lambda: LOG.info({"input": [ITEM]}),
    "exception in place of a text": lambda: LOG.info(ValueError(STATE)),
    "object": lambda: LOG.info("got %s", Model()),
    "object in a list": lambda: LOG.info("got %s", [{"item": Model()}]),
    "object that fails": lambda: LOG.info("got %s", [Unreadable()]),
    "exception as an argument": lambda: LOG.info("failed: %s", ValueError(STATE)),
    "JSON in JSON in JSON": lambda: LOG.info("got %s", json.dumps({"a": json.dumps({"b": STORED})})),
    "extra": lambda: LOG.info("got", extra={"body": {"input": [ITEM]}}),
    "extra by its name": lambda: LOG.info("got", extra={"encrypted_content": PLAIN}),
    "extra text": lambda: LOG.info("got", extra={"body": STORED}),
    "extra object": lambda: LOG.info("got", extra={"item": Model()}),
    "extra bytes": lambda: LOG.info("got", extra={"body": STORED.encode(), "thought_signature": STATE.encode()}),
    "exception": log_exception,
    "wrong arguments": lambda: LOG.info("got %s and %s", STORED),  # noqa: PLE1206 - the mistake
    "wrong type of argument": lambda: LOG.info("got %d", STORED),
    "stack": lambda: LOG.info("here", stack_info=True),
    "shortened repr": lambda: LOG.info("call %s", reprlib.repr([STATE])),
    "state in a key": lambda: LOG.info("got %s", {STATE: 1}),
    "a set": lambda: LOG.info("got %s", {STATE}),
    "simple namespace": lambda: LOG.info("got %s", SimpleNamespace(encrypted_content=PLAIN)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_no_state_in_a_record(call: Callable[[], None], capfd: pytest.CaptureFixture[str]) -> None:
    """Neither what is written nor what a record holds shows state; what logging complains about does not either."""
    with logged(name="app") as log:
        call()
    assert log.records
    assert MARKER not in log.text
    printed = capfd.readouterr()
    assert MARKER not in printed.out + printed.err


# What shows nothing by itself, whoever looks.
SILENT = {"stack", "object that fails", "shortened repr"}


@pytest.mark.parametrize(
    "call", [CALLS[name] for name in CALLS if name not in SILENT], ids=[name for name in CALLS if name not in SILENT]
)
def test_the_search_would_find_it(call: Callable[[], None]) -> None:
    """Without the guard the same records show state, but for those of which logging itself shows nothing."""
    with logged(guard=False, name="app") as log:
        call()
    assert MARKER in log.text


@pytest.mark.parametrize("given", [list(inputs()), list(named_inputs())], ids=["by its looks", "by its name"])
@pytest.mark.parametrize(
    "form",
    [lambda value: value, json.dumps, repr, lambda value: json.dumps(value).encode()],
    ids=["value", "json", "repr", "bytes"],
)
def test_every_item_of_every_wire(given: list[Any], form: Callable[[Any], Any]) -> None:
    """Items of all wires, sound and damaged, as arguments, as extra fields and in texts."""
    with logged() as log:
        for _, vector, value in given:
            if value != {} and isinstance(value, dict | list):
                LOG.info("%s", form(value), extra={"body": form(value)})
                assert MARKER not in repr(vars(log.records[-1])), vector.name


def test_records_without_state_stay_the_same_objects() -> None:
    """A record that holds no state keeps its template and its arguments."""
    given = {"a": [1, 2.5, None, True, "x"], "model": "gpt-6"}
    with logged() as log:
        LOG.info("got %s after %.1f s", given, 1.25, extra={"given": given, "body": b"ok"})
        LOG.info("done")
    first, second = log.records
    assert (first.msg, first.args) == ("got %s after %.1f s", (given, 1.25))
    assert first.args[0] is given
    assert first.given is given  # type: ignore[attr-defined]
    assert first.body == b"ok"  # type: ignore[attr-defined]
    assert second.msg == "done"


def test_what_is_left_says_what_was_there() -> None:
    """Names, lengths and digests stay, and so does everything that is no state."""
    with logged() as log:
        LOG.info("sent %s", {"model": "gpt-6", "input": [ITEM]})
    assert "gpt-6" in log.out.getvalue()
    assert f"redacted {len(STATE)} bytes" in log.out.getvalue()


def test_reasoning_text_may_stay() -> None:
    """By choice reasoning text stays; state goes all the same."""
    item = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Plan."}]}
    item["encrypted_content"] = STATE
    for keep in (True, False):
        with logged(reasoning_text=not keep) as log:
            LOG.info("got %s", item)
        assert ("Plan." in log.text) == keep
        assert MARKER not in log.text


def test_length_only() -> None:
    """Without digests two logs cannot be linked."""
    with logged(length_only=True) as log:
        LOG.info("got %s", ITEM)
    assert "sha256" not in log.text
    assert MARKER not in log.text


def test_children_and_later_handlers() -> None:
    """The guard holds for child loggers, for loggers that do not propagate, and for handlers of any time."""
    privacy.install()
    later = logging.getLogger("made.later.than.the.guard")
    with logged(name="made") as log:
        later.info("got %s", STORED)
    later.propagate = False
    with logged(name=later.name) as other:
        later.info("got %s", STORED)
    assert len(log.records) == len(other.records) == 1
    assert MARKER not in log.text + other.text


def test_last_resort(capfd: pytest.CaptureFixture[str]) -> None:
    """Where no handler is set, logging prints warnings itself; they are redacted, too."""
    lonely = logging.getLogger("lonely")
    lonely.propagate = False
    privacy.install()
    try:
        lonely.warning("got %s", STORED)
    finally:
        privacy.uninstall()
    err = capfd.readouterr().err
    assert "got" in err
    assert MARKER not in err


def test_queue_handlers() -> None:
    """What travels to another thread or process is redacted before it leaves."""
    records: queue.Queue[logging.LogRecord] = queue.Queue()
    handler = logging.handlers.QueueHandler(records)
    privacy.install()
    LOG.addHandler(handler)
    try:
        LOG.error("got %s", ITEM, extra={"body": ITEM})
    finally:
        LOG.removeHandler(handler)
        privacy.uninstall()
    assert MARKER not in pickle.dumps(records.get_nowait()).decode("latin-1")


def test_a_filter_guards_one_handler() -> None:
    """On a handler the filter sees the records of all loggers, and every one passes."""
    with logged(guard=False) as log:
        handler = logging.getLogger().handlers[-1]
        handler.addFilter(privacy.RedactingFilter())
        LOG.info("got %s", ITEM, extra={"body": ITEM})
    assert len(log.records) == 1
    assert MARKER not in log.text


def test_install_and_uninstall() -> None:
    """Installing twice is installing once; uninstalling leaves logging as it was."""
    before = logging.Logger.callHandlers
    privacy.install()
    privacy.install(length_only=True)
    privacy.uninstall()
    assert logging.Logger.callHandlers is before
    privacy.uninstall()
    assert logging.Logger.callHandlers is before


def test_uninstall_under_another_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crash reporters stand at the same place; whoever came later keeps it, and sees redacted records."""
    seen = []
    privacy.install()
    inner = logging.Logger.callHandlers

    def reporter(logger: logging.Logger, record: logging.LogRecord) -> None:
        inner(logger, record)
        seen.append(record.getMessage())

    monkeypatch.setattr(logging.Logger, "callHandlers", reporter)
    LOG.error("got %s", STORED)
    privacy.uninstall()
    LOG.error("got %s", "nothing")
    assert logging.Logger.callHandlers is reporter
    assert MARKER not in seen[0]
    assert seen[1] == "got nothing"


def test_exceptions_leave_as_text() -> None:
    """A live exception would give its frames, with all locals, to whoever handles the record."""
    with logged() as log:
        log_exception()
    record = log.records[0]
    assert record.exc_info is None
    assert "KeyError" in str(record.exc_text)
    assert "ValueError: cannot read" in log.out.getvalue()


def test_live_exceptions_by_choice() -> None:
    """By choice the object stays, unless its text holds state."""

    def scene(error: Exception) -> None:
        try:
            raise error
        except ValueError:
            LOG.exception("failed")

    with logged(exceptions="live") as log:
        scene(ValueError("harmless"))
        scene(ValueError(STATE))
    assert log.records[0].exc_info
    assert log.records[1].exc_info is None
    assert MARKER not in log.out.getvalue()


def test_a_record_that_cannot_be_redacted_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where redaction itself fails, a line says so, and nothing of the record is left."""

    def broken(*_: Any) -> str:
        raise RuntimeError

    monkeypatch.setattr("ostinato.privacy.record.clean_text", broken)
    monkeypatch.setattr("ostinato.privacy.record.is_clean", broken)
    with logged() as log:
        LOG.info("got %s", STORED, extra={"body": STORED})
    assert "withheld" in log.out.getvalue()
    assert MARKER not in log.text


def test_asyncio_says_nothing() -> None:
    """Slow callbacks and exceptions that nobody fetched are logged with shortened reprs of their arguments."""

    async def lost(_state: str) -> None:
        raise ValueError(STATE)

    async def scene() -> None:
        loop = asyncio.get_running_loop()
        loop.slow_callback_duration = 0.0
        loop.call_soon(len, STATE)
        loop.call_soon(lambda *_: None, STATE, ITEM)
        task = asyncio.ensure_future(lost(STATE))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        del task
        loop.call_exception_handler({"message": f"broken {STATE}", "exception": ValueError(STATE), "state": ITEM})

    with logged() as log:
        asyncio.run(scene(), debug=True)
    assert any(record.name == "asyncio" for record in log.records)
    assert "gAAAAAB" not in log.text
    assert MARKER not in log.text
    assert "x" * 12 not in log.text


@pytest.mark.parametrize("size", [20, 31, 64, 100, 257])
def test_chunks_of_a_stream(size: int) -> None:
    """A stream that is logged chunk by chunk shows no run of 16 characters of state, wherever it is cut."""
    state = "gAAAAABm" + "Q7x9Kp2Lw4Zt" * 20
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": state}
    data = f"data: {json.dumps({'type': 'response.output_item.done', 'item': item})}\n\n".encode()
    with logged(name="app") as log:
        for shift in range(0, size, 3):
            shifted = b" " * shift + data
            for at in range(0, len(shifted), size):
                LOG.debug("chunk: %r", shifted[at : at + size])
                LOG.debug("chunk: %s", repr(shifted[at : at + size]))
    shown = log.text
    assert "response.output" in shown
    assert not [state[at : at + 16] for at in range(24) if state[at : at + 16] in shown]


@given(st.text(), st.text(), st.dictionaries(st.text(), st.text() | st.binary() | st.integers() | st.none()))
def test_any_record_passes(message: str, argument: str, fields: dict[str, Any]) -> None:
    """Whatever is logged, the guard neither raises nor holds it back, and doing it twice changes nothing more."""
    record = logging.makeLogRecord(
        {"msg": message, "args": (argument,), **{f"x{name}": fields[name] for name in fields}}
    )
    redact = privacy.RedactingFilter()
    assert redact.filter(record)
    once = dict(vars(record))
    assert redact.filter(record)
    assert vars(record) == once


def test_hostile_objects() -> None:
    """Objects that fail in every way are named by their type."""

    class Hostile:
        __slots__ = ()

        def __str__(self) -> str:
            raise RecursionError

        def __repr__(self) -> str:
            raise RecursionError

    deep: list[Any] = []
    for _ in range(sys.getrecursionlimit() * 2):
        deep = [deep]
    cycle: dict[str, Any] = {"state": STATE}
    cycle["self"] = cycle
    with logged() as log:
        LOG.info("%s", "x", extra={"a": Hostile(), "b": deep, "c": cycle, "d": 10**5000, "e": "\ud800"})
    assert MARKER not in log.out.getvalue()
    assert log.records[0].a == "[unreadable Hostile]"  # type: ignore[attr-defined]
    assert log.records[0].b == "[unreadable list]"  # type: ignore[attr-defined]
    assert MARKER not in repr(log.records[0].c)  # type: ignore[attr-defined]
