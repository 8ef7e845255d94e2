"""From the deltas of a provider to the public stream: items are kept by identity, and come out one after the other.

A wire's parser names each item by a key (item id, block index, call index ...) and says what arrived for it. What goes
out follows one grammar: each item is an unbroken run of deltas and one done event, in the order in which the items
began, and then exactly one stop. What arrives for an item behind the first open one waits for its turn, so interleaved
calls stay apart. A completed item is reconciled with its deltas: what only the completed item holds is not lost, and
only a contradiction is an error.
"""

import copy
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

from ostinato.arguments import parse_arguments, same_json, write_arguments
from ostinato.discretion import discreet
from ostinato.errors import (
    EmptyResponseError,
    IncompleteStreamError,
    ProviderStreamError,
    RefusalError,
    StreamProtocolError,
    ToolCallArgumentParseError,
    UnknownEventError,
)
from ostinato.messages import FinishReason, UniEvent, UniMessage, UsageMetadata, has_substance, value_fault

__all__ = ["Clock", "Stream", "concat_uni_events_to_uni_message", "token_count"]

Json = dict[str, Any]
Clock = Callable[[], int]
"""Milliseconds since the epoch."""


class _Kind(NamedTuple):
    grows: str
    empty: Any
    header: tuple[str, ...]
    delta: str
    done: str


_KINDS: Final = {
    name: _Kind(grows, empty, header, f"{name}.delta", f"{name}.done")
    for name, grows, empty, header in (
        ("text", "text", "", ()),
        ("thinking", "thinking", "", ()),
        ("tool_call", "arguments", "", ("name", "tool_call_id")),
        ("inline_data", "data", b"", ()),
        ("inline_thinking", "data", b"", ()),
        ("embedding", "embedding", [], ()),
    )
}


@dataclass(slots=True)
class _Item:
    """One item that has begun and is not done."""

    kind: str
    announced: bool
    """Whether the provider will say when it ends. One that just grows ends where the next item begins."""
    header: dict[str, Any] = field(default_factory=dict)
    chunks: list[Any] = field(default_factory=list)
    half: str = ""
    """Half of a character whose other half is still to come."""
    fidelity: Json = field(default_factory=dict)
    waiting: list[Json] = field(default_factory=list)
    """Deltas that did not go out yet."""
    begun: bool = False
    """Whether its first delta was made."""
    closed: bool = False

    def whole(self) -> Any:  # noqa: ANN401 - text, bytes or numbers, by kind
        empty = _KINDS[self.kind].empty
        return [x for chunk in self.chunks for x in chunk] if empty == [] else type(empty)().join(self.chunks)

    def piece(self, chunk: object, header: Mapping[str, Any]) -> Json:
        """A delta or a done item."""
        named = {"name": header["name"]} if "name" in header else {}
        return {"type": "", **named, _KINDS[self.kind].grows: chunk, **header}


