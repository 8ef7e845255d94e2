"""Images given by URL, fetched for wires that take them inline only."""

import asyncio
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Final

from ostinato.errors import UpstreamError

__all__ = ["fetch"]

MAX_BYTES: Final = 64 << 20
"""The largest image that is read."""
_TIMEOUT: Final = 60.0


async def fetch(urls: Sequence[str], client: str) -> dict[str, bytes]:
    """The bytes behind each URL.

    Raises:
        UpstreamError: one of them could not be read, or is larger than `MAX_BYTES`.
    """
    bodies = await asyncio.gather(*(asyncio.to_thread(_read, url, client) for url in urls))
    return dict(zip(urls, bodies, strict=True))


def _read(url: str, client: str) -> bytes:
    if not url.startswith(("http://", "https://")):
        raise UpstreamError(client, "an image has a URL that is not fetched")
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer:  # noqa: S310 - the scheme was checked
            body: bytes = answer.read(MAX_BYTES + 1)
    except urllib.error.HTTPError as error:
        raise UpstreamError(client, "an image could not be fetched", status=error.code) from error
    except (OSError, ValueError) as error:
        raise UpstreamError(client, "an image could not be fetched") from error
    if len(body) > MAX_BYTES:
        raise UpstreamError(client, "an image is too large to be sent")
    return body
