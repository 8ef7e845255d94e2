"""What a saved history is once it is loaded: native items, where they were made, and what could not be read."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ostinato.policy import Prepared, Target, prepare
from ostinato.replay import Origin

__all__ = ["FINDING_CODES", "Conversation", "Finding", "Findings", "LoadReport", "SavedTurn"]

Fact = str | int

FINDING_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # One line per code, in the order of the alphabet: what it means; what to do next. Codes are never renamed.
        "lone_surrogate": "Half of a surrogate pair: no text that could be sent. The line is left out.",
        "truncated_line": "The file ends inside a line: a writer was stopped. The rest of the file is loaded.",
        "unreadable_line": "A line that is not JSON. It is left out.",
    }
)
"""Every code of a `Finding`, with what it means."""


class Finding(NamedTuple):
    """Something that was seen while loading and is not simply there in the result. Holds no content."""

    code: str
    """A key of `FINDING_CODES`."""
    path: str = ""
    """Where in the file's own layout: `messages/3/channels/reasoning`; empty for a whole line or file."""
    line: int | None = None
    """The line, counted from 1, in formats of lines."""
    facts: tuple[tuple[str, Fact], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types, without what is not set."""
        named = {"code": self.code, "path": self.path or None, "line": self.line, **dict(self.facts)}
        return {name: fact for name, fact in named.items() if fact is not None}


class SavedTurn(NamedTuple):
    """Items that belong together: what a user said, or one response of a model."""

    role: str
    """`user`, `assistant`, `system`, `developer` or `tool`."""
    items: range
    """Which items of the conversation."""
    origin: Origin | None = None
    """Where the state in it was made, as far as the file says."""
    id: str | None = None
    """The provider's name of the response, where it is known."""


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was seen while loading, in order."""

    findings: tuple[Finding, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Findings by code."""
        return dict(Counter(finding.code for finding in self.findings))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One saved conversation."""

    format: str
    """The layout it was saved in: `codex`, `claude-code` ..."""
    wire: str
    """Whose native items these are."""
    items: list[dict[str, Any]] = field(repr=False)
    """Native items of the wire, in order, ready for `prepare`."""
    turns: tuple[SavedTurn, ...] = ()
    """Together they are all items, in order."""
    session: str | None = None
    """The file's own name for the conversation."""
    system: Any = field(default=None, repr=False)
    """Instructions before the items, where the file has them, in the wire's form."""
    report: LoadReport = field(default_factory=LoadReport)

    @property
    def origins(self) -> list[Origin | None]:
        """The origin of each item, as `prepare(..., origin=)` takes it."""
        each: list[Origin | None] = [None] * len(self.items)
        for turn in self.turns:
            for place in turn.items:
                each[place] = turn.origin
        return each

    def prepare(self, target: Target | str) -> Prepared:
        """What of it may be sent to a target of its wire; see `ostinato.prepare`."""
        return prepare(self.items, target, origin=self.origins)


class Findings:
    """Where a reader writes down what it saw."""

    def __init__(self) -> None:
        self.made: list[Finding] = []

    def say(self, code: str, path: str = "", *, line: int | None = None, **facts: Fact) -> None:
        """Write down a finding."""
        if code not in FINDING_CODES:
            raise KeyError(code)
        self.made.append(Finding(code, path, line, tuple(facts.items())))

    @property
    def report(self) -> LoadReport:
        """All of them."""
        return LoadReport(tuple(self.made))
