"""fast-agent's own request path runs on the drop-in module as it runs on its own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fast_agent.constants import OPENAI_REASONING_ENCRYPTED
from fast_agent.llm.provider.openai import responses_content, responses_output
from fast_agent.llm.provider.openai.responses_content import ResponsesContentMixin
from fast_agent.llm.provider.openai.responses_output import ResponsesOutputMixin
from fast_agent.llm.provider.openai.responses_websocket import _AttrObjectView
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import TextContent
from openai.types.responses import ResponseReasoningItem

from ostinato.compat import fast_agent as compat
from tests.peers.fast_agent.strategies import items, stored_texts, whole_texts

SESSIONS = Path(__file__).parents[2] / "data" / "fast_agent"
SEAMS = (
    (responses_output, ("capture_reasoning_replay", "capture_compaction_replay")),
    (responses_content, ("parse_reasoning_replay", "parse_compaction_replay", "compaction_replay_origin")),
)


class Quiet:
    """A logger that takes the line about malformed records."""

    def debug(self, *_: object, **__: object) -> None:
        """Drop it."""


class Route(ResponsesOutputMixin, ResponsesContentMixin):
    """The two halves of fast-agent's codec path without the network between them."""

    def __init__(self) -> None:
        self.logger = Quiet()

    def stored(self, output: list[Any]) -> list[str]:
        """The texts that a response leaves in the history."""
        return [block.text for block in self._extract_encrypted_reasoning(SimpleNamespace(output=output))]

    def replayed(self, texts: list[str]) -> list[dict[str, Any]]:
        """The items that go out for those texts."""
        blocks = [TextContent(type="text", text=text) for text in texts]
        return self._extract_encrypted_reasoning_items({OPENAI_REASONING_ENCRYPTED: blocks})


def on_drop_in(function: Any, *arguments: Any) -> Any:
    """Call a function while fast-agent's modules use the drop-in names."""
    with pytest.MonkeyPatch.context() as patch:
        for module, names in SEAMS:
            for name in names:
                patch.setattr(module, name, getattr(compat, name))
        return function(*arguments)


@pytest.mark.parametrize(
    "form", [lambda item: ResponseReasoningItem.construct(**item), _AttrObjectView], ids=["sse", "websocket"]
)
@given(output=st.lists(items(whole_texts, whole_texts), max_size=4))
def test_response_is_stored_alike(form: Any, output: list[dict[str, Any]]) -> None:
    """A response of either transport leaves the same texts, and these are replayed alike."""
    made = [form(item) for item in output]
    theirs = Route().stored(made)
    assert on_drop_in(Route().stored, made) == theirs
    assert on_drop_in(Route().replayed, theirs) == Route().replayed(theirs)


@pytest.mark.parametrize(
    "path", sorted(SESSIONS.glob("v0.10.*/history_coder.json*")), ids=lambda path: path.parent.name
)
def test_session_is_resumed_alike(path: Path) -> None:
    """The records of a saved session go out as the same items."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    channels = [message.get("channels") or {} for message in json.loads(data)["messages"]]
    texts = [block["text"] for each in channels for block in each.get(OPENAI_REASONING_ENCRYPTED, ())]
    items_sent = Route().replayed(texts)
    assert on_drop_in(Route().replayed, texts) == items_sent
    assert bool(items_sent) == ("v0.10.48" in str(path) and bool(texts))


@given(texts=st.lists(stored_texts(), max_size=3))
def test_damaged_records_never_end_a_request(texts: list[str]) -> None:
    """Whatever is stored, the drop-in module sends nothing that the reference would not send."""
    sent = on_drop_in(Route().replayed, texts)
    assert all(item in Route().replayed(texts) for item in sent)
