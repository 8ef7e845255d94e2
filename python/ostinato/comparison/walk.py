"""The first place where two requests differ, by the rules of a wire."""

import base64
import binascii
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ostinato.comparison.layouts import Layout
from ostinato.comparison.spelling import Number, same_number
from ostinato.difference import first_difference

__all__ = ["Place", "Walk"]


_PLAIN: Final = (int, float, bytes, bytearray, Number)


class Place(NamedTuple):
    """Where two values first differ."""

    steps: tuple[str, ...]
    """Names and numbers on the way."""
    offset: int | None
    """The first character that differs, where both are texts."""
    kind: str
    """`changed`, `added`, `missing`, or `spelling` where only order or spelling of shown JSON differs."""


class Walk:
    """Compares values, and counts what differs and does not count."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.uncounted: Counter[str] = Counter()

    def first(self, old: Any, new: Any) -> Place | None:  # noqa: ANN401 - any JSON value
        """The first difference that counts; None where there is none."""
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            return self._objects(old, new)
        if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
            return self._lists(self._counted(old), self._counted(new))
        if isinstance(old, str) and isinstance(new, str):
            found = first_difference(old, new)
            return Place((), found[1], "changed") if found else None
        if old is new or (type(old) is type(new) and isinstance(old, _PLAIN) and old == new):
            return None
        if same_number(old, new):
            self.uncounted["number_spelling"] += 1
            return None
        return self._forms(old, new)

    def _forms(self, old: Any, new: Any) -> Place | None:  # noqa: ANN401 - any JSON value
        """A bare text, and a list with that text alone, are the same to wires that say so."""
        block = self._layout.text_block
        if block is not None and {isinstance(old, str), isinstance(new, str)} == {True, False}:
            one, other = ([{**block, "text": side}] if isinstance(side, str) else side for side in (old, new))
            if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
                self.uncounted["text_form"] += 1
                return self.first(one, other)
        return Place((), None, "changed")

    def _objects(self, old: Mapping[Any, Any], new: Mapping[Any, Any]) -> Place | None:
        names, others = (self._names(side) for side in (old, new))
        shared = [name for name in names if name in new]
        if shared != [name for name in others if name in old]:
            self.uncounted["key_order"] += 1
        for name in names:
            if name not in new:
                return Place((_step(name),), None, "missing")
            found = self._field(name, old[name], new[name])
            if found is not None:
                return found._replace(steps=(_step(name), *found.steps))
        added = next((name for name in others if name not in old), None)
        return None if added is None else Place((_step(added),), None, "added")

    def _names(self, side: Mapping[Any, Any]) -> list[Any]:
        counted = [name for name in side if name not in self._layout.uncounted]
        self.uncounted["cache_marker"] += len(side) - len(counted)
        return counted

    def _field(self, name: Any, old: Any, new: Any) -> Place | None:  # noqa: ANN401 - any JSON value
        if name in self._layout.shown and not isinstance(old, str):
            return self._shown(old, new)
        if name in self._layout.two_alphabets and old != new and _bytes(old) == _bytes(new) is not None:
            self.uncounted["base64_alphabet"] += 1
            return None
        return self.first(old, new)

    def _shown(self, old: Any, new: Any) -> Place | None:  # noqa: ANN401 - any JSON value
        """What a model is shown as JSON: order and spelling count."""
        found = first_difference(old, new)
        if found is None:
            return None
        path, offset = found
        same = Walk(Layout("", (), frozenset())).first(old, new) is None
        return Place(tuple(path.split("/")) if path else (), offset, "spelling" if same else "changed")

    def _lists(self, old: Sequence[Any], new: Sequence[Any]) -> Place | None:
        for index, (one, other) in enumerate(zip(old, new, strict=False)):
            found = self.first(one, other)
            if found is not None:
                return found._replace(steps=(str(index), *found.steps))
        if len(old) == len(new):
            return None
        kind = "missing" if len(new) < len(old) else "added"
        return Place((str(min(len(old), len(new))),), None, kind)

    def _counted(self, parts: Sequence[Any]) -> Sequence[Any]:
        """A list without parts that are nothing but a marker (`{"cachePoint": ...}`)."""
        marks = self._layout.uncounted
        kept = [part for part in parts if not (isinstance(part, Mapping) and part and marks.issuperset(part))]
        self.uncounted["cache_marker"] += len(parts) - len(kept)
        return kept


def _step(name: object) -> str:
    return name if isinstance(name, str) else f"<{type(name).__name__}>"


def _bytes(value: object) -> bytes | None:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if not isinstance(value, str):
        return None
    standard = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (ValueError, binascii.Error):
        return None
