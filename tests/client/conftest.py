"""Providers for the tests of the client."""

from collections.abc import Iterator

import pytest

from tests.client.provider import Provider, provider


@pytest.fixture
def server() -> Iterator[Provider]:
    """A provider on 127.0.0.1."""
    with provider() as running:
        yield running
