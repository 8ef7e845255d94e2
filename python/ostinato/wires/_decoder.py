"""One response being received: the decoder that every wire's parser runs in."""

import copy
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, cast

from ostinato.discretion import discreet
from ostinato.errors import IncompleteStreamError, TurnError
from ostinato.messages import UniEvent, UniMessage
from ostinato.stream import Stream

__all__ = ["Decoder", "Parser"]

Parser = Callable[[Mapping[str, Any], Stream], None]
"""What a wire brings: reads one event of the provider and tells the stream what it says."""


class Decoder:
    """One response being received: events of the provider in, events of the public stream out."""

    def __init__(self, stream: Stream, parser: Parser, origin: dict[str, str] | None = None) -> None:
        self._stream = stream
        self._parse = parser
        self._origin = origin
        self._error: TurnError | None = None
        self._stop: UniEvent | None = None

    @property
    def notes(self) -> Counter[str]:
        """What was seen and not used, by name; holds no content."""
        return self._stream.notes

    @discreet
    def feed(self, event: Mapping[str, Any]) -> list[UniEvent]:
        """Read one event.

        Raises:
            TurnError: the stream is broken or the provider reports an error. What the same event gave before that
                comes out first, and the error with the next call.
        """
        self._raise_pending()
        return self._after(lambda: self._parse(event, self._stream))

    @discreet
    def flush(self) -> list[UniEvent]:
        """The provider's stream has ended: the done events of what was still open. `finish` does it too."""
        self._raise_pending()
        return self._after(self._stream.close_all)

    @discreet
    def finish(self) -> list[UniEvent]:
        """The last events, the stop among them.

        Raises:
            TurnError: the response is incomplete, empty, a refusal, or broken.
        """
        events = self.flush()
        self._raise_pending()
        self._stop = self._stream.stop()
        return [*events, copy.deepcopy(self._stop)]

    @discreet
    def message(self) -> UniMessage:
        """The assistant message, after `finish`: a new one with each call, shared with nobody."""
        if self._stop is None:
            raise IncompleteStreamError(self._stream.client, ["finish_reason"])
        message = {
            "role": "assistant",
            "content_items": self._stream.done,
            "usage_metadata": self._stop["usage_metadata"],
            "finish_reason": self._stop["finish_reason"],
            "created_at": self._stop["created_at"],
        }
        return cast("UniMessage", copy.deepcopy(message | ({"origin": self._origin} if self._origin else {})))

    def _after(self, step: Callable[[], None]) -> list[UniEvent]:
        error: TurnError | None = None
        try:
            step()
        except TurnError as fault:
            error = fault
        except (LookupError, TypeError, AttributeError, ValueError):
            # An event of a shape that no parser expects. Its text stays out of the error.
            error = self._stream.contradiction("an event has not the shape it should have")
        events = self._stream.take()
        self._error = error
        if error is not None and not events:
            raise error
        return events

    def _raise_pending(self) -> None:
        if self._error is not None:
            raise self._error
