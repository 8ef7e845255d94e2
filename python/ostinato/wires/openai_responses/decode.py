"""From the events of a response to items.

An item is known by its id and by its place in the output; relays change ids from event to event, others number places
carelessly, so either one will do. Text is streamed part by part, and each part is reconciled with its done event and
with the completed item.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import Any, Final

from ostinato.replay import ReasoningItem
from ostinato.stream import Stream, token_count
from ostinato.wires._wire import Json
from ostinato.wires.completed_state import completed_state
from ostinato.wires.openai_responses.dialects import Dialect

__all__ = ["Reader"]

Event = Mapping[str, Any]

_KIND_OF: Final = {"message": "text", "reasoning": "thinking", "function_call": "tool_call"}

# Event -> what the part is called here, and the field that numbers it.
_DELTAS: Final = {
    "response.output_text.delta": ("text", "content_index"),
    "response.refusal.delta": ("refusal", "content_index"),
    "response.reasoning_summary_text.delta": ("summary", "summary_index"),
    "response.reasoning_text.delta": ("content", "content_index"),
}
_PART_DONE: Final = {
    "response.output_text.done": ("text", "content_index", "text"),
    "response.refusal.done": ("refusal", "content_index", "refusal"),
    "response.reasoning_summary_text.done": ("summary", "summary_index", "text"),
    "response.reasoning_text.done": ("content", "content_index", "text"),
}
_KIND_OF_PART: Final = {"text": "text", "refusal": "text", "summary": "thinking", "content": "thinking"}

_NOTHING_NEW: Final = {
    "response.created",
    "response.queued",
    "response.in_progress",
    "response.content_part.added",
    "response.content_part.done",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_part.done",
    "response.output_text.annotation.added",
    "keepalive",
}


class Reader:
    """The parser of one response."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._by_id: dict[str, Hashable] = {}
        self._by_place: dict[int, Hashable] = {}
        self._kinds: dict[Hashable, str] = {}
        self._parts: defaultdict[tuple[Hashable, str, int], list[str]] = defaultdict(list)
        self._done: set[Hashable] = set()
        self._state: dict[Hashable, str | None] = {}

    def __call__(self, event: Event, stream: Stream) -> None:
        """Read one event."""
        kind = event.get("type")
        if kind in _DELTAS:
            self._delta(event, stream, *_DELTAS[kind])
        elif kind in _PART_DONE:
            self._part_done(event, stream, *_PART_DONE[kind])
        elif kind == "response.output_item.added":
            self._added(event, stream)
        elif kind == "response.function_call_arguments.delta":
            self._arguments(event, stream)
        elif kind == "response.function_call_arguments.done":
            self._arguments_done(event, stream)
        elif kind == "response.output_item.done":
            self._item_done(event.get("item"), event.get("output_index"), stream)
        elif kind in ("response.completed", "response.incomplete"):
            self._response_done(event["response"], stream)
        elif kind in ("response.failed", "response.cancelled", "error"):
            _fail(event, stream)
        elif kind not in _NOTHING_NEW:
            stream.unknown(str(kind))

    # Which item.

    def _key(self, stream: Stream, item: tuple[object, object], kind: str, *, new: bool = False) -> Hashable:
        """The key of an item. By its id; where the id is not known, by its place, unless another item begins there."""
        item_id, place = item
        if isinstance(item_id, str) and item_id in self._by_id:
            return self._by_id[item_id]
        key = self._by_place.get(place) if isinstance(place, int) else None
        if key is None or new or self._kinds[key] != kind or key in self._done:
            key = len(self._kinds)
            self._kinds[key] = kind
            # Announced or not: the completed item may come at the very end, and it brings the state.
            stream.open(key, kind)
        if isinstance(item_id, str) and item_id:
            self._by_id[item_id] = key
        if isinstance(place, int):
            self._by_place[place] = key
        return key

    # Pieces of items.

    def _added(self, event: Event, stream: Stream) -> None:
        item = event["item"]
        kind = _KIND_OF.get(item.get("type"))
        if kind is None:
            return  # counted when it is done
        key = self._key(stream, (item.get("id"), event.get("output_index")), kind, new=True)
        if kind == "tool_call" and not self._dialect.calls_when_complete:
            stream.open(key, kind, name=item.get("name"), tool_call_id=item.get("call_id"))
        self._keep_phase(key, item, stream)

    def _keep_phase(self, key: Hashable, item: Event, stream: Stream) -> None:
        if self._dialect.phases and item.get("type") == "message" and item.get("phase"):
            stream.keep(key, {"phase": item["phase"]})

    def _delta(self, event: Event, stream: Stream, part: str, number: str) -> None:
        key = self._key(stream, _identity(event), _KIND_OF_PART[part])
        self._grow(key, part, event.get(number, 0), event.get("delta") or "", stream)

    def _part_done(self, event: Event, stream: Stream, part: str, number: str, field: str) -> None:
        key = self._key(stream, _identity(event), _KIND_OF_PART[part])
        self._reconcile(key, part, event.get(number, 0), event.get(field), stream)

    def _grow(self, key: Hashable, part: str, number: int, text: str, stream: Stream) -> None:
        if part == "summary" and not self._dialect.streams_summary:
            return
        self._parts[key, part, number].append(text)
        if part == "refusal":
            stream.refuse(text)
        else:
            stream.add(key, _KIND_OF_PART[part], text)

    def _reconcile(self, key: Hashable, part: str, number: int, whole: str | None, stream: Stream) -> None:
        """Take from a completed part what its deltas did not bring."""
        if not whole or key in self._done:
            return
        streamed = "".join(self._parts[key, part, number])
        if whole.strip() == streamed.strip():
            return
        if not whole.startswith(streamed):
            raise stream.contradiction(f"a completed part of kind {part} differs from what was streamed of it")
        self._grow(key, part, number, whole[len(streamed) :], stream)

    def _arguments(self, event: Event, stream: Stream) -> None:
        if not self._dialect.calls_when_complete:
            key = self._key(stream, _identity(event), "tool_call")
            stream.add(key, "tool_call", event.get("delta") or "")

    def _arguments_done(self, event: Event, stream: Stream) -> None:
        key = self._key(stream, _identity(event), "tool_call")
        if not self._dialect.calls_when_complete and stream.is_open(key):
            stream.reconcile(key, event.get("arguments") or "")

    # Completed items.

    def _item_done(self, item: Any, place: object, stream: Stream, status: str | None = None) -> None:  # noqa: ANN401
        kind = _KIND_OF.get(item.get("type"))
        if kind is None:
            stream.note(f"unknown_item:{str(item.get('type'))[:64]}")
            return
        key = self._key(stream, (item.get("id"), place), kind)
        if key in self._done:
            return
        if kind == "tool_call":
            self._call_done(key, item, stream)
        elif kind == "text":
            self._message_done(key, item, stream)
        else:
            self._reasoning_done(key, item, stream, status)
        stream.close(key)
        self._done.add(key)

    def _call_done(self, key: Hashable, item: Event, stream: Stream) -> None:
        header = {"name": item.get("name"), "tool_call_id": item.get("call_id")}
        if self._dialect.calls_when_complete:
            stream.add(key, "tool_call", item.get("arguments") or "", **header)
        else:
            stream.open(key, "tool_call", **header)
            stream.reconcile(key, item.get("arguments") or "")

    def _message_done(self, key: Hashable, item: Event, stream: Stream) -> None:
        self._keep_phase(key, item, stream)
        for number, part in enumerate(item.get("content") or ()):
            if part.get("type") == "output_text":
                self._reconcile(key, "text", number, part.get("text"), stream)
            elif part.get("type") == "refusal":
                self._reconcile(key, "refusal", number, part.get("refusal"), stream)
            else:
                stream.note(f"unknown_part:{str(part.get('type'))[:64]}")

    def _reasoning_done(self, key: Hashable, item: Event, stream: Stream, status: str | None) -> None:
        texts = {part: _texts(item.get(part)) for part in ("summary", "content")}
        for part, parts in texts.items():
            for number, text in enumerate(parts):
                self._reconcile(key, part, number, text, stream)
        if self._dialect.captures_as is None:
            return
        state = self._capture(item, stream, status)
        kept = _fidelity(item, texts, state, stream.streamed(key) or "")
        if kept:
            stream.keep(key, kept)
        self._state[key] = kept.get("encrypted_content")

    def _capture(self, item: Event, stream: Stream, status: str | None) -> ReasoningItem | None:
        """The item in canonical form; None, and a note, where it is no state that could be replayed."""
        provider = self._dialect.captures_as
        state = completed_state(item, stream, wire="openai-responses", provider=provider, response_status=status)
        if state is not None and state.id is None:
            stream.note("id_missing")
        return state

    # The end.

    def _response_done(self, response: Event, stream: Stream) -> None:
        """Items that had no done event of their own come from the response, which repeats them all."""
        status = response.get("status")
        for place, item in enumerate(response.get("output") or ()):
            key = self._by_id.get(str(item.get("id")))
            state = item.get("encrypted_content")
            if key in self._state and state and self._state[key] not in (None, state):
                stream.note("re_encrypted")  # the same state; the first one is kept
            if key not in self._done and not self._is_done_at(place, item):
                self._item_done(item, place, stream, status)
        _usage(response.get("usage") or {}, stream)
        stream.report_finish(_finish(response, status))

    def _is_done_at(self, place: int, item: Event) -> bool:
        """Whether the item at this place is done, under an id that has changed since."""
        key = self._by_place.get(place)
        return key in self._done and self._kinds.get(key) == _KIND_OF.get(str(item.get("type")))


