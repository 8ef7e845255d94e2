"""ostinato keeps the reasoning state of language models and gives it back note for note.

Public names only; the modules say what they are for. The codec is loaded with the package, everything else when it is
first asked for: whoever keeps state alone pays for no client, no wires, no policies and no readers of histories.
"""

import warnings as _warnings
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from ostinato._core import BUILD_PROFILE as _BUILD_PROFILE
from ostinato._core import __version__
from ostinato.errors import (
    ERROR_CODES,
    ApiKeyRequiredError,
    ConcurrentCallError,
    DebugBuildWarning,
    EmptyResponseError,
    IncompleteStreamError,
    InvalidMessageError,
    OstinatoError,
    PrefixChangedError,
    PrefixChangedWarning,
    PrepareError,
    ProviderStreamError,
    RefusalError,
    ReplayError,
    RoutingError,
    SessionFormatError,
    SessionLockedError,
    SessionNameError,
    SessionNotFoundError,
    SessionWriteError,
    StoreError,
    StreamProtocolError,
    ToolCallArgumentParseError,
    TurnError,
    UnknownEventError,
    UnsafePathError,
    UnsupportedContentError,
    UnsupportedOperationError,
    UnsupportedParameterError,
    UpstreamError,
)
from ostinato.redaction import (
    Redacted,
    redact,
    redact_reasoning_replay_for_diagnostics,
    redact_reasoning_replays_for_diagnostics,
)
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
from ostinato.schemas import json_schema, schemas
from ostinato.soundness import check_json
from ostinato.telemetry import ReplayTelemetry

if _TYPE_CHECKING:
    from ostinato.abort import AbortSignal
    from ostinato.capture import Capture, Captured
    from ostinato.client import AutoLLMClient, LLMClient
    from ostinato.comparison import Diff, diff, prefix_change
    from ostinato.corpus import Measurement, measure
    from ostinato.diagnosis import Diagnosis, Symptom, diagnose
    from ostinato.examination import Examined, doctor
    from ostinato.exporting import export_redacted, export_resumable
    from ostinato.messages import FinishReason, UniConfig, UniEvent, UniMessage, UsageMetadata
    from ostinato.policy import (
        DECISION_CODES,
        PROFILES,
        Cell,
        Decision,
        Prepared,
        Profile,
        ReplayReport,
        Target,
        prepare,
        strip_state,
        trim,
    )
    from ostinato.privacy import redact_request
    from ostinato.refusals import Explanation, explain
    from ostinato.rescued_copy import Rescued, rescue
    from ostinato.saved import FINDING_CODES, Conversation, Finding, LoadReport, SavedTurn, Source, load, load_all
    from ostinato.sse import SseParser
    from ostinato.store import SESSION_FINDING_CODES, Session, SessionFinding, SessionStore
    from ostinato.stream import concat_uni_events_to_uni_message
    from ostinato.wires import Wire, wire

