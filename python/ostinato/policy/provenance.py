"""Whether a stored block of thinking is still what was captured."""

import hashlib
from collections.abc import Mapping
from typing import Any

from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.policy.decision import Decision
from ostinato.soundness import readable

__all__ = ["thinking_digest", "verify_thinking"]


@discreet
@readable
def thinking_digest(block: Mapping[str, Any]) -> dict[str, str | int]:
    """What to keep of a block at capture, so that a later change of it is seen: digests and a length, no content.

    An envelope of `serialize_reasoning_replay_envelope` holds a digest of its own; this is for whoever stores blocks.

    Raises:
        ReplayError: `type_mismatch` where the block is no thinking, `missing_field` where a part of it is not there.
    """
    text, signature = _parts(block)
    return {
        "thinking_sha256": _sha256(text),
        "thinking_bytes": len(_bytes(text)),
        "signature_sha256": _sha256(signature),
    }


@discreet
@readable
def verify_thinking(block: Mapping[str, Any], captured: Mapping[str, Any] | None = None) -> Decision | None:
    """Whether a stored block is what was captured.

    A block whose text was blanked on disk looks like one whose text was never shown: both are an empty text beside a
    signature, and only what was kept at capture tells them apart. Field report R085.

    Args:
        block: a thinking block of Anthropic Messages or a reasoning block of Bedrock Converse.
        captured: what `thinking_digest` gave, or a part of it; None where nobody kept it.

    Returns:
        `unknown_provenance`, to be kept as it is, where the text is empty and nothing was captured; else None.

    Raises:
        ReplayError: `state_modified` with the field that is not what it was.
    """
    text, signature = _parts(block)
    kept = captured or {}
    found = {
        "thinking_sha256": ("thinking", _sha256(text)),
        "thinking_bytes": ("thinking", len(_bytes(text))),
        "signature_sha256": ("signature", _sha256(signature)),
    }
    for name, (field, value) in found.items():
        if kept.get(name, value) != value:
            raise ReplayError("state_modified", field)
    if text == "" and not kept.keys() & {"thinking_sha256", "thinking_bytes"}:
        return Decision("unknown_provenance", "thinking", "kept")
    return None


def _parts(block: Mapping[str, Any]) -> tuple[str, str]:
    """Text and signature."""
    held: Any = block
    if "reasoningContent" in block:
        inner = block["reasoningContent"]
        held = inner.get("reasoningText") if isinstance(inner, Mapping) else None
    if not isinstance(held, Mapping):
        raise ReplayError("type_mismatch", "item")
    text, signature = held.get("text" if held is not block else "thinking"), held.get("signature")
    for name, value in (("thinking", text), ("signature", signature)):
        if not isinstance(value, str):
            # A block that has one of the two was signed thinking, or should be.
            is_half = value is None and (text is not None or signature is not None)
            raise ReplayError("missing_field" if is_half else "type_mismatch", name)
    return str(text), str(signature)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _sha256(text: str) -> str:
    return hashlib.sha256(_bytes(text)).hexdigest()
