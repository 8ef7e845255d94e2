"""Write a saved session again without the state that would be refused: visible turns stay, the original too."""

import json
import os
import pathlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ostinato.diagnosis import default_target
from ostinato.discretion import discreet
from ostinato.errors import PrepareError, ReplayError
from ostinato.json_cut import cut
from ostinato.policy import Decision, Prepared, Target, prepare, strip_state
from ostinato.policy.target import as_target
from ostinato.rescued_session import without_state
from ostinato.saved import Conversation, Source, load
from ostinato.saved.file import SavedFile
from ostinato.saved.json_text import values
from ostinato.saved.on_disk import read_file
from ostinato.state_places import Around, at, id_places, state_places

__all__ = ["Removal", "Rescued", "rescue"]

# Formats whose records follow each other by name: when one goes, those after it follow the one before it.
_LINKS: Final[Mapping[str, tuple[str, str]]] = {"claude-code": ("uuid", "parentUuid"), "pi": ("id", "parentId")}
# Formats that are no JSON text, so that a copy cannot be made by leaving pieces out.
_NO_TEXT: Final = frozenset({"openai-agents", "inspect"})
_SESSION: Final = "ostinato-session"
"""Its turns are sealed: what is left is written anew."""
_STATE_KEYS: Final = ("thoughtSignature", "thought_signature", "signature", "encrypted_content")
"""Under which names a visible part carries state beside its content."""
_AROUND: Final[tuple[Around, ...]] = ("element", "object")
"""What goes with a state in a message that holds more: tried in this order, and right where the rest stays the same."""
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
    whole = SavedFile(source if isinstance(source, bytes) else read_file(pathlib.Path(source))).data
    for around in _AROUND:
        try:
            return _rescued(whole, session, target, around, all_state=all_state)
        except ReplayError as error:
            if error.code != "not_rescuable":
                raise
    raise ReplayError("not_rescuable")


def _rescued(
    data: bytes, session: str | None, target: Target | str | None, around: Around, *, all_state: bool
) -> Rescued:
    removed: list[Removal] = []
    expected: list[Any] | None = None
    for _round in range(_ROUNDS):
        conversation = _loaded(data, session, again=bool(removed))
        if conversation.format in _NO_TEXT:
            raise ReplayError("not_rescuable")
        goal = default_target(conversation) if target is None else as_target(target)
        if goal.wire != conversation.wire:
            raise ReplayError("target_of_other_wire", "target")
        decisions, sendable = _offending(conversation, goal, all_state=all_state)
        expected = sendable if expected is None else expected
        if conversation.format == _SESSION:
            copy, left = without_state(data, conversation, [one for one in decisions if one.code != _ID])
            more = [Removal(one.code, None, one.path, one.reason) for one in left]
        else:
            marks = [*_poison(data, conversation), *_marks(data, conversation, decisions, around)]
            copy, more = _without(data, marks, _LINKS.get(conversation.format)), [mark.removal for mark in marks]
        if not more:
            if removed and _told(expected) != _told(sendable):
                break  # something went with the state, or was left that was bound to it
            return Rescued(data, tuple(removed))
        if copy == data:
            break
        data, removed = copy, removed + more
    raise ReplayError("not_rescuable")


