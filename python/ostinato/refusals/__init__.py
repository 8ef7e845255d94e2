"""Refusals: what a provider's error means, which rule would have prevented it, and what may be sent instead.

`patterns.py` has the table, `reading.py` and `places.py` read errors, `recovery.py` changes items.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ostinato.discretion import discreet
from ostinato.errors import PrepareError, ReplayError
from ostinato.policy import DECISION_CODES, Prepared, Target
from ostinato.refusals.patterns import ACTIONS, PATTERNS, Action, Pattern
from ostinato.refusals.places import ids, parts, paths
from ostinato.refusals.reading import Heard, hear
from ostinato.refusals.recovery import recover
from ostinato.soundness import readable

__all__ = ["UNKNOWN", "Explanation", "explain"]

UNKNOWN: Final = "unknown"
"""The code of a refusal that is in no row."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a refusal means. Holds nothing of the provider's words but ids and places, so it can go into any log."""

    code: str
    """The decision that would have prevented it, a key of `DECISION_CODES`; `unknown` where nothing is known."""
    action: Action
    """What to do: `strip_named`, `strip_state`, `prepare`, `change_request`, or `none`."""
    reason: str | None = None
    """Which of several causes of one code, such as `account` for `foreign_state`."""
    status: int | None = None
    """The HTTP status, where the error has one."""
    wire: str | None = None
    """Whose refusal it is, where its words tell."""
    ids: tuple[str, ...] = ()
    """Ids of items that it names."""
    paths: tuple[str, ...] = ()
    """Places that it names: `messages/3/content/0`, `items/7`."""
    parts: tuple[str, ...] = ()
    """Parts of the request that it says have changed: `system`, `tools`, `messages`."""
    profile: str | None = None
    """The destination that refuses so, where only one does."""
    source: str | None = None
    """Where these words were reported."""

    @property
    def known(self) -> bool:
        """Whether it is in the table."""
        return self.code != UNKNOWN

    @property
    def advice(self) -> str:
        """What the code means, and what to do."""
        meaning = DECISION_CODES.get(self.code)
        return ACTIONS[self.action] if meaning is None else f"{meaning} {ACTIONS[self.action]}"

    @discreet
    @readable
    def recover(self, items: Sequence[Any], wire: str | None = None, *, target: Target | str | None = None) -> Prepared:
        """The items that were refused, without what was refused: whole replay items go, visible turns stay.

        Which ones is said by the decisions. Thinking of Claude goes from the beginning up to the named block, since
        what is left must be an unbroken run. What nothing in the items would change is an error, so that nobody sends
        the same request again.

        Args:
            items: native items, as they were sent.
            wire: whose items they are; None where the refusal tells.
            target: where they are about to go: what is left is then prepared for it.

        Raises:
            ReplayError: `unknown_refusal`; `not_recoverable` (nothing in the items would help); `unknown_wire`;
                `type_mismatch` where something is no item.
            PrepareError: the target would refuse what is left.
        """
        if not self.known:
            raise ReplayError("unknown_refusal")
        spoken = wire or self.wire
        if spoken is None:
            raise ReplayError("unknown_wire")
        if isinstance(items, (str, bytes)) or not all(isinstance(item, Mapping) for item in items):
            raise ReplayError("type_mismatch", "items")
        return recover(items, spoken, target, self.action, ids=self.ids, paths=self.paths, profile=self.profile)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {
            "code": self.code,
            "action": self.action,
            "reason": self.reason,
            "status": self.status,
            "wire": self.wire,
            "ids": list(self.ids),
            "paths": list(self.paths),
            "parts": list(self.parts),
            "profile": self.profile,
            "source": self.source,
        }

    def __str__(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        named = ", ".join((*self.ids, *self.paths))
        return f"{self.code}{reason}{f' at {named}' if named else ''}: {self.advice}"


def explain(error_or_body: object) -> Explanation:
    """What a provider's refusal means, told by its status, code and words against a table of known ones.

    Args:
        error_or_body: an exception of an SDK or of ours, the body of the answer (object or text), or its message.

    Returns:
        Always an explanation; one that is not in the table has the code `unknown`, and is no guess. Nothing raises.
    """
    if isinstance(error_or_body, PrepareError):
        made = error_or_body.decision
        return Explanation(made.code, "prepare", made.reason, paths=(made.path,) if made.path else ())
    heard = hear(error_or_body)
    words = heard.words
    row = next((row for row in PATTERNS if _fits(row, heard, words)), None)
    if row is None:
        return Explanation(UNKNOWN, "none", status=heard.status)
    return Explanation(
        row.code,
        row.action,
        row.reason,
        heard.status,
        row.wire,
        ids(words),
        paths(words),
        parts(words),
        row.profile,
        row.source,
    )


def _fits(row: Pattern, heard: Heard, words: str) -> bool:
    return (not row.status or heard.status is None or heard.status in row.status) and bool(row.words.search(words))
