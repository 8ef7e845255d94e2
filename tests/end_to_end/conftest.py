"""The provider that the tests of the client use."""

from tests.client.conftest import server

__all__ = ["server"]
