"""State that is complete in a stream: taken by the codec's rules, or not at all."""

from collections.abc import Mapping
from typing import Any

from ostinato.errors import ReplayError
from ostinato.replay import ReasoningItem, canonicalize_completed_reasoning_output_item
from ostinato.stream import Stream

__all__ = ["completed_state"]


def completed_state(
    item: Mapping[str, Any],
    stream: Stream,
    *,
    wire: str,
    provider: str | None,
    response_status: str | None = None,
) -> ReasoningItem | None:
    """A completed item of a response in canonical form; None where it is no state that could go back.

    Args:
        item: the item as the provider sent it.
        stream: where it is noted why an item was refused, and which of its fields were dropped.
        wire: whose item it is.
        provider: by whose contract it is read.
        response_status: of the response, where the item is taken from that.
    """
    try:
        state = canonicalize_completed_reasoning_output_item(
            item, wire=wire, provider=provider, response_status=response_status
        )
    except ReplayError as error:
        stream.note(f"capture_refused:{error.code}")
        return None
    for name in state.dropped_fields:
        stream.note(f"dropped_field:{name[:64]}")
    return state
