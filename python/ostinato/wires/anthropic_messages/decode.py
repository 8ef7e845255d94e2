"""From the events of a response to items: one per content block, known by its index. Those of Bedrock are the same.

A block is complete at its stop event, and only then is its state taken: a signature that was cut short would be refused
on every later turn.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ostinato.arguments import parse_arguments, write_arguments
from ostinato.capture.anthropic_messages import BEGINS, Block, Blocks
from ostinato.messages import FinishReason, value_fault
from ostinato.stream import Stream
from ostinato.wires._wire import REDACTED, Json
from ostinato.wires.anthropic_messages.dialects import Dialect
from ostinato.wires.anthropic_messages.encode import BESIDE, NAME
from ostinato.wires.bedrock import stream_exception
from ostinato.wires.completed_state import completed_state
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
# Delta -> block that it is a piece of.
_OF: Final = {**BEGINS, "input_json_delta": "tool_use", "citations_delta": "text"}

_FINISH: Final[Mapping[str, FinishReason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_call",
}

# Heartbeats, and what some SDKs add of their own.
_NOTHING_NEW: Final = {"ping", "text", "thinking", "signature", "input_json", "citation", "compaction"}


class _Item(NamedTuple):
    """The item of a block that has begun and not stopped."""

    key: int
    kind: str
    """Of the block."""


class Reader:
    """The parser of one response."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._blocks = Blocks()
        """The blocks as they go back, put together by the same rules as a capture."""
        self._open: dict[int, _Item] = {}
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

    def _start(self, index: int, start: Event, stream: Stream) -> _Item:
        self._stop(index, stream)  # no two blocks of one index are open
        item = self._open[index] = _Item(self._begun, self._blocks.start(index, start).kind)
        self._begun += 1
        kind, _ = _KINDS.get(item.kind, ("thinking", None))
        if kind == "tool_call":
            self._says_something = True
            stream.open(item.key, kind, name=start.get("name"), tool_call_id=start.get("id"))
        else:
            stream.open(item.key, kind)
        if item.kind in ("text", "thinking"):
            self._grow(item, start.get(item.kind) or "", stream)
        return item

    def _delta(self, index: int, delta: Event, stream: Stream) -> None:
        kind = str(delta.get("type"))
        item = self._open.get(index)
        if item is None:
            if kind not in BEGINS:
                raise stream.contradiction("a delta belongs to no block")
            item = self._start(index, {"type": BEGINS[kind]}, stream)
        if item.kind in _KINDS and kind not in _OF:
            stream.unknown(kind)
            return
        if item.kind in _KINDS and _OF[kind] != item.kind:
            raise stream.contradiction("a delta is of another kind than its block")
        self._blocks.delta(index, delta)
        if kind in ("text_delta", "thinking_delta") and kind.startswith(item.kind):
            self._grow(item, delta[item.kind], stream)
        elif kind == "input_json_delta" and item.kind == "tool_use":
            stream.add(item.key, "tool_call", delta["partial_json"])

    def _grow(self, item: _Item, text: str, stream: Stream) -> None:
        self._says_something = self._says_something or (item.kind == "text" and bool(text))
        stream.add(item.key, _KINDS[item.kind][0], text)

    def _stop(self, index: int, stream: Stream) -> None:
        item, block = self._open.pop(index, None), self._blocks.stop(index)
        if item is None or block is None:
            return
        if item.kind == "thinking":
            _seal_thinking(self._dialect, item.key, block.whole(), stream)
        elif item.kind == "redacted_thinking":
            _seal_redacted(self._dialect, item.key, block.whole(), stream)
        elif item.kind not in _KINDS:
            self._says_something = _seal_verbatim(item.key, block, stream) or self._says_something
        else:
            _keep_beside(item.key, block, stream)
        whole = block.start.get("input") if item.kind == "tool_use" else None
        stream.close(item.key, write_arguments(whole) if whole else None)

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


def _seal_thinking(dialect: Dialect, key: int, block: Json, stream: Stream) -> None:
    if "signature" not in block:
        stream.note("unsigned_thinking")
    elif _is_state(block, dialect, stream):
        stream.keep(key, {"signature": block["signature"]})


def _seal_redacted(dialect: Dialect, key: int, block: Json, stream: Stream) -> None:
    if _is_state(block, dialect, stream):
        stream.add(key, "thinking", REDACTED, {"signature": block["data"]})


def _is_state(block: Event, dialect: Dialect, stream: Stream) -> bool:
    """Whether a completed block is state that can go back; where not, a note says why."""
    return completed_state(block, stream, wire=NAME, provider=dialect.captures_as) is not None


def _seal_verbatim(key: int, block: Block, stream: Stream) -> bool:
    """Keep a block of a kind not known here, and count it. False where it could not go back."""
    stream.note(f"kept_block:{block.kind[:64]}")
    try:
        parsed = {"input": parse_arguments("".join(block.input))} if "".join(block.input).strip() else {}
    except ValueError:
        stream.note("capture_refused:not_json")
        return False
    kept = keep_verbatim(NAME, block.whole() | parsed)
    if kept is None:
        stream.note("capture_refused:not_json")
        return False
    stream.keep(key, kept)
    return True


def _keep_beside(key: int, block: Block, stream: Stream) -> None:
    """What a text or a call has that its item does not say."""
    said = _KINDS[block.kind][1]
    beside = {name: value for name, value in block.whole().items() if name not in said and value != []}
    if not beside:
        return
    if value_fault(beside) is not None:
        stream.note("capture_refused:not_json")
        return
    stream.keep(key, {BESIDE: beside})


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
