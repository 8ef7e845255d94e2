"""Cases about redaction of a value."""

from __future__ import annotations

from typing import Any

import ostinato
from tests.playing.verdict import Case, absent, at, differ

GIVEN = ("log", "items", "lines", "text", "event", "value", "record", "history", "message", "messages")
"""Under which names a case gives what is to be redacted; else it is all of what it gives."""


def asked(case: Case) -> tuple[Any, bool]:
    """What is to be redacted, and whether to lengths alone: a digest of a secret can be linked."""
    given = case["given"]
    value = next((given[name] for name in GIVEN if name in given), given)
    return value, given.get("digest") is False or given.get("length_only") is True


def play(case: Case) -> list[str]:
    """What is left that must be absent, and where the structure is not what it should be."""
    if case["when"] != "redact":
        raise NotImplementedError("no value to redact")
    value, length_only = asked(case)
    redacted = ostinato.redact(value, length_only=length_only)
    left = absent(case, redacted, redacted.value, redacted.report)
    for path, expected in case["then"].get("output", {}).items():
        if not path.endswith("_prefix"):
            left += differ(path, at(redacted.value, path), expected)
    return left
