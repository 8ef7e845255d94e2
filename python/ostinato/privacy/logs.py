"""Logging without state: a filter for one handler, or a guard before all of them.

A filter on a logger does not see the records of its children, and a record factory does not see `extra`. What every
record passes on its way to any handler, whenever that was added, is `Logger.callHandlers`: there `install` puts itself.
"""

import logging
from collections.abc import Callable
from typing import Final

from ostinato.privacy.record import Exceptions, clean_record
from ostinato.privacy.values import Options

__all__ = ["RedactingFilter", "install", "uninstall"]


class RedactingFilter(logging.Filter):
    """Redacts each record, and lets all of them through.

    A record is redacted in place, so the handlers after this one see it redacted, too. Records without state stay as
    they are. `handler.addFilter(RedactingFilter())` guards one handler; `install` guards all.
    """

    def __init__(
        self, *, reasoning_text: bool = True, length_only: bool = False, exceptions: Exceptions = "text"
    ) -> None:
        """Choose what goes.

        Args:
            reasoning_text: whether reasoning text goes, beside opaque state.
            length_only: lengths without digests.
            exceptions: `text`: a record carries its exception as redacted text. `live`: as the object, where its text
                holds no state. A crash reporter groups by the object, and can read every local variable of its frames:
                tell it to send none.
        """
        super().__init__()
        self._options: Final = Options(reasoning_text, length_only)
        self._exceptions: Final = exceptions

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact a record. Always true."""
        clean_record(record, self._options, self._exceptions)
        return True


class _Guard:
    """What stands before all handlers while it is installed."""

    def __init__(self) -> None:
        self.filter: RedactingFilter | None = None
        self._before: Callable[..., None] = logging.Logger.callHandlers
        self._call: Callable[..., None] | None = None

    def put(self) -> None:
        """Stand before the handlers, once."""
        if self._call is not None and logging.Logger.callHandlers is self._call:
            return
        before = self._before = logging.Logger.callHandlers

        def call_handlers(logger: logging.Logger, record: logging.LogRecord) -> None:
            if self.filter is not None:
                self.filter.filter(record)
            before(logger, record)

        self._call = call_handlers
        logging.Logger.callHandlers = call_handlers  # type: ignore[method-assign, assignment]

    def take_away(self) -> None:
        """Give the place back, unless somebody stands before this one; then it lets everything through."""
        self.filter = None
        if self._call is not None and logging.Logger.callHandlers is self._call:
            logging.Logger.callHandlers = self._before  # type: ignore[method-assign]
            self._call = None


_GUARD: Final = _Guard()


def install(*, reasoning_text: bool = True, length_only: bool = False, exceptions: Exceptions = "text") -> None:
    """Redact every record of this process before any handler sees it.

    It holds for all loggers and handlers, those that exist and those that come later, and for crash reporters that
    listen at the same place. Calling it again changes the settings. It does not hold for records that are given to a
    handler directly (`handler.handle`, a `QueueListener` in another process) and for subclasses of `Logger` with a
    `callHandlers` of their own: put a `RedactingFilter` on those handlers.

    Args:
        reasoning_text: whether reasoning text goes, beside opaque state.
        length_only: lengths without digests.
        exceptions: see `RedactingFilter`.
    """
    _GUARD.filter = RedactingFilter(reasoning_text=reasoning_text, length_only=length_only, exceptions=exceptions)
    _GUARD.put()


def uninstall() -> None:
    """Let records through again as they are. Nothing happens where nothing was installed."""
    _GUARD.take_away()
