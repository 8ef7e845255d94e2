"""Capture beside the real package: the same bytes wherever both accept, a named difference wherever one refuses."""

from __future__ import annotations

from typing import Any

import pytest
from fast_agent.llm.provider.openai.compaction_replay import capture_compaction_replay
from fast_agent.llm.provider.openai.reasoning_replay import capture_reasoning_replay
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.compat import fast_agent as compat
from tests.compat.fast_agent_differences import CAPTURE, covering
from tests.compat.fast_agent_vectors import reasoning
from tests.peers.fast_agent.reference import Answer, ask, stored_text
from tests.peers.fast_agent.strategies import FORMS, compaction_items, items, json_values, values


def codec_text(item: object) -> str | None:
    """The text that the codec stores, or None where it refuses."""
    try:
        captured = ostinato.canonicalize_completed_reasoning_output_item(item)
    except ostinato.ReplayError:
        return None
    return ostinato.serialize_reasoning_replay_envelope(captured)


def agree(theirs: str | None, ours: str | None, surface: str, item: object) -> None:
    """Fail unless both texts are the same, or only one side accepts and the list says why."""
    if theirs is not None and ours is not None:
        assert ours == theirs
    elif theirs != ours:
        assert covering(CAPTURE, surface, item), "only one side accepts, and no difference is named"


@given(items(values))
def test_drop_in_captures_what_fast_agent_captures(item: dict[str, Any]) -> None:
    """Any mapping, Python's own types included: the drop-in module stores the same bytes."""
    theirs, ours = ask(capture_reasoning_replay, item), ask(compat.capture_reasoning_replay, item)
    assert ours.verdict in {"accepts", "refuses"}
    agree(stored_text(theirs), stored_text(ours), "compat", item)


@given(items(values))
def test_codec_captures_what_fast_agent_captures(item: dict[str, Any]) -> None:
    """Any mapping: the codec stores the same bytes."""
    agree(stored_text(ask(capture_reasoning_replay, item)), codec_text(item), "codec", item)


@pytest.mark.parametrize("form", FORMS)
@given(item=items(json_values))
def test_form_of_the_item_does_not_matter(form: str, item: dict[str, Any]) -> None:
    """SDK objects, attribute views, namespaces and other containers are captured as fast-agent captures them."""
    made = FORMS[form](item)
    theirs = ask(capture_reasoning_replay, made)
    ours = ask(compat.capture_reasoning_replay, made)
    assert ours.verdict in {"accepts", "refuses"}
    agree(stored_text(theirs), stored_text(ours), "compat", item)


@pytest.mark.parametrize("form", ["sdk", "view", "namespaces"])
@given(item=items(json_values))
def test_codec_reads_the_forms_of_both_transports(form: str, item: dict[str, Any]) -> None:
    """What fast-agent's transports hand on, SDK objects and attribute views, is captured by the codec alike."""
    made = FORMS[form](item)
    agree(stored_text(ask(capture_reasoning_replay, made)), codec_text(made), "codec", item)


@given(st.one_of(values, st.lists(values)))
def test_what_is_no_item_is_refused(value: object) -> None:
    """A value that is no item at all is refused by all three."""
    if not isinstance(value, dict):
        assert ask(compat.capture_reasoning_replay, value) == ask(capture_reasoning_replay, value) == Answer("refuses")
        assert codec_text(value) is None


@pytest.mark.parametrize("field", ["summary", "content"])
def test_parts_of_a_generator_are_taken(field: str) -> None:
    """A list that can be walked only once is walked once."""
    tag = {"summary": "summary_text", "content": "reasoning_text"}[field]

    def item() -> dict[str, Any]:
        return reasoning(**{field: ({"type": tag, "text": text} for text in "ab")})

    theirs = ask(capture_reasoning_replay, item())
    assert theirs.verdict == "accepts"
    assert ask(compat.capture_reasoning_replay, item()) == theirs


def test_item_that_contains_itself_is_taken() -> None:
    """A cycle in a dropped field does no harm."""
    item = reasoning()
    item["self"] = item
    assert ask(compat.capture_reasoning_replay, item) == ask(capture_reasoning_replay, item)


@given(compaction_items, st.sampled_from(["openai", "xai", "codex"]))
def test_compaction_items_are_captured_alike(item: dict[str, Any], origin: str) -> None:
    """A compaction item is stored with the same bytes, its status and its other fields dropped."""
    theirs = stored_text(ask(capture_compaction_replay, item, origin=origin))
    ours = stored_text(ask(compat.capture_compaction_replay, item, origin=origin))
    agree(theirs, ours, "compat", item)
