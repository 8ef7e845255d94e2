"""Real histories of agent frameworks: their state is all there, and frameworks agree on the items they were given."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

import ostinato

DATA = pathlib.Path(__file__).parents[1] / "data" / "frameworks"

# The reasoning items that an independent reader counted, and how many conversations there are.
FILES = {
    "langchain/ten-items.responses-v1.json": ("langchain", 10, 1),
    "langchain/ten-items.v0.json": ("langchain", 1, 1),
    "langchain/ten-items.v1.json": ("langchain", 10, 1),
    "openai_agents_sqlite/made-rows-in-wal.db": ("openai-agents", 23, 3),
    "pydantic_ai/ten-items.json": ("pydantic-ai", 10, 1),
    "pydantic_ai/three-items.json": ("pydantic-ai", 3, 1),
    "pydantic_ai/two-summaries.json": ("pydantic-ai", 3, 1),
}


def sealed(conversation: ostinato.Conversation) -> list[dict[str, Any]]:
    """Items with state."""
    return [item for item in conversation.items if item.get("encrypted_content")]


@pytest.mark.parametrize("name", FILES)
def test_all_state_of_a_real_file_is_loaded(name: str) -> None:
    """The format is told by content, and the items hold all state; turns, origins and sources fit."""
    layout, states, conversations = FILES[name]
    found = ostinato.load_all(DATA / name)
    assert len(found) == conversations
    assert {conversation.format for conversation in found} == {layout}
    assert {conversation.wire for conversation in found} == {"openai-responses"}
    assert sum(len(sealed(conversation)) for conversation in found) == states
    for conversation in found:
        assert [place for turn in conversation.turns for place in turn.items] == list(range(len(conversation.items)))
        assert len(conversation.origins) == len(conversation.sources) == len(conversation.items)


@pytest.mark.parametrize("name", FILES)
def test_real_state_is_sound_and_may_be_sent(name: str) -> None:
    """Each item is what the codec makes of it, and OpenAI is sent it unchanged."""
    for conversation in ostinato.load_all(DATA / name):
        for item in sealed(conversation):
            assert ostinato.canonicalize_completed_reasoning_output_item(item).to_dict() == item
        sent = ostinato.prepare(conversation.items, "openai").items  # the hosts in the files are made up
        assert [item for item in sent if item.get("encrypted_content")] == sealed(conversation)


def test_frameworks_agree_on_the_items_they_were_given() -> None:
    """One recorded answer is the same reasoning items and searches, whichever framework saved it."""
    loaded = [
        ostinato.load(DATA / "pydantic_ai/ten-items.json"),
        ostinato.load(DATA / "langchain/ten-items.responses-v1.json"),
        ostinato.load(DATA / "langchain/ten-items.v1.json"),
        ostinato.load_all(DATA / "openai_agents_sqlite/made-rows-in-wal.db")[0],
    ]
    kinds = {"reasoning", "web_search_call"}
    kept = [[item for item in conversation.items if item.get("type") in kinds] for conversation in loaded]
    assert len(kept[0]) == 19
    assert kept[0] == kept[1] == kept[2] == kept[3]


@pytest.mark.parametrize("name", FILES)
def test_a_loaded_conversation_shows_no_state(name: str) -> None:
    """`repr` and findings hold no state and nothing that was said."""
    for conversation in ostinato.load_all(DATA / name):
        shown = repr(conversation) + json.dumps([each.to_dict() for each in conversation.report.findings])
        for item in conversation.items:
            for key in ("encrypted_content", "arguments", "output"):
                value = item.get(key)
                assert not (isinstance(value, str) and len(value) > 40 and value in shown)
