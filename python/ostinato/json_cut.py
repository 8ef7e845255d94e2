"""Take pieces out of a JSON text and leave every other byte as it is: spelling, key order and spaces included."""

import json
import re
from collections.abc import Iterable
from typing import Any, Final

__all__ = ["cut"]

Trie = dict[str, Any]

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


def cut(text: str, paths: Iterable[str]) -> str:
    """A JSON text without what stands at some paths (`messages/3/content/0`); a path that is not there is passed over.

    Members of objects and elements of lists go with the comma beside them. Containers that are left empty stay.

    Raises:
        ValueError: the text is not JSON.
    """
    trie: Trie = {}
    for path in paths:
        node = trie
        *above, last = path.split("/")
        for step in above:
            node = node.setdefault(step, {})
            if node is None:
                break
        else:
            node[last] = None
    _DECODER.decode(text)  # so that the walk below may trust it
    start = _after_space(text, 0)
    value, stop = _without(text, start, trie)
    return text[:start] + value + text[stop:]


def _without(text: str, start: int, trie: Trie) -> tuple[str, int]:
    """The value at a place without the paths of a trie, and where it ended."""
    if not trie or text[start] not in "[{":
        _value, stop = _DECODER.raw_decode(text, start)
        return text[start:stop], stop
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    kept: list[str] = []
    place, index = start + 1, 0
    while True:
        lead = place
        place = _after_space(text, place)
        if text[place] == close:  # an empty container
            return text[start : place + 1], place + 1
        name = str(index)
        if is_object:
            name, place = _DECODER.raw_decode(text, place)
            place = _after_space(text, _after_space(text, place) + 1)
        node = trie.get(name, {})
        before = text[lead:place]
        value, place = _without(text, place, node or {})
        after = _after_space(text, place)
        if node is not None:
            kept.append(before + value + text[place:after])
        elif text[after] == close and kept:
            kept[-1] = kept[-1].rstrip(" \t\r\n") + text[place:after]  # the last one keeps the line of the bracket
        place, index = after + 1, index + 1
        if text[after] == close:
            return text[start] + ",".join(kept) + close, place


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return place if found is None else found.end()
