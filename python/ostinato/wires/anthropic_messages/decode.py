"""From the events of a response to items: one per content block, known by its index. Those of Bedrock are the same.

A block is complete at its stop event, and only then is its state taken: a signature that was cut short would be refused
on every later turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ostinato.arguments import parse_arguments, write_arguments
from ostinato.capture.fragments import fold
from ostinato.errors import ReplayError
from ostinato.messages import FinishReason, value_fault
from ostinato.replay import canonicalize_completed_reasoning_output_item
from ostinato.stream import Stream
from ostinato.wires._wire import REDACTED, Json
from ostinato.wires.anthropic_messages.dialects import Dialect
from ostinato.wires.anthropic_messages.encode import BESIDE, NAME
from ostinato.wires.bedrock import stream_exception
from ostinato.wires.verbatim import keep_verbatim

__all__ = ["Reader"]

Event = Mapping[str, Any]

# Block -> kind of item, and the fields that the item says itself.
_KINDS: Final = {
    "text": ("text", {"type", "text"}),
    "thinking": ("thinking", {"type", "thinking", "signature"}),
    "redacted_thinking": ("thinking", {"type", "data"}),
    "tool_use": ("tool_call", {"type", "id", "name", "input"}),
}
# Delta -> block that it may begin, should its start event be missing.
_BEGINS: Final = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking"}

_FINISH: Final[Mapping[str, FinishReason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_call",
}

# Heartbeats, and what some SDKs add of their own.
_NOTHING_NEW: Final = {"ping", "text", "thinking", "signature", "input_json", "citation", "compaction"}


@dataclass(slots=True)
class _Block:
    """A block that has begun and not stopped."""

    key: int
    kind: str
    start: Json
    """As it began; a block of a kind not known here is put together in it."""
    signature: str = ""
    citations: list[Any] = field(default_factory=list)
    input: list[str] = field(default_factory=list)


class Reader:
    """The parser of one response."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._open: dict[int, _Block] = {}
        self._begun = 0
        self._says_something = False
        """Whether there is more than thinking."""

    def __call__(self, event: Event, stream: Stream) -> None:
        """Read one event."""
        kind = event.get("type")
        fault = stream_exception(event)
        if fault is not None:
            stream.fail(*fault)
        elif kind == "content_block_start":
            self._start(event["index"], event["content_block"], stream)
        elif kind == "content_block_delta":
            self._delta(event["index"], event["delta"], stream)
        elif kind == "content_block_stop":
            self._stop(event["index"], stream)
        elif kind == "message_start":
            _input_counts(event["message"].get("usage") or {}, stream)
            _dropped(event["message"], stream)
        elif kind == "message_delta":
            self._message_delta(event, stream)
        elif kind == "message_stop":
            self._stop_all(stream)
        elif kind == "error":
            error = event.get("error") or {}
            stream.fail(error.get("type"), str(error.get("message") or "no message"))
        elif kind not in _NOTHING_NEW:
            stream.unknown(str(kind))

    # Blocks.

    def _start(self, index: int, start: Event, stream: Stream) -> _Block:
        self._stop(index, stream)  # no two blocks of one index are open
        block = self._open[index] = _Block(self._begun, str(start.get("type")), dict(start))
        self._begun += 1
        kind, _ = _KINDS.get(block.kind, ("thinking", None))
        if kind == "tool_call":
            self._says_something = True
            stream.open(block.key, kind, name=start.get("name"), tool_call_id=start.get("id"))
        else:
            stream.open(block.key, kind)
        if block.kind in ("text", "thinking"):
            self._grow(block, start.get(block.kind) or "", stream)
        block.signature = start.get("signature") or ""
        block.citations += start.get("citations") or ()
        return block

    def _delta(self, index: int, delta: Event, stream: Stream) -> None:
        kind = str(delta.get("type"))
        block = self._open.get(index)
        if block is None:
            if kind not in _BEGINS:
                raise stream.contradiction("a delta belongs to no block")
            block = self._start(index, {"type": _BEGINS[kind]}, stream)
        if block.kind not in _KINDS and kind == "input_json_delta":
            block.input.append(delta["partial_json"])
        elif block.kind not in _KINDS:
            fold(block.start, delta)
        elif kind in ("text_delta", "thinking_delta") and kind.startswith(block.kind):
            self._grow(block, delta[block.kind], stream)
        elif kind == "input_json_delta" and block.kind == "tool_use":
            stream.add(block.key, "tool_call", delta["partial_json"])
        elif kind == "signature_delta" and block.kind == "thinking":
            # The provider sends one. A second one is the whole signature again, not more of it.
            block.signature = delta["signature"] or block.signature
        elif kind == "citations_delta" and block.kind == "text":
            block.citations.append(delta["citation"])
        elif kind in (*_BEGINS, "input_json_delta", "citations_delta"):
            raise stream.contradiction("a delta is of another kind than its block")
        else:
            stream.unknown(kind)

    def _grow(self, block: _Block, text: str, stream: Stream) -> None:
        self._says_something = self._says_something or (block.kind == "text" and bool(text))
        stream.add(block.key, _KINDS[block.kind][0], text)

    def _stop(self, index: int, stream: Stream) -> None:
        block = self._open.pop(index, None)
        if block is None:
            return
        if block.kind == "thinking":
            _seal_thinking(self._dialect, block, stream)
        elif block.kind == "redacted_thinking":
            _seal_redacted(self._dialect, block, stream)
        elif block.kind not in _KINDS:
            self._says_something = _seal_verbatim(block, stream) or self._says_something
        else:
            _keep_beside(block, stream)
        whole = block.start.get("input") if block.kind == "tool_use" else None
        stream.close(block.key, write_arguments(whole) if whole else None)

    def _stop_all(self, stream: Stream) -> None:
        """Some servers end a response without ending its blocks."""
        for index in list(self._open):
            self._stop(index, stream)

    # The end.

    def _message_delta(self, event: Event, stream: Stream) -> None:
        delta = event.get("delta") or {}
        reason = delta.get("stop_reason")
        usage = event.get("usage") or {}
        if self._dialect.late_counts:
            _all_counts(usage, stream)
        else:
            stream.report_usage(response_tokens=usage.get("output_tokens"))
        _dropped(event, stream)
        if not reason:
            return
        self._stop_all(stream)
        stream.report_finish(_FINISH.get(reason, "unknown"))
        if reason == "refusal" and not self._says_something:
            stream.refuse(str((delta.get("stop_details") or {}).get("explanation") or "no explanation"))


