"""The events of a Converse stream: a mapping from the name of an event to what it holds.

Only calls and media say that they begin; any other block begins with its first piece. A block is complete at its stop
event. A signature and sealed content may come in pieces; each piece of sealed content is base64 of its own.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ostinato.capture.catch import Catch, Event, Json, place
from ostinato.capture.fragments import fold, join

__all__ = ["REASONING", "Block", "Reader"]

REASONING: Final = frozenset({"text", "signature", "redactedContent"})
"""What a piece of reasoning may be."""
_ANNOUNCED: Final = ("toolUse", "image")
_CITED: Final = {"text", "citation"}


@dataclass(slots=True)
class Block:
    """A block that has begun and not stopped."""

    member: str
    whole: Json = field(default_factory=dict)
    """Its fields, as far as they do not come in pieces."""
    text: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    sealed: list[bytes] = field(default_factory=list)
    input: list[str] = field(default_factory=list)
    citations: list[Any] = field(default_factory=list)
    as_bytes: bool = False
    """Whether the source hands on bytes as what they are (boto3), so that it takes them back so; JSON has base64."""

    def add(self, member: str, piece: Any) -> None:  # noqa: ANN401 - a provider's value
        """One delta."""
        if member == "text":
            self.text.append(piece)
        elif member == "citation":
            self.citations.append(piece)
        elif member == "toolUse":
            self.input.append(piece["input"])
        elif member == "image":
            self.sealed.append(self._bytes(piece["source"]["bytes"]))
        elif member == "reasoningContent":
            self._reason(piece)
        elif isinstance(piece, Mapping):
            fold(self.whole, piece)
        else:
            fold(self.whole, {"content": list(piece)})

    def _reason(self, piece: Event) -> None:
        for name, value in piece.items():
            if name == "redactedContent":
                self.sealed.append(self._bytes(value))
            elif name == "text":
                self.text.append(value)
            elif name == "signature":
                self.signature.append(value)
            else:
                raise LookupError  # state of a kind not known here

    def _bytes(self, value: Any) -> bytes:  # noqa: ANN401 - a provider's value
        self.as_bytes = not isinstance(value, str)
        return base64.b64decode(value, validate=True) if isinstance(value, str) else bytes(memoryview(value))

    def _blob(self) -> bytes | str:
        whole = b"".join(self.sealed)
        return whole if self.as_bytes else base64.b64encode(whole).decode()

    def content(self) -> Json:
        """The block as it is without a stream; the text of its arguments is still apart."""
        if self.member == "reasoningContent":
            return {"reasoningContent": self._reasoning()}
        if self.member == "image":
            return {"image": self.whole | {"source": {"bytes": self._blob()}}}
        if self.citations:
            return {"citationsContent": {"content": [{"text": join(self.text)}], "citations": self.citations}}
        return {"text": join(self.text)} if self.member in ("text", "citation") else {self.member: self.whole}

    def _reasoning(self) -> Json:
        if self.sealed and not (self.text or self.signature):
            return {"redactedContent": self._blob()}
        signature = "".join(self.signature)
        said = {"text": join(self.text)} | ({"signature": signature} if signature else {})
        sealed = {"redactedContent": self._blob()} if self.sealed else {}
        return {"reasoningText": said} | sealed


class Reader:
    """One response of Converse."""

    def __init__(self, catch: Catch) -> None:
        self._catch = catch
        self._open: dict[int, Block] = {}
        self._lost: set[int] = set()
        self._content: list[Json] = []
        self._complete = False

    def feed(self, event: Event) -> None:
        """Read one event."""
        for name, held in event.items():
            if name == "contentBlockStart":
                index = place(held["contentBlockIndex"])
                self._abandon(index)  # no two blocks of one index are open
                self._lost.discard(index)
                ((member, fields),) = held["start"].items()
                self._open[index] = Block(member, dict(fields))
            elif name == "contentBlockDelta":
                self._delta(place(held["contentBlockIndex"]), held["delta"])
            elif name == "contentBlockStop":
                self._stop(place(held["contentBlockIndex"]))
            elif name == "messageStop":
                self._complete = True
                for index in [index for index, block in self._open.items() if block.member != "reasoningContent"]:
                    self._stop(index)

    def finish(self, *, cut: bool) -> tuple[list[Json], bool]:
        """The message."""
        for index in list(self._open):
            self._abandon(index)
        if self._content and all("reasoningContent" in block for block in self._content):
            self._catch.alone(f"content/{len(self._content) - 1}")
        message = {"role": "assistant", "content": self._content}
        return ([message] if self._content else []), self._complete and not cut

    def _delta(self, index: int, delta: Event) -> None:
        try:
            ((member, piece),) = delta.items()
            if index not in self._lost:
                self._block(index, member).add(member, piece)
        except (LookupError, TypeError, AttributeError, ValueError):
            self._abandon(index)
            self._lost.add(index)  # what follows of it would make another block than the model's
            raise

    def _block(self, index: int, member: str) -> Block:
        block = self._open.get(index)
        if block is None and member not in _ANNOUNCED:
            block = self._open[index] = Block(member)
        if block is None or (member != block.member and {member, block.member} != _CITED):
            raise LookupError  # of another kind than its block, or of a block that never began
        return block

    def _stop(self, index: int) -> None:
        block = self._open.pop(index, None)
        if block is not None:
            self._commit(block, f"content/{index}")

    def _abandon(self, index: int) -> None:
        if self._open.pop(index, None) is not None:
            self._catch.cut(f"content/{index}")

    def _commit(self, block: Block, path: str) -> None:
        content = block.content()
        if block.member == "reasoningContent":
            state = self._catch.seal(content, path)
            if state is None:
                return
            if not (block.signature or block.sealed):
                self._catch.log.kept("unsigned_thinking", path)
            self._content.append(content if block.sealed else state.to_dict())
            return
        if "".join(block.input) or block.member == "toolUse":
            text = "".join(block.input)
            parsed = self._catch.parsed(text, block.whole.get("toolUseId"), path)
            if parsed is None:
                return
            content[block.member]["input"] = parsed
        plain = self._catch.plain(content, path, keeps_bytes=block.as_bytes)
        self._content += [] if plain is None else [plain]
