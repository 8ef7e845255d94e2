"""Records as programs log them, with a marker in every place that holds state."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator
from typing import Any

from ostinato import privacy
from tests.security.canary import MARKER, STATE

__all__ = ["MARKER", "STATE", "Log", "logged"]

PATTERN = "%(levelname)s|%(name)s|%(message)s"


class Log:
    """What one handler wrote, and the records it was given."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.records: list[logging.LogRecord] = []

    @property
    def text(self) -> str:
        """All that was written, and all that the records hold, as a crash reporter reads them."""
        return self.out.getvalue() + "\n".join(repr(vars(record)) for record in self.records)


@contextlib.contextmanager
def logged(*, guard: bool = True, name: str | None = None, **options: Any) -> Iterator[Log]:
    """A log of everything at DEBUG, with the guard installed before it."""
    log = Log()

    class Handler(logging.StreamHandler[io.StringIO]):
        def emit(self, record: logging.LogRecord) -> None:
            log.records.append(record)
            super().emit(record)

    root = logging.getLogger(name)
    level, propagate = root.level, root.propagate
    if guard:
        privacy.install(**options)
    handler = Handler(log.out)  # a handler that comes after the guard
    handler.setFormatter(logging.Formatter(PATTERN))
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    # The handlers of pytest raise where logging would only complain.
    root.propagate = False
    try:
        yield log
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        root.propagate = propagate
        privacy.uninstall()
