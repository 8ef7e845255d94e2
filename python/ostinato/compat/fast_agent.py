"""The replay functions of fast-agent 0.10.48 over this codec, under fast-agent's names.

Takes the place of `fast_agent.llm.provider.openai.reasoning_replay` and of `compaction_replay` beside it:

    from ostinato.compat import fast_agent

    envelope = fast_agent.capture_reasoning_replay(output_item)  # to be stored as JSON
    item = fast_agent.parse_reasoning_replay(json.loads(text))  # provider input

Envelopes and items are the same, key order included. Where fast-agent raises, or lets through what it should not,
the answer here is None; `docs/differences.md` lists every such case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NotRequired, TypedDict

from ostinato.compat.snapshot import item_fields
from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.replay import canonicalize_completed_reasoning_output_item, parse_decoded_envelope

__all__ = [
    "COMPACTION_REPLAY_SCHEMA",
    "COMPACTION_REPLAY_VERSION",
    "REASONING_REPLAY_SCHEMA",
    "REASONING_REPLAY_VERSION",
    "CanonicalReasoningItem",
    "CompactionItem",
    "CompactionReplayEnvelope",
    "ReasoningContentPart",
    "ReasoningReplayEnvelope",
    "ReasoningSummaryPart",
    "capture_compaction_replay",
    "capture_reasoning_replay",
    "compaction_replay_origin",
    "parse_compaction_replay",
    "parse_reasoning_replay",
]

REASONING_REPLAY_SCHEMA: Final = "fast-agent.openai-responses.reasoning-replay"
REASONING_REPLAY_VERSION: Final = 1
COMPACTION_REPLAY_SCHEMA: Final = "fast-agent.openai-responses.compaction-replay"
COMPACTION_REPLAY_VERSION: Final = 1


class ReasoningSummaryPart(TypedDict):
    """One part of a reasoning item's summary."""

    type: Literal["summary_text"]
    text: str


class ReasoningContentPart(TypedDict):
    """One part of a reasoning item's plain content."""

    type: Literal["reasoning_text"]
    text: str


class CanonicalReasoningItem(TypedDict):
    """A reasoning item as OpenAI Responses takes it back."""

    type: Literal["reasoning"]
    id: str
    summary: list[ReasoningSummaryPart]
    encrypted_content: str
    content: NotRequired[list[ReasoningContentPart]]


class ReasoningReplayEnvelope(TypedDict):
    """A reasoning item as it is stored."""

    schema: Literal["fast-agent.openai-responses.reasoning-replay"]
    version: Literal[1]
    item: CanonicalReasoningItem


class CompactionItem(TypedDict):
    """A compaction item as OpenAI Responses takes it back."""

    type: Literal["compaction"]
    id: str
    encrypted_content: str


class CompactionReplayEnvelope(TypedDict):
    """A compaction item as it is stored, with the name of the route that made it."""

    schema: Literal["fast-agent.openai-responses.compaction-replay"]
    version: Literal[1]
    item: CompactionItem
    origin: NotRequired[str]


@discreet
def capture_reasoning_replay(output_item: object) -> ReasoningReplayEnvelope | None:
    """The envelope of a completed reasoning item: an SDK object, a view with attributes or a mapping.

    None where the item is not completed or is not one that OpenAI takes back.
    """
    names = ("type", "id", "status", "summary", "encrypted_content", "content")
    fields = item_fields(output_item, names, parts=("summary", "content"))
    item: CanonicalReasoningItem | None = _capture(fields, "reasoning")
    if item is None:
        return None
    return {"schema": REASONING_REPLAY_SCHEMA, "version": REASONING_REPLAY_VERSION, "item": item}


@discreet
def parse_reasoning_replay(payload: Mapping[str, object]) -> CanonicalReasoningItem | None:
    """The provider input item of a decoded envelope; None where it is anything but a good one."""
    item: CanonicalReasoningItem | None = _replay(payload, REASONING_REPLAY_SCHEMA)
    return item


@discreet
def capture_compaction_replay(output_item: object, *, origin: str) -> CompactionReplayEnvelope | None:
    """The envelope of a compaction item made on the route `origin`; None where it is no such item."""
    fields = item_fields(output_item, ("type", "id", "encrypted_content"))
    item: CompactionItem | None = _capture(fields, "compaction")
    if item is None:
        return None
    return {"schema": COMPACTION_REPLAY_SCHEMA, "version": COMPACTION_REPLAY_VERSION, "item": item, "origin": origin}


@discreet
def compaction_replay_origin(payload: Mapping[str, object]) -> str | None:
    """The route named in a decoded compaction envelope; None where it names none."""
    origin = _get(payload, "origin")
    return origin if isinstance(origin, str) and origin else None


@discreet
def parse_compaction_replay(payload: Mapping[str, object]) -> CompactionItem | None:
    """The provider input item of a decoded compaction envelope; None where it is anything but a good one."""
    item: CompactionItem | None = _replay(payload, COMPACTION_REPLAY_SCHEMA)
    return item


def _capture(fields: dict[str, object] | None, kind: str) -> Any:  # noqa: ANN401 - its callers name the type
    if fields is None:
        return None
    try:
        item = canonicalize_completed_reasoning_output_item(fields)
    except ReplayError:
        return None
    return item.to_dict() if item.kind == kind else None


def _replay(payload: object, schema: str) -> Any:  # noqa: ANN401 - as above
    # The codec knows other envelopes too, which are not for the caller of this function.
    if _get(payload, "schema") != schema:
        return None
    try:
        return parse_decoded_envelope(payload).to_dict()
    except ReplayError:
        return None


def _get(payload: object, name: str) -> object:
    # Callers hand on whatever their JSON reader gave them.
    return payload.get(name) if isinstance(payload, Mapping) else None
