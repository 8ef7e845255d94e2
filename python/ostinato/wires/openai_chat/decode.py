"""From the chunks of a response to items.

A chunk holds pieces of several kinds; they are read in the order in which a turn has them: thinking, text, calls. Text
and thinking end where something else begins. Calls are told apart by their index, and stay open until their arguments
are whole, so that interleaved ones are put together right.
"""

import copy
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ostinato.capture.calls import Calls
from ostinato.messages import value_fault
from ostinato.stream import Stream, token_count
from ostinato.wires._wire import Json
from ostinato.wires.completed_state import completed_state
from ostinato.wires.openai_chat.details import Blocks, shown_text
from ostinato.wires.openai_chat.dialects import BOTH_FIELDS, Dialect

__all__ = ["Reader"]

Event = Mapping[str, Any]

_FINISH: Final[Mapping[str, Literal["stop", "length", "tool_call"]]] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_call",
    "content_filter": "stop",
}

_TEXT: Final = "text"
"""The key of every text: one ends where something else begins, so there is never more than one."""


@dataclass(slots=True)
class _Run:
    """Thinking that is arriving in one way: in one field, or as blocks."""

    way: str
    key: Hashable
    blocks: Blocks = field(default_factory=Blocks)
    sealed: str = ""


@dataclass(slots=True)
class _Call:
    key: Hashable
    name: str = ""
    id: str = ""
    extra: Json | None = None