__all__ = [
    "DECISION_CODES",
    "ERROR_CODES",
    "FINDING_CODES",
    "PROFILES",
    "SESSION_FINDING_CODES",
    "AbortSignal",
    "ApiKeyRequiredError",
    "AutoLLMClient",
    "Capture",
    "Captured",
    "Cell",
    "ConcurrentCallError",
    "Conversation",
    "DebugBuildWarning",
    "Decision",
    "DedupeKey",
    "DedupeReport",
    "Deduped",
    "Diagnosis",
    "Diff",
    "EmptyResponseError",
    "Examined",
    "Explanation",
    "Finding",
    "FinishReason",
    "IncompleteStreamError",
    "InvalidMessageError",
    "LLMClient",
    "Limits",
    "LoadReport",
    "Measurement",
    "Origin",
    "OstinatoError",
    "PrefixChangedError",
    "PrefixChangedWarning",
    "PrepareError",
    "Prepared",
    "Profile",
    "ProviderStreamError",
    "ReasoningItem",
    "Redacted",
    "RefusalError",
    "Repeat",
    "ReplayError",
    "ReplayReport",
    "ReplayTelemetry",
    "Rescued",
    "RoutingError",
    "SavedTurn",
    "Session",
    "SessionFinding",
    "SessionFormatError",
    "SessionLockedError",
    "SessionNameError",
    "SessionNotFoundError",
    "SessionStore",
    "SessionWriteError",
    "Source",
    "SseParser",
    "StoreError",
    "StreamProtocolError",
    "Symptom",
    "Target",
    "ToolCallArgumentParseError",
    "TurnError",
    "UniConfig",
    "UniEvent",
    "UniMessage",
    "UnknownEventError",
    "UnsafePathError",
    "UnsupportedContentError",
    "UnsupportedOperationError",
    "UnsupportedParameterError",
    "UpstreamError",
    "UsageMetadata",
    "Wire",
    "__version__",
    "canonicalize_completed_reasoning_output_item",
    "canonicalize_completed_reasoning_output_items",
    "check_json",
    "concat_uni_events_to_uni_message",
    "dedupe",
    "diagnose",
    "diff",
    "doctor",
    "explain",
    "export_redacted",
    "export_resumable",
    "json_schema",
    "load",
    "load_all",
    "measure",
    "parse_reasoning_replay_envelope",
    "parse_reasoning_replay_envelopes",
    "prefix_change",
    "prepare",
    "reasoning_replay_dedupe_key",
    "reasoning_replay_dedupe_keys",
    "reasoning_replay_item_to_provider_input",
    "reasoning_replay_items_to_provider_input",
    "redact",
    "redact_reasoning_replay_for_diagnostics",
    "redact_reasoning_replays_for_diagnostics",
    "redact_request",
    "rescue",
    "schemas",
    "serialize_reasoning_replay_envelope",
    "serialize_reasoning_replay_envelopes",
    "strip_state",
    "trim",
    "wire",
]

if _BUILD_PROFILE == "debug":
    _warnings.warn(
        "ostinato runs a debug build of its extension: right for tests, slow for use. `make build` makes a release.",
        DebugBuildWarning,
        stacklevel=2,
    )

_ON_DEMAND = {
    name: module
    for module, names in {
        "ostinato.abort": ("AbortSignal",),
        "ostinato.capture": ("Capture", "Captured"),
        "ostinato.client": ("AutoLLMClient", "LLMClient"),
        "ostinato.comparison": ("Diff", "diff", "prefix_change"),
        "ostinato.corpus": ("Measurement", "measure"),
        "ostinato.diagnosis": ("Diagnosis", "Symptom", "diagnose"),
        "ostinato.examination": ("Examined", "doctor"),
        "ostinato.exporting": ("export_redacted", "export_resumable"),
        "ostinato.messages": ("FinishReason", "UniConfig", "UniEvent", "UniMessage", "UsageMetadata"),
        "ostinato.policy": (
            "DECISION_CODES",
            "PROFILES",
            "Cell",
            "Decision",
            "Prepared",
            "Profile",
            "ReplayReport",
            "Target",
            "prepare",
            "strip_state",
            "trim",
        ),
        "ostinato.privacy": ("redact_request",),
        "ostinato.refusals": ("Explanation", "explain"),
        "ostinato.rescued_copy": ("Rescued", "rescue"),
        "ostinato.saved": (
            "FINDING_CODES",
            "Conversation",
            "Finding",
            "LoadReport",
            "SavedTurn",
            "Source",
            "load",
            "load_all",
        ),
        "ostinato.sse": ("SseParser",),
        "ostinato.store": ("SESSION_FINDING_CODES", "Session", "SessionFinding", "SessionStore"),
        "ostinato.stream": ("concat_uni_events_to_uni_message",),
        "ostinato.wires": ("Wire", "wire"),
    }.items()
    for name in names
}


def __getattr__(name: str) -> object:
    if name in _ON_DEMAND:
        found = globals()[name] = getattr(_import_module(_ON_DEMAND[name]), name)
        return found
    if f"ostinato.{name}" in _ON_DEMAND.values():
        return _import_module(f"ostinato.{name}")
    raise AttributeError(f"module 'ostinato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_DEMAND})
