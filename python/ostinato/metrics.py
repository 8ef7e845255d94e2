"""Where the counters of a request go: OpenTelemetry where it is installed, the log otherwise. Never content.

Figures and names of this library alone are given on: a `ReplayTelemetry`, and of the wire its name, client type and
provider. There is no way in for a text of a conversation.
"""

import logging
from functools import cache
from typing import Any, Final

from ostinato.telemetry import ReplayTelemetry
from ostinato.wires import Wire

__all__ = ["LOGGER", "UNITS", "emit"]

LOGGER: Final = "ostinato.telemetry"
"""The logger that gets a record per request, at the level INFO, where OpenTelemetry is not installed."""

UNITS: Final = {
    "reasoning_replay_item_count": ("{item}", "Replay items in requests"),
    "reasoning_replay_encrypted_bytes": ("By", "Opaque state in requests"),
    "reasoning_replay_summary_parts": ("{part}", "Summary parts in requests"),
    "reasoning_replay_summary_bytes": ("By", "Summary text in requests"),
    "reasoning_replay_content_parts": ("{part}", "Reasoning content parts in requests"),
    "reasoning_replay_content_bytes": ("By", "Reasoning content in requests"),
    "replay_deduplicated_exact_count": ("{item}", "Exact repeats left out of requests"),
    "replay_id_ciphertext_conflict_count": ("{item}", "Items under an id that another ciphertext has"),
}
"""The counters that add up, with their units (UCUM, as OpenTelemetry wants them) and what they count."""


def emit(telemetry: ReplayTelemetry, wire: Wire) -> None:
    """Give on what one request replayed: as attributes of the current span and as counters, or as a log record.

    Args:
        telemetry: the counters of the request as it was sent.
        wire: what it was sent over.
    """
    figures = telemetry.to_dict()
    names: dict[str, str] = {"ostinato.wire": wire.name, "ostinato.client_type": wire.client_type}
    if wire.provider is not None:
        names["ostinato.provider"] = wire.provider
    instruments = _instruments()
    if instruments is None:
        # One text, and the figures as fields: whoever reads structured logs gets them by name.
        logging.getLogger(LOGGER).info("a request was sent", extra={**figures, **_flat(names)})
        return
    span, counters = instruments
    span().set_attributes({**figures, **names})
    for name, counter in counters.items():
        if figures[name]:
            counter.add(figures[name], names)


def _flat(names: dict[str, str]) -> dict[str, str]:
    return {name.replace(".", "_"): value for name, value in names.items()}


@cache
def _instruments() -> tuple[Any, dict[str, Any]] | None:
    """OpenTelemetry's current span and our counters; None where it is not installed."""
    try:
        from opentelemetry import metrics, trace  # noqa: PLC0415 - optional, and only wanted once a request goes out
    except ImportError:
        return None
    meter = metrics.get_meter("ostinato")
    counters = {name: meter.create_counter(name, unit=unit, description=about) for name, (unit, about) in UNITS.items()}
    return trace.get_current_span, counters
