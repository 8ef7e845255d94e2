"""The rules of destinations that take blocks of thinking: Anthropic Messages and Bedrock Converse."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final

from ostinato.policy.profile import Cell, Profile

__all__ = ["BINDING_BETA", "ThinkingProfile"]

BINDING_BETA: Final = "thinking-binding-controls-2026-08-01"
"""The beta without which `thinking.block_binding` is refused."""

_MESSAGES_API: Final = "platform.claude.com API reference of Messages; the API's own errors"
_THINKING: Final = "platform.claude.com build-with-claude/extended-thinking and preserved-thinking"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingProfile(Profile):
    """A destination whose state stands in blocks of messages. Where a row says no more, the rules are Claude's."""

    kin: Cell[tuple[str, ...]] = Cell((), "no other platform is documented", "2026-11")
    """Other providers of the same models. State of theirs is foreign by account first: the models are the same."""
    reads: Cell[tuple[tuple[str, str], ...]] = Cell((), "no others are documented", "2026-11")
    """Pairs of a model and another one whose state it reads; `*` is any model."""
    unsigned: Cell[str] = Cell(
        "drop", "signature is required in anthropic 2.14.0 types; field reports R110, R119", "2026-11"
    )
    """Thinking without a signature: `drop` or `keep`."""
    unsound: Cell[str] = Cell(
        "drop", "data and signature are required in anthropic 2.14.0 types; field report R104", "2026-11"
    )
    """A signed or redacted block that could not go back, such as one without its data: `drop` or `raise`."""
    whole_runs: Cell[bool] = Cell(
        True, _THINKING + ": the run of consecutive blocks must be what the model produced", "2026-11"
    )
    """Whether consecutive blocks of thinking go all or none."""
    extra_fields: Cell[str] = Cell(
        "drop", "the API refuses fields it does not know, and cache_control on thinking; field report R124", "2026-11"
    )
    """Fields of a block of state that the wire does not define: `drop` or `keep`."""
    may_end: Cell[bool] = Cell(
        False,
        "the API's error: the final block in an assistant message cannot be thinking; field report R086",
        "2026-11",
    )
    """Whether a message may end with thinking."""
    orphans: Cell[str] = Cell("drop", _MESSAGES_API + ": a call without its result, or the reverse", "2026-11")
    """A call without its result or a result without its call, in a turn that is over: `drop`, `keep` or `raise`."""
    empty_messages: Cell[str] = Cell(
        "drop",
        "no provider takes a message that was thinking alone; leaving it out is our choice, MMSP-RFC-0004 section 5"
        " refuses the request (field report R188)",
        "2026-11",
    )
    """A message of which nothing is left: `drop` it or `raise`."""
    blank_text: Cell[str] = Cell(
        "keep",
        "the API refuses blank text, yet an edited turn fails the prefix check (preserved-thinking): nobody tried both",
        "2026-11",
        certain=False,
    )
    """A text of nothing but white space: `drop` or `keep`."""
    blank_result: Cell[str | None] = Cell(None, "the API takes a result without content", "2026-11")
    """What stands for the content of a blank result; None where it is taken as it is."""
    alternate: Cell[bool] = Cell(False, "API reference: consecutive turns of one role are combined", "2026-11")
    """Whether the roles must alternate, so that neighbours of one role are joined."""
    betas: Cell[tuple[tuple[str, str], ...]] = Cell((), "no setting of these is known there", "2026-11")
    """Pairs of a setting and the beta without which it is refused."""
    missing_beta: Cell[str] = Cell("raise", "field report R124: the request is refused", "2026-11")
    """A setting without its beta: `raise` or `report`."""

    choices: ClassVar[Mapping[str, tuple[Any, ...]]] = MappingProxyType(
        {
            **Profile.choices,
            "unsigned": ("drop", "keep"),
            "unsound": ("drop", "raise"),
            "whole_runs": (True, False),
            "extra_fields": ("drop", "keep"),
            "may_end": (True, False),
            "orphans": ("drop", "keep", "raise"),
            "empty_messages": ("drop", "raise"),
            "blank_text": ("drop", "keep"),
            "alternate": (True, False),
            "missing_beta": ("raise", "report"),
        }
    )
