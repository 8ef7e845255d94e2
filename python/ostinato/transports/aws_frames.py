"""AWS event streams: bytes in, events out. Amazon's own reader takes the frames apart; their content stays raw."""

import json
from typing import Any

from botocore.eventstream import EventStreamBuffer, EventStreamMessage, ParserError

from ostinato.errors import StreamProtocolError

__all__ = ["Frames"]

Event = dict[str, Any]


class Frames:
    """One stream being received."""

    def __init__(self, client: str) -> None:
        self._client = client
        self._buffer = EventStreamBuffer()

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that are complete now: mappings from the name of what they are to what they hold.

        Raises:
            StreamProtocolError: a frame is damaged, or holds no JSON.
        """
        self._buffer.add_data(chunk)
        try:
            events = [_event(frame) for frame in self._buffer]
        except (ParserError, LookupError, ValueError) as error:
            raise StreamProtocolError("a frame of the stream is broken", self._client) from error
        return [event for event in events if event is not None]


def _event(frame: EventStreamMessage) -> Event | None:
    headers = frame.headers
    kind = headers[":message-type"]
    if kind == "error":
        return {f"{headers[':error-code']}Exception": {"message": headers.get(":error-message")}}
    name = headers[":exception-type"] if kind == "exception" else headers[":event-type"]
    return None if name == "initial-response" else {name: json.loads(frame.payload or b"{}")}
