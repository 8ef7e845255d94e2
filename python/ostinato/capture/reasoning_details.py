"""The blocks of a gateway's `reasoning_details`, put together from a stream.

Fragments of one text or summary carry the same type and index and make one block; sealed blocks come whole. An entry
without index stands for itself. Ids, formats and signatures stay with their block (field reports R178 to R183).
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ostinato.capture.fragments import join

__all__ = ["ENCRYPTED", "KNOWN", "Details"]

Json = dict[str, Any]

ENCRYPTED: Final = "reasoning.encrypted"
TEXT_FIELD: Final = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""Block -> the field that comes in pieces."""
KNOWN: Final = frozenset({*TEXT_FIELD, ENCRYPTED, "reasoning.server_tool_call"})


@dataclass(slots=True)
class _Block:
    """A block that is arriving."""

    fields: Json
    pieces: list[str] = field(default_factory=list)
    """Of its text, after what the first fragment brought."""

    def takes(self, fragment: Mapping[str, Any]) -> bool:
        """Whether a fragment of its type and index is its own: an index may be used again, under another id."""
        ids = (self.fields.get("id"), fragment.get("id"))
        return None in ids or ids[0] == ids[1]

    def extend(self, fragment: Mapping[str, Any]) -> None:
        grows = TEXT_FIELD[self.fields["type"]]
        for name, value in fragment.items():
            if name == grows and value is not None:
                self.pieces.append(value)
            elif value is not None and ((name == "signature" and value) or self.fields.get(name) is None):
                self.fields[name] = value

    def whole(self) -> Json:
        grows = TEXT_FIELD.get(str(self.fields.get("type")), "")
        first = self.fields.get(grows)
        if not self.pieces and (not isinstance(first, str) or first.isascii()):
            return self.fields
        return self.fields | {grows: join([first or "", *self.pieces])}


class Details:
    """The blocks of one run of reasoning, while they arrive."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._by_place: dict[tuple[str, int], _Block] = {}
        self._sealed: list[Mapping[str, Any]] = []

    def add(self, fragment: Mapping[str, Any]) -> bool:
        """One entry of a chunk's list. False where it says again what a sealed block said."""
        kind, index = fragment.get("type"), fragment.get("index")
        if kind == ENCRYPTED:
            if fragment in self._sealed:
                return False
            self._sealed.append(fragment)
        place = (kind, index) if kind in TEXT_FIELD and isinstance(index, int) else None
        block = self._by_place.get(place) if place else None
        if block is not None and block.takes(fragment):
            block.extend(fragment)
            return True
        block = _Block(copy.deepcopy(dict(fragment)))
        self._blocks.append(block)
        if place:
            self._by_place[place] = block
        return True

    def whole(self) -> list[Json]:
        """The blocks, in order."""
        return [block.whole() for block in self._blocks]
