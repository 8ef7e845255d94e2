"""A running event loop behind a plain thread, for callers without one: scripts, notebooks."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator
from typing import Any, TypeVar

__all__ = ["Portal"]

T = TypeVar("T")


class Portal:
    """One event loop in a thread of its own. The thread ends with the process."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="ostinato-portal", daemon=True)
        self._thread.start()

    def iterate(self, source: AsyncGenerator[T]) -> Iterator[T]:
        """The elements of an asynchronous generator, up to the first None; it is closed with the iterator."""
        try:
            while (element := asyncio.run_coroutine_threadsafe(_next(source), self._loop).result()) is not None:
                yield element
        finally:
            asyncio.run_coroutine_threadsafe(_close(source), self._loop).result()

    def close(self, last: Coroutine[Any, Any, None]) -> None:
        """Run something, then stop the loop and its thread."""
        asyncio.run_coroutine_threadsafe(last, self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _next(source: AsyncGenerator[T]) -> T | None:
    return await anext(source, None)


async def _close(source: AsyncGenerator[T]) -> None:
    await source.aclose()
