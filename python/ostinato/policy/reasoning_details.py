"""The blocks of a gateway's `reasoning_details`: which fragments are one block.

Fragments of one text or summary carry the same type and index and make one block: their texts side by side, with the
last signature. Sealed blocks come whole. An entry without index stands for itself. Ids, formats and signatures stay
with the block they came on, and the order stays (openrouter.ai reasoning-tokens, 2026-11; agno#8794, 2026-07).
"""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["ENCRYPTED", "KNOWN", "Details", "is_whole", "merged"]

Json = dict[str, Any]

ENCRYPTED: Final = "reasoning.encrypted"
TEXT_FIELD: Final = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""Block -> the field that comes in pieces."""
KNOWN: Final = frozenset({*TEXT_FIELD, ENCRYPTED, "reasoning.server_tool_call"})


@dataclass(slots=True)
class _Block:
    """A block, as far as it is there."""

    fields: Json
    pieces: list[str] = field(default_factory=list)
    """Of its text, after what the first fragment brought."""

    def takes(self, fragment: Mapping[str, Any], grows: str) -> bool:
        """Whether a fragment of its type and index is its own.

        An index may be used again: under another id, or for a block that has text and signature of its own.
        """
        texts = (self.fields.get(grows), fragment.get(grows))
        if not all(text is None or isinstance(text, str) for text in texts):
            return False
        if self.fields.get("signature") and fragment.get("signature") and texts[1]:
            return False
        one, other = self.fields.get("id"), fragment.get("id")
        return one is None or other is None or (isinstance(one, str) and isinstance(other, str) and one == other)

    def extend(self, fragment: Mapping[str, Any], grows: str) -> None:
        for name, value in fragment.items():
            if name == grows and value is not None:
                self.pieces.append(value)
            elif value is not None and ((name == "signature" and value) or self.fields.get(name) is None):
                self.fields[name] = value

    def whole(self) -> Json:
        kind = self.fields.get("type")
        grows = TEXT_FIELD.get(kind, "") if isinstance(kind, str) else ""
        first = self.fields.get(grows)
        if not self.pieces and (not isinstance(first, str) or first.isascii()):
            return self.fields
        # Characters are whole again whose two halves came in two fragments.
        text = "".join([first or "", *self.pieces]).encode("utf-16-le", "surrogatepass")
        return self.fields | {grows: text.decode("utf-16-le", "surrogatepass")}


class Details:
    """The blocks of one run of reasoning, while they arrive."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._by_place: dict[tuple[str, int], _Block] = {}
        self._sealed: list[Mapping[str, Any]] = []

    def add(self, fragment: Mapping[str, Any]) -> bool:
        """One entry of a chunk's list. False where it says again what a sealed block said."""
        if fragment.get("type") == ENCRYPTED:
            if fragment in self._sealed:
                return False
            self._sealed.append(fragment)
        self.put(copy.deepcopy(dict(fragment)))
        return True

    def put(self, fragment: Json) -> None:
        """An entry that may be a repeat, and that is the blocks' own from here on."""
        kind, index = fragment.get("type"), fragment.get("index")
        place = (kind, index) if isinstance(kind, str) and kind in TEXT_FIELD and isinstance(index, int) else None
        block = self._by_place.get(place) if place else None
        if place and block is not None and block.takes(fragment, TEXT_FIELD[place[0]]):
            block.extend(fragment, TEXT_FIELD[place[0]])
            return
        block = _Block(fragment)
        self._blocks.append(block)
        if place:
            self._by_place[place] = block

    def whole(self) -> list[Json]:
        """The blocks, in order."""
        return [block.whole() for block in self._blocks]


def merged(fragments: Iterable[Mapping[str, Any]]) -> list[Json]:
    """Blocks out of fragments that somebody stored as they came, in order. Repeats stay."""
    details = Details()
    for fragment in fragments:
        details.put(dict(fragment))
    return details.whole()


def is_whole(fragments: Iterable[Mapping[str, Any]]) -> bool:
    """Whether blocks are no fragments: each stands for itself already."""
    entries = list(fragments)
    return len(merged(entries)) == len(entries)
