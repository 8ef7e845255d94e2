"""Cases about redaction of a value."""

from __future__ import annotations

import ostinato
from tests.playing.verdict import Case, at, differ


def play(case: Case) -> list[str]:
    """What is left that must be absent, and where the structure is not what it should be."""
    given = case["given"]
    if case["when"] != "redact" or not given.keys() & {"log", "items"}:
        raise NotImplementedError("no value to redact")
    redacted = ostinato.redact(given.get("log", given.get("items")))
    left = [f"left: {len(text)} characters" for text in case["then"].get("absent", []) if text in repr(redacted)]
    for path, expected in case["then"].get("output", {}).items():
        if not path.endswith("_prefix"):
            left += differ(path, at(redacted.value, path), expected)
    return left
