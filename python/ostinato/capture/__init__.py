"""Capture: from the raw events of a provider's stream to native items, taken when they are complete and not before.

`catch.py` is the seam; one module per wire reads its events.
"""

from ostinato.capture.capture import Capture, Captured

__all__ = ["Capture", "Captured"]
