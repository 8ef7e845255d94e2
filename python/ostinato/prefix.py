"""The prefix guard: what was sent before must be sent again, byte for byte, or the provider's cache is lost.

A prefix is compared with what the last request sent. Messages that kept their wire form are the same object, so an
unchanged conversation costs one pointer per message; where they differ, the first difference is named by message, path
and offset. Texts are never part of what is said.
"""

import operator
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ostinato.difference import digest, first_difference, json_text

__all__ = ["PrefixChange", "PrefixGuard", "digest", "first_difference"]

Json = dict[str, Any]


class PrefixChange(NamedTuple):
    """Where a request first differs from the one before it. Holds no content."""

    message: int | None
    """Which message, counted from 0; None where something before the messages changed."""
    path: str
    """Where in its wire form, such as `content/0/text`; `tools` or `instructions` before the messages."""
    offset: int | None
    """The first character that differs, where both are texts."""
    kept: int
    """How many messages before it are the same."""
    was: str
    """SHA-256 of what was sent there before; empty where there was nothing."""
    now: str
    """SHA-256 of what is sent there now; empty where there is nothing."""

    def __str__(self) -> str:
        place = (
            self.path if self.message is None else f"message {self.message}" + (f", {self.path}" if self.path else "")
        )
        offset = "" if self.offset is None else f", character {self.offset}"
        return f"the prefix changed at {place}{offset}; {self.kept} messages before it are the same"


class PrefixGuard:
    """Remembers what the last request sent."""

    def __init__(self) -> None:
        self._head: Mapping[str, Any] = {}
        self._groups: Sequence[Any] | None = None

    def remember(self, head: Mapping[str, Any], groups: Sequence[Any]) -> None:
        """This was sent. What is passed is kept, and must not be edited from here on."""
        self._head, self._groups = head, groups

    def change(self, head: Mapping[str, Any], groups: Sequence[Any]) -> PrefixChange | None:
        """Where a request differs from what was sent before; None where it begins with it.

        Args:
            head: what a provider reads before the messages: tools, system prompt.
            groups: the wire form of each message, in order.
        """
        before_head, before = self._head, self._groups
        if before is None:
            return None
        for name in sorted({*before_head, *head}):
            change = _change(before_head.get(name), head.get(name), None, name, 0)
            if change is not None:
                return change
        if len(groups) >= len(before) and all(map(operator.is_, before, groups)):
            return None
        for index, old in enumerate(before):
            if index >= len(groups):
                return PrefixChange(index, "", None, index, digest(old), "")
            change = _change(old, groups[index], index, "", index)
            if change is not None:
                return change
        return None

    def forget(self) -> None:
        """The next request begins a conversation of its own."""
        self._head, self._groups = {}, None


def _change(old: object, new: object, message: int | None, root: str, kept: int) -> PrefixChange | None:
    place = None if old is new or json_text(old) == json_text(new) else first_difference(old, new)
    if place is None:
        return None
    path, offset = place
    whole = "/".join(part for part in (root, path) if part)
    return PrefixChange(message, whole, offset, kept, digest(old), digest(new))
