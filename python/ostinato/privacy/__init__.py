"""Privacy while a program runs: logs, structlog events, debug records and captures of streams, without state.

`install()` guards all of logging. `RedactingProcessor` needs structlog, and is loaded when it is asked for.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from ostinato.privacy.logs import RedactingFilter, install, uninstall
from ostinato.privacy.stream_capture import CaptureWarning, Recording, StreamCapture
from ostinato.privacy.structure import redact_request

if _TYPE_CHECKING:
    from ostinato.privacy.structlog_processor import RedactingProcessor

__all__ = [
    "CaptureWarning",
    "Recording",
    "RedactingFilter",
    "RedactingProcessor",
    "StreamCapture",
    "install",
    "redact_request",
    "uninstall",
]


def __getattr__(name: str) -> object:
    if name == "RedactingProcessor":
        return _import_module("ostinato.privacy.structlog_processor").RedactingProcessor
    raise AttributeError(f"module 'ostinato.privacy' has no attribute {name!r}")
