"""ostinato keeps the reasoning state of language models and gives it back note for note.

Public names only; the modules say what they are for.
"""

import warnings as _warnings

from ostinato._core import BUILD_PROFILE as _BUILD_PROFILE
from ostinato._core import __version__
from ostinato.corpus import Measurement, measure
from ostinato.errors import (
    ERROR_CODES,
    ApiKeyRequiredError,
    ConcurrentCallError,
    DebugBuildWarning,
    EmptyResponseError,
    IncompleteStreamError,
    InvalidMessageError,
    OstinatoError,
    ProviderStreamError,
    RefusalError,
    ReplayError,
    RoutingError,
    StreamProtocolError,
    ToolCallArgumentParseError,
    TurnError,
    UnknownEventError,
    UnsupportedContentError,
    UnsupportedOperationError,
    UnsupportedParameterError,
    UpstreamError,
)
from ostinato.messages import FinishReason, UniConfig, UniEvent, UniMessage, UsageMetadata
from ostinato.replay import (
    Deduped,
    DedupeKey,
    DedupeReport,
    Limits,
    Origin,
    ReasoningItem,
    Repeat,
    canonicalize_completed_reasoning_output_item,
    canonicalize_completed_reasoning_output_items,
    dedupe,
    parse_reasoning_replay_envelope,
    parse_reasoning_replay_envelopes,
    reasoning_replay_dedupe_key,
    reasoning_replay_dedupe_keys,
    reasoning_replay_item_to_provider_input,
    reasoning_replay_items_to_provider_input,
    serialize_reasoning_replay_envelope,
    serialize_reasoning_replay_envelopes,
)
from ostinato.stream import concat_uni_events_to_uni_message
from ostinato.telemetry import ReplayTelemetry
from ostinato.wires import Wire, wire

__all__ = [
    "ERROR_CODES",
    "ApiKeyRequiredError",
    "ConcurrentCallError",
    "DebugBuildWarning",
    "DedupeKey",
    "DedupeReport",
    "Deduped",
    "EmptyResponseError",
    "FinishReason",
    "IncompleteStreamError",
    "InvalidMessageError",
    "Limits",
    "Measurement",
    "Origin",
    "OstinatoError",
    "ProviderStreamError",
    "ReasoningItem",
    "RefusalError",
    "Repeat",
    "ReplayError",
    "ReplayTelemetry",
    "RoutingError",
    "StreamProtocolError",
    "ToolCallArgumentParseError",
    "TurnError",
    "UniConfig",
    "UniEvent",
    "UniMessage",
    "UnknownEventError",
    "UnsupportedContentError",
    "UnsupportedOperationError",
    "UnsupportedParameterError",
    "UpstreamError",
    "UsageMetadata",
    "Wire",
    "__version__",
    "canonicalize_completed_reasoning_output_item",
    "canonicalize_completed_reasoning_output_items",
    "concat_uni_events_to_uni_message",
    "dedupe",
    "measure",
    "parse_reasoning_replay_envelope",
    "parse_reasoning_replay_envelopes",
    "reasoning_replay_dedupe_key",
    "reasoning_replay_dedupe_keys",
    "reasoning_replay_item_to_provider_input",
    "reasoning_replay_items_to_provider_input",
    "serialize_reasoning_replay_envelope",
    "serialize_reasoning_replay_envelopes",
    "wire",
]

if _BUILD_PROFILE == "debug":
    _warnings.warn(
        "ostinato runs a debug build of its extension: right for tests, slow for use. `make build` makes a release.",
        DebugBuildWarning,
        stacklevel=2,
    )
