"""From the events of a Converse stream to items: one per content block, known by its index.

Only calls and media say that they begin; any other block begins with its first piece. A block is complete at its stop
event, and only then is its state taken.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ostinato.arguments import parse_arguments
from ostinato.capture.bedrock_converse import REASONING, Block
from ostinato.messages import FinishReason, value_fault
from ostinato.stream import Stream
from ostinato.wires._wire import REDACTED
from ostinato.wires.bedrock import stream_exception
from ostinato.wires.bedrock_converse.dialects import Dialect
from ostinato.wires.bedrock_converse.encode import CITATIONS, NAME, SEALED
from ostinato.wires.completed_state import completed_state
from ostinato.wires.verbatim import keep_verbatim

__all__ = ["Reader"]

Event = Mapping[str, Any]

# Member of a delta -> kind of item.
_KINDS: Final = {
    "text": "text",
    "citation": "text",
    "reasoningContent": "thinking",
    "toolUse": "tool_call",
    "image": "inline_data",
}
_FINISH: Final[Mapping[str, FinishReason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_call",
}


class _Item(NamedTuple):
    """The item of a block that has begun and not stopped."""

    key: int
    kind: str | None
    """None for a block that only the provider knows what to do with."""
    block: Block
    """The block as it goes back, put together by the same rules as a capture."""


class Reader:
    """The parser of one response."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._open: dict[int, _Item] = {}
        self._begun = 0

    def __call__(self, event: Event, stream: Stream) -> None:
        """Read one event: a mapping from its name to what it holds."""
        fault = stream_exception(event)
        if fault is not None:
            stream.fail(*fault)
        for name, held in event.items():
            if name == "contentBlockStart":
                self._start(held["contentBlockIndex"], held["start"], stream)
            elif name == "contentBlockDelta":
                self._delta(held["contentBlockIndex"], held["delta"], stream)
            elif name == "contentBlockStop":
                self._stop(held["contentBlockIndex"], stream)
            elif name == "messageStop":
                for index in list(self._open):
                    self._stop(index, stream)
                stream.report_finish(_FINISH.get(held["stopReason"], "unknown"))
            elif name == "metadata":
                _counts(held.get("usage") or {}, stream)
            elif name != "messageStart":
                stream.unknown(name)

    # Blocks.

    def _start(self, index: int, start: Event, stream: Stream) -> None:
        member, fields = next(iter(start.items()))
        item = self._begin(index, member, stream, is_mine=not fields.get("type"))
        if item.kind == "tool_call":
            stream.open(item.key, "tool_call", name=fields["name"], tool_call_id=fields["toolUseId"])
        elif item.kind == "inline_data":
            stream.open(item.key, "inline_data", mime_type=f"image/{fields['format']}")
        elif item.kind is None:
            item.block.whole.update(fields)

    def _begin(self, index: int, member: str, stream: Stream, *, is_mine: bool = True) -> _Item:
        """A block. A call that the platform answers itself is none for the caller."""
        self._stop(index, stream)  # no two blocks of one index are open
        kind = _KINDS.get(member) if is_mine else None
        item = self._open[index] = _Item(self._begun, kind, Block(member))
        self._begun += 1
        if kind in (None, "text", "thinking"):
            stream.open(item.key, kind or "thinking")
        return item

    def _delta(self, index: int, delta: Event, stream: Stream) -> None:
        member, piece = next(iter(delta.items()))
        item = self._open.get(index)
        if item is None:
            if member in ("toolUse", "image"):
                raise stream.contradiction("a block of this kind says when it begins")
            item = self._begin(index, member, stream)
        if item.kind is not None and _KINDS.get(member) != item.kind:
            raise stream.contradiction("a delta is of another kind than its block")
        if item.kind == "thinking":
            for name in piece.keys() - REASONING:
                stream.unknown(f"reasoningContent:{name}")
            piece = {name: value for name, value in piece.items() if name in REASONING}
        item.block.add(member, piece)
        _show(item, member, piece, stream)

    def _stop(self, index: int, stream: Stream) -> None:
        item = self._open.pop(index, None)
        if item is None:
            return
        if item.kind == "thinking":
            self._seal_reasoning(item, stream)
        elif item.kind is None:
            _seal_verbatim(item, stream)
        elif item.block.citations:
            _keep_citations(item, stream)
        stream.close(item.key)

    def _seal_reasoning(self, item: _Item, stream: Stream) -> None:
        """Take the state of a reasoning block, if it is one that can go back."""
        state = completed_state(item.block.content(), stream, wire=NAME, provider=self._dialect.provider)
        if state is None:
            return
        if item.block.sealed:
            kept = {SEALED: state.get("reasoningContent")["redactedContent"]}
            stream.add(item.key, "thinking", REDACTED, kept)
        elif item.block.signature:
            stream.keep(item.key, {"signature": "".join(item.block.signature)})
        else:
            stream.note("unsigned_thinking")


def _show(item: _Item, member: str, piece: Any, stream: Stream) -> None:  # noqa: ANN401 - a provider's value
    if item.kind == "thinking" and "text" in piece:
        stream.add(item.key, "thinking", piece["text"])
    elif item.kind == "text" and member == "text":
        stream.add(item.key, "text", piece)
    elif item.kind == "tool_call":
        stream.add(item.key, "tool_call", piece["input"])
    elif item.kind == "inline_data":
        stream.add(item.key, "inline_data", item.block.sealed[-1])


def _seal_verbatim(item: _Item, stream: Stream) -> None:
    """Keep a block of a kind not known here, and count it. What an SDK did not understand is lost already."""
    block = item.block
    if block.member == "SDK_UNKNOWN_MEMBER":
        stream.unknown(f"block:{block.whole.get('name')}")
        return
    stream.note(f"kept_block:{block.member[:64]}")
    try:
        parsed = {"input": parse_arguments("".join(block.input))} if block.member == "toolUse" else {}
    except ValueError:
        parsed = None
    kept = None if parsed is None else keep_verbatim(NAME, {block.member: block.whole | parsed})
    if kept is None:
        stream.note("capture_refused:not_json")
    else:
        stream.keep(item.key, kept)


def _keep_citations(item: _Item, stream: Stream) -> None:
    if value_fault(item.block.citations) is None:
        stream.keep(item.key, {CITATIONS: item.block.citations})
    else:
        stream.note("capture_refused:not_json")


def _counts(usage: Event, stream: Stream) -> None:
    """The input does not count what was read from the cache; what was written to it is counted apart."""
    fresh = usage.get("inputTokens")
    stream.report_usage(
        cached_tokens=usage.get("cacheReadInputTokens"),
        prompt_tokens=None if fresh is None else fresh + (usage.get("cacheWriteInputTokens") or 0),
        response_tokens=usage.get("outputTokens"),
    )
