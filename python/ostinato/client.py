"""The client: a conversation with one model, over whatever provider it has.

`LLMClient` pumps turns through a transport. All logic of a turn is in `ostinato.turn`, all knowledge of a provider in
its wire; what is here is the claim (one stateful call at a time), cancellation, and closing.
"""

import asyncio
import os
import warnings
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, aclosing, asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import Any, Final, Literal, Self

from ostinato import clock
from ostinato.abort import AbortSignal, Reading, until_aborted
from ostinato.credentials import client_type_for, resolve
from ostinato.discretion import discreet
from ostinato.errors import (
    ConcurrentCallError,
    InvalidMessageError,
    PrefixChangedError,
    PrefixChangedWarning,
    UnsupportedOperationError,
    UpstreamError,
)
from ostinato.history import History, stamp
from ostinato.messages import UniConfig, UniEvent, UniMessage, copied
from ostinato.metrics import emit
from ostinato.portal import Portal
from ostinato.prefix import PrefixChange, PrefixGuard
from ostinato.privacy import Recording, StreamCapture
from ostinato.store import Binding, Session
from ostinato.stream import concat_uni_events_to_uni_message
from ostinato.telemetry import ReplayTelemetry
from ostinato.transports import ListsModels, Transport, open_transport
from ostinato.transports.images import fetch
from ostinato.turn import Request, Turn
from ostinato.wires import Wire, wire

__all__ = ["AutoLLMClient", "LLMClient"]

OnPrefixChange = Literal["ignore", "warn", "raise"] | Callable[[PrefixChange], None]
"""What happens when a stateful call does not send what the call before it sent."""


class _Claim:
    """One stateful call that holds the client."""


