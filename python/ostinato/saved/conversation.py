"""What a saved history is once it is loaded: native items, where they were made, and what could not be read."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.policy import Prepared, Target, prepare
from ostinato.policy.prepare import counters
from ostinato.policy.target import as_target
from ostinato.replay import Origin
from ostinato.telemetry import ReplayTelemetry

__all__ = ["FINDING_CODES", "Conversation", "Finding", "LoadReport", "SavedTurn", "Source"]

Fact = str | int

FINDING_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # One line per code, in the order of the alphabet: what it means; what to do next. Codes are never renamed.
        "arguments_rebuilt": "Only the decoded arguments of a call were kept. The text is written anew.",
        "arguments_unreadable": "Arguments of a call that are no JSON object, as the wire wants. None are sent.",
        "compacted_away": "Older than the last compaction, so no longer part of what would be resumed. Left out.",
        "compaction_rebuilt": "The file has no replacement for what was compacted: user messages and summary stand in.",
        "damaged_database": "The database cannot be read to its end. What came before is loaded.",
        "display_copy": "A second copy of a turn, for display or older versions. The turn is loaded, if it was saved.",
        "duplicate_key": "An object has the same key twice, so readers differ about it. Left out.",
        "edited_export": "The export is not what was written: its digest differs. It is loaded as it is.",
        "empty_message": "A message without any part. Left out.",
        "incomplete_stream": "What a stream of events left unfinished, for the reason given. Left out.",
        "instructions_moved": "Instructions amid the messages, where the wire has no place for them. See `system`.",
        "legacy_record": "State as older versions stored it, which is never sent. Left out; its turn is loaded.",
        "lone_surrogate": "Half of a surrogate pair: no text that could be sent. Left out.",
        "missing_attachment": "It points to a text that is not in the file. The pointer stays.",
        "missing_parent": "A record follows one that is not in the file. It is taken to follow the one before it.",
        "not_a_record": "A value that is no object. Left out.",
        "not_finite": "A number that JSON does not have, such as NaN. Left out.",
        "not_rebuilt": "It was sent in a form that the file does not hold. The conversation is loaded without it.",
        "not_sent": "What the program noted for itself, and no provider was sent. Left out.",
        "not_taken": "Something in a message that its wire does not take, for the reason given. Left out.",
        "not_utf8": "Bytes that are no UTF-8 text. Left out.",
        "order_unknown": "Reasoning and messages of one turn are stored apart: reasoning comes first, as it is sent.",
        "other_branch": "A branch of the conversation that was given up. Left out.",
        "other_wire": "State of a turn that another wire made, or a part only it has. Its visible content stays.",
        "output_not_sent_back": "State that a response gave, and the next request did not repeat: it was lost there.",
        "packed_file_is_cut": "The packed file is cut or damaged. What could be unpacked is loaded.",
        "relocated_field": "A signature stood inside of its call. It is beside the call, where the provider reads it.",
        "repeated_record": "The same record once more. It counts once.",
        "retracted": "An answer that was taken back: refused, or superseded by another. Left out.",
        "session_finding": "What the store of sessions sees, for the reason given; see `ostinato sessions verify`.",
        "signature_respelled": "A signature in the other base64 alphabet, or unpadded. The same bytes, spelled anew.",
        "summary_boundaries_unknown": "The parts of a summary were joined when it was saved. It is sent as one part.",
        "too_deep": "Nested deeper than any history. Left out.",
        "truncated_line": "The file ends inside a line: a writer was stopped. The rest of the file is loaded.",
        "unknown_field_dropped": "A field that the item's table does not name. The item is loaded without it.",
        "unknown_item_type": "An item of a type that is not known. Kept, since the provider made or took it.",
        "unknown_part": "A part that the wire has no form for, or that this reader does not know. Left out.",
        "unknown_provenance": "A signature without text: the provider omitted it, or it was blanked later. Kept.",
        "unknown_record": "A record of a type that is not known. Left out; a newer ostinato may know it.",
        "unknown_version": "A version of its layout that is not known; a newer ostinato may read it. Left out.",
        "unreadable_line": "A line that is not JSON. Left out.",
        "unsound_record": "A stored item that is refused, for the reason given. Left out; its turn is loaded.",
        "unsound_state": "State that the codec refuses, for the reason given. Kept as it is; `prepare` decides.",
        "uuid_conflict": "Two records with one id and different content. Both are kept.",
        "wire_assumed": "Nothing says whose wire it was; the items are in the form of OpenAI Responses.",
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
    records: int = 0
    """How many whole records of the file it accounts for: they are not in the items. 0: it is about a part of one."""
    facts: tuple[tuple[str, Fact], ...] = ()
    """Figures and names that belong to it: `type` of a record, `reason` (an error code), `count` of parts."""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types, without what is not set."""
        named = {
            "code": self.code,
            "path": self.path or None,
            "line": self.line,
            "records": self.records or None,
            **dict(self.facts),
        }
        return {name: fact for name, fact in named.items() if fact is not None}


class Source(NamedTuple):
    """Where in the file an item, or a block of one, was read."""

    start: int
    """The first byte of its record, counted in the unpacked file."""
    stop: int
    """The byte behind the record's last."""
    line: int | None = None
    """The line the record begins on, counted from 1, in formats of lines."""
    path: str = ""
    """Where in the record: `payload`, `message/content/0`; empty for the whole of it."""


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
    usage: Mapping[str, int] | None = None
    """Tokens, by the provider's own names."""


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was seen while loading, in order."""

    findings: tuple[Finding, ...] = ()
    used: int = 0
    """Records that are in the items, or say something about them. All others are in the findings."""

    def __add__(self, other: "LoadReport") -> "LoadReport":
        return LoadReport(self.findings + other.findings, self.used + other.used)

    @property
    def counts(self) -> dict[str, int]:
        """Findings by code."""
        return dict(Counter(finding.code for finding in self.findings))

    @property
    def records(self) -> int:
        """All records of the file that this conversation answers for."""
        return self.used + sum(finding.records for finding in self.findings)


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
    sources: tuple[tuple[Source, ...], ...] = ()
    """Where each item was read: one place for an item, one per block for a message that was put together."""
    session: str | None = None
    """The file's own name for the conversation."""
    parent: str | None = None
    """The session that started it, for a subagent's."""
    system: Any = field(default=None, repr=False)
    """Instructions before the items, where the file has them, in the wire's form."""
    report: LoadReport = field(default_factory=LoadReport)

    @property
    def telemetry(self) -> ReplayTelemetry:
        """The counters of the state in it, as it is stored; of what would be sent, `prepare(...).report` has them."""
        return counters(self.wire, self.items)

    @property
    def origins(self) -> list[Origin | None]:
        """The origin of each item, as `prepare(..., origin=)` takes it."""
        each: list[Origin | None] = [None] * len(self.items)
        for turn in self.turns:
            for place in turn.items:
                each[place] = turn.origin
        return each

    @discreet
    def prepare(self, target: Target | str) -> Prepared:
        """What of it may be sent to a target of its wire; see `ostinato.prepare`.

        Raises:
            ReplayError: `target_of_other_wire`, and what `ostinato.prepare` raises, as its PrepareError too.
        """
        goal = as_target(target)
        if goal.wire != self.wire:
            raise ReplayError("target_of_other_wire", "target")
        return prepare(self.items, goal, origin=self.origins)
