"""A signal that stops a running call, from any thread.

One `AbortSignal` may stop several calls. What it costs a stream that is never aborted is one list entry per wait.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from types import AsyncGeneratorType
from typing import Any, TypeVar

__all__ = ["AbortSignal", "close_when_aborted", "until_aborted"]

T = TypeVar("T")


class AbortSignal:
    """Raised once, for good: the first reason counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._aborted = False
        self._reason: Any = None
        self._listeners: list[Callable[[], object]] = []

    @property
    def aborted(self) -> bool:
        """Whether `abort` was called."""
        return self._aborted

    @property
    def reason(self) -> Any:  # noqa: ANN401 - the caller's own
        """What the first call of `abort` was given."""
        return self._reason

    def abort(self, reason: Any = None) -> None:  # noqa: ANN401 - the caller's own
        """Stop every call that holds this signal. May be called from any thread, and more than once."""
        with self._lock:
            if self._aborted:
                return
            self._aborted, self._reason = True, reason
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def listen(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Have a function called at the abort, in the thread that aborts; at once if it came already.

        Returns:
            What ends the listening. It may be called more than once.
        """
        with self._lock:
            if not self._aborted:
                self._listeners.append(listener)
                return lambda: self._forget(listener)
        listener()
        return lambda: None

    def _forget(self, listener: Callable[[], object]) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)

    async def wait(self) -> None:
        """Return when the signal is aborted."""
        loop = asyncio.get_running_loop()
        aborted = asyncio.Event()
        stop = self.listen(lambda: loop.call_soon_threadsafe(aborted.set))
        try:
            await aborted.wait()
        finally:
            stop()

    def throw_if_aborted(self) -> None:
        """Raise the error that an aborted call ends in."""
        if self._aborted:
            raise self.error()

    def error(self) -> asyncio.CancelledError:
        """The error that an aborted call ends in: it carries the reason, where there is one."""
        return asyncio.CancelledError() if self._reason is None else asyncio.CancelledError(self._reason)


async def until_aborted(awaitable: Awaitable[T], signal: AbortSignal | None) -> T:
    """Await something, but no longer than until the signal is aborted.

    The wait happens in the caller's own task, which the abort cancels and which then takes the cancellation back: a
    cancellation that comes from elsewhere stays what it is.

    Raises:
        asyncio.CancelledError: with the signal's reason.
    """
    if signal is None:
        return await awaitable
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    waiting, hit = True, False

    def cancel() -> None:
        nonlocal hit
        if waiting and task is not None:
            hit = True
            task.cancel()

    stop = signal.listen(lambda: loop.call_soon_threadsafe(cancel))
    try:
        return await awaitable
    except asyncio.CancelledError:
        if hit and task is not None and task.uncancel() == 0:
            raise signal.error() from None
        raise
    finally:
        waiting = False
        stop()


def close_when_aborted(source: AsyncGenerator[Any], signal: AbortSignal | None) -> Callable[[], None]:
    """Close a stream when the signal is aborted while nobody reads it: its connection is not kept until the next read.

    Returns:
        What ends the watch.
    """
    if signal is None:
        return lambda: None
    loop = asyncio.get_running_loop()
    closing: set[asyncio.Task[None]] = set()

    def close() -> None:
        if not (isinstance(source, AsyncGeneratorType) and source.ag_running):
            task = loop.create_task(_close(source))
            closing.add(task)
            task.add_done_callback(closing.discard)

    return signal.listen(lambda: loop.call_soon_threadsafe(close))


async def _close(source: AsyncGenerator[Any]) -> None:
    await source.aclose()
