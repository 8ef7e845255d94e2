"""A loaded history holds the items that fast-agent itself would send."""

from __future__ import annotations

import gzip
import logging
from typing import TYPE_CHECKING, Any

import pytest
from fast_agent.llm.provider.anthropic.multipart_converter_anthropic import AnthropicConverter
from fast_agent.llm.provider.openai.responses_content import ResponsesContentMixin
from fast_agent.mcp.prompt_serialization import from_json

import ostinato
from tests.peers.fast_agent.test_sessions import HISTORIES

if TYPE_CHECKING:
    from pathlib import Path


class Sender(ResponsesContentMixin):  # type: ignore[misc]
    """Its writer of requests, which takes any checkpoint."""

    def __init__(self) -> None:
        self.logger = logging.getLogger("peers")
        self._tool_call_id_map: dict[str, str] = {}
        self._tool_name_map: dict[str, str] = {}

    def _replays_native_compaction(self) -> bool:
        return True

    def _accepts_checkpoint_origin(self, _origin: str | None) -> bool:
        return True


def sent(path: Path) -> list[Any]:
    """What it would send, before it leaves out repeats: that is a matter of policy."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    messages = from_json(data.decode())
    if path.name == "history_anthropic.json":
        return [_plain(AnthropicConverter.convert_to_anthropic(message)) for message in messages]
    sender = Sender()
    return [item for message in messages for item in sender._convert_message_to_items(message)]


def _plain(value: Any) -> Any:
    """Without the nulls that its dumps of blocks keep."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items() if part is not None}
    return [_plain(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_loaded_history_is_what_would_be_sent(path: Path) -> None:
    """Item for item, the ids of calls and the text of arguments included."""
    assert ostinato.load(path).items == sent(path)
