"""From the events of an interaction to items.

A step holds one item per run of one kind: the summary of a thought may go text, image, text. A step is complete at its
stop event; only then does its signature go to the last of its items, which is where it goes back from.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ostinato.arguments import same_json, write_arguments
from ostinato.capture.fragments import fold
from ostinato.messages import FinishReason
from ostinato.stream import Stream
from ostinato.wires._wire import Json
from ostinato.wires.completed_state import completed_state
from ostinato.wires.gemini import decode_base64
from ostinato.wires.gemini_interactions.dialects import Dialect
from ostinato.wires.gemini_interactions.encode import NAME
from ostinato.wires.verbatim import keep_verbatim

__all__ = ["Reader"]

Event = Mapping[str, Any]
Key = tuple[int, int]

_FINISH: Final[Mapping[str, FinishReason]] = {
    "completed": "stop",
    "requires_action": "tool_call",
    "incomplete": "length",
}
_NOTHING_NEW: Final = {"interaction.created", "interaction.status_update"}
_KNOWN: Final = {"thought", "model_output", "function_call"}
_MEDIA: Final = {"image", "audio", "video", "document"}
# Delta -> step that it may begin, should its start event be missing.
_BEGINS: Final = {
    "thought_summary": "thought",
    "thought_signature": "thought",
    "text": "model_output",
    **dict.fromkeys(_MEDIA, "model_output"),
}


@dataclass(slots=True)
class _Step:
    """A step that has begun and not stopped."""

    number: int
    kind: str
    start: Json
    """As it began; a step of a kind not known here is put together in it."""
    items: int = 0
    growing: tuple[str, str | None] | None = None
    """Kind and MIME type of the item that the next piece may belong to."""
    signature: str = ""
    repeated: str = ""
    """Arguments that come in pieces although the start event had them."""

    @property
    def key(self) -> Key:
        """The last item of the step."""
        return self.number, self.items


class Reader:
    """The parser of one response."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._open: dict[int, _Step] = {}
        self._begun = 0

    def __call__(self, event: Event, stream: Stream) -> None:
        """Read one event."""
        kind = event.get("event_type")
        if kind == "step.start":
            self._start(event["index"], event["step"], stream)
        elif kind == "step.delta":
            self._delta(event["index"], event["delta"], stream)
        elif kind == "step.stop":
            self._stop(event["index"], stream)
        elif kind == "interaction.completed":
            self._completed(event["interaction"], stream)
        elif kind == "error" and event.get("error"):
            _fail(event["error"], stream)
        elif kind not in _NOTHING_NEW:
            stream.unknown(str(kind or event.get("type")))

    # Steps.

    def _start(self, index: int, start: Event, stream: Stream) -> _Step:
        self._stop(index, stream)  # no two steps of one index are open
        step = self._open[index] = _Step(self._begun, str(start.get("type")), dict(start))
        self._begun += 1
        if step.kind == "function_call":
            arguments = write_arguments(start["arguments"]) if start.get("arguments") else ""
            stream.add(step.key, "tool_call", arguments, name=start.get("name"), tool_call_id=start.get("id"))
            stream.open(step.key, "tool_call")
        elif step.kind == "thought":
            step.signature = start.get("signature") or ""
            for part in start.get("summary") or ():
                _end_item(step, stream)  # each is a part of its own
                _think(step, part, stream)
        elif step.kind == "model_output":
            for part in start.get("content") or ():
                _say(step, part, stream)
        else:
            stream.unknown(f"step:{step.kind}")
            stream.open(step.key, "thinking")
        return step

    def _delta(self, index: int, delta: Event, stream: Stream) -> None:
        kind = str(delta.get("type"))
        step = self._open.get(index)
        if step is None:
            if kind not in _BEGINS:
                raise stream.contradiction("a delta belongs to no step")
            step = self._start(index, {"type": _BEGINS[kind]}, stream)
        if step.kind not in _KNOWN:
            fold(step.start, delta)
        elif kind == "thought_summary" and step.kind == "thought":
            _think(step, delta.get("content") or {}, stream)
        elif kind == "thought_signature" and step.kind == "thought":
            step.signature = delta.get("signature") or step.signature
        elif kind == "arguments_delta" and step.kind == "function_call":
            _argue(step, delta.get("arguments") or "", stream)
        elif step.kind == "model_output":
            _say(step, delta, stream)
        else:
            stream.unknown(f"delta:{kind}")

    def _stop(self, index: int, stream: Stream) -> None:
        step = self._open.pop(index, None)
        if step is None:
            return
        if step.kind not in _KNOWN:
            _seal_verbatim(step, stream)
        elif step.kind == "thought":
            self._seal_thought(step, stream)
        elif step.repeated and not same_json(step.repeated, write_arguments(step.start["arguments"])):
            raise stream.contradiction("the arguments of a call are two different ones")
        stream.close(step.key)

    def _seal_thought(self, step: _Step, stream: Stream) -> None:
        """The signature goes to the last item of the step, or to one that holds nothing else."""
        if not step.signature:
            stream.note("unsigned_thought")
            return
        state = {"type": "thought", "signature": step.signature}
        if completed_state(state, stream, wire=NAME, provider=self._dialect.provider) is None:
            return
        if step.growing is None:
            step.items += 1
            stream.open(step.key, "thinking")
        stream.keep(step.key, {"signature": step.signature})

    # The end.

    def _completed(self, interaction: Event, stream: Stream) -> None:
        for index in list(self._open):
            self._stop(index, stream)
        for index, step in enumerate(interaction.get("steps") or () if not self._begun else ()):
            self._start(index, step, stream)
            self._stop(index, stream)
        if interaction.get("error"):
            _fail(interaction["error"], stream)
        _counts(interaction.get("usage") or {}, stream)
        stream.report_finish(_FINISH.get(str(interaction.get("status")), "unknown"))


