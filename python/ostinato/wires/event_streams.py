"""Exceptions in AWS event streams, which end them with a message of another kind.

A transport hands such a message on as a mapping from the exception's name to its fields.
"""

from collections.abc import Mapping
from typing import Any

__all__ = ["stream_exception"]


def stream_exception(event: Mapping[str, Any]) -> tuple[str, str] | None:
    """Code and text of an exception; None for any other event."""
    if len(event) != 1:
        return None
    name, fields = next(iter(event.items()))
    if not name.lower().endswith("exception") or not isinstance(fields, Mapping):
        return None
    return name, str(fields.get("message") or fields.get("Message") or "no message")
