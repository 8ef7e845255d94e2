"""Thought signatures of Gemini: how they are spelled, what stands in for one, and where on a part it stands.

The field is bytes. In JSON it is base64 in either alphabet: answers use the standard one, Google's Python client writes
the URL-safe one (google-genai 1.75.0 to 3.6.1), some clients leave the padding off. So signatures are compared by
their bytes, and a stored one goes back character for character.
"""

import base64
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ostinato._core import signature_bytes as _bytes_of
from ostinato.errors import ReplayError
from ostinato.replay import canonicalize_completed_reasoning_output_item

__all__ = [
    "KEYS",
    "PLACEHOLDER",
    "SIGNATURE",
    "Relocated",
    "is_placeholder",
    "relocated",
    "signature_bytes",
    "signature_fault",
    "signature_of",
    "standard_signature",
    "unsigned",
]

Json = Mapping[str, Any]

SIGNATURE: Final = "thoughtSignature"
KEYS: Final = (SIGNATURE, "thought_signature")
"""The field of a part, as REST spells it and as Python clients do."""

PLACEHOLDER: Final = "skip_thought_signature_validator"
"""What Google documents as the signature of calls that no Gemini model made."""
# ai.google.dev thought-signatures, FAQ, 2026-11; Google Cloud documents the first alone (pydantic-ai#3881, 2025-12).
_LITERALS: Final = (PLACEHOLDER, "context_engineering_is_the_way_to_go")

_CALLS: Final = ("functionCall", "function_call")


def signature_bytes(signature: Any) -> bytes | None:  # noqa: ANN401 - what a history holds
    """The bytes of a signature; None where it is none: empty, cut, no base64, or of two alphabets at once (rule V5)."""
    if isinstance(signature, bytes):
        return signature or None
    return _bytes_of(signature) if isinstance(signature, str) else None


def standard_signature(signature: Any) -> str:  # noqa: ANN401 - what a history holds
    """A signature in the standard alphabet with padding, which every server takes. A stand-in stays as it is spelled.

    Raises:
        ReplayError: `signature_not_base64`.
    """
    if is_placeholder(signature):
        return signature if isinstance(signature, str) else _literal(signature)
    data = signature_bytes(signature)
    if data is None:
        raise ReplayError("signature_not_base64", SIGNATURE)
    return _standard(signature.rstrip("=")) if isinstance(signature, str) else base64.b64encode(data).decode()


def _literal(data: bytes) -> str:
    """The stand-in that bytes are: its characters, or what a client made of them by reading them as base64."""
    return next(literal for literal in _LITERALS if data in (literal.encode(), base64.urlsafe_b64decode(literal)))


def _standard(body: str) -> str:
    return body.replace("-", "+").replace("_", "/") + "=" * (-len(body) % 4)


def _spellings() -> frozenset[str | bytes]:
    """Every form in which released clients send a stand-in, and the bytes that they read it as."""
    spelled: set[str | bytes] = set()
    for literal in _LITERALS:
        raw = literal.encode()
        encoded = base64.b64encode(raw).decode()
        spelled |= {literal, encoded, encoded.rstrip("="), raw, base64.urlsafe_b64decode(raw)}
    return frozenset(spelled)


_SPELLINGS: Final = _spellings()


def is_placeholder(signature: Any) -> bool:  # noqa: ANN401 - what a history holds
    """Whether a signature is one of the documented stand-ins: constants, and no state.

    Both spellings are in use (2026-11): the literal itself, which by accident is URL-safe base64, and its base64, which
    clients send that keep signatures as bytes. To read the literal as base64 and write it in the other alphabet would
    make it something else.
    """
    return isinstance(signature, str | bytes) and signature in _SPELLINGS


def signature_of(part: Json) -> Any:  # noqa: ANN401 - what a history holds
    """The signature of a part, sound or not; None where it has none. An empty one is none: in protobuf it is absent."""
    return next((part[key] for key in KEYS if part.get(key) not in (None, "", b"")), None)


def signature_fault(signature: Any) -> str | None:  # noqa: ANN401 - what a history holds
    """Why a signature cannot be sent: the codec's code; None where it is sound."""
    try:
        canonicalize_completed_reasoning_output_item({SIGNATURE: signature}, wire="gemini-generate-content")
    except ReplayError as error:
        return error.code
    return None


def unsigned(part: Json) -> dict[str, Any]:
    """A part without its signature."""
    return {name: value for name, value in part.items() if name not in KEYS}


class Relocated(NamedTuple):
    """A part whose signature stands where it belongs, and where it stood."""

    part: dict[str, Any]
    source: str
    """`functionCall/thoughtSignature`"""
    to: str
    """`thoughtSignature`"""


def relocated(part: Json) -> Relocated | None:
    """A part with the signature that some stores put inside of its call (TanStack/ai#459, 2026-04) beside the call.

    None where there is nothing inside. Where the part has a signature already, that one stays.
    """
    own = signature_of(part)
    for name in _CALLS:
        call = part.get(name)
        if not isinstance(call, Mapping):
            continue
        for key in KEYS:
            if isinstance(call.get(key), str | bytes) and call[key]:
                bare = {inner: value for inner, value in call.items() if inner != key}
                moved = {} if own is not None else {key: call[key]}
                return Relocated({**part, name: bare, **moved}, f"{name}/{key}", key)
    return None
