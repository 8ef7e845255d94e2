"""The blocks of a gateway's `reasoning_details`: put together from a stream, kept as fidelity, and written back.

The whole run of blocks goes back as it came: in order, each with its own index, id, format and signature. Fragments of
one text or summary carry the same index and make one block; sealed blocks come whole.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ostinato.messages import value_fault
from ostinato.policy.reasoning_details import ENCRYPTED, KNOWN, Details
from ostinato.replay import reasoning_replay_item_to_provider_input
from ostinato.stream import Stream
from ostinato.wires._wire import Json
from ostinato.wires.completed_state import completed_state

__all__ = ["Blocks", "blocks_of", "complete_signatures", "holds_text", "shown_text"]


# Field of a sealed block -> its name in the fidelity of an item that is this block and nothing else.
_FLAT: Final = {"data": "encrypted_content", "format": "format", "id": "reasoning_id", "index": "index"}


def shown_text(block: Mapping[str, Any]) -> str:
    """What of a block, or of a fragment of one, is shown as thinking."""
    text = block.get("summary") or block.get("text")
    return text if isinstance(text, str) else ""


class Blocks:
    """The blocks of one thinking item, while they arrive."""

    def __init__(self) -> None:
        self._details = Details()

    def add(self, fragment: Mapping[str, Any], stream: Stream) -> None:
        """One entry of a chunk's list."""
        if not self._details.add(fragment):
            stream.note("repeated_block")

    def fidelity(self, stream: Stream) -> Json:
        """What the item keeps: a lone sealed block under the names of MMSP, any other run as a list."""
        blocks = [sound for block in self._details.whole() if (sound := _captured(block, stream)) is not None]
        if [block.get("type") for block in blocks] != [ENCRYPTED]:
            return {"reasoning_details": blocks} if blocks else {}
        flat = {kept: blocks[0][name] for name, kept in _FLAT.items() if name in blocks[0]}
        # Without its format it would look like the state of another wire, and MMSP's readers would not send it.
        return flat if "format" in flat else flat | {"reasoning_details": blocks}


def _captured(block: Json, stream: Stream) -> Json | None:
    """The block in canonical form; None, and a note, where it could not be sent back."""
    if block.get("type") not in KNOWN:
        # Leaving it out would tear the run apart, so a block of a kind not known yet goes back as it came.
        stream.note(f"unknown_block:{str(block.get('type'))[:64]}")
        return None if value_fault(block) else block
    state = completed_state(block, stream, wire="openai-chat", provider="openrouter")
    return None if state is None else dict(reasoning_replay_item_to_provider_input(state))


# Writing back.


def blocks_of(kept: Mapping[str, Any]) -> list[Json]:
    """The blocks that a thinking item stands for; none where its state is of another kind."""
    details = kept.get("reasoning_details")
    if isinstance(details, (list, tuple)) and details:
        return [copy.deepcopy(dict(block)) for block in details if isinstance(block, Mapping)]
    data, form = kept.get("encrypted_content"), kept.get("format")
    is_block = isinstance(form, str) or isinstance(kept.get("reasoning_id"), str)
    if not isinstance(data, str) or not data or not is_block or "channel" in kept:
        return []  # the state of a Responses item, if it is any
    kinds = {"encrypted_content": str, "format": str, "reasoning_id": str, "index": int}
    fields = {name: kept[flat] for name, flat in _FLAT.items() if isinstance(kept.get(flat), kinds[flat])}
    return [{"type": ENCRYPTED, **fields}]


def holds_text(blocks: Sequence[Mapping[str, Any]], text: str) -> bool:
    """Whether the blocks say the text themselves."""
    return "".join(shown_text(block) for block in blocks) == text


def complete_signatures(blocks: Sequence[Json]) -> list[Json]:
    """The blocks of a message, a signature that came after its text put where it belongs."""
    whole: list[Json] = []
    for block in blocks:
        signed = _awaits(whole, block)
        if signed is None:
            whole.append(block)
        else:
            signed["signature"] = block["signature"]
    return whole


def _awaits(blocks: Sequence[Json], late: Json) -> Json | None:
    """The unsigned block of an earlier item that a block of nothing but a signature completes."""
    if late.get("type") != "reasoning.text" or late.get("text") or not late.get("signature"):
        return None
    same = [one for one in blocks if (one.get("type"), one.get("index")) == (late["type"], late.get("index"))]
    return same[-1] if same and late.get("index") is not None and not same[-1].get("signature") else None
