"""The shape of Gemini's contents: parts of a content, each with the place where it stood."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ostinato.errors import ReplayError

__all__ = ["Content", "Part", "is_call", "is_result", "is_thought", "parts_of", "read_contents"]

Part = Mapping[str, Any]

_CALLS: Final = ("functionCall", "function_call")
_RESULTS: Final = ("functionResponse", "function_response")


def is_call(part: Part) -> bool:
    """Whether a part is a call of a function."""
    return any(part.get(name) is not None for name in _CALLS)


def is_result(part: Part) -> bool:
    """Whether a part is the result of a call."""
    return any(part.get(name) is not None for name in _RESULTS)


def is_thought(part: Part) -> bool:
    """Whether a part is a thought, and nothing that was said."""
    return part.get("thought") is True and not is_call(part)


@dataclass(slots=True)
class Content:
    """One content on its way, and where each of its parts stood."""

    whole: Mapping[str, Any]
    path: str
    parts: list[tuple[str, Part]]
    changed: bool = False

    @property
    def is_model(self) -> bool:
        """Whether the model said it."""
        return self.whole.get("role") == "model"

    @property
    def calls(self) -> list[int]:
        """Which of its parts are calls."""
        return [place for place, (_path, part) in enumerate(self.parts) if is_call(part)] if self.is_model else []

    @property
    def is_results(self) -> bool:
        """Whether it holds results of calls and nothing else."""
        return not self.is_model and bool(self.parts) and all(is_result(part) for _path, part in self.parts)

    def absorb(self, other: "Content") -> None:
        """Take over what another content holds."""
        self.parts = [*self.parts, *other.parts]
        self.changed = True

    def update(self, parts: list[tuple[str, Part]]) -> None:
        """Hold these parts and no others."""
        old = self.parts
        self.parts = parts
        self.changed |= len(parts) < len(old) or any(new[1] is not was[1] for new, was in zip(parts, old, strict=True))

    def replace(self, place: int, part: Part) -> None:
        """Put another part in a place."""
        self.parts[place] = (self.parts[place][0], part)
        self.changed = True

    def written(self) -> Any:  # noqa: ANN401 - the caller's own object where nothing changed
        """The content as it goes out."""
        return {**self.whole, "parts": [part for _path, part in self.parts]} if self.changed else self.whole


def read_contents(items: Sequence[Any]) -> list[Content]:
    """Contents as the rules change them, the caller's own untouched.

    Raises:
        ReplayError: `type_mismatch` where something is no part.
    """
    return [
        Content(item, f"contents/{index}", list(parts_of(item, f"contents/{index}")))
        for index, item in enumerate(items)
    ]


def parts_of(content: Mapping[str, Any], path: str) -> Iterator[tuple[str, Part]]:
    """The parts of a content with their paths."""
    parts = content.get("parts")
    if parts is None:
        return
    if not isinstance(parts, list | tuple):
        raise ReplayError("type_mismatch", f"{path}/parts")
    for place, part in enumerate(parts):
        if not isinstance(part, Mapping):
            raise ReplayError("type_mismatch", f"{path}/parts/{place}")
        yield f"{path}/parts/{place}", part
