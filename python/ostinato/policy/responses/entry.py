"""An item on its way to a target, while the rules look at it one after the other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ostinato.policy.responses.items import id_of, kind_of, named
from ostinato.replay import ReasoningItem

__all__ = ["Entry", "Item"]

Item = Mapping[str, Any]


@dataclass(slots=True)
class Entry:
    """One item: as it was given, and as it goes out so far."""

    place: int
    given: Item
    item: Item | None = None
    """As it goes out; None where it is left out. As long as nothing changed, what was given itself."""
    state: ReasoningItem | None = None
    """What the codec read, for a replay item that goes out."""
    foreign: bool = False
    repeats: int | None = None
    """Where what it repeats stands."""
    kind: str = field(init=False)

    def __post_init__(self) -> None:
        self.item = self.given
        self.kind = kind_of(self.given)

    @property
    def path(self) -> str:
        """Where it stands in what was given."""
        return f"items/{self.place}"

    @property
    def id(self) -> str | None:
        """The id it goes out with."""
        return None if self.item is None else id_of(self.item)

    @property
    def named(self) -> dict[str, Any]:
        """How a decision names it."""
        return named(self.given)

    def without(self, *names: str) -> None:
        """Take fields out of it."""
        assert self.item is not None  # noqa: S101 - the rules ask before they change
        self.item = {name: value for name, value in self.item.items() if name not in names}
