"""Reading beside the real package: the same item wherever both accept, a named difference wherever one refuses."""

from __future__ import annotations

import json
import types
from collections import UserDict
from typing import Any

import pytest
from fast_agent.llm.provider.openai.compaction_replay import compaction_replay_origin, parse_compaction_replay
from fast_agent.llm.provider.openai.reasoning_replay import parse_reasoning_replay
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.compat import fast_agent as compat
from tests.compat.fast_agent_differences import COMPACTION, READ, Difference, covering
from tests.compat.fast_agent_vectors import compact
from tests.peers.fast_agent.reference import Answer, ask, read
from tests.peers.fast_agent.strategies import compactions, envelopes, json_values, stored_texts, values


def codec_read(text: str) -> dict[str, Any] | None:
    """The provider input of a stored reasoning item, or None where the codec refuses it."""
    try:
        item = ostinato.parse_reasoning_replay_envelope(text)
    except ostinato.ReplayError:
        return None
    # The codec reads envelopes of other kinds too.
    return ostinato.reasoning_replay_item_to_provider_input(item) if item.kind == "reasoning" else None


def agree(theirs: Answer, ours: Answer, surface: str, differences: tuple[Difference, ...], *touched: object) -> None:
    """Fail unless both answers are the same, key order included, or the list says why one refuses."""
    assert ours.verdict in {"accepts", "refuses"}
    if theirs.verdict == ours.verdict == "accepts":
        assert compact(ours.value) == compact(theirs.value)
    elif theirs.verdict != ours.verdict:
        named = [name for value in touched for name in covering(differences, surface, value)]
        assert named, f"reference {theirs.verdict}, here {ours.verdict}, and no difference is named"


def decoded(text: str) -> Any:
    """The value of a text as Python reads it; None where it does not."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@given(envelopes())
def test_drop_in_reads_what_fast_agent_reads(envelope: dict[str, Any]) -> None:
    """A decoded envelope gives the same provider input."""
    theirs, ours = ask(parse_reasoning_replay, envelope), ask(compat.parse_reasoning_replay, envelope)
    agree(theirs, ours, "compat", READ, envelope)


@given(stored_texts())
def test_codec_reads_what_fast_agent_reads(text: str) -> None:
    """A stored text in any spelling, broken ones included, gives the same provider input."""
    agree(ask(read, text), ask(codec_read, text), "codec", READ, text, decoded(text))


@given(st.one_of(values, st.dictionaries(st.one_of(st.integers(), st.text()), json_values, max_size=3)))
def test_what_is_no_envelope_is_refused(value: Any) -> None:
    """Any other value gives None; the reference raises where it cannot be walked."""
    assert ask(compat.parse_reasoning_replay, value) == Answer("refuses")
    assert ask(parse_reasoning_replay, value).verdict in {"refuses", "TypeError"}


@pytest.mark.parametrize("container", [types.MappingProxyType, UserDict])
@given(envelope=envelopes())
def test_container_of_an_envelope_does_not_matter(container: Any, envelope: dict[str, Any]) -> None:
    """Any mapping will do for the envelope, its item and its parts."""
    item = envelope.get("item")
    made = container({**envelope, "item": container(item)} if isinstance(item, dict) else envelope)
    theirs, ours = ask(parse_reasoning_replay, made), ask(compat.parse_reasoning_replay, made)
    agree(theirs, ours, "compat", READ, envelope)


@given(compactions())
def test_compaction_envelopes_are_read_alike(envelope: dict[str, Any]) -> None:
    """A decoded compaction envelope gives the same item and the same origin."""
    theirs, ours = ask(parse_compaction_replay, envelope), ask(compat.parse_compaction_replay, envelope)
    agree(theirs, ours, "compat", READ + COMPACTION, envelope)
    assert compat.compaction_replay_origin(envelope) == compaction_replay_origin(envelope)


@given(compactions())
def test_codec_reads_compaction_envelopes(envelope: dict[str, Any]) -> None:
    """The codec reads the stored text of a compaction item as fast-agent does."""
    text = compact(envelope)
    try:
        item = ostinato.parse_reasoning_replay_envelope(text)
        ours = Answer("accepts", ostinato.reasoning_replay_item_to_provider_input(item))
    except ostinato.ReplayError:
        ours = Answer("refuses")
    agree(ask(parse_compaction_replay, json.loads(text)), ours, "codec", READ + COMPACTION, text, envelope)
