"""The conversation of the exchanges, held through the public client over the real libraries."""

import asyncio
import copy
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from ostinato import AutoLLMClient
from tests.client.provider import Answer, Provider
from tests.rfc.exchanges import CALL, CLIENTS, EXCHANGES, QUESTION, RESULT, THANKS, TOOL

Json = dict[str, Any]
T = TypeVar("T")
every_client = pytest.mark.parametrize("client_type", CLIENTS)
CONFIG: Any = {"tools": [TOOL], "system_prompt": "Be brief."}


def text(said: str, role: str = "user") -> Any:
    """A message of one text."""
    return {"role": role, "content_items": [{"type": "text.done", "text": said}]}


def assistant(*items: Json, **more: Any) -> Any:
    """A message of the assistant."""
    return {"role": "assistant", "content_items": [*items], **more}


def result(call_id: str = CALL) -> Any:
    """A message with the result of a call."""
    return {"role": "user", "content_items": [{"type": "tool_result.done", "text": RESULT, "tool_call_id": call_id}]}


def client_of(server: Provider, client_type: str, **options: Any) -> AutoLLMClient:
    """A client of the provider, closed by `run`."""
    exchange = EXCHANGES[client_type]
    url = server.url.removesuffix("/v1") + exchange.under
    client = AutoLLMClient(exchange.model, "test-key", url, client_type, **options)
    server.clients.append(client)
    return client


def run(server: Provider, scene: Callable[[], Awaitable[T]]) -> T:
    """Play a scene, then close its clients."""

    async def play() -> T:
        try:
            return await scene()
        finally:
            for client in server.clients:
                await client.close()

    return asyncio.run(play())


async def say(client: Any, message: Any, config: Any = CONFIG, **options: Any) -> list[Any]:
    """One stateful call, read to its end."""
    return [event async for event in client.streaming_response_stateful(message, config, **options)]


async def ask(client: Any, messages: Any, config: Any = CONFIG, **options: Any) -> list[Any]:
    """One stateless call, read to its end."""
    return [event async for event in client.streaming_response(messages, config, **options)]


def answers(client_type: str) -> tuple[Answer, Answer, Answer]:
    """The turn with the call, the answer, and the answer again."""
    exchange = EXCHANGES[client_type]
    return Answer(exchange.first), Answer(exchange.second), Answer(copy.deepcopy(exchange.second))


async def converse(server: Provider, client_type: str) -> Any:
    """Hold the whole conversation; the client that did."""
    server.play(*answers(client_type))
    client = client_of(server, client_type, on_prefix_change="raise")
    for message in (text(QUESTION), result(), text(THANKS)):
        await say(client, message)
    return client


def items(client: Any, body: Json) -> list[Any]:
    """The wire items of a request, without times, which no model reads, and without what stands before the messages."""
    key = client.wire.items_key
    before = len(client.wire.body([], CONFIG)[key])
    bare: list[Any] = copy.deepcopy(body[key][before:])
    for item in bare:
        item.pop("created_at", None)
    return bare


def sent_after(server: Provider, client_type: str, *history: Any) -> list[Any]:
    """The wire items of a request that continues a given history."""
    server.play(Answer(EXCHANGES[client_type].second))

    async def scene() -> list[Any]:
        client = client_of(server, client_type)
        client.set_history(list(history))
        await say(client, text("Go on."))
        return items(client, server.requests[-1])

    return run(server, scene)


def thinking(found: list[Any]) -> list[Any]:
    """The wire items that are state or thinking, without the texts and calls beside them."""
    return [item for item in found if item.get("type") in ("reasoning", "thought")]


def spoil(value: Any) -> None:
    """Change everything in a value that can be changed."""
    if isinstance(value, dict):
        for part in value.values():
            spoil(part)
        value.update(dict.fromkeys(value, "SPOILED"), spoiled=True)
    elif isinstance(value, list):
        for part in value:
            spoil(part)
        value.append("SPOILED")
