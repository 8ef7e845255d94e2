"""Wire items that no item of a message can say: kept whole, and sent back as they came.

A provider's own tool calls, their results and whatever it invents next are part of the prefix that it checks. Each
stays in its place as a thinking item without text, whose fidelity holds it. Only the wire it came on takes it back.
"""

import copy
from collections.abc import Mapping
from typing import Any

from ostinato.capture.fragments import without_bytes
from ostinato.messages import VERBATIM, value_fault

__all__ = ["keep_verbatim", "kept_verbatim"]

Json = dict[str, Any]


def keep_verbatim(wire: str, item: Json) -> Json | None:
    """The fidelity that holds a wire item; None where it could not be sent back as JSON.

    Bytes, as some SDKs hand them on, are kept as base64, as they were on the wire.
    """
    return None if value_fault(item) is not None else {VERBATIM: {"wire": wire, "item": without_bytes(item)}}


def kept_verbatim(wire: str, item: Mapping[str, Any]) -> Json | None:
    """A copy of the wire item that an item stands for; None where it stands for none, or for one of another wire."""
    kept = (item.get("fidelity") or {}).get(VERBATIM)
    if not isinstance(kept, Mapping) or kept.get("wire") != wire:
        return None
    whole = kept.get("item")
    return copy.deepcopy(whole) if isinstance(whole, dict) else None
