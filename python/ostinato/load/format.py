"""The seam of the formats: what each has to say about a file."""

from collections.abc import Callable
from dataclasses import dataclass

from ostinato.load.conversation import Conversation

__all__ = ["Format"]


@dataclass(frozen=True, slots=True)
class Format:
    """One layout of saved histories. It gets the whole file as bytes, and neither opens nor writes any."""

    name: str
    sniff: Callable[[bytes], bool]
    """Whether these are it, told by their content alone. Gets the first 256 KiB."""
    read: Callable[[bytes], list[Conversation]]
    """All conversations in it. Raises for no content: what cannot be read is a finding, and the rest is loaded."""
