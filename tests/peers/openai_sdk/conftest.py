"""The SDK's client, and the server it speaks to."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest

from tests.peers.openai_sdk.responses_server import Exchange, serving


@pytest.fixture
def exchange() -> Iterator[Exchange]:
    """A running server."""
    with serving() as running:
        yield running


@pytest.fixture
def client(exchange: Exchange) -> Iterator[openai.OpenAI]:
    """The SDK's client for it. Proxies of the machine are none of its business."""
    with openai.OpenAI(
        api_key="made-up", base_url=exchange.url, max_retries=0, http_client=openai.DefaultHttpxClient(trust_env=False)
    ) as made:
        yield made
