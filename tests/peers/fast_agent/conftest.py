"""How long hypothesis looks for differences: `OSTINATO_PEER_EXAMPLES` asks for more examples of each kind."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "peers",
    max_examples=int(os.environ.get("OSTINATO_PEER_EXAMPLES", "400")),
    deadline=None,
    # The machine that runs this may be busy.
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("peers")
