"""A running event loop behind a plain thread, for callers without one: scripts, notebooks."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

__all__ = ["Portal"]

T = TypeVar("T")


class Portal:
    """One event loop in a thread of its own. The thread ends with `stop`, or with the process."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._open = True
        # The thread knows the loop alone, so that whoever owns the portal may be collected while it runs.
        self._thread = threading.Thread(target=_run, args=(self._loop,), name="ostinato-portal", daemon=True)
        self._thread.start()

    def iterate(self, source: AsyncGenerator[T]) -> Iterator[T]:
        """The elements of an asynchronous generator, up to the first None; it is closed with the iterator.

        Raises:
            RuntimeError: the portal was closed before the generator was read to its end.
        """
        reader = _Reader(source)
        try:
            while (element := self._submit(reader.next()).result()) is not None:
                if isinstance(element, _Raised):
                    raise element.error
                yield element
        finally:
            if self._open:  # else it was closed with the portal
                self._submit(reader.close()).result()

    def close(self, last: Coroutine[Any, Any, None]) -> None:
        """Close what is still being iterated, run something, then stop the loop and its thread."""
        self._submit(self._loop.shutdown_asyncgens()).result()
        self._submit(last).result()
        self.stop()
        self._thread.join()

    def stop(self) -> None:
        """Stop the loop, whatever it does."""
        if self._open:
            self._open = False
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        if not self._open:
            work.close()
            raise RuntimeError("the client was closed")
        return asyncio.run_coroutine_threadsafe(work, self._loop)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


class _Raised:
    """An error that a read ended in. A future would make another error of a cancellation, without its reason."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Reader(Generic[T]):
    """A generator that is read in the loop, one element at a time."""

    def __init__(self, source: AsyncGenerator[T]) -> None:
        self._source = source
        self._task: asyncio.Task[Any] | None = None

    async def next(self) -> T | _Raised | None:
        self._task = asyncio.current_task()
        try:
            return await anext(self._source, None)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - raised again where it is waited for
            return _Raised(error)
        finally:
            self._task = None

    async def close(self) -> None:
        """Close the generator, also under a read that nobody waits for any more: Control-C ends the waiting alone."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._source.aclose()
