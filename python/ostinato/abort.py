"""A signal that stops a running call, from any thread.

One `AbortSignal` may stop several calls. What it costs a stream that is never aborted is one list entry per wait.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Generic, TypeVar

__all__ = ["AbortSignal", "Reading", "until_aborted"]

T = TypeVar("T")


class AbortSignal:
    """Raised once, for good: the first reason counts."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a handler of a Unix signal may abort while its thread is in here
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
        errors = []
        for listener in listeners:
            try:
                listener()
            except Exception as error:  # noqa: BLE001 - the other listeners must hear of it all the same
                errors.append(error)
        if errors:
            raise ExceptionGroup("listeners of an abort failed", errors)

    def listen(self, listener: Callable[[], object]) -> Callable[[], object]:
        """Have a function called at the abort, in the thread that aborts; at once if it came already.

        Returns:
            What ends the listening. It may be called more than once.
        """
        with self._lock:
            self._listeners.append(listener)
        if self._aborted and self._forget(listener):
            listener()
        return lambda: self._forget(listener)

    def _forget(self, listener: Callable[[], object]) -> bool:
        """Whether it was still to be called."""
        with self._lock:
            found = listener in self._listeners
            if found:
                self._listeners.remove(listener)
            return found

    async def wait(self) -> None:
        """Return when the signal is aborted."""
        loop = asyncio.get_running_loop()
        aborted = asyncio.Event()
        stop = self.listen(lambda: _call(loop, aborted.set))
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
        if waiting and not hit and task is not None:
            hit = True
            task.cancel()

    def taken_back() -> bool:
        """Whether the task was cancelled by the signal, and by nobody else."""
        return hit and task is not None and task.uncancel() == 0

    stop = signal.listen(lambda: _call(loop, cancel))
    try:
        result = await awaitable
    except BaseException as error:
        if taken_back():
            # What is awaited may have made an error of its own of the cancellation.
            raise signal.error() from (None if isinstance(error, asyncio.CancelledError) else error)
        raise
    finally:
        waiting = False
        stop()
    if hit:  # what is awaited went on regardless
        taken_back()
        raise signal.error()
    return result


class Reading(Generic[T]):
    """An asynchronous generator that is read until the signal is aborted, and closed once.

    An abort closes it also while nobody reads it: its connection is not kept until the next read.
    """

    def __init__(self, source: AsyncGenerator[T], signal: AbortSignal | None) -> None:
        """Begin. Must be closed."""
        self._source = source
        self._signal = signal
        self._idle = True
        self._closing: asyncio.Task[None] | None = None
        loop = asyncio.get_running_loop()
        self._stop = signal.listen(lambda: _call(loop, self._close_when_idle)) if signal else lambda: None

    async def next(self) -> T | None:
        """The next element; None at the end.

        Raises:
            asyncio.CancelledError: the signal was aborted; with its reason.
        """
        self._idle = False
        try:
            return await until_aborted(anext(self._source, None), self._signal)
        finally:
            self._idle = True

    async def close(self) -> None:
        """Close it, or wait until the abort has."""
        self._stop()
        self._idle = False
        await (self._closing or self._source.aclose())

    def _close_when_idle(self) -> None:
        if self._idle:
            self._idle = False
            self._closing = asyncio.ensure_future(self._source.aclose())


def _call(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    """Call a function in a loop, from any thread. In a loop that is closed nobody waits for it."""
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:
        if not loop.is_closed():
            raise
