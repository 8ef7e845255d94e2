"""Claude models, whichever wire they are reached by: how much they think, and what they refuse."""

from collections.abc import Mapping
from typing import Any, Final

from ostinato.wires._settings import Settings

__all__ = ["LEVELS", "NEVER_FORCED", "OFF", "Level", "Levels", "levels", "write_thinking"]

Json = dict[str, Any]
Level = tuple[str, str | None]
"""A type of thinking and an effort, which is not sent where it is None."""
Levels = tuple[tuple[str, Mapping[str, Level]], ...]
"""Thinking levels, by a part of the model id; the first that fits counts."""

OFF: Final = ("disabled", None)
_LEAST: Final = ("adaptive", "low")


def levels(none: Level, *, xhigh: str = "xhigh") -> Mapping[str, Level]:
    """The levels of one kind of models, which differ in how little they can think and in one name."""
    efforts = {"low": "low", "medium": "medium", "high": "high", "xhigh": xhigh, "max": "max"}
    return {"none": none, **{level: ("adaptive", effort) for level, effort in efforts.items()}}


LEVELS: Final[Levels] = (
    # These always think: the lowest effort is the least there is.
    ("opus-5-5", levels(_LEAST)),
    ("fable-5", levels(_LEAST)),
    ("haiku-5-5", levels(_LEAST)),
    # This one can leave out what it thinks before it answers, not what it thinks between calls.
    ("sonnet-5-5", levels(("between_tools", None))),
    ("4-6", levels(OFF, xhigh="high")),
    ("", levels(OFF)),
)

NEVER_FORCED: Final = ("opus-5-5", "sonnet-5-5", "haiku-5-5", "fable-5-1")
"""Parts of the ids of models that refuse to be told to call a tool."""


def write_thinking(table: Levels, model: str, settings: Settings) -> Json:
    """How much to think, and whether to show it: what is to be shown is a part of the block that says how much."""
    chosen: Level | None = settings.level(next(row for part, row in table if part in model))
    summary = settings.get("thinking_summary")
    if chosen is None and summary is None:
        return {}
    kind, effort = chosen or ("adaptive", None)
    shown = {"display": "summarized" if summary else "omitted"} if summary is not None and kind == "adaptive" else {}
    return {"thinking": {"type": kind, **shown}} | ({"output_config": {"effort": effort}} if effort else {})
