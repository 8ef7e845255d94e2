"""structlog without state: a processor. Checked with structlog 26.1.0."""

import logging
import sys
from typing import Any, Final

from structlog.typing import EventDict, WrappedLogger

from ostinato.privacy.record import clean_record, exception_text
from ostinato.privacy.values import Options, clean_value

__all__ = ["RedactingProcessor"]


class RedactingProcessor:
    """Redacts every value of an event; a new event comes out.

    It belongs before the renderer and before what turns exceptions into text or dicts (`format_exc_info`,
    `dict_tracebacks`): those show local variables. It writes the exception as redacted text under `exception`.
    """

    def __init__(self, *, reasoning_text: bool = True, length_only: bool = False) -> None:
        """Choose what goes.

        Args:
            reasoning_text: whether reasoning text goes, beside opaque state.
            length_only: lengths without digests.
        """
        self._options: Final = Options(reasoning_text, length_only)

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        """Redact an event."""
        cleaned = {name: self._clean(name, value) for name, value in event.items() if name != "exc_info"}
        error = _error(event.get("exc_info"))
        if error is not None:
            cleaned["exception"] = exception_text(error, self._options)
        return cleaned

    def _clean(self, name: str, value: Any) -> Any:  # noqa: ANN401 - whatever was logged
        if isinstance(value, logging.LogRecord):  # `_record`, where structlog formats the records of logging
            clean_record(value, self._options)
            return value
        return clean_value(name, value, self._options)


def _error(given: object) -> BaseException | None:
    """The exception that `exc_info` names: itself, the tuple of `sys.exc_info`, or true for the one being handled."""
    if isinstance(given, BaseException):
        return given
    if isinstance(given, tuple):
        return next((part for part in given if isinstance(part, BaseException)), None)
    return sys.exception() if given else None
