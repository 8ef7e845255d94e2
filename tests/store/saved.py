"""Sessions for the tests: messages, a clock, a store in a folder, and clients whose transport plays a script."""

import asyncio
import itertools
import pathlib
from typing import Any

from ostinato import LLMClient, SessionStore, wire
from ostinato.store import Session
from tests.client.provider import reasoning, responses
from tests.client.scripted import Scripted

Json = dict[str, Any]
MARKER = "canary7f3a"
CLOCK = itertools.count(1_700_000_000_000)
ORIGIN = {"provider": "openai", "endpoint": "https://api.openai.com/v1", "model": "gpt-6"}


def user(text: str = "Is 7 prime?") -> Any:
    """What a user says."""
    return {"role": "user", "content_items": [{"type": "text.done", "text": text}], "created_at": 1}


def answer(text: str = "Yes.", state: str = "gAAAAAB-example", number: int = 1) -> Any:
    """What a model of OpenAI answers, with its state."""
    kept = {"channel": "summary", "encrypted_content": state, "id": f"rs_{number}"}
    thought = {"type": "thinking.done", "thinking": "Only 1 and 7 divide it.", "fidelity": kept}
    return {
        "role": "assistant",
        "content_items": [thought, {"type": "text.done", "text": text}],
        "usage_metadata": None,
        "finish_reason": "stop",
        "created_at": 2,
        "origin": ORIGIN,
    }


def turn(number: int = 1) -> list[Any]:
    """A turn that differs from those of other numbers."""
    return [user(f"Question {number}"), answer(f"Answer {number}", f"gAAAAAB-example-{number}", number)]


def store(folder: pathlib.Path, **options: Any) -> SessionStore:
    """A store whose clock counts."""
    return SessionStore(folder / "sessions", now=lambda: next(CLOCK), **options)


def saved(folder: pathlib.Path, turns: int = 2, name: str = "s") -> pathlib.Path:
    """The file of a session with some turns."""
    with store(folder).open(name) as session:
        for number in range(1, turns + 1):
            session.append(turn(number))
        return session.path


def history(*numbers: int) -> list[Any]:
    """The messages of some turns."""
    return [message for number in numbers for message in turn(number)]


class Model(Scripted):
    """A model that answers each request with state and a text of its own."""

    def __init__(self) -> None:
        super().__init__([], pauses=0)

    async def events(self, request: Any) -> Any:
        """The next answer."""
        number = len(request.groups)
        self.events_of_an_answer = responses(reasoning(number, f"Thought {number}."), output=f"Answer {number}.")
        async for event in super().events(request):
            yield event


def client_of(session: Session | None, model: Scripted, **options: Any) -> LLMClient:
    """A client that keeps its conversation in a session."""
    options = {"now": lambda: 7, "on_prefix_change": "raise"} | options
    return LLMClient(wire("openai-official", "gpt-6"), lambda: model, session=session, **options)


def say(client: LLMClient, text: str = "Go on.", config: Any = None) -> list[Any]:
    """One stateful call, read to its end."""

    async def scene() -> list[Any]:
        message = {"role": "user", "content_items": [{"type": "text.done", "text": text}]}
        return [event async for event in client.streaming_response_stateful(message, config)]  # type: ignore[arg-type]

    return asyncio.run(scene())
