"""What is seen in a session file and is not simply there in the history that comes out of it."""

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ostinato.names import printable

__all__ = ["SESSION_FINDING_CODES", "Findings", "SessionFinding"]

SESSION_FINDING_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # One line per code, in the order of the alphabet. Codes are never renamed.
        "clock_went_back": "A turn is older than the one before it. The order is that of the file all the same.",
        "creation_unfinished": "A writer was stopped while it made the session. The first turn was not confirmed.",
        "digest_mismatch": "What is stored is not what was written. It stays on the disk and is left out.",
        "display_differs": "The text that is shown is not that of the state. The state is used, the text is not.",
        "envelope_refused": "The codec refuses the state of a message, and says why. The turn is left out.",
        "header_damaged": "The first line is not what was written. Turns whose own check holds are read.",
        "history_missing": "The record that began this history anew is lost. The turns after it are read without it.",
        "line_unreadable": "Lines that belong to no turn: the rest of a torn one, or foreign. They are left out.",
        "lock_was_stale": "The process that had the session before ended without giving it back.",
        "mode_open": "Others may read or write the file or folder (wanted: 0600 and 0700). `mend=True` changes it.",
        "name_differs": "The header names another session: the file was renamed or copied.",
        "record_refused": "A record is whole, and holds no message that could be replayed. The turn is left out.",
        "record_too_large": "A line is larger than `max_turn_bytes`. It is left out.",
        "turn_missing": "A number is skipped: a turn that was confirmed is no longer there.",
        "turn_repeated": "A turn is there again, or out of its order. It is left out.",
        "turn_torn": "A writer was stopped inside a turn, which was not confirmed. It is left out.",
    }
)
"""Every code of a `SessionFinding`, with what it means."""


class SessionFinding(NamedTuple):
    """One thing that was seen. Holds no content."""

    code: str
    """A key of `SESSION_FINDING_CODES`."""
    turn: int | None = None
    """The number of the turn, where it is known."""
    offset: int | None = None
    """The byte where it begins."""
    path: str = ""
    """Where in the record: `messages/1/replay/0`."""
    reason: str | None = None
    """A closer word: the code of the codec, a mode, a process."""

    def __str__(self) -> str:
        parts = (
            self.code,
            "" if self.turn is None else f"turn {self.turn}",
            "" if self.offset is None else f"byte {self.offset}",
            self.path,
            self.reason and f"({self.reason})",
        )
        return printable(" ".join(part for part in parts if part))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types, without what is not set."""
        return {name: fact for name, fact in self._asdict().items() if fact not in (None, "")}


class Findings:
    """Where a session writes down what it saw. Each thing is said once, however often it is read."""

    def __init__(self) -> None:
        self._made: dict[SessionFinding, None] = {}

    def say(
        self, code: str, turn: int | None = None, offset: int | None = None, path: str = "", reason: str | None = None
    ) -> None:
        """Write down a finding."""
        if code not in SESSION_FINDING_CODES:
            raise KeyError(code)
        self._made[SessionFinding(code, turn, offset, path, reason)] = None

    @property
    def all(self) -> tuple[SessionFinding, ...]:
        """All of them, in the order in which they were seen."""
        return tuple(self._made)

    @property
    def counts(self) -> dict[str, int]:
        """Findings by code."""
        return dict(Counter(finding.code for finding in self._made))
