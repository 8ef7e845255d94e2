"""What the wires have in common that reach models through Amazon Bedrock.

A transport hands on what the messages of an AWS event stream hold. An exception ends the stream: it is handed on as a
mapping from its name to its fields.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["SCHEME", "model_path", "stream_exception"]

SCHEME: Final = "bedrock://"
"""Base URLs of Bedrock: `bedrock://<region>`."""


def model_path(model: str) -> str:
    """A model id as a part of a path; ARNs have slashes in them."""
    return re.sub(r"[^A-Za-z0-9_.~:;-]", lambda char: "".join(f"%{byte:02X}" for byte in char[0].encode()), model)


def stream_exception(event: Mapping[str, Any]) -> tuple[str, str] | None:
    """Code and text of an exception; None for any other event."""
    if len(event) != 1:
        return None
    name, fields = next(iter(event.items()))
    if not name.lower().endswith("exception") or not isinstance(fields, Mapping):
        return None
    return name, str(fields.get("message") or fields.get("Message") or "no message")
