"""A transport that plays a script in the test's own process, one step of the event loop at a time."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from ostinato import LLMClient, wire
from ostinato.turn import Request
from tests.client.provider import reasoning, responses

Json = dict[str, Any]


class Scripted:
    """Answers every request with the same events, and pauses before each and at the end."""

    def __init__(self, events: list[Json] | None = None, *, pauses: int = 1) -> None:
        self.events_of_an_answer = responses(reasoning(1, "Plan."), output="hello") if events is None else events
        self.pauses = pauses
        self.requests: list[Request] = []
        self.open = 0
        """Streams that have begun and are not closed."""
        self.connections = 0

    async def events(self, request: Request) -> AsyncGenerator[Json]:
        """Play the script."""
        self.requests.append(request)
        self.open += 1
        try:
            for event in self.events_of_an_answer:
                await self.pause()
                yield event
        finally:
            try:
                await self.pause()
            finally:
                self.open -= 1

    async def pause(self) -> None:
        """Give way to the other tasks of the loop."""
        for _ in range(self.pauses):
            await asyncio.sleep(0)

    async def close(self) -> None:
        """There are no connections."""

    def client(self, **options: Any) -> LLMClient:
        """A client that sends through this transport."""

        def connect() -> Scripted:
            self.connections += 1
            return self

        return LLMClient(wire("openai-official", "gpt-6"), connect, **options)
