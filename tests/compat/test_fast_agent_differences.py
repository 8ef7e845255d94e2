"""Each deliberate difference from fast-agent 0.10.48, and the page that explains them.

What the reference answers to the same examples is shown by the peer tests, which have the real package.
"""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import ostinato
from ostinato.compat import fast_agent
from ostinato.replay import parse_decoded_envelope
from tests.compat.fast_agent_differences import (
    ACCEPTS,
    CAPTURE,
    COMPACTION,
    COMPACTION_SCHEMA,
    PAYLOAD,
    READ,
    REFUSES,
    UNREACHABLE,
    Difference,
)

DIFFERENCES = (*CAPTURE, *READ, *COMPACTION, *PAYLOAD)
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "differences.md"


def codec(function: Callable[[Any], object], given: Any) -> str:
    """What the codec answers: `accepts`, or the code of its refusal."""
    try:
        function(given)
    except ostinato.ReplayError as refusal:
        return refusal.code
    return ACCEPTS


def drop_in(function: Callable[[Any], object], given: Any) -> str:
    """What the drop-in module answers."""
    return REFUSES if function(given) is None else ACCEPTS


def drop_in_text(text: str) -> str:
    """What the drop-in module answers to a stored text, which its caller decodes."""
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        return UNREACHABLE
    return drop_in(parse, decoded)


def parse(payload: Any) -> object:
    """The drop-in function for the schema of a payload."""
    compaction = isinstance(payload, Mapping) and payload.get("schema") == COMPACTION_SCHEMA
    return (fast_agent.parse_compaction_replay if compaction else fast_agent.parse_reasoning_replay)(payload)


@pytest.mark.parametrize("difference", CAPTURE, ids=lambda each: each.name)
def test_capture_differs_as_listed(difference: Difference) -> None:
    """Both surfaces answer to what a provider sent as the list says."""
    assert drop_in(fast_agent.capture_reasoning_replay, difference.example()) == difference.compat
    assert codec(ostinato.canonicalize_completed_reasoning_output_item, difference.example()) == difference.codec


@pytest.mark.parametrize("difference", READ, ids=lambda each: each.name)
def test_reading_differs_as_listed(difference: Difference) -> None:
    """Both surfaces answer to a stored text as the list says."""
    text = difference.example()
    if difference.name == "other-envelopes":
        assert fast_agent.parse_reasoning_replay(json.loads(text)) is None
    else:
        assert drop_in_text(text) == difference.compat
    assert codec(ostinato.parse_reasoning_replay_envelope, text) == difference.codec


@pytest.mark.parametrize("difference", COMPACTION + PAYLOAD, ids=lambda each: each.name)
def test_decoded_values_differ_as_listed(difference: Difference) -> None:
    """Both surfaces answer to a decoded value as the list says."""
    assert drop_in(parse, difference.example()) == difference.compat
    assert codec(parse_decoded_envelope, difference.example()) == difference.codec


def test_origin_of_no_mapping_is_none() -> None:
    """A value that is no envelope names no route; the reference raises."""
    assert fast_agent.compaction_replay_origin(None) is None


def test_page_explains_each_difference() -> None:
    """docs/differences.md has one section for each difference, and none for others."""
    headings = re.findall(r"^### (\S+)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    assert headings == [difference.name for difference in DIFFERENCES]


def test_each_difference_differs() -> None:
    """No entry of the list describes what the reference does too."""
    assert all(each.concerns("compat") or each.concerns("codec") for each in DIFFERENCES)
