"""A conversation without its state: what goes out when a provider refuses the state (openai/codex#8119)."""

from collections.abc import Sequence
from typing import Any, cast

from ostinato.policy.decision import Log
from ostinato.policy.profiles.responses import PROFILES
from ostinato.policy.responses.entry import Entry
from ostinato.policy.responses.ids import drop_ids
from ostinato.policy.responses.items import is_state
from ostinato.policy.responses.programs import drop_what_programs_left
from ostinato.policy.responses.units import groups
from ostinato.policy.rules import Items

__all__ = ["strip"]


def strip(items: Sequence[Any], log: Log) -> Items:
    """The items without any that carries state, and without the ids that were paired with those."""
    entries = [Entry(place, item) for place, item in enumerate(items)]
    for entry in entries:
        if is_state(entry.given):
            entry.item = None
            log.left_out("state_stripped", entry.path, **entry.named)
    drop_what_programs_left(entries, log)
    drop_ids(entries, groups(items), PROFILES["openai"], log)
    return [cast("dict[str, Any]", entry.item) for entry in entries if entry.item is not None]
