"""The plain iterator: what a script sees of aborts, Control-C, and a client that was closed."""

import asyncio
import gc
import signal as unix
import threading
import time
from collections.abc import Callable

import pytest

from ostinato import AbortSignal, UnsupportedParameterError
from tests.client.scripted import Scripted
from tests.client.test_history import user


class Stuck(Scripted):
    """Says nothing for a minute, the first time, and has something done while it does not."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self._meanwhile: Callable[[], object] | None = meanwhile

    async def pause(self) -> None:
        """Wait."""
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile is not None:
            asyncio.get_running_loop().call_later(0.02, meanwhile)
            await asyncio.sleep(60)


def portals() -> int:
    """How many threads of portals run."""
    return sum(thread.name == "ostinato-portal" for thread in threading.enumerate())


def test_an_abort_ends_the_iterator_with_its_reason() -> None:
    """The error is the one of the asynchronous face; a future would make another one of it."""
    signal = AbortSignal()
    transport = Stuck(lambda: signal.abort("enough"))
    with transport.client() as client:
        with pytest.raises(asyncio.CancelledError) as caught:
            list(client.stream(user("a"), signal=signal))
        assert caught.value.args == ("enough",)
        assert transport.open == 0
        assert list(client.stream(user("b")))[-1]["event_type"] == "stop"


def test_control_c_closes_the_call_and_frees_the_client() -> None:
    """The keyboard interrupt comes out, though a read was under way in the other thread."""
    main = threading.main_thread().ident
    assert main is not None
    transport = Stuck(lambda: unix.pthread_kill(main, unix.SIGINT))
    with transport.client() as client:
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            list(client.stream(user("a")))
        assert time.monotonic() - begin < 30
        assert transport.open == 0
        assert list(client.stream(user("b")))[-1]["event_type"] == "stop"
        assert len(client.get_history()) == 2


def test_errors_of_the_call_come_out_as_they_are() -> None:
    """With their own type, in the thread that iterates."""
    with Scripted().client() as client, pytest.raises(UnsupportedParameterError) as caught:
        list(client.stream(user("a"), {"temperature": 0.5}))
    assert caught.value.parameter == "temperature"


def test_a_client_that_is_closed_closes_its_iterators() -> None:
    """What is left of them ends, or says that it was closed; nothing hangs."""
    transport = Scripted()
    with transport.client() as client:
        left = client.stream(user("a"))
        next(left)
        unread = client.stream(user("a"))
    assert transport.open == 0
    with pytest.raises(RuntimeError, match="closed"):
        next(left)
    with pytest.raises(RuntimeError, match="closed"):
        next(unread)
    assert portals() == 0


def test_a_closed_client_may_be_used_again() -> None:
    """It goes on where it was, with a new connection."""
    transport = Scripted()
    client = transport.client()
    for _ in range(2):
        with client:
            list(client.stream(user("a")))
    assert transport.connections == 2
    assert len(client.get_history()) == 4


def test_a_client_that_is_forgotten_takes_its_thread_along() -> None:
    """A script that makes many clients, and closes none, does not collect threads."""
    for _ in range(3):
        list(Scripted().client().stream(user("a")))
    gc.collect()
    deadline = time.monotonic() + 10
    while portals() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert portals() == 0


def test_two_clients_iterate_side_by_side() -> None:
    """Each has a loop of its own."""
    with Scripted().client() as one, Scripted().client() as other:
        pairs = zip(one.stream(user("a")), other.stream(user("b")), strict=True)
        assert all(mine["event_type"] == theirs["event_type"] for mine, theirs in pairs)
