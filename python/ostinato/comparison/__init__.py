"""Where two requests part: how many items they have in common, and the first difference that a provider would see.

`layouts.py` has the table of the wires, `walk.py` compares by it, `spelling.py` reads texts with numbers as written,
`bound.py` compares what thinking is bound to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from ostinato.comparison.bound import prefix_change
from ostinato.comparison.layouts import ALIASES, HEADS, LAYOUTS, Layout, items_name, wire_of
from ostinato.comparison.spelling import read, write
from ostinato.comparison.walk import Place, Walk
from ostinato.difference import sha256
from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.names import printable
from ostinato.prefix import PrefixChange
from ostinato.redaction import redact
from ostinato.saved import Conversation
from ostinato.soundness import readable

__all__ = ["Diff", "Request", "diff", "prefix_change"]

Request = Mapping[str, Any] | Sequence[Any] | str | bytes | Conversation
"""What may be compared: the body of a request, its JSON text, a list of native items, or a saved conversation."""
Relation = Literal["equal", "extended", "shortened", "differs"]

_ALIKE: Final = ("equal", "extended", "shortened")
_ANY: Final = Layout("items", ("tools", "toolConfig", "system", "instructions"), frozenset())
_EXCERPT: Final = 32


@dataclass(frozen=True, slots=True)
class Diff:
    """What two requests have in common. Holds no content that it shows unasked."""

    wire: str | None
    """By whose rules they were compared; None where the wire is not known, and everything counts."""
    relation: Relation
    """`equal`; the second goes on after the first (`extended`); it ends before (`shortened`); or it `differs`."""
    common: int
    """How many items at the beginning are the same; 0 where something before the items differs."""
    items: tuple[int, int]
    """How many items each has."""
    change: PrefixChange | None = None
    """The first difference; None where one is the beginning of the other."""
    kind: str | None = None
    """`changed`, `added`, `missing`, or `spelling`: only order or spelling of JSON that a model is shown."""
    uncounted: Mapping[str, int] = field(default_factory=dict)
    """What differs and does not count on this wire, up to the first difference: `cache_marker`, `key_order` ..."""
    settings: tuple[str, ...] = ()
    """Names of other fields of the requests that differ, such as `model`."""
    root: str = "items"
    """The field of the items, as paths name it."""
    sides: tuple[Any, Any] = field(default=(None, None), repr=False, compare=False)
    """The item or field that differs, of both."""

    @property
    def is_prefix(self) -> bool:
        """Whether one is the beginning of the other, or they are equal."""
        return self.relation in _ALIKE

    @property
    def path(self) -> str | None:
        """Where the first difference is, from the request on: `messages/3/content/0/text`."""
        if self.change is None:
            return None
        before = () if self.change.message is None else (self.root, str(self.change.message))
        return "/".join([*before, *filter(None, [self.change.path])])

    def excerpts(self) -> tuple[str, str] | None:
        """The texts around the first difference; None where it is in opaque state, or in no text.

        This is content: whoever shows it has asked for it.
        """
        if self.change is None or self.change.offset is None:
            return None
        steps = self.change.path.split("/") if self.change.path else []
        start = max(0, self.change.offset - _EXCERPT)
        found = []
        for side in self.sides:
            text = _at(side, steps)
            if not isinstance(text, str) or _at(redact(side, reasoning_text=False).value, steps) != text:
                return None
            found.append(text[start : self.change.offset + _EXCERPT])
        return found[0], found[1]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types, without content."""
        change = self.change
        place = None if change is None else {"path": self.path, "offset": change.offset, "kind": self.kind}
        digests = {} if change is None else {"was": change.was, "now": change.now, "item": change.message}
        return {
            "schema": "ostinato.diff",
            "version": 1,
            "wire": self.wire,
            "relation": self.relation,
            "common": self.common,
            "items": list(self.items),
            "change": None if place is None else place | digests,
            "uncounted": dict(self.uncounted),
            "settings": list(self.settings),
        }

    def __str__(self) -> str:
        if self.change is None:
            return f"{self.relation}: {self.common} items in common, of {self.items[0]} and {self.items[1]}"
        offset = "" if self.change.offset is None else f", character {self.change.offset}"
        return printable(f"differs at {self.path}{offset} ({self.kind}); {self.common} items before it are the same")


