"""The table language: a profile is a row of rules about one known destination, each with its source and date."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar

from ostinato.errors import ReplayError

__all__ = ["Cell", "Profile"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cell(Generic[T]):
    """One rule of one destination."""

    value: T
    source: str
    """Who says so: a provider's page, an SDK with its version, a public report."""
    seen: str
    """When, as `2026-11`."""
    certain: bool = True
    """False where sources contradict each other or nobody has tried it; `source` says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is the same for all wires. Each wire adds its own rules in `ostinato.policy.profiles`."""

    name: str
    """The destination, as `--target` takes it: `openai`, `azure-project`, `bedrock` ..."""
    provider: str
    """Whose state it makes and takes: the provider of an `Origin`."""
    wire: str
    endpoint: str | None = None
    """Its host; None for servers that anyone runs."""
    same_origin: Cell[tuple[str, ...]]
    """Which fields of an `Origin` must be the target's own for its state to be readable there."""
    readable_models: Cell[tuple[str, ...]] = Cell((), "no others are documented", "2026-11")
    """Models whose state the target's model reads although it is another's."""
    foreign: Cell[str] = Cell(
        "drop", "state of another origin is refused: openai/codex#3942, openclaw/openclaw#110079", "2026-07"
    )
    """What to do with foreign state: `drop`, `keep` or `raise`."""

    choices: ClassVar[Mapping[str, tuple[Any, ...]]] = MappingProxyType({"foreign": ("drop", "keep", "raise")})
    """The values that a rule may have, where there are only a few."""

    def but(self, **rules: Any) -> Self:  # noqa: ANN401 - each rule has a type of its own
        """The same row with other rules, which are then the caller's: `profile.but(orphans="raise")`.

        Raises:
            ReplayError: `unknown_field`: there is no such rule on this wire; `unknown_policy`: it has no such value.
        """
        own = {rule for rule, _cell in self.cells()}
        if not own.issuperset(rules):
            raise ReplayError("unknown_field", "profile")
        for name, value in rules.items():
            if name in self.choices and value not in self.choices[name]:
                raise ReplayError("unknown_policy", f"profile/{name}")
        own_cells: dict[str, Any] = {name: Cell(value, "the caller", "") for name, value in rules.items()}
        return replace(self, **own_cells)

    def cells(self) -> Iterator[tuple[str, Cell[Any]]]:
        """Its rules by name."""
        for column in fields(self):
            cell = getattr(self, column.name)
            if isinstance(cell, Cell):
                yield column.name, cell
