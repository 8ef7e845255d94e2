"""What a saved message is made of, before it takes the form of a wire: the words between the layouts and the wires.

A layout reads its records into these; `ostinato.saved.native` writes them as items. A layout that holds native items
already has no need of them, except where the state in it is another wire's.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ostinato.replay import Origin
from ostinato.saved.conversation import Source

__all__ = ["Call", "Media", "Message", "Native", "Part", "Result", "Text", "Thinking", "media"]

Json = dict[str, Any]

NOTHING: Final[Json] = {}
"""No further fields. Nobody writes into the fields of a part."""


class Text(NamedTuple):
    """Visible text."""

    path: str
    text: str
    id: str | None = None
    """The provider's name of the message it is in (Responses). Texts of one id are one message."""
    state: str | None = None
    """A signature on the text (Gemini)."""
    fields: Json = NOTHING
    """What belongs to it in the wire's own words: `annotations`, `citations`; of its message: `phase`, `status`."""


class Thinking(NamedTuple):
    """Reasoning: what is shown of it, and its state."""

    path: str
    texts: tuple[str, ...] = ()
    """Summary parts on Responses, one text elsewhere."""
    state: str | None = None
    """`encrypted_content`, `signature` or `data`; None where there is none."""
    id: str | None = None
    redacted: bool = False
    """The state is all there is: `redacted_thinking`, `redactedContent`."""
    field: str | None = None
    """The field of a chat message that it was in: `reasoning_content`."""
    fields: Json = NOTHING
    """Further fields of the item, in the wire's own words: `content`, `format`."""


class Call(NamedTuple):
    """A call of a tool of the caller."""

    path: str
    id: str | None
    name: str
    arguments: Any
    """The provider's own text where it was kept, else the decoded object."""
    item: str | None = None
    """The provider's name of the item (Responses), beside that of the call."""
    state: str | None = None
    """A signature on the call (Gemini)."""
    fields: Json = NOTHING
    """Further fields of the item, in the wire's own words: `namespace`, `caller`."""


class Media(NamedTuple):
    """An image or a file: its bytes in base64, or where it is."""

    path: str
    type: str | None
    """As `image/png`, where it is known."""
    data: str | None = None
    url: str | None = None
    state: str | None = None
    """A signature on the part (Gemini)."""


class Result(NamedTuple):
    """What a call gave."""

    path: str
    call: str | None
    output: "str | Sequence[Text | Media | Native]"
    name: str | None = None
    """The tool's name, which Gemini wants again."""
    error: bool = False


class Native(NamedTuple):
    """An item or block that is in a wire's own form already, such as a search that the provider ran."""

    path: str
    wire: str
    item: Json


def media(path: str, url: str, kind: str | None = None) -> Media:
    """A picture or a file by its URL; the bytes themselves where it is a `data:` URL."""
    head, comma, data = url.partition(",")
    if head.startswith("data:") and head.endswith(";base64") and comma:
        return Media(path, head[5:-7] or kind, data)
    return Media(path, kind, url=url)


Part = Text | Thinking | Call | Result | Media | Native


class Message(NamedTuple):
    """One saved message."""

    path: str
    role: str
    """`user`, `assistant`, `system`, `developer` or `tool`."""
    parts: Sequence[Part]
    wire: str | None = None
    """Whose state is in it; None for what no model made."""
    origin: Origin | None = None
    id: str | None = None
    """The provider's name of the response."""
    source: Source | None = None
    usage: Mapping[str, int] | None = None
    records: int = 1
    """How many records of the file it was; 0 if the message before it is of the same one."""

    @property
    def line(self) -> int | None:
        """Where it begins, in formats of lines."""
        return self.source.line if self.source else None
