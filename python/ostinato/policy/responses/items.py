"""What an item of this wire is: whether the model made it, whether it carries state, how it may be named."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ostinato.policy.decision import Fact

__all__ = [
    "KEEPS_ID",
    "READ_BY_CODEC",
    "call_of",
    "ciphertexts",
    "id_of",
    "is_follower",
    "is_state",
    "kind_of",
    "named",
    "reads_as_text",
    "replayed",
]

Item = Mapping[str, Any]

READ_BY_CODEC: Final = frozenset({"reasoning", "compaction"})
"""Replay items whose fields the codec knows."""

_STATE_FIELD: Final = {"compaction_summary": "encrypted_content", "program": "fingerprint"}
"""Replay items beside those, and where their state sits. `compaction_summary` is Codex's older word for a compaction
(openai/codex protocol/src/models.rs, 2026-01); a fingerprint must be round-tripped (openai 3.57.0)."""

KEEPS_ID: Final = frozenset({"item_reference", "mcp_approval_request", "program"})
"""Kinds of which the id is what another item points at, or all there is."""

_NOT_FOLLOWING: Final = frozenset(
    {
        "additional_tools",
        "compaction",
        "compaction_summary",
        "compaction_trigger",
        "configuration_update",
        "item_reference",
        "",
    }
)
"""Kinds that are not what reasoning led to, beside messages of others and outputs of tools."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9+/=_.:;|~-]+")
"""What a ciphertext is written in: base64 of either alphabet, and the marks that gateways put between parts of it."""

_SHOWN_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
"""An id that can be shown. Longer ones are encrypted themselves (can1357/oh-my-pi#284)."""


def kind_of(item: Item) -> str:
    """Its type; `message` for the short form of a message, which has a role alone."""
    kind = item.get("type")
    if isinstance(kind, str):
        return kind
    return "message" if kind is None and "role" in item else ""


def is_follower(item: Item) -> bool:
    """Whether the model made it after it had reasoned: a message of its own, or a call, built-in tools' among them.

    A kind that is not known counts as one: it may be the call of a newer tool (ag2ai/ag2#3150).
    """
    kind = kind_of(item)
    if kind == "message":
        return item.get("role") == "assistant"
    return kind not in _NOT_FOLLOWING and kind != "reasoning" and not kind.endswith(("_output", "_response"))


def is_state(item: Item) -> bool:
    """Whether it carries, or should carry, state that only its issuer can read."""
    kind = kind_of(item)
    if kind in READ_BY_CODEC or kind in _STATE_FIELD:
        return True
    if kind == "message":
        return False  # visible, whatever else it carries
    return "encrypted_content" in item or bool(_encrypted_parts(item))


def ciphertexts(item: Item) -> list[Any]:
    """The values that must be state, None where one is missing. Empty for an item that is read by the codec."""
    kind = kind_of(item)
    if kind in READ_BY_CODEC:
        return []
    own = _STATE_FIELD.get(kind, "encrypted_content" if "encrypted_content" in item else None)
    found = [item.get(own)] if own else []
    return [*found, *(part.get("encrypted_content") for part in _encrypted_parts(item))]


def _encrypted_parts(item: Item) -> list[Item]:
    """The encrypted parts of an `agent_message` (beta of openai 3.57.0)."""
    content = item.get("content")
    parts = content if isinstance(content, list | tuple) else ()
    return [part for part in parts if isinstance(part, Mapping) and part.get("type") == "encrypted_content"]


def reads_as_text(ciphertext: str) -> bool:
    """Whether it is obviously no opaque token: white space, or characters that no encoding of bytes uses."""
    return _TOKEN.fullmatch(ciphertext) is None


def id_of(item: Item) -> str | None:
    """Its id; None where there is none that could be one."""
    own = item.get("id")
    return own if isinstance(own, str) and own else None


def call_of(item: Item) -> str | None:
    """What ties a call to its output."""
    call = item.get("call_id")
    return call if isinstance(call, str) and call else None


def named(item: Item) -> dict[str, Fact]:
    """How a decision names the item: by its id, where it can be shown."""
    own = id_of(item)
    return {"id": own} if own is not None and _SHOWN_ID.fullmatch(own) else {}


def replayed(items: Sequence[Item]) -> list[tuple[str, Any]]:
    """Every replay item that the codec reads, with its path."""
    return [(f"items/{place}", item) for place, item in enumerate(items) if kind_of(item) in READ_BY_CODEC]