def _identity(event: Event) -> tuple[object, object]:
    return event.get("item_id"), event.get("output_index")


def _texts(parts: Any) -> list[str]:  # noqa: ANN401 - a provider's value
    return [part["text"] for part in parts or () if isinstance(part, Mapping) and isinstance(part.get("text"), str)]


def _fidelity(item: Event, texts: Mapping[str, list[str]], state: ReasoningItem | None, shown: str) -> Json:
    """What the item needs on replay, beside the text that is shown."""
    channel = next((part for part, parts in texts.items() if any(parts)), None)
    kept: Json = {"channel": channel} if channel else {}
    if state is not None:
        opaque = {name: state.get(name) for name in ("encrypted_content", "signature", "format")}
        kept |= {name: value for name, value in opaque.items() if value}
    if not kept:
        return {}
    for part, parts in texts.items():
        if parts != ([shown] if part == channel else []):
            kept[part] = parts
    item_id = item.get("id")
    return kept | ({"id": item_id} if isinstance(item_id, str) and item_id else {})


def _usage(usage: Event, stream: Stream) -> None:
    """Tokens that the provider did not count apart stay unknown."""
    total_in, total_out = (token_count(usage.get(name)) for name in ("input_tokens", "output_tokens"))
    cached = token_count((usage.get("input_tokens_details") or {}).get("cached_tokens"))
    thoughts = token_count((usage.get("output_tokens_details") or {}).get("reasoning_tokens"))
    stream.report_usage(
        cached_tokens=cached,
        prompt_tokens=None if total_in is None else total_in - (cached or 0),
        thoughts_tokens=thoughts,
        response_tokens=None if total_out is None else total_out - (thoughts or 0),
    )


def _finish(response: Event, status: object) -> Any:  # noqa: ANN401 - a FinishReason
    if status == "incomplete":
        reason = (response.get("incomplete_details") or {}).get("reason")
        return "unknown" if reason == "content_filter" else "length"
    return "stop" if status == "completed" else "unknown"


def _fail(event: Event, stream: Stream) -> None:
    error = (event.get("response") or {}).get("error") or event.get("error") or event
    status = event.get("status")  # of errors over WebSocket
    status = status if isinstance(status, int) else None
    stream.fail(error.get("code") or error.get("type"), str(error.get("message") or "no message"), status=status)