def _seal_thinking(dialect: Dialect, block: _Block, stream: Stream) -> None:
    if not block.signature:
        stream.note("unsigned_thinking")
        return
    text = stream.streamed(block.key) or ""
    if _is_state({"type": "thinking", "thinking": text, "signature": block.signature}, dialect, stream):
        stream.keep(block.key, {"signature": block.signature})


def _seal_redacted(dialect: Dialect, block: _Block, stream: Stream) -> None:
    if _is_state(block.start, dialect, stream):
        stream.add(block.key, "thinking", REDACTED, {"signature": block.start["data"]})


def _is_state(block: Event, dialect: Dialect, stream: Stream) -> bool:
    """Whether a completed block is state that can go back; where not, a note says why."""
    try:
        state = canonicalize_completed_reasoning_output_item(block, wire=NAME, provider=dialect.captures_as)
    except ReplayError as error:
        stream.note(f"capture_refused:{error.code}")
        return False
    for name in state.dropped_fields:
        stream.note(f"dropped_field:{name[:64]}")
    return True


def _seal_verbatim(block: _Block, stream: Stream) -> bool:
    """Keep a block of a kind not known here, and count it. False where it could not go back."""
    stream.note(f"kept_block:{block.kind[:64]}")
    try:
        parsed = {"input": parse_arguments("".join(block.input))} if "".join(block.input).strip() else {}
    except ValueError:
        stream.note("capture_refused:not_json")
        return False
    kept = keep_verbatim(NAME, block.start | parsed)
    if kept is None:
        stream.note("capture_refused:not_json")
        return False
    stream.keep(block.key, kept)
    return True


def _keep_beside(block: _Block, stream: Stream) -> None:
    """What a text or a call has that its item does not say."""
    said = _KINDS[block.kind][1]
    beside = {name: value for name, value in block.start.items() if name not in said and value is not None}
    beside |= {"citations": block.citations} if block.citations else {}
    if not beside:
        return
    if value_fault(beside) is not None:
        stream.note("capture_refused:not_json")
        return
    stream.keep(block.key, {BESIDE: beside})


def _input_counts(usage: Event, stream: Stream) -> None:
    fresh = usage.get("input_tokens")
    stream.report_usage(
        cached_tokens=usage.get("cache_read_input_tokens"),
        prompt_tokens=None if fresh is None else fresh + (usage.get("cache_creation_input_tokens") or 0),
    )


def _all_counts(usage: Event, stream: Stream) -> None:
    """Counts of servers that know nothing at the beginning."""
    _input_counts(usage, stream)
    total, thoughts = usage.get("output_tokens"), (usage.get("output_tokens_details") or {}).get("thinking_tokens")
    answer = None if total is None else total - (thoughts or 0)
    # Some gateways do not count the thinking into the total.
    stream.report_usage(
        thoughts_tokens=thoughts, response_tokens=total if answer is not None and answer < 0 else answer
    )


def _dropped(event: Event, stream: Stream) -> None:
    """Count state that the provider took out of the request. It stays in the history, or the prefix would change."""
    for change in event.get("input_transformations") or ():
        if change.get("type") == "thinking_dropped":
            stream.note(f"provider_dropped_state:{str(change.get('reason'))[:64]}")
