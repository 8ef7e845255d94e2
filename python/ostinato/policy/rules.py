"""The seam between `prepare` and the wires: what each wire has to say about native items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ostinato.policy.decision import Log
from ostinato.policy.target import OriginOf, Target

__all__ = ["Items", "Marks", "Rules"]

Items = list[dict[str, Any]]


class Marks(NamedTuple):
    """Which fields tell a wire's items from another's, whose state none of its rules would read."""

    name: str
    """What its items are called in paths."""
    has: tuple[str, ...]
    """Of these each item has one."""
    never: tuple[str, ...] = ()
    """None of these."""
    never_parts: frozenset[str] = frozenset()
    """And in its content no part of these types."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is to be known about the native items of one wire. Nothing in here changes what it is given."""

    prepare: Callable[[Sequence[Any], Target, OriginOf, Log], Items]
    """The items as they may go out. What is not changed is the very same object."""
    units: Callable[[Sequence[Any]], list[range]]
    """The items in runs that are kept or cut as one; together they are all items, in order."""
    strip: Callable[[Sequence[Any], Log], Items]
    """The items without any opaque state: whole replay items go, visible turns stay."""
    state: Callable[[Sequence[Any]], list[tuple[str, Any]]]
    """Every replay item with its path, for counting."""
    counted_as: str | None = None
    """The provider by whose contract they are read for counting: the widest. None for the wire's first."""
    marks: Marks | None = None
    """What tells its items; None where the wire sees to it as it reads its messages."""
