"""Signatures in histories that do not say where they were made.

Several wires keep state under the name `signature`. Where a message has no `origin`, what stands beside it tells.
"""

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["lone_signature"]

_OF_OTHER_WIRES: Final = frozenset(
    {"channel", "encrypted_content", "format", "reasoning_id", "reasoning_field", "reasoning_details"}
)
"""What Responses and Chat Completions keep. A signature beside it is one of theirs."""


def lone_signature(item: Mapping[str, Any]) -> Any:  # noqa: ANN401 - text, or bytes in the oldest histories
    """The signature of an item, unless it belongs to another wire; None without one."""
    kept = item.get("fidelity") or {}
    return None if _OF_OTHER_WIRES & kept.keys() else kept.get("signature")
