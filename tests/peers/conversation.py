"""A conversation of two turns over a real SDK, and the bytes it sends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import ostinato


def user(text: str) -> Any:
    """A message of the user."""
    return {"role": "user", "content_items": [{"type": "text.done", "text": text}]}


CONFIG: Any = {"thinking_level": "high", "thinking_summary": True, "max_tokens": 1000}


async def _talk(client: ostinato.AutoLLMClient) -> None:
    async with client:
        for text in ("a", "日本"):
            async for _ in client.streaming_response_stateful(user(text), CONFIG):
                pass


def talk(client_type: str, model: str, url: str) -> None:
    """Two turns of one client."""
    asyncio.run(_talk(ostinato.AutoLLMClient(model, "made-up", url, client_type)))


def value_in(body: bytes, name: str) -> str:
    """The text of one value of a request, as it was sent. The SDKs write JSON in two ways."""
    text = body.decode()
    compact, spaced = f'"{name}":', f'"{name}": '
    start = text.index(spaced) + len(spaced) if spaced in text else text.index(compact) + len(compact)
    return text[start : json.JSONDecoder().raw_decode(text, start)[1]]
