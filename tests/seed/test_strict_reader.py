"""The seed's list "Strict reader tests"."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ostinato
from tests.seed.items import SCHEMA, item


def refused(record: Any) -> str:
    """Why a stored record is refused."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.parse_reasoning_replay_envelope(record if isinstance(record, str) else json.dumps(record))
    return caught.value.code


def envelope(**changed: Any) -> dict[str, Any]:
    """A sound envelope with some fields changed."""
    return {"schema": SCHEMA, "version": 1, "item": item()} | changed


def test_v0_10_4_minimal_records_do_not_become_provider_input() -> None:
    """They have no summary of their own."""
    assert refused({"type": "reasoning", "encrypted_content": "gAAAAAB-state", "id": "rs_1"}) == "legacy_minimal"


def test_raw_sdk_snapshots_do_not_become_provider_input() -> None:
    """They hold whatever fields an SDK had."""
    assert refused(item(content=None)) == "legacy_snapshot"
    assert refused(item()) == "legacy_snapshot"


@pytest.mark.parametrize("version", [0, 2, 10**30])
def test_unknown_canonical_envelope_versions_fail_safely(version: int) -> None:
    """By name, so that a newer ostinato can be asked for."""
    assert refused(envelope(version=version)) == "version_unknown"


@pytest.mark.parametrize("version", [True, 1.0, "1", None])
def test_versions_that_are_no_integer_fail_safely(version: Any) -> None:
    """A boolean is no version."""
    assert refused(envelope(version=version)) in {"version_not_integer", "missing_field"}


def test_unknown_canonical_fields_fail_safely() -> None:
    """In the frame, in the item, and in a part of it."""
    part = {"type": "summary_text", "text": "", "extra": 1}
    for record in (envelope(extra=1), envelope(item=item(extra=1)), envelope(item=item(summary=[part]))):
        assert refused(record) == "unknown_field"


@pytest.mark.parametrize(
    "text", ["", "null", "[]", '"text"', "{", '{"schema":', '{"schema":"x","schema":"y"}', "\ufeff{}", "{}{}", "\x00"]
)
def test_malformed_channel_json_does_not_become_provider_input(text: str) -> None:
    """Every one has a code of its own kind, and none is a crash."""
    assert refused(text) in ostinato.ERROR_CODES
