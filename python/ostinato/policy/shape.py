"""How a wire whose messages hold blocks spells what the rules of thinking are about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ostinato.errors import ReplayError
from ostinato.policy.profiles.thinking import ThinkingProfile

__all__ = ["Block", "Contents", "Kind", "Shape", "contents"]

Block = Mapping[str, Any]
Contents = list[Sequence[Block]]
"""The blocks of each message; none for a message whose content is a text."""

Kind = Literal["signed", "sealed", "unsigned"]
"""Of a block of thinking: text with a signature, state alone, or text alone."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The blocks of one wire."""

    wire: str
    text_content: bool
    """Whether a message's content may be a text instead of blocks."""
    thinking: Callable[[Block], Kind | None]
    """What kind of thinking a block is; None for any other block."""
    completed: Callable[[Block], Block]
    """The block with the empty text that it lost; the same object where it has a text."""
    respelled: Callable[[Block, Block], Block]
    """A canonical block with its state spelled as it was given: the codec knows bytes where JSON has base64."""
    is_hollow: Callable[[Block], bool]
    """Whether a block that should have a text has none; an unsigned one has nothing then."""
    call: Callable[[Block], str | None]
    """The id of a call that the caller answers; None for any other block."""
    result: Callable[[Block], str | None]
    """The id of the call that a result of the caller answers; None for any other block."""
    is_blank: Callable[[Block], bool]
    """Whether a block is a text of nothing but white space."""
    answered: Callable[[Block, str], Block]
    """A result with a stand-in where it is blank; the same object where it is not."""
    is_opaque: Callable[[Block], bool]
    """Whether a block that is no thinking holds opaque state too: a compaction, the results of a server's search."""
    server_call: Callable[[Block], tuple[str | None, str | None]]
    """The id of a server's call that a block makes, and of the one it answers."""
    bare: Callable[[Block], Block]
    """The block without opaque state that is not all of it, such as what a text cites; the same object without any."""
    takes_unsigned: Callable[[ThinkingProfile, str | None], bool]
    """Whether a model, where it is known, takes thinking without a signature."""


def contents(shape: Shape, messages: Sequence[Any]) -> Contents:
    """The blocks of each message.

    Raises:
        ReplayError: `type_mismatch` where something is no message of the wire.
    """
    return [_blocks(shape, message, f"messages/{place}") for place, message in enumerate(messages)]


def _blocks(shape: Shape, message: Any, path: str) -> Sequence[Block]:  # noqa: ANN401 - what a caller took for a message
    if not isinstance(message, Mapping):
        raise ReplayError("type_mismatch", path)
    if not isinstance(message.get("role"), str):
        raise ReplayError("type_mismatch", f"{path}/role")
    content = message.get("content")
    if shape.text_content and isinstance(content, str):
        return ()
    if not isinstance(content, list | tuple):
        raise ReplayError("type_mismatch", f"{path}/content")
    for place, block in enumerate(content):
        if not isinstance(block, Mapping):
            raise ReplayError("type_mismatch", f"{path}/content/{place}")
    return content
