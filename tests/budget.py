"""On how many examples a law is tried.

Every run tries the same few, so that it says the same each time. With `OSTINATO_TEST_BUDGET=N` (`make test-slow`) it is
N times as many, and others each time.
"""

import os

from hypothesis import HealthCheck, settings

__all__ = ["examples", "load_profile"]

TIMES = int(os.environ.get("OSTINATO_TEST_BUDGET", "1"))
USUAL = 50


def examples(many: int) -> settings:
    """The settings of a law that is tried on so many examples, where it should be more or fewer than usual."""
    return settings(max_examples=many * TIMES)


def load_profile() -> None:
    """What holds for every law. A busy machine is no failure, so nothing is timed."""
    settings.register_profile(
        "ostinato",
        deadline=None,
        derandomize=TIMES == 1,
        max_examples=USUAL * TIMES,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("ostinato")