def _fail(error: Event, stream: Stream) -> None:
    stream.fail(error.get("code"), str(error.get("message") or "no message"))


def _grow(step: _Step, kind: str, chunk: str | bytes, mime_type: str | None, stream: Stream, *, whole: bool) -> None:
    if whole or step.growing != (kind, mime_type):
        _end_item(step, stream)
        step.items += 1
        stream.open(step.key, kind, **({"mime_type": mime_type} if mime_type else {}))
    step.growing = (kind, mime_type)
    stream.add(step.key, kind, chunk)


def _end_item(step: _Step, stream: Stream) -> None:
    """What follows is another item; the signature of the step may still come to the last one."""
    if step.growing is not None:
        stream.close(step.key)
        step.growing = None


def _think(step: _Step, part: Event, stream: Stream) -> None:
    kind = part.get("type")
    if kind == "text":
        _grow(step, "thinking", part["text"], None, stream, whole=False)
    elif kind == "image":
        data, mime_type = decode_base64(part.get("data") or ""), str(part.get("mime_type") or "image/jpeg")
        _grow(step, "inline_thinking", data, mime_type, stream, whole=True)
    else:
        stream.unknown(f"summary:{kind}")


def _say(step: _Step, part: Event, stream: Stream) -> None:
    kind = part.get("type")
    if kind == "text":
        _grow(step, "text", part["text"], None, stream, whole=False)
    elif kind in _MEDIA:
        data = decode_base64(part.get("data") or "")
        _grow(step, "inline_data", data, _mime_type(part), stream, whole=kind != "audio")
    else:
        stream.unknown(f"delta:{kind}")


def _mime_type(part: Event) -> str:
    """Sound is raw: its MIME type says what a player needs to know."""
    known = [str(part.get("mime_type") or "image/jpeg")]
    known += [
        f"{name}={part[key]}" for name, key in (("rate", "sample_rate"), ("channels", "channels")) if part.get(key)
    ]
    return "; ".join(known)


def _argue(step: _Step, piece: str, stream: Stream) -> None:
    if step.start.get("arguments"):
        step.repeated += piece
    else:
        stream.add(step.key, "tool_call", piece)


def _seal_verbatim(step: _Step, stream: Stream) -> None:
    """A step of a kind not known here that has a signature is state, and kept whole. Others were counted."""
    kept = keep_verbatim(NAME, step.start) if step.start.get("signature") else None
    if kept is not None:
        stream.keep(step.key, kept)


def _counts(usage: Event, stream: Stream) -> None:
    """The input counts what was cached, the output does not count what was thought."""
    total, cached = usage.get("total_input_tokens"), usage.get("total_cached_tokens")
    stream.report_usage(
        cached_tokens=cached,
        prompt_tokens=None if total is None else total - (cached or 0),
        thoughts_tokens=usage.get("total_thought_tokens"),
        response_tokens=usage.get("total_output_tokens"),
    )
