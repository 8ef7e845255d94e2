"""Random Responses conversations, sound and damaged, and anything else that JSON can hold."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import ostinato

Json = dict[str, Any]

TOKENS = st.sampled_from(["gAAAAAB-one", "gAAAAAB-two", "gAAAAAB-three", "Let me think.", "", None])
IDS = st.sampled_from(["rs_1", "rs_2", "msg_1", "fc_1", "x" * 64, "x" * 65, "", None])
STATUS = st.sampled_from(["completed", "incomplete", "in_progress", None])
CALLS = st.sampled_from(["call_1", "call_2", "call_3"])
TEXTS = st.sampled_from(["plan", "ok", "look \ud800 up", ""])


def optional(fields: dict[str, st.SearchStrategy[Any]], **fixed: Any) -> st.SearchStrategy[Json]:
    """An object that has any of the fields, and all of the fixed ones."""
    return st.fixed_dictionaries({name: st.just(value) for name, value in fixed.items()}, optional=fields)


def _parts(kind: str) -> st.SearchStrategy[Any]:
    part = st.builds(lambda text: {"type": kind, "text": text}, TEXTS)
    return st.one_of(st.lists(part, max_size=2), st.none())


REASONING = optional(
    {
        "id": IDS,
        "encrypted_content": TOKENS,
        "summary": _parts("summary_text"),
        "content": _parts("reasoning_text"),
        "status": STATUS,
        "trace": st.integers(),
        "agent": st.just({"agent_name": "a"}),
    },
    type="reasoning",
)
STATEFUL = st.one_of(
    optional({"id": IDS, "encrypted_content": TOKENS, "created_by": TEXTS}, type="compaction"),
    optional({"encrypted_content": TOKENS}, type="compaction_summary"),
    optional({"id": IDS, "fingerprint": TOKENS, "call_id": CALLS}, type="program"),
    optional(
        {"content": st.lists(optional({"encrypted_content": TOKENS}, type="encrypted_content"), max_size=2)},
        type="agent_message",
    ),
    optional({"encrypted_content": TOKENS}, type="thing_of_tomorrow"),
)
VISIBLE = st.one_of(
    optional(
        {"id": IDS, "status": STATUS, "content": _parts("output_text"), "phase": TEXTS},
        type="message",
        role="assistant",
    ),
    st.just({"role": "user", "content": "hi"}),
    optional(
        {"id": IDS, "status": STATUS, "arguments": TEXTS, "namespace": st.none()},
        type="function_call",
        call_id="call_1",
    ),
    st.builds(lambda call: {"type": "function_call", "call_id": call, "name": "f", "arguments": "{}"}, CALLS),
    st.builds(lambda call: {"type": "function_call_output", "call_id": call, "output": "1"}, CALLS),
    optional({"id": IDS, "status": STATUS}, type="web_search_call"),
    optional({"id": IDS, "call_id": CALLS}, type="program_output"),
    optional({"id": IDS}, type="item_reference"),
)
CONVERSATIONS = st.lists(st.one_of(REASONING, REASONING, VISIBLE, VISIBLE, STATEFUL), max_size=8)

SCALARS = st.sampled_from([None, True, 0, 2**70, 1e400, "", "text", "gAAAAAB-one", "\ud800", "x" * 65, b"\xff"])
ANYTHING = st.one_of(
    SCALARS,
    st.lists(st.one_of(SCALARS, st.just({"type": "encrypted_content", "encrypted_content": 5})), max_size=2),
    st.dictionaries(st.sampled_from(["type", "caller_id", "text"]), SCALARS, max_size=2),
)
NAMES = st.sampled_from(
    [
        "type",
        "id",
        "role",
        "status",
        "content",
        "summary",
        "encrypted_content",
        "fingerprint",
        "call_id",
        "caller",
        "agent",
    ]
)
KINDS = st.sampled_from(["reasoning", "compaction", "message", "function_call", "program", "agent_message", "x_output"])
HOSTILE = st.lists(st.dictionaries(st.one_of(NAMES, st.integers()), st.one_of(ANYTHING, KINDS), max_size=6), max_size=5)

PROFILES = st.sampled_from([name for name, row in ostinato.PROFILES.items() if row.wire == "openai-responses"])
ORIGINS = st.sampled_from(
    [None, ostinato.Origin("openai"), ostinato.Origin("xai", "api.x.ai"), ostinato.Origin("vllm", model="other")]
)
TARGETS = st.builds(
    lambda row, model, mode, store: ostinato.Target(
        profile=ostinato.PROFILES[row],
        model=model,
        account="a",
        mode=mode,
        settings={} if store is None else {"store": store},
    ),
    PROFILES,
    st.sampled_from([None, "model"]),
    st.sampled_from(["stateless", "stateless", "chained"]),
    st.sampled_from([None, True, False]),
)
