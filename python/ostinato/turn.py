"""One turn of a conversation, without I/O: a request comes out, events of the provider go in.

turn = Turn(wire, history, message, config, now=clock)
request = turn.request()            # after fetching turn.images, where the wire inlines them
for event in provider(request):
    for delta in turn.feed(event): ...
for delta in turn.flush(): ...
stop = turn.finish()                # recorded in the history before it is handed out
"""

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ostinato.history import History
from ostinato.messages import UniConfig, UniEvent, UniMessage
from ostinato.stream import Clock
from ostinato.wires import Decision, Wire

__all__ = ["Request", "Turn"]

Json = dict[str, Any]


class Request(NamedTuple):
    """What a transport sends."""

    wire: Wire
    path: str
    headers: dict[str, str]
    body: Json
    groups: Sequence[Any]
    """The wire form of each message, as the body holds it."""
    head: Json
    """What the body holds before the messages: tools, system prompt."""
    decisions: tuple[Decision, ...]
    """What was left out or changed on the way."""


# What providers read before the messages, by the names that wires give it.
_HEAD = ("instructions", "system", "systemInstruction", "system_instruction", "tools", "toolConfig")


class Turn:
    """Begins with the messages of a conversation and what is to be said; ends in a message, or in nothing.

    The messages are frozen here: what the caller edits later is neither sent nor recorded.
    """

    def __init__(
        self,
        wire: Wire,
        history: History,
        message: UniMessage | None,
        config: UniConfig | None = None,
        *,
        now: Clock,
        debug: bool = False,
    ) -> None:
        """Freeze a turn.

        Args:
            wire: how it is written and read.
            history: what was said before. Only `finish` adds to it.
            message: what is said now; None where the history holds the whole conversation already.
            config: the settings of the request.
            now: the clock, in milliseconds.
            debug: raise `UnknownEventError` for events that are not known, instead of counting them.

        Raises:
            InvalidMessageError, UnsupportedParameterError: nothing was sent.
        """
        self._wire = wire
        self._history = history
        self._config: UniConfig = copy.deepcopy(config) if config else {}
        self._decoder = wire.decoder(now=now, debug=debug)
        wire.body([], self._config)  # a wrong setting is told before a wrong message
        self._sent = history.fork()
        if message is not None:
            self._sent.append(message)
        self._sent.stamp(now())

    @property
    def images(self) -> list[str]:
        """URLs of images to fetch before the request can be written."""
        return self._sent.images()

    @property
    def notes(self) -> Counter[str]:
        """What was seen in the stream and not used, by name; no content."""
        return self._decoder.notes

    def request(self, fetched: Mapping[str, bytes] | None = None) -> Request:
        """The request of this turn."""
        encoded = self._sent.encode(fetched)
        groups = [one.items for one in encoded]
        body = self._wire.body(groups, self._config)
        decisions = tuple(decision for one in encoded for decision in one.decisions)
        head = {name: body[name] for name in _HEAD if name in body}
        return Request(self._wire, self._wire.path, self._wire.headers(self._config), body, groups, head, decisions)

    def feed(self, event: Mapping[str, Any]) -> list[UniEvent]:
        """The public events that one event of the provider amounts to."""
        return self._decoder.feed(event)

    def flush(self) -> list[UniEvent]:
        """The provider's stream has ended: the done events of what was still open."""
        return self._decoder.flush()

    def finish(self, *, record: bool = True) -> UniEvent:
        """Record the turn in the history, then give the stop.

        Args:
            record: False for a turn whose history is not kept.

        Raises:
            TurnError: the response is incomplete, empty, a refusal, or broken. Nothing is recorded.
        """
        *rest, stop = self._decoder.finish()
        if rest:
            raise RuntimeError("flush comes before finish")
        if record:
            self._history.adopt(self._sent, self._decoder.message())
        return stop