def _told(value: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    """All that items tell, in order: not how they are named, and not in which of its forms a wire has a text."""
    if isinstance(value, Mapping):
        return [told for name, part in value.items() if name not in _NAMING for told in _told(part)]
    if isinstance(value, list | tuple):
        return [told for part in value for told in _told(part)]
    return [value]


_NAMING: Final = frozenset({"id", "type"})


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


def _offending(
    conversation: Conversation, target: Target, *, all_state: bool
) -> tuple[list[Decision], list[dict[str, Any]]]:
    """The decisions that take state out of a conversation, all of it or what the target does not take, and the rest."""
    try:
        taken = conversation.prepare(target)
    except PrepareError:
        stripped = strip_state(conversation.items, wire=conversation.wire)
        left = prepare(stripped.items, target)  # raises where that does not help either
        return _taken_out(stripped) or _taken_out(left), left.items
    if not all_state:
        return _taken_out(taken), taken.items
    rest = prepare(strip_state(taken.items, wire=conversation.wire).items, target)
    first, all_of_it = _taken_out(taken), _taken_out(strip_state(conversation.items, wire=conversation.wire))
    said = {decision.path for decision in first if decision.code != _ID}
    return first + [decision for decision in all_of_it if decision.path not in said], rest.items


def _taken_out(prepared: Prepared) -> list[Decision]:
    """What leaves state out, and the ids that go with it: their partners would be looked for."""
    decisions = prepared.report.decisions
    gone = [
        decision
        for decision in decisions
        if decision.action == "left_out" or (decision.action == "changed" and decision.code in _STATE_CODES)
    ]
    bound = [one for one in decisions if one.code == _ID and one.reason in _BOUND] if gone else []
    return gone + bound


_STATE_CODES: Final = frozenset({"foreign_state", "state_stripped", "unsound_state"})
_ID: Final = "id_omitted"
_BOUND: Final = frozenset({"pair", "foreign"})
"""Why an id goes that would be taken, were its partner there."""


def _marks(data: bytes, conversation: Conversation, decisions: Sequence[Decision], around: Around) -> Iterator[_Mark]:
    """What of the file the decisions leave out."""
    own = Counter(source for sources in conversation.sources for source in dict.fromkeys(sources))
    records: dict[_Span, Any] = {}
    for decision in decisions:
        place, inside = _place(decision.path)
        if place is None or place >= len(conversation.sources):
            raise ReplayError("not_rescuable", decision.path)
        sources: Sequence[Source] = conversation.sources[place]
        if inside is not None and len(sources) > 1:
            sources, inside = sources[inside : inside + 1], None
        elif inside is not None and _blocks(conversation.items[place]) == 1:
            inside = None  # what is said of the one block is said of the item
        native = at(conversation.items, decision.path.split("/")[1:])
        for source in sources:
            span = (source.start, source.stop)
            paths: tuple[str, ...] | None
            if inside is None and own[source] == 1:
                paths = _own_paths(decision, source)
            else:  # the source is a message, and this is a part of it
                if span not in records:
                    records[span] = _record(data, source)
                paths = _found_paths(decision, native, records[span], source.path, around)
            if paths is not None:
                yield _Mark(span, paths, Removal(decision.code, source.line, source.path, decision.reason))


def _record(data: bytes, source: Source) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(data[source.start : source.stop])
    except ValueError:  # events of a stream, say: no record by itself
        raise ReplayError("not_rescuable", source.path) from None


def _blocks(item: Mapping[str, Any]) -> int:
    held = item.get("content", item.get("parts"))
    return len(held) if isinstance(held, list) else 0


def _own_paths(decision: Decision, source: Source) -> tuple[str, ...]:
    """What goes of a record, or of the place in it, that is one item; nothing for all of the record."""
    if decision.action == "changed":
        return tuple(f"{source.path}/{key}".lstrip("/") for key in (("id",) if decision.code == _ID else _STATE_KEYS))
    return (source.path,) if source.path not in _WHOLE else ()


def _found_paths(decision: Decision, native: Any, record: Any, path: str, around: Around) -> tuple[str, ...] | None:  # noqa: ANN401 - JSON
    """What goes of a message in which the item is one of several; None for an id that the message does not hold."""
    if decision.code == _ID:
        return id_places(record, path, native["id"]) or None
    found = state_places(record, path, native, "field" if decision.action == "changed" else around)
    if not found:
        raise ReplayError("not_rescuable", decision.path)
    return found


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
    except (ValueError, RecursionError):  # a record that cannot be read has no name that could be followed
        return
    if isinstance(gone, dict) and isinstance(gone.get(links[0]), str):
        heirs[gone[links[0]]] = gone.get(links[1])


def _relinked(data: bytes, links: tuple[str, str], heirs: Mapping[str, Any]) -> bytes:
    """The file with every record following one that is in it."""
    lines = data.splitlines(keepends=True)
    for index, line in enumerate(lines):
        try:
            followed = json.loads(line).get(links[1])
        except (ValueError, AttributeError, RecursionError):
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
