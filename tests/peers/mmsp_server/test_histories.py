"""Histories go both ways: what mmsp 0.5.6 recorded goes on here, and what was recorded here goes on in mmsp."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

import mmsp
import pytest

import ostinato
from tests.rfc.exchanges import EXCHANGES, QUESTION, SPOKEN, THANKS

# Clients that mmsp has, and whether both write the turn alike. The others keep more here: ids, parts, argument texts.
CLIENTS = {
    "openai-official": False,
    "openai-responses": False,
    "deepseek-official": False,
    "minimax-official": False,
    "openai-chat": False,
    "openai-chat-vllm-adapter": False,
    "moonshot-official": False,
    "zai-official": False,
    "anthropic-official": True,
    "ant-messages": True,
    "google-genai": False,
    "google-official": True,
    "mmsp": True,
}


def text(said: str) -> Any:
    """A message of the user."""
    return {"role": "user", "content_items": [{"type": "text.done", "text": said}], "created_at": 1}


def recorded(client_type: str) -> list[Any]:
    """A history as it is recorded here."""
    exchange = EXCHANGES[client_type]
    decoder = ostinato.wire(client_type, exchange.model).decoder(now=lambda: 2)
    for event in exchange.first:
        decoder.feed(event)
    decoder.finish()
    return [text(QUESTION), decoder.message(), text(THANKS)]


@pytest.mark.parametrize("client_type", CLIENTS)
def test_mmsp_goes_on_with_a_history_of_ours(client_type: str) -> None:
    """It ignores what it does not know, and sends the texts and calls of every turn."""
    history, model = recorded(client_type), EXCHANGES[client_type].model
    client = mmsp.AutoLLMClient(model, api_key="k", base_url="http://127.0.0.1:1/v1", client_type=client_type)
    client.set_history(json.loads(json.dumps(history)))
    written = client._client.transform_uni_message_to_model_input(client.get_history())
    if inspect.isawaitable(written):
        written = asyncio.run(written)
    sent = json.dumps(written, default=str)
    assert all(part in sent for part in (QUESTION, SPOKEN, "call_1", THANKS))
    ours = ostinato.LLMClient(ostinato.wire(client_type, model), list).transform_uni_message_to_model_input(history)
    assert (sent == json.dumps(ours)) is CLIENTS[client_type]


@pytest.mark.parametrize("client_type", CLIENTS)
def test_a_history_of_mmsp_goes_on_here(client_type: str) -> None:
    """With what mmsp keeps of a turn: no origin, and no key of ours in the fidelity."""
    history, model = recorded(client_type), EXCHANGES[client_type].model
    history[1].pop("origin", None)
    for item in history[1]["content_items"]:
        kept = item.get("fidelity") or {}
        for name in ("id", "summary", "content", "arguments"):
            kept.pop(name, None)
    client = ostinato.LLMClient(ostinato.wire(client_type, model), list)
    client.set_history(history)
    sent = json.dumps(client.transform_uni_message_to_model_input(client.get_history()))
    assert all(part in sent for part in (QUESTION, SPOKEN, "call_1", THANKS))
    assert all(state in sent for state in EXCHANGES[client_type].state)
