"""The time, for whoever is not given a clock of their own."""

import time

__all__ = ["now"]


def now() -> int:
    """Milliseconds since the epoch."""
    return int(time.time() * 1000)
