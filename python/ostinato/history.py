"""The messages of a conversation, in memory: append-only, shared with nobody, each written for the wire once."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from ostinato.messages import UniMessage, admit
from ostinato.wires import Encoded, Wire
from ostinato.wires.images import inline_images, remote_images

__all__ = ["History", "stamp"]


class History:
    """A conversation as one wire sees it.

    Messages come in as they are and are never handed out: `messages` gives copies. The wire form of a message is made
    when it is first needed and kept, so a turn costs what is new in it.
    """

    def __init__(self, wire: Wire, messages: Iterable[UniMessage] = ()) -> None:
        """Begin with messages, which are checked and copied."""
        self._wire = wire
        self._messages: list[UniMessage] = []
        self._encoded: list[Encoded] = []
        self._stamped = 0
        for message in messages:
            self.append(message)

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def messages(self) -> list[UniMessage]:
        """The conversation: copies, which may be edited."""
        return copy.deepcopy(self._messages)

    def append(self, message: UniMessage) -> None:
        """Add a message. It is checked and copied here; edits that come later do not reach it.

        Raises:
            InvalidMessageError: no provider would take it.
        """
        admitted = admit(message, len(self._messages), client=self._wire.client_type)
        self._messages.append(copy.deepcopy(admitted))

    def fork(self) -> "History":
        """Another history with the same messages so far, which cost nothing again."""
        other = History(self._wire)
        other._messages, other._encoded = list(self._messages), list(self._encoded)
        other._stamped = self._stamped
        return other

    def adopt(self, sent: "History", answer: UniMessage) -> None:
        """Record a turn: what was sent from a fork of this history, and the answer, which is the history's now."""
        self._messages, self._encoded = sent._messages, sent._encoded  # noqa: SLF001 - one of our own
        self._messages.append(answer)
        self._stamped = len(self._messages)

    def images(self) -> list[str]:
        """URLs of images that must be fetched before the conversation can be written for a wire that inlines them."""
        if not self._wire.inlines_images:
            return []
        fresh = self._messages[len(self._encoded) :]
        return list(dict.fromkeys(url for message in fresh for url in remote_images(message)))

    def encode(self, fetched: Mapping[str, bytes] | None = None) -> list[Encoded]:
        """Every message in wire form. Those that were written before are not written again.

        Args:
            fetched: the images that `images` named.

        Raises:
            InvalidMessageError, UnsupportedContentError: a message that this wire cannot send.
        """
        carry = self._encoded[-1].carry if self._encoded else self._wire.start
        for index in range(len(self._encoded), len(self._messages)):
            message = inline_images(self._messages[index], fetched) if fetched else self._messages[index]
            encoded = self._wire.encode_message(message, carry, index)
            self._encoded.append(encoded)
            carry = encoded.carry
        return self._encoded

    def stamp(self, now: int) -> None:
        """Give a time to the messages that have none (RFC section 6.3). No wire reads it."""
        for message in self._messages[self._stamped :]:
            stamp(message, now)
        self._stamped = len(self._messages)


def stamp(message: Any, now: int) -> None:  # noqa: ANN401 - the caller's own object, not yet checked
    """Give the caller's message the time it is sent, if it has none; nothing else is ever written to it."""
    if isinstance(message, dict) and message.get("created_at") is None:
        message["created_at"] = now
