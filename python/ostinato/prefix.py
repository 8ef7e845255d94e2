"""The prefix guard: what was sent before must be sent again, byte for byte, or the provider's cache is lost.

A prefix is compared with what the last request sent. Messages that kept their wire form are the same object, so an
unchanged conversation costs one pointer per message; where they differ, the first difference is named by message, path
and offset. Texts are never part of what is said.
"""

import operator
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ostinato.difference import digest, first_difference, json_text
from ostinato.names import printable

__all__ = ["PrefixChange", "PrefixGuard", "Sent", "digest", "first_difference"]

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
        return printable(f"the prefix changed at {place}{offset}; {self.kept} messages before it are the same")


class Sent(NamedTuple):
    """What a request sent, as digests, so that another process can hold its own requests against it."""

    head: Mapping[str, str]
    """Of each thing before the messages."""
    start: int
    """How many messages before were sent by the request before this one, with the same digests."""
    groups: tuple[str, ...]
    """Of the messages after those."""


class PrefixGuard:
    """Remembers what the last request sent."""

    def __init__(self) -> None:
        self._head: Mapping[str, Any] = {}
        self._groups: Sequence[Any] | None = None
        self._marks: list[str] = []
        """Digests of the messages, where they were asked for or are all that is known."""
        self._head_marks: Mapping[str, str] | None = None
        """Where nothing but digests is known: those of what came before the messages."""

    def remember(self, head: Mapping[str, Any], groups: Sequence[Any], sent: Sent | None = None) -> None:
        """This was sent. What is passed is kept, and must not be edited from here on.

        Args:
            head: see `change`.
            groups: see `change`.
            sent: what `sent` said of it, where it was asked.
        """
        self._head, self._groups, self._head_marks = head, groups, None
        self._marks = [] if sent is None else [*self._marks[: sent.start], *sent.groups]

    def resume(self, head: Mapping[str, str], groups: Sequence[str]) -> None:
        """This was sent by an earlier process, as digests."""
        self._head, self._groups, self._head_marks, self._marks = {}, None, head, list(groups)

    def sent(self, head: Mapping[str, Any], groups: Sequence[Any]) -> Sent:
        """The digests of a request that may be remembered next. Costs what is new in it."""
        before = self._groups or ()
        same = map(operator.is_, before, groups)
        known = min(next((n for n, own in enumerate(same) if not own), len(before)), len(groups), len(self._marks))
        marks = self._marks[:known] + [digest(group) for group in groups[known:]]
        start = next((n for n, (old, new) in enumerate(zip(self._marks, marks, strict=False)) if old != new), None)
        start = min(len(self._marks), len(marks)) if start is None else start
        return Sent({name: digest(value) for name, value in head.items()}, start, tuple(marks[start:]))

    def change(self, head: Mapping[str, Any], groups: Sequence[Any]) -> PrefixChange | None:
        """Where a request differs from what was sent before; None where it begins with it.

        Args:
            head: what a provider reads before the messages: tools, system prompt.
            groups: the wire form of each message, in order.
        """
        if self._head_marks is not None:
            return self._change_of_marks(self._head_marks, head, groups)
        return None if self._groups is None else self._change(self._groups, head, groups)

    def _change(self, before: Sequence[Any], head: Mapping[str, Any], groups: Sequence[Any]) -> PrefixChange | None:
        for name in sorted({*self._head, *head}):
            change = _change(self._head.get(name), head.get(name), None, name, 0)
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

    def _change_of_marks(
        self, before: Mapping[str, str], head: Mapping[str, Any], groups: Sequence[Any]
    ) -> PrefixChange | None:
        """The change against what is known as digests: which message, not where in it."""
        for name in sorted({*before, *head}):
            was, now = before.get(name, ""), digest(head.get(name))
            if was != now:
                return PrefixChange(None, name, None, 0, was, now)
        for index, was in enumerate(self._marks):
            now = digest(groups[index]) if index < len(groups) else ""
            if was != now:
                return PrefixChange(index, "", None, index, was, now)
        return None

    def forget(self) -> None:
        """The next request begins a conversation of its own."""
        self._head, self._groups, self._head_marks, self._marks = {}, None, None, []


def _change(old: object, new: object, message: int | None, root: str, kept: int) -> PrefixChange | None:
    place = None if old is new or json_text(old) == json_text(new) else first_difference(old, new)
    if place is None:
        return None
    path, offset = place
    whole = "/".join(part for part in (root, path) if part)
    return PrefixChange(message, whole, offset, kept, digest(old), digest(new))
