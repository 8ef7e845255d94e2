"""The seam between wires and the rest: what a wire is, and what is the same for all of them.

A wire is a frozen record of functions, bound to one row of its dialect table and to one model. It does no I/O and reads
no clock. Each message is written from itself and from what the messages before it left behind (the carry), so the wire
form of a past turn never changes and may be cached.

What comes here was admitted (`ostinato.messages.admit`). Before a wire sees a message, this module takes out what must
not reach it: state of another issuer, and redacted thinking that stands for such state.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from ostinato.discretion import discreet
from ostinato.errors import InvalidMessageError
from ostinato.messages import UniConfig, UniMessage, admit_all
from ostinato.policy import DECISION_CODES, Decision
from ostinato.policy.decision import Action
from ostinato.policy.prepare import counters, repeats
from ostinato.stream import Clock, Stream
from ostinato.telemetry import ReplayTelemetry
from ostinato.wires._decoder import Decoder, Parser
from ostinato.wires._settings import check_types

__all__ = ["REDACTED", "Carry", "Decision", "Encoded", "Groups", "Json", "Notes", "Turn", "Wire"]

Json = dict[str, Any]
Groups = Sequence[Sequence[Any]]
"""The wire items of each message, one list per message. They are shared with caches: read, never edit them."""
Carry = Any
"""What a wire takes from one message to the next. A value: a wire makes a new one, it never edits the one it got."""

REDACTED = "_REDACTED_THINKING"
"""The text of a thinking item that stands for a redacted block."""


@dataclass(slots=True)
class Notes:
    """Where a wire says what it left out of the message it is writing, and how it refuses an item."""

    client: str
    index: int
    made: list[Decision] = field(default_factory=list)

    def say(self, code: str, place: int | None, action: Action = "left_out", reason: str | None = None) -> None:
        """Report a decision about the item at `place`, or about the message where it is None."""
        if code not in DECISION_CODES:
            raise KeyError(code)
        path = f"messages/{self.index}" + ("" if place is None else f"/content_items/{place}")
        self.made.append(Decision(code, path, action, reason))

    def take(self, decision: Decision, place: int) -> None:
        """Report what a rule of the wire decided about the item at `place`."""
        self.made.append(decision._replace(path=f"messages/{self.index}/content_items/{place}"))

    def refuse(
        self,
        reason: str,
        place: int | None = None,
        item_type: str | None = None,
        kind: type[InvalidMessageError] = InvalidMessageError,
    ) -> InvalidMessageError:
        """The error for a message this client cannot send, to be raised."""
        return kind(self.client, reason, item_type=item_type, message_index=self.index, item_index=place)


class Turn(NamedTuple):
    """One admitted message, as a wire sees it."""

    role: str
    items: list[tuple[int, Json]]
    """The items that may reach this target, each with its place in the message. Never to be edited."""
    message: UniMessage
    """The whole message, for a wire that relays it."""


class Encoded(NamedTuple):
    """One message in wire form."""

    items: list[Any]
    carry: Carry
    decisions: tuple[Decision, ...]
    telemetry: ReplayTelemetry = ReplayTelemetry()
    """What of it is replayed state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One wire, bound to a dialect and a model."""

    name: str
    """The wire: `openai-responses`, `openai-chat` ..."""
    client_type: str
    """The dialect's name, which is MMSP's client type."""
    model: str
    endpoint: str | None = field(default=None, repr=False)
    """The base URL of the requests; None for the dialect's own."""
    default_endpoint: str | None = None
    provider: str | None = None
    """Whose state this target makes and takes; None where that is not known (a relay)."""
    state_per_endpoint: bool = False
    """Whether `provider` names a kind of server and not one vendor, so that another endpoint is another issuer."""
    path: str
    """Of the request, under the base URL."""
    items_key: str | None
    """The key of the body that holds the wire items of all messages, after whatever `body([], config)` holds there.
    None where the body holds them in another form, so that it cannot be put together from cached items."""
    takes_redacted: bool = False
    """Whether the redaction stand-in means something here."""
    inlines_images: bool = False
    """Whether images given by URL must be fetched first; see `ostinato.wires.images`."""
    start: Carry = None
    """The carry before the first message."""
    write_message: Callable[["Turn", Carry, Notes], tuple[list[Any], Carry]] = field(repr=False)
    write_body: Callable[[Groups, UniConfig], Json] = field(repr=False)
    make_parser: Callable[[], Parser] = field(repr=False)
    write_headers: Callable[[UniConfig], dict[str, str]] = field(default=lambda _config: {}, repr=False)
    count_items: Callable[[str, Sequence[Any]], ReplayTelemetry] = field(default=counters, repr=False)
    """Counts the replayed state in wire items, given the wire's name."""

    @property
    def origin(self) -> dict[str, str] | None:
        """What a recorded assistant message carries as `origin`; None where the issuer is not known."""
        if self.provider is None:
            return None
        endpoint = _without_secrets(self.endpoint or self.default_endpoint)
        known = {"provider": self.provider, "endpoint": endpoint, "model": self.model}
        return {name: value for name, value in known.items() if value is not None}

    @discreet
    def encode(self, messages: Iterable[UniMessage], config: UniConfig | None = None) -> Json:
        """The request body for a conversation. Pure; the messages are neither changed nor shared with the body's items.

        Raises:
            InvalidMessageError, UnsupportedContentError, UnsupportedParameterError: before anything could be sent.
        """
        admitted = admit_all(messages, client=self.client_type)
        self.body([], config)  # a wrong setting is told before a wrong message
        groups, carry = [], self.start
        for index, message in enumerate(admitted):
            encoded = self.encode_message(message, carry, index)
            groups.append(encoded.items)
            carry = encoded.carry
        return self.body(groups, config)

    @discreet
    def encode_message(self, message: UniMessage, carry: Carry, index: int = 0) -> Encoded:
        """One admitted message in wire form.

        Args:
            message: what `admit` gave back.
            carry: the carry of the message before it; `start` for the first one.
            index: its place in the conversation, for errors and decisions.
        """
        notes = Notes(self.client_type, index)
        items, after = self.write_message(self._turn(message, notes), carry, notes)
        if not items:
            raise notes.refuse("nothing this client can send")
        decisions = tuple(notes.made)
        return Encoded(items, after, decisions, self.count_state(items, decisions))

    def count_state(self, items: Sequence[Any], decisions: Iterable[Decision] = ()) -> ReplayTelemetry:
        """The counters of wire items as they go out, and of what was decided about repeats on the way."""
        return self.count_items(self.name, items) + repeats(decisions)

    @discreet
    def body(self, groups: Groups, config: UniConfig | None = None) -> Json:
        """The request body around the wire items of all messages."""
        return self.write_body(groups, check_types(self.client_type, config or {}))

    @discreet
    def headers(self, config: UniConfig | None = None) -> dict[str, str]:
        """Headers that the request needs, beside credentials and content type."""
        return self.write_headers(config or {})

    @discreet
    def decoder(self, *, now: Clock | None = None, debug: bool = False) -> Decoder:
        """A decoder for one response.

        Args:
            now: stamps `created_at` of the events, in milliseconds; without it they have none.
            debug: raise `UnknownEventError` for what is not known, instead of counting it.
        """
        return Decoder(Stream(self.client_type, now=now, debug=debug), self.make_parser(), self.origin)

    def _is_foreign(self, origin: Mapping[str, str] | None) -> bool:
        """Whether state was made elsewhere. Where that is not known, a wire decides by what the state looks like."""
        own = self.origin if origin else None
        if not origin or not own:
            return False
        names = ["provider", "endpoint"] if self.state_per_endpoint else ["provider"]
        return any(origin[name] != own[name] for name in names if name in origin and name in own)

    def _turn(self, message: UniMessage, notes: Notes) -> "Turn":
        """The message without what another issuer's state left on it, and without redacted blocks that are foreign."""
        foreign = self._is_foreign(message.get("origin"))
        kept: list[tuple[int, Json]] = []
        for place, item in enumerate(cast("list[Json]", message["content_items"])):
            if item.get("thinking") == REDACTED and (foreign or not self.takes_redacted):
                notes.say("foreign_redacted", place)
                continue
            portable = _portable(item, place, notes) if foreign else item
            if portable is not None:
                kept.append((place, portable))
        return Turn(message["role"], kept, message)


def _without_secrets(endpoint: str | None) -> str | None:
    """A base URL without what may be secret in it: user, password, query. A server is the same over WebSocket."""
    plain = endpoint and re.sub(r"(?<=://)[^/@]*@", "", re.split(r"[?#]", endpoint, maxsplit=1)[0])
    return plain and re.sub(r"^ws(?=s?://)", "http", plain, flags=re.IGNORECASE)


def _portable(item: Json, place: int, notes: Notes) -> Json | None:
    """An item of another issuer: its content, and the text of a call's arguments, which is nobody's state.

    None where it was state and nothing else.
    """
    fidelity = item.get("fidelity")
    if not isinstance(fidelity, dict) or not fidelity:
        return item
    kept = {"arguments": fidelity["arguments"]} if "arguments" in fidelity else {}
    if len(kept) < len(fidelity):
        notes.say("foreign_state", place)
    if item.get("thinking") == "":
        return None
    bare = {name: value for name, value in item.items() if name != "fidelity"}
    return bare | ({"fidelity": kept} if kept else {})