class LLMClient:
    """A conversation with one model over one wire.

    Not for use from several threads at once. `streaming_response` keeps nothing and may run beside anything;
    `streaming_response_stateful` keeps the history, and one such call runs at a time.
    """

    @discreet
    def __init__(
        self,
        wire: Wire,
        connect: Callable[[], Transport],
        *,
        on_prefix_change: OnPrefixChange = "warn",
        now: Callable[[], int] = clock.now,
        debug: bool = False,
        session: Session | None = None,
        capture: StreamCapture | None = None,
    ) -> None:
        """Begin a conversation, or go on with one.

        Args:
            wire: the wire, bound to dialect and model.
            connect: makes the transport; called once per event loop, when the first request goes out.
            on_prefix_change: what to do when a stateful call would not send what the one before it sent.
            now: the clock, in milliseconds.
            debug: raise `UnknownEventError` for events that are not known, instead of counting them.
            session: where the conversation is kept on disk: what is there is the history, and each turn is added. What
                could not be read is in `session.findings`. The client does not close it.
            capture: where requests and streams are written for debugging: their structure, without content.

        Raises:
            StoreError: the session cannot be read, or is another client's.
            TypeError: a setting is not what its annotation says.
        """
        _check_settings(on_prefix_change, session, capture)
        self.wire: Final = wire
        self._connect = connect
        self._on_prefix_change = on_prefix_change
        self._now = now
        self._debug = debug
        self._history = History(wire)
        self._guard = PrefixGuard()
        self._session = session
        self._capture = capture
        if session is not None:
            self._resume(session)
        # Weak: a generator that is lost with its event loop holds the client no longer.
        self._claim: weakref.ref[_Claim] | None = None
        self._transports: dict[asyncio.AbstractEventLoop, Transport] = {}
        self._portal: Portal | None = None
        self._last_request: Request | None = None
        self._telemetry = ReplayTelemetry()

    @property
    def last_request(self) -> Request | None:
        """A copy of the newest request: its decisions say what was left out. It holds content; keep it out of logs."""
        last = self._last_request
        return last and last._replace(body=copied(last.body), groups=copied(last.groups), head=copied(last.head))

    @property
    def telemetry(self) -> ReplayTelemetry:
        """What all requests replayed so far, summed: nine counters, no content. One request's are in `last_request`."""
        return self._telemetry

    # The history.

    def get_history(self) -> list[UniMessage]:
        """The conversation so far: copies, which may be edited."""
        return self._history.messages

    @discreet
    def set_history(self, messages: Iterable[UniMessage]) -> None:
        """Take a conversation over: checked and copied.

        With a session, the conversation begins anew there too: what it held before stays on the disk, and is no longer
        part of it. Its messages are given their times at once.

        Raises:
            InvalidMessageError: one of the messages can be sent to no provider.
            ConcurrentCallError: a stateful call is running; its turn would land in a history it did not see.
            StoreError: the session could not be written; the conversation is what it was.
        """
        self._refuse_during_a_call()
        history = History(self.wire, messages)
        if self._session is not None:
            history.stamp(self._now())
            self._session.restart(history.messages)
        self._history = history
        self._guard.forget()

    def clear_history(self) -> None:
        """Begin a new conversation.

        Raises:
            ConcurrentCallError: a stateful call is running.
        """
        self.set_history([])

    # Calls.

    @discreet
    async def streaming_response(
        self, messages: list[UniMessage], config: UniConfig | None = None, signal: AbortSignal | None = None
    ) -> AsyncGenerator[UniEvent]:
        """Answer to a conversation that the caller keeps.

        Args:
            messages: the conversation. Each message without `created_at` is given the time it is sent.
            config: settings of this request.
            signal: aborts it.

        Raises:
            TurnError: before anything was sent (a message or setting no provider takes), or when the stream fails.
            UpstreamError: the provider's HTTP error.
            asyncio.CancelledError: the signal was aborted; its reason is the error's argument.
        """
        messages = list(messages)
        for message in messages:
            stamp(message, self._now())
        history = History(self.wire)
        turn = Turn(self.wire, history, None, config, now=self._now, debug=self._debug)
        history.extend(messages)  # after a wrong setting was told
        async with aclosing(self._pump(turn, signal, None)) as events:
            async for event in events:
                yield event

    @discreet
    async def streaming_response_stateful(
        self, message: UniMessage, config: UniConfig | None = None, signal: AbortSignal | None = None
    ) -> AsyncGenerator[UniEvent]:
        """Say something in the conversation that this client keeps.

        The message is frozen when the call begins. The turn is recorded before the stop is handed out; a stream that
        fails, is aborted or is closed early records nothing.

        Raises:
            ConcurrentCallError: another stateful call is running. Nothing was sent.
            TurnError, UpstreamError, asyncio.CancelledError: as for `streaming_response`.
            StoreError: the session takes no turn, and nothing was sent; or the turn could not be written, after the
                answer was handed out and before the stop: then the history is what it was.
        """
        self._refuse_during_a_call()
        call = _Claim()
        claim = self._claim = weakref.ref(call)
        # An abort frees the client at once, also while its caller is busy elsewhere.
        stop_listening = signal.listen(lambda: self._release(claim)) if signal else lambda: None
        try:
            if message is None:  # which means something else to a turn
                raise InvalidMessageError(self.wire.client_type, "a message must be a mapping", message_index=0)
            stamp(message, self._now())
            turn = Turn(self.wire, self._history, message, config, now=self._now, debug=self._debug)
            if self._session is not None and turn.said is not None:
                self._session.check([turn.said])
            async with aclosing(self._pump(turn, signal, claim)) as events:
                async for event in events:
                    yield event
        finally:
            stop_listening()
            self._release(claim)

    @asynccontextmanager
    async def turn(
        self, message: UniMessage, config: UniConfig | None = None, signal: AbortSignal | None = None
    ) -> AsyncIterator[AsyncGenerator[UniEvent]]:
        """A stateful call that is closed when its block ends, whichever way that is.

        async with client.turn(message) as stream:
            async for event in stream: ...
        """
        stream = self.streaming_response_stateful(message, config, signal)
        try:
            yield stream
        finally:
            await stream.aclose()

    def stream(
        self, message: UniMessage, config: UniConfig | None = None, signal: AbortSignal | None = None
    ) -> Iterator[UniEvent]:
        """`streaming_response_stateful` for scripts and notebooks: a plain iterator, closed when it is."""
        if self._portal is None:
            self._portal = Portal()
            weakref.finalize(self, self._portal.stop)
        return self._portal.iterate(self.streaming_response_stateful(message, config, signal))

    @discreet
    async def list_models(self) -> list[str]:
        """The ids of the models that the endpoint has.

        Raises:
            UnsupportedOperationError: this transport cannot ask.
            UpstreamError: the provider's HTTP error.
        """
        transport = self._transport()
        if not isinstance(transport, ListsModels):
            raise UnsupportedOperationError(self.wire.client_type, "listing models")
        return await transport.models()

    async def close(self) -> None:
        """Close the connections of the running event loop. `async with client:` does it at the end of the block."""
        transport = self._transports.pop(asyncio.get_running_loop(), None)
        if transport is not None:
            await transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections of `stream`."""
        portal, self._portal = self._portal, None
        if portal is not None:
            portal.close(self.close())

    # The transforms of the protocol.

    @discreet
    def transform_uni_config_to_model_config(self, config: UniConfig) -> dict[str, Any]:
        """The request body without messages."""
        return self.wire.body([], config)

    @discreet
    def transform_uni_message_to_model_input(self, messages: list[UniMessage]) -> list[Any]:
        """The wire items of a conversation."""
        items: list[Any] = copied(History(self.wire, messages).written().items)
        return items

    @staticmethod
    def concat_uni_events_to_uni_message(events: Iterable[UniEvent]) -> UniMessage:
        """The assistant message of a stream."""
        return concat_uni_events_to_uni_message(events)

    # Within.

    async def _pump(
        self, turn: Turn, signal: AbortSignal | None, claim: "weakref.ref[_Claim] | None"
    ) -> AsyncGenerator[UniEvent]:
        if signal is not None:
            signal.throw_if_aborted()
        fetched = await until_aborted(fetch(turn.images, self.wire.client_type), signal) if turn.images else {}
        request = turn.request(fetched)
        if claim is not None:
            self._check_prefix(request)
        self._last_request = request
        with self._recording(request) as recording:
            reading = Reading(self._transport().events(request), signal)
            sent = False
            try:
                while (provider_event := await reading.next()) is not None:
                    self._note(provider_event, request, recording, first=not sent)
                    sent = True
                    for event in turn.feed(provider_event):
                        yield event
                        _throw_if_aborted(signal)
                for event in turn.flush():
                    yield event
                    _throw_if_aborted(signal)
            except BaseException as error:
                if not sent and isinstance(error, UpstreamError) and error.status is not None:
                    self._count(request)  # refused, but sent
                with suppress(Exception):  # why it ends counts, and not what closing has to say
                    await reading.close()
                raise
            await reading.close()
            _throw_if_aborted(signal)
            stop = turn.finish() if claim is None else self._recorded(turn, request)
            if recording is not None:
                recording.result(stop)
        if claim is not None:
            self._release(claim)
        yield stop

    def _note(self, event: Mapping[str, Any], request: Request, recording: Recording | None, *, first: bool) -> None:
        """The provider answers: count what was sent, once, and write the event down where that is wanted."""
        if first:
            self._count(request)
        if recording is not None:
            recording.event(event)

    def _recording(self, request: Request) -> AbstractContextManager[Recording | None]:
        if self._capture is None:
            return nullcontext()
        about = {"wire": self.wire.name, "client_type": self.wire.client_type, "model": self.wire.model}
        return self._capture.begin(request.body, path=request.path, **about)

    def _recorded(self, turn: Turn, request: Request) -> UniEvent:
        """The stop of a turn that is now part of the conversation, in memory and on the disk."""
        sent = save = None
        if self._session is not None:
            sent = self._guard.sent(request.head, request.groups)
            save = partial(self._session.append, sent=sent)
        stop = turn.finish(save)
        # A turn that failed is not part of the conversation, so the next request need not begin with it.
        self._guard.remember(request.head, request.groups, sent)
        return stop

    def _count(self, request: Request) -> None:
        """A request that the provider answers to was sent."""
        self._telemetry += request.telemetry
        emit(request.telemetry, self.wire)

    def _resume(self, session: Session) -> None:
        binding = Binding(self.wire.client_type, self.wire.model)
        found = session.attach(self, binding, self.wire.name)
        self._history.extend(found.messages)
        if found.binding == binding:
            self._guard.resume(found.head, found.groups)

    def _transport(self) -> Transport:
        loop = asyncio.get_running_loop()
        transport = self._transports.get(loop)
        if transport is None:
            # Connections of a loop that was closed cannot be used or closed any more.
            alive = {other: kept for other, kept in self._transports.items() if not other.is_closed()}
            transport = self._connect()
            self._transports = {**alive, loop: transport}
        return transport

    def _check_prefix(self, request: Request) -> None:
        if self._on_prefix_change == "ignore":
            return
        change = self._guard.change(request.head, request.groups)
        if change is not None:
            if callable(self._on_prefix_change):
                self._on_prefix_change(change)
            elif self._on_prefix_change == "raise":
                raise PrefixChangedError(self.wire.client_type, change)
            else:
                warnings.warn(str(change), PrefixChangedWarning, stacklevel=2)

    def _release(self, claim: "weakref.ref[_Claim]") -> None:
        if self._claim is claim:
            self._claim = None

    def _refuse_during_a_call(self) -> None:
        if self._claim is not None and self._claim() is not None:
            raise ConcurrentCallError(self.wire.client_type)


def _check_settings(on_prefix_change: object, session: object, capture: object) -> None:
    """Refuse where a client is made what would otherwise fail in the middle of a conversation."""
    if on_prefix_change not in ("warn", "raise", "ignore") and not callable(on_prefix_change):
        raise TypeError("on_prefix_change is 'warn', 'raise', 'ignore' or a function")
    if session is not None and not isinstance(session, Session):
        raise TypeError("session is a Session: what `SessionStore.open(name)` gives")
    if capture is not None and not isinstance(capture, StreamCapture):
        raise TypeError("capture is a StreamCapture of `ostinato.privacy`")


def _throw_if_aborted(signal: AbortSignal | None) -> None:
    if signal is not None:
        signal.throw_if_aborted()


_OFF: Final = ("", "0", "false", "no", "off")


class AutoLLMClient(LLMClient):
    """The client of a model: found by its name or by `client_type`, with key and endpoint from the environment."""

    @discreet
    def __init__(
        self,
        model: str,
        api_key: str | None = None,
        base_url: str | None = None,
        client_type: str | None = None,
        default_headers: dict[str, str] | None = None,
        *,
        on_prefix_change: OnPrefixChange = "warn",
        session: Session | None = None,
        capture: StreamCapture | None = None,
    ) -> None:
        """Route a model.

        Args:
            model: the model's id.
            api_key: the key; that of the environment if None, where it is meant for the endpoint.
            base_url: the endpoint; that of the environment, else the provider's, if None.
            client_type: a dialect by name; the environment's `CLIENT_TYPE`, else the model's family, if None.
            default_headers: sent with every request.
            on_prefix_change: see `LLMClient`.
            session: see `LLMClient`.
            capture: see `LLMClient`.

        Raises:
            RoutingError: no wire is known by this name, or for this model.
            ApiKeyRequiredError: no key is meant for this endpoint.
            StoreError: the session cannot be read, or is another client's.
            TypeError: a setting is not what its annotation says.
        """
        routed = client_type_for(model, client_type, os.environ)
        endpoint = resolve(routed, api_key, base_url, os.environ)
        bound = wire(routed, model, endpoint=endpoint.base_url)
        super().__init__(
            bound,
            lambda: open_transport(bound.name, routed, endpoint, default_headers),
            on_prefix_change=on_prefix_change,
            session=session,
            capture=capture,
            debug=os.environ.get("OSTINATO_DEBUG", "").strip().lower() not in _OFF,
        )
