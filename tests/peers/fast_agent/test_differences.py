"""The real package answers what the list of differences says that it answers."""

from __future__ import annotations

import pytest
from fast_agent.llm.provider.openai import compaction_replay, reasoning_replay

from tests.compat.fast_agent_differences import CAPTURE, COMPACTION, PAYLOAD, READ, Difference
from tests.peers.fast_agent.reference import ask, read

ASKED = (
    *((reasoning_replay.capture_reasoning_replay, each) for each in CAPTURE),
    *((read, each) for each in READ),
    *((compaction_replay.parse_compaction_replay, each) for each in COMPACTION),
    *((reasoning_replay.parse_reasoning_replay, each) for each in PAYLOAD),
)


@pytest.mark.parametrize(("function", "difference"), ASKED, ids=[difference.name for _, difference in ASKED])
def test_reference_answers_as_listed(function: object, difference: Difference) -> None:
    """Each example gets the answer from fast-agent that the list gives for it."""
    assert ask(function, difference.example()).verdict == difference.reference
