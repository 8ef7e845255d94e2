"""The messages of a conversation, in memory: append-only, shared with nobody, each written for the wire once."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ostinato.errors import InvalidMessageError
from ostinato.messages import UniMessage, admit, copied
from ostinato.telemetry import ReplayTelemetry
from ostinato.wires import Decision, Encoded, Wire
from ostinato.wires.images import inline_images, remote_images

__all__ = ["History", "Written", "stamp"]


class Written(NamedTuple):
    """A conversation in wire form. What the lists hold is shared with the history: never to be edited."""

    groups: list[list[Any]]
    """The wire items of each message."""
    items: list[Any]
    """All of them, in order."""
    decisions: list[Decision]
    """What was left out or changed on the way."""

    def add(self, encoded: Encoded) -> None:
        """One message more."""
        self.groups.append(encoded.items)
        self.items.extend(encoded.items)
        self.decisions.extend(encoded.decisions)


class History:
    """A conversation as one wire sees it.

    Messages come in as they are and are never handed out: `messages` gives copies. The wire form of a message is made
    when it is first needed and kept, so a turn costs what is new in it.
    """

    def __init__(self, wire: Wire, messages: Iterable[UniMessage] = ()) -> None:
        """Begin with messages, which are checked and copied."""
        self._wire = wire
        self._messages: list[UniMessage] = []
        self._written = Written([], [], [])
        self._telemetry = ReplayTelemetry()
        self._carry = wire.start
        self._stamped = 0
        self.extend(messages)

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def telemetry(self) -> ReplayTelemetry:
        """The counters of the state in all messages that were written for the wire."""
        return self._telemetry

    @property
    def messages(self) -> list[UniMessage]:
        """The conversation: copies, which may be edited."""
        own: list[UniMessage] = copied(self._messages)
        return own

    def extend(self, messages: Iterable[UniMessage]) -> None:
        """Add messages, which are checked and copied.

        Raises:
            InvalidMessageError: no provider would take one of them.
        """
        for message in messages:
            self._messages.append(self.checked(message))

    def checked(self, message: UniMessage) -> UniMessage:
        """A copy of a message that may come next; edits of the original do not reach it.

        Raises:
            InvalidMessageError: no provider would take it.
        """
        index, client = len(self._messages), self._wire.client_type
        admitted = admit(message, index, client=client)
        try:
            own: UniMessage = copied(admitted)
        except Exception as error:  # whatever an object beside the content raises when it is copied
            raise InvalidMessageError(client, "it holds what cannot be copied", message_index=index) from error
        return own

    def record(self, said: UniMessage, encoded: Encoded, answer: UniMessage) -> None:
        """A turn that went well: what was said, as it was sent, and the answer. Both messages are the history's now."""
        self._messages += [said, answer]
        self._add(encoded)

    def images(self, said: UniMessage | None = None) -> list[str]:
        """URLs of images that must be fetched before the conversation can be written for a wire that inlines them."""
        if not self._wire.inlines_images:
            return []
        fresh = self._messages[len(self._written.groups) :] + ([said] if said else [])
        return list(dict.fromkeys(url for message in fresh for url in remote_images(message)))

    def written(self, fetched: Mapping[str, bytes] | None = None) -> Written:
        """Every message in wire form. Those that were written before are not written again.

        Args:
            fetched: the images that `images` named.

        Raises:
            InvalidMessageError, UnsupportedContentError: a message that this wire cannot send.
        """
        for message in self._messages[len(self._written.groups) :]:
            self._add(self._encoded(message, fetched, len(self._written.groups)))
        return self._written

    def next(self, said: UniMessage, fetched: Mapping[str, bytes] | None = None) -> Encoded:
        """The wire form of a message that comes after all these, which are written."""
        return self._encoded(said, fetched, len(self._messages))

    def stamp(self, now: int) -> None:
        """Give a time to the messages that have none (RFC section 6.3). No wire reads it."""
        for message in self._messages[self._stamped :]:
            stamp(message, now)
        self._stamped = len(self._messages)

    def _encoded(self, message: UniMessage, fetched: Mapping[str, bytes] | None, index: int) -> Encoded:
        whole = inline_images(message, fetched) if fetched else message
        return self._wire.encode_message(whole, self._carry, index)

    def _add(self, encoded: Encoded) -> None:
        self._written.add(encoded)
        self._telemetry += encoded.telemetry
        self._carry = encoded.carry


def stamp(message: Any, now: int) -> None:  # noqa: ANN401 - the caller's own object, not yet checked
    """Give the caller's message the time it is sent, if it has none; nothing else is ever written to it."""
    if isinstance(message, dict) and message.get("created_at") is None:
        message["created_at"] = now
