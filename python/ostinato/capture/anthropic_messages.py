"""Content blocks that come in pieces, each known by its index: those of Anthropic Messages.

A block is complete at its stop event. A signature that was cut before it would be refused on every later turn
(field report R089).
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from ostinato.capture.catch import Catch, Event, Json, place
from ostinato.capture.fragments import fold, join

__all__ = ["BEGINS", "Block", "Blocks", "Reader"]

_GROWS: Final = {"text_delta": "text", "thinking_delta": "thinking"}
BEGINS: Final = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking"}
"""Delta -> block that it may begin, should its start event be missing."""
_KNOWN: Final = ("text", "thinking", "redacted_thinking", "tool_use")
_STATE: Final = ("thinking", "redacted_thinking")


@dataclass(slots=True)
class Block:
    """A block that has begun and not stopped."""

    start: Json
    pieces: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    input: list[str] = field(default_factory=list)
    """Pieces of the arguments of a call, as text."""

    @property
    def kind(self) -> str:
        """Its type."""
        return str(self.start.get("type"))

    def add(self, delta: Event) -> None:
        """One delta."""
        kind = str(delta.get("type"))
        if kind in _GROWS:
            self.pieces[_GROWS[kind]].append(delta[_GROWS[kind]])
        elif kind == "input_json_delta":
            self.input.append(delta["partial_json"])
        elif kind == "signature_delta":
            # The provider sends one. A second one is the whole signature again, not more of it (anthropic 2.14).
            self.start["signature"] = delta["signature"] or self.start.get("signature")
        elif kind == "citations_delta":
            self.start["citations"] = [*(self.start.get("citations") or ()), delta["citation"]]
        else:
            fold(self.start, delta)

    def whole(self) -> Json:
        """The block as it is without a stream; the text of its arguments is still apart."""
        known = self.kind in _KNOWN  # of others nobody knows what a null means; of a compaction it means something
        block = {name: value for name, value in self.start.items() if value is not None or not known}
        for name in {*self.pieces, *({self.kind} & {"text", "thinking"})}:
            first = block.get(name)
            block[name] = join([first if isinstance(first, str) else "", *self.pieces[name]])
        if block.get("signature") == "":
            del block["signature"]  # of a server that signs nothing
        return block


class Blocks:
    """The blocks of a response that have begun and not stopped."""

    def __init__(self) -> None:
        self.open: dict[int, Block] = {}
        self._lost: set[int] = set()

    def start(self, index: int, block: Event) -> Block:
        """A block begins."""
        self._lost.discard(index)
        begun = self.open[index] = Block(dict(block))
        return begun

    def delta(self, index: int, delta: Event) -> None:
        """A piece of a block, which begins it where its start event is missing.

        Raises:
            KeyError: it belongs to no block, and begins none.
        """
        if index in self._lost:
            return
        block = self.open.get(index) or self.start(index, {"type": BEGINS[str(delta.get("type"))]})
        block.add(delta)

    def lose(self, index: int) -> None:
        """A piece of a block cannot be read: what follows of it would make another block than the model's."""
        self.open.pop(index, None)
        self._lost.add(index)

    def stop(self, index: int) -> Block | None:
        """A block is complete. None where none had begun."""
        return self.open.pop(index, None)


class Reader:
    """One response of Anthropic Messages."""

    def __init__(self, catch: Catch) -> None:
        self._catch = catch
        self._blocks = Blocks()
        self._content: list[Json] = []
        self._complete = False

    def feed(self, event: Event) -> None:
        """Read one event."""
        kind = event.get("type")
        if kind == "message_start":
            self._restart()
        elif kind == "content_block_start":
            self._abandon(place(event["index"]))  # no two blocks of one index are open
            self._blocks.start(event["index"], event["content_block"])
        elif kind == "content_block_delta":
            self._delta(place(event["index"]), event)
        elif kind == "content_block_stop":
            block = self._blocks.stop(place(event["index"]))
            if block is not None:
                self._commit(block, f"content/{event['index']}")
        elif kind == "message_stop":
            self._complete = True
            for index in [index for index, block in self._blocks.open.items() if block.kind not in _STATE]:
                # Some servers end a response without ending its blocks.
                self._commit(self._blocks.open.pop(index), f"content/{index}")

    def finish(self, *, cut: bool) -> tuple[list[Json], bool]:
        """The message."""
        for index in list(self._blocks.open):
            self._abandon(index)
        if self._content and all(str(block.get("type")) in _STATE for block in self._content):
            self._catch.alone(f"content/{len(self._content) - 1}")
        message = {"role": "assistant", "content": self._content}
        return ([message] if self._content else []), self._complete and not cut

    def _restart(self) -> None:
        for index in list(self._blocks.open):
            self._abandon(index)
        self._catch.restart(anything=bool(self._content))
        self._content = []

    def _delta(self, index: int, event: Event) -> None:
        try:
            self._blocks.delta(index, event["delta"])
        except (LookupError, TypeError, AttributeError, ValueError):
            self._abandon(index)
            self._blocks.lose(index)
            raise

    def _abandon(self, index: int) -> None:
        if self._blocks.stop(index) is not None:
            self._catch.cut(f"content/{index}")

    def _commit(self, block: Block, path: str) -> None:
        whole = block.whole()
        if block.kind == "redacted_thinking" or (block.kind == "thinking" and "signature" in whole):
            state = self._catch.seal(whole, path)
            if state is not None:
                self._content.append(state.to_dict())
            return
        if block.kind == "thinking":
            self._catch.log.kept("unsigned_thinking", path)
        if "".join(block.input):
            parsed = self._catch.parsed("".join(block.input), whole.get("id"), path)
            if parsed is None:
                return
            whole["input"] = parsed
        plain = self._catch.plain(whole, path)
        if plain is not None:
            self._content.append(plain)
