"""Write a saved session again without the state that would be refused: visible turns stay, the original too."""

import json
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ostinato.diagnosis import default_target
from ostinato.discretion import discreet
from ostinato.errors import PrepareError, ReplayError
from ostinato.json_cut import cut
from ostinato.policy import Decision, Prepared, Target, prepare, strip_state
from ostinato.policy.target import as_target
from ostinato.saved import Conversation, Source, load
from ostinato.saved.file import SavedFile
from ostinato.saved.json_text import values

__all__ = ["Removal", "Rescued", "rescue"]

# Formats whose records follow each other by name: when one goes, those after it follow the one before it.
_LINKS: Final[Mapping[str, tuple[str, str]]] = {"claude-code": ("uuid", "parentUuid"), "pi": ("id", "parentId")}
# Formats that are no JSON text, so that a copy cannot be made by leaving pieces out.
_NO_TEXT: Final = frozenset({"openai-agents", "inspect"})
_STATE_KEYS: Final = ("thoughtSignature", "thought_signature", "signature", "encrypted_content")
"""Under which names a visible part carries state beside its content."""
_ROUNDS: Final = 3
"""Leaving something out can make an orphan of what stood before it; a third round has never been needed."""

_Span = tuple[int, int]


class Removal(NamedTuple):
    """Something of the session that is not in the copy. Holds no content."""

    code: str
    """The decision or finding that it goes for."""
    line: int | None
    """The line of its record, where the file has lines."""
    path: str
    """Where in the record; empty where the whole record goes."""
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {name: value for name, value in self._asdict().items() if value is not None}


@dataclass(frozen=True, slots=True)
class Rescued:
    """A copy of a session, and what is not in it."""

    data: bytes = field(repr=False)
    removed: tuple[Removal, ...]


@discreet
def rescue(
    source: str | os.PathLike[str] | bytes,
    *,
    target: Target | str | None = None,
    session: str | None = None,
    all_state: bool = False,
) -> Rescued:
    """A copy of a session that its target takes: what would be refused is left out as whole items. Nothing is written.

    The copy is loaded and prepared again before it is given back, so what this returns can be resumed.

    Args:
        source: a path, or the bytes of a file.
        target: where it is to be resumed; None for where it came from.
        session: which one, in a file that holds several.
        all_state: leave all opaque state out: the last resort, when a provider refuses what looks sound.

    Raises:
        ReplayError: what `load` raises, `target_of_other_wire`, or `not_rescuable`: the format is no text, or what must
            go cannot be told apart from what is visible.
        PrepareError: the target would refuse the session whatever is left out.
        OSError: the file cannot be read.
    """
    data = SavedFile(source if isinstance(source, bytes) else pathlib.Path(source).read_bytes()).data
    removed: list[Removal] = []
    for _round in range(_ROUNDS):
        conversation = _loaded(data, session, again=bool(removed))
        if conversation.format in _NO_TEXT:
            raise ReplayError("not_rescuable")
        goal = default_target(conversation) if target is None else as_target(target)
        if goal.wire != conversation.wire:
            raise ReplayError("target_of_other_wire", "target")
        marks = list(_poison(data, conversation))
        for decision in _offending(conversation, goal, all_state=all_state):
            marks += _marks(conversation, decision)
        if not marks:
            return Rescued(data, tuple(removed))
        removed += [mark.removal for mark in marks]
        data = _without(data, marks, _LINKS.get(conversation.format))
    raise ReplayError("not_rescuable")


class _Mark(NamedTuple):
    """Something to leave out: what stands at some paths of a record, or all of it."""

    span: _Span
    paths: tuple[str, ...]
    """Empty: the whole record."""
    removal: Removal


def _loaded(data: bytes, session: str | None, *, again: bool) -> Conversation:
    try:
        return load(data, session=session)
    except ReplayError as error:
        # What is left when state is taken out may be no session at all, such as a log of one answer.
        raise ReplayError("not_rescuable") if again else error from None


def _poison(data: bytes, conversation: Conversation) -> Iterator[_Mark]:
    """The values that the format could not read either, and that may stop other readers."""
    told = {(finding.code, finding.line) for finding in conversation.report.findings}
    for value in values(data):
        if value.fault is not None and (value.fault, value.line) in told:
            yield _Mark((value.start, value.stop), (), Removal(value.fault, value.line, ""))