@discreet
@readable
def diff(request_a: Request, request_b: Request, wire: str | None = None) -> Diff:
    """The common beginning of two requests, and the first difference that a provider would see.

    Compared is what a provider reads in order: tools and system prompt, then the items. Of JSON texts the spelling of
    numbers is compared too. What counts is the wire's: on all of them the order of fields does not, but the order and
    spelling of JSON that a model is shown does (arguments that are objects, results, schemas); cache markers do not.

    Args:
        request_a: the earlier one: a body, its JSON text, a list of native items, or a conversation of `ostinato.load`.
        request_b: the later one.
        wire: whose requests they are; None to tell it from their fields.

    Raises:
        ReplayError: `not_a_request` at `a` or `b`, or why a text is no JSON there; `wires_differ`, `unknown_wire`,
            `too_deep`.
    """
    if wire is not None and wire not in LAYOUTS:
        raise ReplayError("unknown_wire")
    spelled = all(isinstance(request, (str, bytes, bytearray)) for request in (request_a, request_b))
    one, other = _side(request_a, "a", spelled=spelled), _side(request_b, "b", spelled=spelled)
    wires = {side.wire for side in (one, other) if side.wire is not None}
    if wire is None and len(wires) > 1:
        raise ReplayError("wires_differ")
    try:
        return _compared(one, other, wire or next(iter(wires), None))
    except RecursionError:
        raise ReplayError("too_deep") from None


@dataclass(frozen=True, slots=True)
class _Side:
    wire: str | None
    items: Sequence[Any]
    fields: Mapping[str, Any]
    """The request without its items."""
    root: str
    whole: bool = True
    """Whether a field that is not there is not there: of saved conversations and lists nobody knows."""


def _side(request: Request, name: str, *, spelled: bool) -> _Side:
    if isinstance(request, Conversation):
        layout = _layout(request.wire)
        system = {} if request.system is None else {layout.head[-1]: request.system}
        return _Side(request.wire, request.items, system, layout.items, whole=False)
    value = read(request, name, spelled=spelled) if isinstance(request, (str, bytes, bytearray)) else request
    if isinstance(value, (list, tuple)):
        return _Side(None, value, {}, _ANY.items, whole=False)
    if not isinstance(value, Mapping):
        raise ReplayError("not_a_request", name)
    root = items_name(value)
    fields = {ALIASES.get(key, key): part for key, part in value.items() if isinstance(key, str) and key != root}
    if root is None and HEADS.isdisjoint(fields):
        raise ReplayError("not_a_request", name)
    held = [] if root is None else value[root]
    return _Side(wire_of(value), [held] if isinstance(held, str) else held, fields, root or _ANY.items)


def _layout(wire: str | None) -> Layout:
    return LAYOUTS.get(wire or "", _ANY)


def _compared(one: _Side, other: _Side, wire: str | None) -> Diff:
    layout, items = _layout(wire), (len(one.items), len(other.items))
    walk = Walk(layout)
    found = _in_head(one, other, layout, walk) or _in_items(one, other, walk)
    relation: Relation = "equal" if items[0] == items[1] else "extended" if items[0] < items[1] else "shortened"
    if found is not None:
        relation = "differs"
    return Diff(
        wire=wire,
        relation=relation,
        common=min(items) if found is None else found.change.kept,
        items=items,
        change=None if found is None else found.change,
        kind=None if found is None else found.kind,
        uncounted={name: count for name, count in sorted(walk.uncounted.items()) if count},
        settings=_settings(one, other, layout),
        root=other.root if one.root == _ANY.items else one.root,
        sides=(None, None) if found is None else found.sides,
    )


class _Found(NamedTuple):
    change: PrefixChange
    kind: str
    sides: tuple[Any, Any]


def _in_head(one: _Side, other: _Side, layout: Layout, walk: Walk) -> _Found | None:
    for name in layout.head:
        sides = one.fields.get(name), other.fields.get(name)
        there = [side not in (None, "", [], ()) for side in sides]
        if there == [False, False] or not all(has or side.whole for has, side in zip(there, (one, other), strict=True)):
            continue
        alone = None if all(there) else Place((), None, "added" if there[1] else "missing")
        place = alone or walk.first(*sides)
        if place is not None:
            change = PrefixChange(None, "/".join((name, *place.steps)), place.offset, 0, *map(_digest, sides))
            return _Found(change, place.kind, ({name: sides[0]}, {name: sides[1]}))
    return None


def _in_items(one: _Side, other: _Side, walk: Walk) -> _Found | None:
    for index, sides in enumerate(zip(one.items, other.items, strict=False)):
        place = walk.first(*sides)
        if place is not None:
            change = PrefixChange(index, "/".join(place.steps), place.offset, index, *map(_digest, sides))
            return _Found(change, place.kind, sides)
    return None


def _settings(one: _Side, other: _Side, layout: Layout) -> tuple[str, ...]:
    if not (one.whole and other.whole):
        return ()
    names = sorted({*one.fields, *other.fields} - set(layout.head))
    strict = Walk(_ANY)
    return tuple(name for name in names if strict.first(one.fields.get(name), other.fields.get(name)) is not None)


def _digest(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return "" if value is None else sha256(write(value))


def _at(value: Any, steps: Sequence[str]) -> Any:  # noqa: ANN401 - any JSON value
    for step in steps:
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, (list, tuple)) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
