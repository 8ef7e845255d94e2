"""The seam of the formats: what each has to say about a file."""

from collections.abc import Callable
from dataclasses import dataclass

from ostinato.saved.conversation import Conversation
from ostinato.saved.file import SavedFile

__all__ = ["Format"]


@dataclass(frozen=True, slots=True)
class Format:
    """One layout of saved histories."""

    name: str
    sniff: Callable[[SavedFile], bool]
    """Whether a file is it, told by its content alone: `head` and `records` hold the first values, `data` the bytes."""
    read: Callable[[SavedFile], list[Conversation]]
    """All conversations in it: what stands on its own first, each followed by what it started (subagents). Raises for
    no content: what cannot be read is a finding, and the rest is loaded."""
