"""What client libraries raise, as one error of ours.

The libraries share no exception class, some of theirs have no public name, and a connection that breaks in the middle
of a stream comes up as an exception of the HTTP library below them. So exceptions are told by the package they come
from, and read by the few names that libraries give to the same things.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from ostinato.errors import UpstreamError

__all__ = ["HTTP_LIBRARIES", "describe", "upstream_errors"]

HTTP_LIBRARIES: Final = ("httpx", "httpx2", "httpcore", "httpcore2")
"""What the libraries of the providers speak HTTP with."""

# Names that providers have for the kind of an error.
_KINDS: Final = ("type", "status", "Code", "code")


@contextmanager
def upstream_errors(client: str, *packages: str) -> Iterator[None]:
    """Raise what comes from these packages as `UpstreamError`, with the exception as its cause."""
    try:
        yield
    except Exception as error:
        if not any(kind.__module__.partition(".")[0] in packages for kind in type(error).__mro__):
            raise
        raise describe(error, client) from error


def describe(error: Exception, client: str) -> UpstreamError:
    """Status, kind and words of an error, as far as its library says them."""
    # What is stored, not what can be asked for: some libraries warn of attributes that they compute.
    told = vars(error)
    answer = told.get("response")
    said = vars(answer) if hasattr(answer, "__dict__") else {}
    bodies = (told.get("body"), told.get("details"), answer, _json(said.get("body")))
    body = next((value for value in bodies if isinstance(value, Mapping)), {})
    inner = next((value for name in ("error", "Error") if isinstance(value := body.get(name), Mapping)), body)
    statuses = (told.get("status_code"), told.get("code"), said.get("status_code"), _of_amazon(body))
    status = next((value for value in statuses if isinstance(value, int)), None)
    kind = next((value for name in _KINDS if isinstance(value := inner.get(name), str)), None)
    words = inner.get("message") or inner.get("Message") or str(error) or type(error).__name__
    return UpstreamError(client, str(words), status=status, error_type=kind, error=dict(inner) or None)


def _json(text: object) -> object:
    """What the server said that did not want to switch to WebSocket."""
    try:
        return json.loads(text) if isinstance(text, (bytes, bytearray)) else None
    except (ValueError, RecursionError):
        return None


def _of_amazon(body: Mapping[str, Any]) -> object:
    """Where the SDK of Amazon has the status."""
    about = body.get("ResponseMetadata")
    return about.get("HTTPStatusCode") if isinstance(about, Mapping) else None
