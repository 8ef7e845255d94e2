"""The exception tree.

A `ReplayError` names a rule and a place, never the input: its text can go into any log.
"""

from ostinato._core import error_codes

__all__ = ["ERROR_CODES", "DebugBuildWarning", "OstinatoError", "ReplayError"]

ERROR_CODES: dict[str, str] = dict(error_codes())
"""Every error code with one sentence: what was expected, or what to do next. Codes are never renamed."""


class OstinatoError(Exception):
    """Everything that ostinato raises on purpose."""


class ReplayError(OstinatoError, ValueError):
    """An item, an envelope or a record that was refused.

    Attributes:
        code: why, a key of `ERROR_CODES`.
        path: where, such as `item/summary/0/text`; empty for the input as a whole.
        offset: byte offset in the JSON text, or the index of the character in a `str` of an object; None if unknown.
    """

    def __init__(self, code: str, path: str = "", offset: int | None = None) -> None:
        super().__init__(code, path, offset)
        self.code = code
        self.path = path
        self.offset = offset

    def __str__(self) -> str:
        place = f" at {self.path}" if self.path else ""
        offset = f" (offset {self.offset})" if self.offset is not None else ""
        return f"{self.code}{place}{offset}: {ERROR_CODES.get(self.code, 'refused')}"


class DebugBuildWarning(RuntimeWarning):
    """The extension was built with every check on and without optimisation: right for tests, slow for use."""
