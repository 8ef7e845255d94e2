"""From the events of a Converse stream to items: one per content block, known by its index.

Only calls and media say that they begin; any other block begins with its first piece. A block is complete at its stop
event, and only then is its state taken.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ostinato.arguments import parse_arguments
from ostinato.capture.fragments import fold
from ostinato.errors import ReplayError
from ostinato.messages import FinishReason, value_fault
from ostinato.replay import ReasoningItem, canonicalize_completed_reasoning_output_item
from ostinato.stream import Stream
from ostinato.wires._wire import REDACTED, Json
from ostinato.wires.bedrock import stream_exception
from ostinato.wires.bedrock_converse.dialects import Dialect
from ostinato.wires.bedrock_converse.encode import CITATIONS, NAME, SEALED
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


@dataclass(slots=True)
class _Block:
    """A block that has begun and not stopped."""

    key: int
    kind: str | None
    """Of its item; None for one that only the provider knows what to do with."""
    member: str
    whole: Json = field(default_factory=dict)
    """The fields of such a block."""
    input: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    sealed: list[bytes] = field(default_factory=list)
    citations: list[Any] = field(default_factory=list)


class Reader:
    """The parser of one response."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._open: dict[int, _Block] = {}
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

    def _start(self, index: int, start: Event, stream: Stream) -> _Block:
        member, fields = next(iter(start.items()))
        block = self._begin(index, member, stream, is_mine=not fields.get("type"))
        if block.kind == "tool_call":
            stream.open(block.key, "tool_call", name=fields["name"], tool_call_id=fields["toolUseId"])
        elif block.kind == "inline_data":
            stream.open(block.key, "inline_data", mime_type=f"image/{fields['format']}")
        elif block.kind is None:
            block.whole = dict(fields)
        return block

    def _begin(self, index: int, member: str, stream: Stream, *, is_mine: bool = True) -> _Block:
        """A block. A call that the platform answers itself is none for the caller."""
        self._stop(index, stream)  # no two blocks of one index are open
        kind = _KINDS.get(member) if is_mine else None
        block = self._open[index] = _Block(self._begun, kind, member)
        self._begun += 1
        if kind in (None, "text", "thinking"):
            stream.open(block.key, kind or "thinking")
        return block

    def _delta(self, index: int, delta: Event, stream: Stream) -> None:
        member, piece = next(iter(delta.items()))
        block = self._open.get(index)
        if block is None:
            if member in ("toolUse", "image"):
                raise stream.contradiction("a block of this kind says when it begins")
            block = self._begin(index, member, stream)
        if block.kind is None:
            _grow_verbatim(block, piece)
        elif _KINDS.get(member) != block.kind:
            raise stream.contradiction("a delta is of another kind than its block")
        elif member == "text":
            stream.add(block.key, "text", piece)
        elif member == "citation":
            block.citations.append(piece)
        elif member == "toolUse":
            stream.add(block.key, "tool_call", piece["input"])
        elif member == "image":
            stream.add(block.key, "inline_data", _bytes(piece["source"]["bytes"]))
        else:
            _grow_reasoning(block, piece, stream)

    def _stop(self, index: int, stream: Stream) -> None:
        block = self._open.pop(index, None)
        if block is None:
            return
        if block.kind == "thinking":
            self._seal_reasoning(block, stream)
        elif block.kind is None:
            _seal_verbatim(block, stream)
        elif block.citations:
            _keep_citations(block, stream)
        stream.close(block.key)

    def _seal_reasoning(self, block: _Block, stream: Stream) -> None:
        """Take the state of a reasoning block, if it is one that can go back."""
        shown, signature, sealed = stream.streamed(block.key), "".join(block.signature), b"".join(block.sealed)
        text = {"text": shown} | ({"signature": signature} if signature else {}) if shown or signature else None
        state = self._captured({"reasoningText": text, "redactedContent": sealed or None}, stream)
        if state is None:
            return
        if sealed:
            kept = {SEALED: state.get("reasoningContent")["redactedContent"]}
            stream.add(block.key, "thinking", REDACTED, kept)
        elif signature:
            stream.keep(block.key, {"signature": signature})
        else:
            stream.note("unsigned_thinking")

    def _captured(self, content: Json, stream: Stream) -> ReasoningItem | None:
        try:
            return canonicalize_completed_reasoning_output_item(
                {"reasoningContent": content}, wire=NAME, provider=self._dialect.provider
            )
        except ReplayError as error:
            stream.note(f"capture_refused:{error.code}")
            return None


def _bytes(blob: str | bytes) -> bytes:
    """Bytes, which JSON has as base64 and some SDKs as what they are."""
    return base64.b64decode(blob, validate=True) if isinstance(blob, str) else bytes(blob)


def _grow_reasoning(block: _Block, piece: Event, stream: Stream) -> None:
    for name, value in piece.items():
        if name == "text":
            stream.add(block.key, "thinking", value)
        elif name == "signature":
            block.signature.append(value)
        elif name == "redactedContent":
            block.sealed.append(_bytes(value))
        else:
            stream.unknown(f"reasoningContent:{name}")


def _grow_verbatim(block: _Block, piece: Any) -> None:  # noqa: ANN401 - a provider's value
    if block.member == "toolUse":
        block.input.append(piece["input"])
    elif isinstance(piece, Mapping):
        fold(block.whole, piece)
    else:
        fold(block.whole, {"content": list(piece)})


def _seal_verbatim(block: _Block, stream: Stream) -> None:
    """Keep a block of a kind not known here, and count it. What an SDK did not understand is lost already."""
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
        stream.keep(block.key, kept)


def _keep_citations(block: _Block, stream: Stream) -> None:
    if value_fault(block.citations) is None:
        stream.keep(block.key, {CITATIONS: block.citations})
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
