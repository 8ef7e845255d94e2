"""The blocks of a gateway's `reasoning_details`: put together from a stream, kept as fidelity, and written back.

The whole run of blocks goes back as it came: in order, each with its own index, id, format and signature. Fragments of
one text or summary carry the same index and make one block; sealed blocks come whole.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ostinato.errors import ReplayError
from ostinato.messages import value_fault
from ostinato.replay import canonicalize_completed_reasoning_output_item, reasoning_replay_item_to_provider_input
from ostinato.stream import Stream
from ostinato.wires._wire import Json

__all__ = ["Blocks", "blocks_of", "complete_signatures", "holds_text", "shown_text"]

_ENCRYPTED: Final = "reasoning.encrypted"
_TEXT_FIELD: Final = {"reasoning.text": "text", "reasoning.summary": "summary"}
_KNOWN: Final = {*_TEXT_FIELD, _ENCRYPTED, "reasoning.server_tool_call"}

# Field of a sealed block -> its name in the fidelity of an item that is this block and nothing else.
_FLAT: Final = {"data": "encrypted_content", "format": "format", "id": "reasoning_id", "index": "index"}


def shown_text(block: Mapping[str, Any]) -> str:
    """What of a block, or of a fragment of one, is shown as thinking."""
    text = block.get("summary") or block.get("text")
    return text if isinstance(text, str) else ""


class Blocks:
    """The blocks of one thinking item, while they arrive."""

    def __init__(self) -> None:
        self._blocks: list[Json] = []

    def add(self, fragment: Mapping[str, Any], stream: Stream) -> None:
        """One entry of a chunk's list."""
        if fragment.get("type") == _ENCRYPTED and fragment in self._blocks:
            stream.note("repeated_block")
            return
        block = next((block for block in self._blocks if _continues(block, fragment)), None)
        if block is None:
            self._blocks.append(copy.deepcopy(dict(fragment)))
        else:
            _extend(block, fragment)

    def fidelity(self, stream: Stream) -> Json:
        """What the item keeps: a lone sealed block under the names of MMSP, any other run as a list."""
        blocks = [sound for block in self._blocks if (sound := _captured(block, stream)) is not None]
        if [block.get("type") for block in blocks] != [_ENCRYPTED]:
            return {"reasoning_details": blocks} if blocks else {}
        flat = {kept: blocks[0][name] for name, kept in _FLAT.items() if name in blocks[0]}
        # Without its format it would look like the state of another wire, and MMSP's readers would not send it.
        return flat if "format" in flat else flat | {"reasoning_details": blocks}


def _continues(block: Json, fragment: Mapping[str, Any]) -> bool:
    index, ids = fragment.get("index"), (block.get("id"), fragment.get("id"))
    return (
        fragment.get("type") in _TEXT_FIELD
        and block.get("type") == fragment.get("type")
        and index is not None
        and block.get("index") == index
        and (None in ids or ids[0] == ids[1])
    )


def _extend(block: Json, fragment: Mapping[str, Any]) -> None:
    grows = _TEXT_FIELD[block["type"]]
    for name, value in fragment.items():
        if value is None:
            continue
        if name == grows:
            block[name] = (block.get(name) or "") + value
        elif block.get(name) is None or name == "signature":
            block[name] = value


def _captured(block: Json, stream: Stream) -> Json | None:
    """The block in canonical form; None, and a note, where it could not be sent back."""
    _join_halves(block)
    if block.get("type") not in _KNOWN:
        # Leaving it out would tear the run apart, so a block of a kind not known yet goes back as it came.
        stream.note(f"unknown_block:{str(block.get('type'))[:64]}")
        return None if value_fault(block) else block
    try:
        item = canonicalize_completed_reasoning_output_item(block, wire="openai-chat", provider="openrouter")
    except ReplayError as error:
        stream.note(f"capture_refused:{error.code}")
        return None
    for name in item.dropped_fields:
        stream.note(f"dropped_field:{name[:64]}")
    return dict(reasoning_replay_item_to_provider_input(item))


def _join_halves(block: Json) -> None:
    """Put characters together whose two halves came in two fragments."""
    name = _TEXT_FIELD.get(str(block.get("type")), "")
    text = block.get(name)
    if isinstance(text, str) and not text.isascii():
        block[name] = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


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
    return [{"type": _ENCRYPTED, **fields}]


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
            _extend(signed, block)
    return whole


def _awaits(blocks: Sequence[Json], block: Json) -> Json | None:
    """The unsigned block of an earlier item that a block of nothing but a signature completes."""
    if block.get("type") != "reasoning.text" or block.get("text") or not block.get("signature"):
        return None
    return next((one for one in reversed(blocks) if not one.get("signature") and _continues(one, block)), None)
