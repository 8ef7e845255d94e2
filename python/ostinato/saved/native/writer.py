"""The seam between saved messages and the wires, and what several wires need to write a call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ostinato.saved.draft import Draft, label
from ostinato.saved.fields import written
from ostinato.saved.json_text import parse
from ostinato.saved.parts import Call, Message, Result, Text

__all__ = ["Writer", "arguments_object", "arguments_text", "plain"]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Writer:
    """How one wire writes messages."""

    write: Callable[[Message, Draft], list[Json]]
    """A message as items; what the wire has no form for is a finding."""
    join: Callable[[Json, Json], Json] | None = None
    """Two items of tool results as one, on wires that want all results of an answer in one message."""
    system: Callable[[Sequence[Text]], Any] | None = None
    """Instructions in the wire's own form, on wires where they are no item."""


def arguments_text(call: Call, draft: Draft, line: int | None) -> str:
    """The arguments as the text that the model wrote; written anew, and said so, where only the object was kept."""
    if not isinstance(call.arguments, str):
        draft.say("arguments_rebuilt", call.path, line=line, id=label(call.id))
    return written(call.arguments)


def arguments_object(call: Call, draft: Draft, line: int | None) -> Json:
    """The arguments as the object that wires of objects want. What is no object is a finding, and none is sent."""
    given = parse(call.arguments).value if isinstance(call.arguments, str) and call.arguments else call.arguments or {}
    if isinstance(given, dict):
        return given
    draft.say("arguments_unreadable", call.path, line=line, id=label(call.id))
    return {}


def plain(result: Result, draft: Draft, line: int | None) -> str:
    """The texts of a result, for wires that take nothing else there; what is no text is a finding."""
    if isinstance(result.output, str):
        return result.output
    for part in result.output:
        if not isinstance(part, Text):
            draft.say("unknown_part", part.path, line=line)
    return "\n".join(part.text for part in result.output if isinstance(part, Text))
