"""One turn of a conversation, without I/O: a request comes out, events of the provider go in.

turn = Turn(wire, history, message, config, now=clock)
request = turn.request()            # after fetching turn.images, where the wire inlines them
for event in provider(request):
    for delta in turn.feed(event): ...
for delta in turn.flush(): ...
stop = turn.finish()                # recorded in the history before it is handed out
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ostinato.discretion import discreet
from ostinato.errors import UnsupportedParameterError
from ostinato.history import History, stamp
from ostinato.messages import UniConfig, UniEvent, UniMessage, copied, value_fault
from ostinato.stream import Clock
from ostinato.telemetry import ReplayTelemetry
from ostinato.wires import Decision, Encoded, Wire

__all__ = ["Request", "Turn"]

Json = dict[str, Any]


class Request(NamedTuple):
    """What a transport sends."""

    wire: Wire
    path: str
    headers: dict[str, str]
    body: Json
    groups: Sequence[Any]
    """The wire form of each message, as the body holds it. Shared with the history: never edit it."""
    head: Json
    """What the body holds before the messages: tools, system prompt."""
    decisions: tuple[Decision, ...]
    """What was left out or changed on the way."""
    telemetry: ReplayTelemetry
    """What the body replays: nine counters, no content."""


# What providers read before the messages, by the names that wires give it. Some wires have it at the beginning of the
# messages' own list.
_HEAD = ("instructions", "system", "systemInstruction", "system_instruction", "tools", "toolConfig")


def _frozen(config: Any, client: str) -> UniConfig:  # noqa: ANN401 - the caller's own object, not yet checked
    if not isinstance(config, Mapping):
        raise UnsupportedParameterError(client, "config")
    for name, value in config.items():
        if not isinstance(name, str) or value_fault(value) is not None:
            raise UnsupportedParameterError(client, str(name))
    own: UniConfig = copied(config)
    return own


class Turn:
    """Begins with the messages of a conversation and what is to be said; ends in a message, or in nothing.

    The messages are frozen here: what the caller edits later is neither sent nor recorded.
    """

    @discreet
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
            history: what was said before. Only `finish` adds to it; one turn at a time may.
            message: what is said now; None where the history holds the whole conversation, and no turn is recorded.
            config: the settings of the request.
            now: the clock, in milliseconds.
            debug: raise `UnknownEventError` for events that are not known, instead of counting them.

        Raises:
            InvalidMessageError, UnsupportedParameterError: nothing was sent.
        """
        self._wire = wire
        self._history = history
        self._encoded: Encoded | None = None
        self._config = _frozen(config or {}, wire.client_type)
        self._decoder = wire.decoder(now=now, debug=debug)
        self._frame = wire.body([], self._config)  # a wrong setting is told before a wrong message
        self._message = None if message is None else history.checked(message)
        time = now()
        history.stamp(time)
        stamp(self._message, time)

    @property
    def said(self) -> UniMessage | None:
        """What is said in this turn, as it was frozen: never to be edited."""
        return self._message

    @property
    def images(self) -> list[str]:
        """URLs of images to fetch before the request can be written."""
        return self._history.images(self._message)

    @property
    def notes(self) -> Counter[str]:
        """What was seen in the stream and not used, by name; no content."""
        return self._decoder.notes

    @discreet
    def request(self, fetched: Mapping[str, bytes] | None = None) -> Request:
        """The request of this turn."""
        written = self._history.written(fetched)
        groups, items, decisions = list(written.groups), written.items, tuple(written.decisions)
        telemetry = self._history.telemetry
        if self._message is not None:
            self._encoded = self._history.next(self._message, fetched)
            groups.append(self._encoded.items)
            items, decisions = items + self._encoded.items, decisions + self._encoded.decisions
            telemetry += self._encoded.telemetry
        key, frame = self._wire.items_key, self._frame
        return Request(
            wire=self._wire,
            path=self._wire.path,
            headers=self._wire.headers(self._config),
            body=self._wire.body(groups, self._config) if key is None else {**frame, key: frame[key] + items},
            groups=groups,
            head={name: frame[name] for name in (*_HEAD, key or "") if frame.get(name)},
            decisions=decisions,
            telemetry=telemetry,
        )

    @discreet
    def feed(self, event: Mapping[str, Any]) -> list[UniEvent]:
        """The public events that one event of the provider amounts to."""
        return self._decoder.feed(event)

    @discreet
    def flush(self) -> list[UniEvent]:
        """The provider's stream has ended: the done events of what was still open."""
        return self._decoder.flush()

    @discreet
    def finish(self, save: Callable[[list[UniMessage]], object] | None = None) -> UniEvent:
        """Record the turn in the history, if something was said in it, and then give the stop.

        Args:
            save: is given what was said and the answer, neither to be edited, before they are recorded. If it raises,
                they are not.

        Raises:
            TurnError: the response is incomplete, empty, a refusal, or broken. Nothing is recorded.
        """
        *rest, stop = self._decoder.finish()
        if rest:
            raise RuntimeError("flush comes before finish")
        if self._message is not None:
            if self._encoded is None:
                raise RuntimeError("request comes before finish")
            answer = self._decoder.message()
            if save is not None:
                save([self._message, answer])
            self._history.record(self._message, self._encoded, answer)
        return stop
