"""How requests travel: one module per client library, which that module alone imports.

A transport takes a `Request` and gives the provider's events as plain mappings. It keeps what the library does for
auth, retries, timeouts and proxies, and adds nothing.
"""

import importlib
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final, Protocol, cast, runtime_checkable

from ostinato.credentials import Endpoint
from ostinato.errors import UnsupportedOperationError
from ostinato.turn import Request

__all__ = ["ListsModels", "Transport", "open_transport"]

Event = Mapping[str, Any]


class Transport(Protocol):
    """One connection to one endpoint."""

    def events(self, request: Request) -> AsyncGenerator[Event]:
        """Send a request and give its events. Closing the generator closes the connection's stream.

        Raises:
            UpstreamError: the provider answered with an HTTP error, or could not be reached.
        """
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...


@runtime_checkable
class ListsModels(Protocol):
    """A transport whose provider tells its models."""

    async def models(self) -> list[str]:
        """The ids of the models that the endpoint has.

        Raises:
            UpstreamError: the provider answered with an HTTP error, or could not be reached.
        """
        ...


# Which module carries which wire.
_MODULES: Final = {
    "openai-responses": "openai_sdk",
    "openai-chat": "openai_sdk",
    "openai-embedding": "openai_sdk",
    "anthropic-messages": "anthropic_sdk",
    "gemini-generate-content": "google_sdk",
    "gemini-interactions": "google_sdk",
    "gemini-embedding": "google_sdk",
    "bedrock-converse": "bedrock_sdk",
    "mmsp": "mmsp_http",
}

# The same, for base URLs of other schemes than HTTP's.
_BY_SCHEME: Final = {
    "ws": {"openai-responses": "responses_websocket"},
    "wss": {"openai-responses": "responses_websocket"},
    "bedrock": {"anthropic-messages": "anthropic_bedrock", "bedrock-converse": "bedrock_sdk"},
}


def open_transport(wire: str, client: str, endpoint: Endpoint, headers: Mapping[str, str] | None = None) -> Transport:
    """The transport of a wire to an endpoint, by the scheme of its base URL: HTTP, WebSocket or `bedrock://`.

    Raises:
        UnsupportedOperationError: this wire has no transport here, or its library is not installed; the message of
            the cause says what to install.
    """
    scheme = endpoint.base_url.partition("://")[0].lower()
    name = _BY_SCHEME.get(scheme, _MODULES).get(wire)
    if name is None:
        raise UnsupportedOperationError(client, f"sending over {wire}")
    try:
        module = importlib.import_module(f"ostinato.transports.{name}")
    except ImportError as missing:
        raise UnsupportedOperationError(client, f"sending without the library {missing.name}") from missing
    return cast("Transport", module.open(client, endpoint, dict(headers or {})))
