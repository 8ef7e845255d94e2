"""What holds for all tests."""

import signal
from collections.abc import Iterator

import pytest

from tests.budget import load_profile
from tests.client.provider import Provider, provider

load_profile()

# A shell starts what runs in its background with Ctrl-C ignored, and so would everything that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def server() -> Iterator[Provider]:
    """A provider on 127.0.0.1."""
    with provider() as running:
        yield running