class Reader:
    """The parser of one response."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._known = {"role", "content", "refusal", "tool_calls", *BOTH_FIELDS}
        self._known |= {"encrypted_content"} if dialect.seals else set()
        self._known |= {"reasoning_details"} if dialect.details != "none" else set()
        self._runs = 0
        self._run: _Run | None = None
        self._calls = Calls[_Call]()
        self._finished = False

    def __call__(self, event: Event, stream: Stream) -> None:
        """Read one chunk."""
        if event.get("error") or event.get("object") == "error":
            _fail(event.get("error") or event, stream)
        choices = event.get("choices") or ()
        choice = choices[0] if choices else {}
        if choice:
            self._choice(choice, stream)
        usage = event.get("usage") or choice.get("usage")
        if usage:
            _usage(usage, stream)
        elif "choices" not in event:
            stream.note(f"unknown_event:{str(event.get('type'))[:64]}")

    def _choice(self, choice: Event, stream: Stream) -> None:
        delta = choice.get("delta") or {}
        self._thinking(delta, stream)
        self._content(delta.get("content"), stream)
        if delta.get("refusal"):
            stream.refuse(delta["refusal"])
        for piece in delta.get("tool_calls") or ():
            self._call(piece, stream)
        for name in delta:
            if name not in self._known and delta[name]:
                stream.note(f"ignored_field:{name[:64]}")
        reason = choice.get("finish_reason")
        if reason:
            self._finished = True
            stream.report_finish(_FINISH.get(reason, "unknown"))
        if self._finished:
            self._end_run(stream)

    # Text.

    def _content(self, content: Any, stream: Stream) -> None:  # noqa: ANN401 - a provider's value
        if not content:
            return
        if isinstance(content, str):
            self._say(content, stream)
            return
        for part in content:
            if part.get("type") == "text":
                self._say(part["text"], stream)
            else:
                stream.note(f"unknown_part:{str(part.get('type'))[:64]}")

    def _say(self, text: str, stream: Stream) -> None:
        self._end_run(stream)
        if not stream.is_open(_TEXT):
            stream.close_settled_calls()
        stream.add(_TEXT, "text", text)

    # Thinking.

    def _thinking(self, delta: Event, stream: Stream) -> None:
        details = delta.get("reasoning_details") if self._dialect.details != "none" else None
        fields = [name for name in BOTH_FIELDS if delta.get(name)]
        if details:  # what the fields say beside them is the same
            run = self._run_of("details", stream)
            for fragment in details:
                run.blocks.add(fragment, stream)
                stream.add(run.key, "thinking", shown_text(fragment))
        elif fields:
            run = self._run_of(fields[0], stream)
            only = {"reasoning_field": fields[0]} if len(fields) == 1 else None
            stream.add(run.key, "thinking", delta[fields[0]], only)
        sealed = delta.get("encrypted_content") if self._dialect.seals else None
        if sealed:
            run = self._run or self._run_of(self._dialect.fields[0], stream)
            run.sealed += sealed

    def _run_of(self, way: str, stream: Stream) -> _Run:
        if self._run is None or self._run.way != way:
            self._end_run(stream)
            stream.close_settled_calls()
            self._runs += 1
            self._run = _Run(way, ("thinking", self._runs))
            stream.open(self._run.key, "thinking")
        return self._run

    def _end_run(self, stream: Stream) -> None:
        """What a run needs on replay is known when it is over."""
        run, self._run = self._run, None
        if run is None:
            return
        kept = run.blocks.fidelity(stream)
        if run.sealed and _is_state(run.sealed, stream):
            kept |= {"reasoning_field": self._dialect.fields[0], "encrypted_content": run.sealed}
        if kept:
            stream.keep(run.key, kept)
        stream.close(run.key)

    # Calls.

    def _call(self, piece: Event, stream: Stream) -> None:
        function = piece.get("function") or {}
        call = self._calls.of(piece, lambda: self._begin_call(stream))
        call.name = call.name or function.get("name") or ""
        call.id = call.id or piece.get("id") or self._stand_in(call, stream)
        extra = self._extra(call, piece, stream)
        header = {"name": call.name, "tool_call_id": call.id}
        stream.add(call.key, "tool_call", function.get("arguments") or "", extra, **header)

    def _begin_call(self, stream: Stream) -> _Call:
        self._end_run(stream)
        stream.close_settled_calls()
        call = _Call(("call", len(self._calls)))
        stream.open(call.key, "tool_call")
        return call

    def _stand_in(self, call: _Call, stream: Stream) -> str:
        """The id of a call that came without one: its name, with a number where another call has it already."""
        if not self._dialect.calls_by_name or not call.name:
            return ""
        stream.note("call_id_missing")
        taken = sum(other.name == call.name for other in self._calls) - 1
        return f"{call.name}_{taken + 1}" if taken else call.name

    def _extra(self, call: _Call, piece: Event, stream: Stream) -> Json | None:
        """State that a call carries itself. The first one counts."""
        extra = piece.get("extra_content")
        if not self._dialect.keeps_call_extras or not isinstance(extra, Mapping) or call.extra is not None:
            return None
        if value_fault(extra):
            stream.note("capture_refused:extra_content")
            return None
        call.extra = copy.deepcopy(dict(extra))
        return {"extra_content": call.extra}


def _is_state(sealed: str, stream: Stream) -> bool:
    return completed_state({"encrypted_content": sealed}, stream, wire="openai-chat", provider="qwen") is not None


def _usage(usage: Event, stream: Stream) -> None:
    """Tokens that the server did not count apart stay unknown."""
    total_in, total_out = (token_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
    cached = token_count((usage.get("prompt_tokens_details") or {}).get("cached_tokens"))
    thoughts = token_count((usage.get("completion_tokens_details") or {}).get("reasoning_tokens"))
    said = None if total_out is None else total_out - (thoughts or 0)
    stream.report_usage(
        cached_tokens=cached,
        prompt_tokens=None if total_in is None else total_in - (cached or 0),
        thoughts_tokens=thoughts,
        # Below zero the server counts thinking beside the completion, and not as a part of it.
        response_tokens=total_out if said is not None and said < 0 else said,
    )


def _fail(error: Any, stream: Stream) -> None:  # noqa: ANN401 - an object, or a mere text
    if not isinstance(error, Mapping):
        stream.fail(None, str(error))
        return
    code = error.get("code")
    status = code if isinstance(code, int) else None
    stream.fail(error.get("type") if code is None else code, str(error.get("message") or "no message"), status=status)
