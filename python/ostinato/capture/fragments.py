"""Putting together what a provider sends in pieces."""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["fold", "join", "text", "without_bytes"]

Json = dict[str, Any]


def join(pieces: Iterable[str]) -> str:
    """The text of its pieces; characters are whole again whose two halves came in two of them."""
    whole = "".join(pieces)
    return whole if whole.isascii() else whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def text(value: object) -> str:
    """A piece of a text.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, str):
        raise TypeError
    return value


def fold(whole: Json, delta: Mapping[str, Any]) -> None:
    """Add a piece to a wire item of a kind not known here: texts and lists grow, anything else is set."""
    for name, value in delta.items():
        grown = whole.get(name)
        if name == "type" or value is None:
            continue
        grows = type(grown) is type(value) and isinstance(value, (str, list))
        whole[name] = grown + value if grows else value


def without_bytes(value: Any) -> Any:  # noqa: ANN401 - a provider's value
    """A copy of a wire value. Bytes, as some SDKs hand them on, are base64, as they were on the wire."""
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {name: without_bytes(part) for name, part in value.items()}
    return [without_bytes(part) for part in value] if isinstance(value, (list, tuple)) else value
