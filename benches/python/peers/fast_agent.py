"""`json` and the codec of fast-agent-mcp 0.10.48, the reference of all ratios; and fast-agent's own loader."""
# ruff: noqa: D102 - the methods are described once, in peers.Peer

from __future__ import annotations

import json
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from fast_agent.llm.provider.openai.reasoning_replay import capture_reasoning_replay, parse_reasoning_replay
from fast_agent.mcp.prompt_serialization import load_json

from peers import CHANNEL, Fields, channel_texts, dict_fields

if TYPE_CHECKING:
    from pathlib import Path


class FastAgent:
    """What an agent built on fast-agent runs today."""

    name = "fast_agent"

    @staticmethod
    def parse(text: str | bytes) -> dict[str, Any] | None:
        try:
            return parse_reasoning_replay(json.loads(text))
        except ValueError:
            return None

    to_dict = parse
    secret = itemgetter("encrypted_content")
    ident = itemgetter("id")

    @staticmethod
    def to_input(text: str | bytes) -> bytes:
        item = parse_reasoning_replay(json.loads(text))
        return json.dumps(item, ensure_ascii=False, separators=(",", ":")).encode()

    @staticmethod
    def inputs(texts: list[str]) -> bytes:
        items = [parse_reasoning_replay(json.loads(text)) for text in texts]
        return json.dumps(items, ensure_ascii=False, separators=(",", ":")).encode()

    @staticmethod
    def store(item: dict[str, Any]) -> str:
        return json.dumps(capture_reasoning_replay(item), ensure_ascii=False, separators=(",", ":"))

    @staticmethod
    def store_bytes(item: dict[str, Any]) -> bytes:
        return FastAgent.store(item).encode()

    @staticmethod
    def fields(text: str | bytes) -> Fields | None:
        item = FastAgent.parse(text)
        return None if item is None else dict_fields(item)

    @staticmethod
    def records(path: Path) -> list[str]:
        return channel_texts(json.loads(path.read_bytes()))


class LoadJson(FastAgent):
    """The same codec behind `load_json`, which builds fast-agent's message models first."""

    name = "load_json"

    @staticmethod
    def records(path: Path) -> list[str]:
        return [block.text for message in load_json(str(path)) for block in (message.channels or {}).get(CHANNEL, ())]
