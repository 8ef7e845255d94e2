"""A conversation while a format reads it."""

import re
from collections.abc import Mapping
from typing import Any, Final

from ostinato.replay import Origin
from ostinato.saved.conversation import FINDING_CODES, Conversation, Fact, Finding, LoadReport, SavedTurn, Source
from ostinato.saved.json_text import Value
from ostinato.soundness import key_name

__all__ = ["Draft", "identifier", "label", "source", "usage_of"]

_LONGEST_ID: Final = 128
_COUNTS: Final = re.compile(r"[a-z_]{1,64}_tokens")


class Draft:
    """Where a format writes down items and findings, in order."""

    def __init__(self, format: str, wire: str) -> None:
        self.format = format
        self.wire = wire
        self.session: str | None = None
        self.parent: str | None = None
        self.system: Any = None
        self.items: list[dict[str, Any]] = []
        self.used = 0
        self._sources: list[tuple[Source, ...]] = []
        self._turns: list[SavedTurn] = []
        self._findings: list[Finding] = []
        self._counted: dict[object, int] = {}

    def add(
        self,
        item: dict[str, Any],
        role: str,
        *sources: Source,
        origin: Origin | None = None,
        id: str | None = None,
        usage: Mapping[str, int] | None = None,
    ) -> None:
        """The next item. It joins the turn before it, if that is of the same role, origin and response."""
        place = len(self.items)
        self.items.append(item)
        self._sources.append(sources)
        last = self._turns[-1] if self._turns else None
        if last is not None and (last.role, last.origin, last.id) == (role, origin, id):
            self._turns[-1] = last._replace(items=range(last.items.start, place + 1), usage=usage or last.usage)
        else:
            self._turns.append(SavedTurn(role, range(place, place + 1), origin, id, usage))

    def spent(self, usage: Mapping[str, int] | None) -> None:
        """What the last turn of the model cost, where the file says so behind it."""
        for place in range(len(self._turns) - 1, -1, -1):
            if self._turns[place].role == "assistant":
                self._turns[place] = self._turns[place]._replace(usage=usage)
                return

    def say(self, code: str, path: str = "", *, line: int | None = None, records: int = 0, **facts: Fact) -> None:
        """Write down a finding."""
        self._write(Finding(code, path, line, records, tuple(facts.items())))

    def leave_out(self, code: str, line: int | None, *, records: int = 1, **facts: Fact) -> None:
        """Write down whole records of one kind as one finding, at the line of the first."""
        place = self._place(Finding(code, "", line, 0, tuple(facts.items())), code, *facts.items())
        found = self._findings[place]
        first = line if found.line is None or (line is not None and line < found.line) else found.line
        self._findings[place] = found._replace(records=found.records + records, line=first)

    def count(self, code: str, line: int | None, path: str = "", **facts: Fact) -> None:
        """Write down parts of records of one kind as one finding with their `count`, at the place of the first."""
        place = self._place(Finding(code, path, line, 0, (*facts.items(), ("count", 0))), code, "", *facts.items())
        found = self._findings[place]
        self._findings[place] = found._replace(facts=(*facts.items(), ("count", int(dict(found.facts)["count"]) + 1)))

    def _place(self, first: Finding, *kind: object) -> int:
        """Where findings of one kind are counted."""
        place = self._counted.setdefault(kind, len(self._findings))
        if place == len(self._findings):
            self._write(first)
        return place

    def _write(self, finding: Finding) -> None:
        if finding.code not in FINDING_CODES:
            raise KeyError(finding.code)
        self._findings.append(finding)

    def damaged(self, value: Value) -> bool:
        """Whether a value of the file is no record; it is written down then."""
        if value.fault is not None:
            facts = {} if value.place is None or value.place.offset is None else {"offset": value.place.offset}
            path = "" if value.place is None else value.place.path
            self._write(Finding(value.fault, path, value.line, 1, tuple(facts.items())))
        elif not isinstance(value.value, dict):
            self.say("not_a_record", line=value.line, records=1)
        return value.fault is not None or not isinstance(value.value, dict)

    def conversation(self) -> Conversation:
        """What was read."""
        return Conversation(
            format=self.format,
            wire=self.wire,
            items=self.items,
            turns=tuple(self._turns),
            sources=tuple(self._sources),
            session=self.session,
            parent=self.parent,
            system=self.system,
            report=LoadReport(tuple(self._findings), self.used),
        )


def source(value: Value, path: str = "") -> Source:
    """The place of a record, or of something in it."""
    return Source(value.start, value.stop, value.line, path)


def label(name: object) -> str:
    """A name that a file gives, as a report may show it: what looks like no name could be anything, even state."""
    if isinstance(name, str):
        return key_name(name)
    return "(none)" if name is None else "(no text)"


def identifier(name: object) -> str | None:
    """An id or a name that a file gives; None for what is no text, or too long to be one."""
    return name if isinstance(name, str) and 0 < len(name) <= _LONGEST_ID else None


def usage_of(usage: Any) -> dict[str, int] | None:  # noqa: ANN401 - any JSON value
    """The counts of tokens in what a file says about a turn; None if there are none."""
    if not isinstance(usage, dict):
        return None
    counts = {
        name: count
        for name, count in usage.items()
        if isinstance(count, int) and not isinstance(count, bool) and _COUNTS.fullmatch(name)
    }
    return counts or None