class Stream:
    """What a parser tells. Errors it raises are typed; nothing else comes out of it."""

    def __init__(self, client: str, *, now: Clock | None = None, debug: bool = False) -> None:
        self.client = client
        self.notes: Counter[str] = Counter()
        """What was seen and not used, by name: `unknown_event:...`, `capture_refused:...`."""
        self.usage: UsageMetadata = {
            "cached_tokens": None,
            "prompt_tokens": None,
            "thoughts_tokens": None,
            "response_tokens": None,
        }
        self.reason: FinishReason | None = None
        self.done: list[Json] = []
        """The done items, shared with nobody."""
        self._now = now
        self._debug = debug
        self._items: dict[Hashable, _Item] = {}
        self._closed: set[Hashable] = set()
        self._events: list[UniEvent] = []
        self._refusal: list[str] = []

    # What a parser calls.

    def open(self, key: Hashable, kind: str, **header: object) -> None:
        """An item begins whose end the provider will announce: `close` it. Opening it again only adds to the header."""
        item = self._item(key, kind, announced=True)
        self._put(item, None, header)

    def add(self, key: Hashable, kind: str, chunk: object, fidelity: Json | None = None, **header: object) -> None:
        """More of an item. One that was never opened begins here, and ends where another item begins."""
        if key in self._closed and isinstance(chunk, str) and not chunk.strip():
            return  # nothing that a completed item could miss
        item = self._item(key, kind, announced=False)
        self._put(item, self._sound(item, chunk), header, fidelity)

    def keep(self, key: Hashable, fidelity: Json) -> None:
        """What the item needs on replay. Adds to what is kept; another value for the same name is a contradiction."""
        self._put(self._items[key], None, {}, fidelity)

    def close(self, key: Hashable, whole: str | None = None) -> None:
        """The item is complete. `whole` is its text where the provider repeats it: the rest of it is not lost."""
        item = self._items.get(key)
        if item is None:
            return
        if whole:
            self.reconcile(key, whole)
        self._end(item)
        self._pump()

    def reconcile(self, key: Hashable, whole: str) -> None:
        """The whole text of an open item, as far as the provider repeats it: what its deltas did not bring is added."""
        item = self._items[key]
        streamed = item.whole() + item.half
        if whole.startswith(streamed):
            self.add(key, item.kind, whole[len(streamed) :])
        elif whole and not (item.kind == "tool_call" and same_json(whole, streamed)):
            raise self.contradiction(f"a completed {item.kind} differs from what was streamed of it")

    def item(self, key: Hashable, kind: str, value: object, fidelity: Json | None = None, **header: object) -> None:
        """A whole item at once."""
        self.add(key, kind, value, fidelity, **header)
        self.close(key)

    def streamed(self, key: Hashable) -> Any:  # noqa: ANN401 - text, bytes or numbers, by kind
        """What arrived for an open item so far; None for one that is not open."""
        item = self._items.get(key)
        return None if item is None else item.whole()

    def is_open(self, key: Hashable) -> bool:
        """Whether an item of this key has begun and is not done."""
        return key in self._items

    def is_closed(self, key: Hashable) -> bool:
        """Whether an announced item of this key is done."""
        return key in self._closed

    def close_settled_calls(self) -> None:
        """Close calls whose arguments are a whole JSON object: anything after that could only contradict it.

        For wires that do not say when a call ends. Without it a call is done when the stream is.
        """
        for item in self._items.values():
            if item.kind == "tool_call" and not item.closed and item.whole().rstrip().endswith("}"):
                item.closed = _is_object(item.whole())
        self._pump()

    def report_usage(self, **tokens: int | None) -> None:
        """Counts by the names of `UsageMetadata`; a later count replaces an earlier one, None replaces nothing."""
        self.usage.update(cast("UsageMetadata", {name: n for name, n in tokens.items() if n is not None}))

    def report_finish(self, reason: FinishReason | None) -> None:
        """Why the response ended; the last word counts."""
        self.reason = reason or self.reason

    def refuse(self, text: str) -> None:
        """A piece of the model's refusal to answer. The stream will end in `RefusalError`."""
        self._refusal.append(text)

    def fail(self, code: object, message: str, *, status: int | None = None) -> None:
        """The provider reported an error."""
        raise ProviderStreamError(self.client, code, message, status=status)

    def unknown(self, what: str) -> None:
        """An event or block of a kind not known here: counted, or raised in debug mode."""
        if self._debug:
            raise UnknownEventError(self.client, what)
        self.note(f"unknown_event:{what[:64]}")

    def note(self, what: str) -> None:
        """Count something that was seen and not used."""
        self.notes[what] += 1

    def contradiction(self, text: str) -> StreamProtocolError:
        """The error for a stream that contradicts itself, to be raised."""
        return StreamProtocolError(self.client, text)

    # What the decoder calls.

    def take(self) -> list[UniEvent]:
        """The events since the last call."""
        events, self._events = self._events, []
        return events

    def close_all(self) -> None:
        """The provider has nothing more to say. A call that a broken stream cut off is not judged by its arguments."""
        if self.reason is None:
            self._items = {key: item for key, item in self._items.items() if item.kind != "tool_call"}
        for item in list(self._items.values()):
            self._end(item)
        self._pump()

    def stop(self) -> UniEvent:
        """The stop event, or the error that the end of the stream amounts to."""
        reason, usage = self.reason, self.usage
        if self._refusal:
            raise RefusalError(self.client, "".join(self._refusal))
        if reason is None:
            missing = (
                ["finish_reason"] if any(n is not None for n in usage.values()) else ["usage_metadata", "finish_reason"]
            )
            raise IncompleteStreamError(self.client, missing, usage_metadata=_known(usage))
        if not has_substance(self.done):
            raise EmptyResponseError(self.client, finish_reason=reason, usage_metadata=_known(usage))
        if reason == "stop" and any(item["type"] == "tool_call.done" for item in self.done):
            self.reason = "tool_call"
        return self._event("stop", [], copy.copy(usage), self.reason)

    # Within.

    def _item(self, key: Hashable, kind: str, *, announced: bool) -> _Item:
        item = self._items.get(key)
        if item is None:
            if key in self._closed:
                raise self.contradiction("more of an item that was already complete")
            for other in list(self._items.values()):
                if not other.announced:
                    self._end(other)
            self._pump()
            item = self._items[key] = _Item(kind, announced)
        elif item.kind != kind:
            raise self.contradiction("one item is of two kinds")
        item.announced = item.announced or announced
        return item

    def _end(self, item: _Item) -> None:
        if item.half:
            half, item.half = item.half, ""
            self._put(item, self._utf8(item, half), {})
        item.closed = True

    def _sound(self, item: _Item, chunk: object) -> Any:  # noqa: ANN401 - of the type that the kind grows by
        """A chunk that can be sent. Half of a character waits for its other half; one that has none is replaced."""
        if not isinstance(chunk, type(_KINDS[item.kind].empty)):
            raise TypeError
        if not isinstance(chunk, str) or (not item.half and chunk.isascii()):
            return chunk
        text, item.half = item.half + chunk, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, item.half = text[:-1], text[-1]
        return self._utf8(item, text)

    def _utf8(self, item: _Item, text: str) -> str:
        """Halves of a character side by side become one. A call with half a character is refused by its arguments."""
        try:
            text.encode()
        except UnicodeEncodeError:
            errors = "surrogatepass" if item.kind == "tool_call" else "replace"
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", errors)
            if "\ufffd" in text:
                self.note("lone_surrogate_replaced")
        return text

    def _put(self, item: _Item, chunk: Any, header: Mapping[str, object], fidelity: Json | None = None) -> None:  # noqa: ANN401
        kind = _KINDS[item.kind]
        if chunk:
            item.chunks.append(chunk)
        if item.begun and not header and not fidelity:
            if chunk:
                self._queue(item, kind, chunk, {})
            return
        fresh = {name: value for name, value in header.items() if value}
        for name, value in fresh.items():
            if item.header.setdefault(name, value) != value and name in kind.header:
                raise self.contradiction(f"one item has two values of {name}")
        news = self._news(item, fidelity)
        announces = not item.begun and ((kind.header and fresh) or chunk == [])
        if chunk or news or announces:
            self._queue(item, kind, chunk or kind.empty, news)

    def _news(self, item: _Item, fidelity: Json | None) -> Json:
        """The part of the fidelity that was not kept yet."""
        news = {name: value for name, value in (fidelity or {}).items() if item.fidelity.get(name) != value}
        if any(name in item.fidelity for name in news):
            raise self.contradiction("one item has two different fidelity values of one name")
        item.fidelity.update(copy.deepcopy(news))
        return news

    def _queue(self, item: _Item, kind: _Kind, chunk: object, fidelity: Json) -> None:
        """Make a delta. Until the header is complete nothing can go out; what came before it joins the first delta."""
        if item.begun:
            header = {**item.header, **dict.fromkeys(kind.header, "")}
        elif all(item.header.get(name) for name in kind.header):
            item.begun, chunk, fidelity, header = True, item.whole(), item.fidelity, item.header
        else:
            return
        delta = item.piece(list(chunk) if isinstance(chunk, list) else chunk, header)
        delta["type"] = kind.delta
        if fidelity:
            delta["fidelity"] = copy.deepcopy(fidelity)
        item.waiting.append(delta)
        self._pump()

    def _pump(self) -> None:
        """Send what the first open item has; go on to the next one where it is complete."""
        while self._items:
            key, item = next(iter(self._items.items()))
            if item.waiting:
                self._events += [self._event("delta", [delta]) for delta in item.waiting]
                item.waiting = []
            if not item.closed:
                return
            del self._items[key]
            if item.announced:
                self._closed.add(key)
            self._finish(item)

    def _finish(self, item: _Item) -> None:
        kind = _KINDS[item.kind]
        if not item.begun:
            if item.chunks or item.header or item.fidelity:
                raise self.contradiction(f"a {item.kind} ended without its {' or '.join(kind.header)}")
            return
        whole, raw = item.whole(), None
        if item.kind == "tool_call":
            whole, raw = self._arguments(item, whole)
        done = item.piece(whole, item.header)
        done["type"] = kind.done
        fidelity = item.fidelity | ({"arguments": raw} if raw is not None else {})
        if fidelity:
            done["fidelity"] = fidelity
        if value_fault(done) is not None:
            raise self.contradiction(f"a {item.kind} holds what could not be sent back")
        self.done.append(done)
        self._events.append(self._event("delta", [copy.deepcopy(done)]))

    def _arguments(self, item: _Item, text: str) -> tuple[Json, str | None]:
        """The arguments as an object, and their text where writing the object would not give it back."""
        try:
            value = parse_arguments(text)
        except ValueError:
            name, call_id = (item.header[field] for field in ("name", "tool_call_id"))
            raise ToolCallArgumentParseError(self.client, name, call_id, text) from None
        return value, (text if text.strip() and text != write_arguments(value) else None)

    def _event(
        self, kind: str, items: list[Json], usage: UsageMetadata | None = None, reason: FinishReason | None = None
    ) -> UniEvent:
        event = {
            "role": "assistant",
            "event_type": kind,
            "content_items": items,
            "usage_metadata": usage,
            "finish_reason": reason,
            "created_at": self._now() if self._now else None,
        }
        return cast("UniEvent", event)


@discreet
def concat_uni_events_to_uni_message(events: Iterable[UniEvent]) -> UniMessage:
    """The assistant message of a stream: its done items, and what the stop says (None without one)."""
    items: list[Any] = []
    stop: Mapping[str, Any] = {}
    for event in events:
        items += [item for item in event["content_items"] if item["type"].endswith(".done")]
        stop = event if event["event_type"] == "stop" else stop
    message: Json = {"role": "assistant", "content_items": items}
    message |= {name: stop.get(name) for name in ("usage_metadata", "finish_reason", "created_at")}
    return cast("UniMessage", message)


def token_count(value: object) -> int | None:
    """A count as a provider sent it; None for anything that is no count."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _known(usage: UsageMetadata) -> UsageMetadata | None:
    return usage if any(n is not None for n in usage.values()) else None


def _is_object(text: str) -> bool:
    try:
        parse_arguments(text)
    except ValueError:
        return False
    return True
