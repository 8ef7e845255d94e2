"""A line on a terminal that says how far the work is."""

import sys
import time
from collections.abc import Callable

from ostinato.table import size

__all__ = ["Bar"]


class Bar:
    """Drawn on stderr over and over, and taken away in the end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begin = clock()

    def draw(self, done: int, total: int, note: str = "") -> None:
        """Draw the line anew: the share of the bytes that are done, a note, bytes and speed."""
        share = min(done / total, 1.0) if total else 1.0
        filled = round(30 * share)
        speed = done / max(1e-3, self._clock() - self._begin)
        parts = [f"[{'#' * filled}{'.' * (30 - filled)}] {share:4.0%}", note, size(done), f"{size(round(speed))}/s"]
        print(f"\r{'  '.join(part for part in parts if part)}\x1b[K", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away."""
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