def _offending(conversation: Conversation, target: Target, *, all_state: bool) -> list[Decision]:
    """The decisions that take state out of a conversation: all of it, or what the target does not take."""
    if not all_state:
        try:
            return _taken_out(conversation.prepare(target))
        except PrepareError:
            all_state = True
    stripped = strip_state(conversation.items, wire=conversation.wire)
    prepared = prepare(stripped.items, target)  # raises where that does not help either
    return _taken_out(stripped) or _taken_out(prepared)


def _taken_out(prepared: Prepared) -> list[Decision]:
    return [
        decision
        for decision in prepared.report.decisions
        if decision.action == "left_out" or (decision.action == "changed" and decision.code in _STATE_CODES)
    ]


_STATE_CODES: Final = frozenset({"foreign_state", "state_stripped", "unsound_state"})


def _marks(conversation: Conversation, decision: Decision) -> Iterator[_Mark]:
    """What of the file a decision leaves out."""
    place, inside = _place(decision.path)
    if place is None or place >= len(conversation.sources):
        raise ReplayError("not_rescuable", decision.path)
    sources: Sequence[Source] = conversation.sources[place]
    if inside is not None and len(sources) > 1:
        sources = sources[inside : inside + 1]
    for source in sources:
        paths: tuple[str, ...] = (source.path,) if source.path not in _WHOLE else ()
        if decision.action == "changed":
            paths = tuple(f"{source.path}/{key}".lstrip("/") for key in _STATE_KEYS)
        yield _Mark(
            (source.start, source.stop), paths, Removal(decision.code, source.line, source.path, decision.reason)
        )


_WHOLE: Final = frozenset({"", "payload"})
"""Paths that stand for a record as a whole."""


def _place(path: str) -> tuple[int | None, int | None]:
    """Which item a path is about, and which block of it."""
    numbers = [int(step) for step in path.split("/") if step.isdigit()]
    return (numbers[0] if numbers else None), (numbers[1] if len(numbers) > 1 else None)


def _without(data: bytes, marks: Iterable[_Mark], links: tuple[str, str] | None) -> bytes:
    """The file without what is marked."""
    paths: dict[_Span, set[str] | None] = {}
    for mark in marks:
        known = paths.get(mark.span, set())
        paths[mark.span] = None if not mark.paths or known is None else known | set(mark.paths)
    pieces: list[bytes] = []
    heirs: dict[str, Any] = {}
    place = 0
    for (start, stop), inside in sorted(paths.items()):
        pieces.append(data[place:start])
        place = stop
        record = data[start:stop]
        left = None if inside is None else cut(record.decode(), inside).encode()
        if left is None or (links is not None and _says_nothing(left)):
            place += data[stop : stop + 2].startswith(b"\r\n") + (data[stop : stop + 2].lstrip(b"\r")[:1] == b"\n")
            if links is not None:
                _leave_heir(record, links, heirs)
        else:
            pieces.append(left)
    pieces.append(data[place:])
    joined = b"".join(pieces)
    return joined if links is None or not heirs else _relinked(joined, links, heirs)


def _says_nothing(record: bytes) -> bool:
    """Whether a line of one message has no block left."""
    message = json.loads(record).get("message")
    return isinstance(message, dict) and message.get("content") == []


def _leave_heir(record: bytes, links: tuple[str, str], heirs: dict[str, Any]) -> None:
    """Who is followed by those that follow a record which goes."""
    try:
        gone = json.loads(record)
    except ValueError:  # a record that cannot be read has no name that could be followed
        return
    if isinstance(gone, dict) and isinstance(gone.get(links[0]), str):
        heirs[gone[links[0]]] = gone.get(links[1])


def _relinked(data: bytes, links: tuple[str, str], heirs: Mapping[str, Any]) -> bytes:
    """The file with every record following one that is in it."""
    lines = data.splitlines(keepends=True)
    for index, line in enumerate(lines):
        try:
            followed = json.loads(line).get(links[1])
        except (ValueError, AttributeError):
            continue
        heir, seen = followed, set()
        while isinstance(heir, str) and heir in heirs and heir not in seen:
            seen.add(heir)
            heir = heirs[heir]
        if heir != followed:
            # In place: the rest of the line keeps its bytes.
            for colon in (b":", b": "):
                old = json.dumps(links[1]).encode() + colon + json.dumps(followed).encode()
                new = json.dumps(links[1]).encode() + colon + json.dumps(heir).encode()
                line = line.replace(old, new, 1)  # noqa: PLW2901
            lines[index] = line
    return b"".join(lines)
