"""How saved conversations, requests and clients are used, as type checkers see it. See `api.py`."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any, assert_type

import ostinato

SAVED = "\n".join(
    json.dumps({"type": kind, "payload": payload})
    for kind, payload in [
        ("session_meta", {"id": "s", "model_provider": "openai"}),
        ("response_item", {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAAB-example"}),
        ("response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}),
    ]
).encode()


def requests() -> ostinato.Prepared:
    """Items go in, and items and decisions come out."""
    items: list[dict[str, Any]] = [{"role": "user", "content": "q"}]
    target = ostinato.Target(profile=ostinato.PROFILES["openai"], model="gpt-6", mode="stateless")
    assert_type(ostinato.PROFILES["openai"], ostinato.Profile)
    assert_type(target.but(orphans="raise"), ostinato.Target)
    assert_type(target.origin, ostinato.Origin)
    prepared = ostinato.prepare(items, target, origin=lambda _place, _item: None)
    assert_type(prepared, ostinato.Prepared)
    assert_type(prepared.report, ostinato.ReplayReport)
    assert_type(prepared.report.decisions, tuple[ostinato.Decision, ...])
    assert_type(ostinato.trim(items, keep=1, wire="openai-responses"), ostinato.Prepared)
    assert_type(ostinato.strip_state(items, wire="openai-responses"), ostinato.Prepared)
    assert_type(ostinato.prefix_change({"messages": []}, {"messages": []}), ostinato.Decision | None)
    assert_type(ostinato.redact_request({"input": items}, length_only=True), Any)
    assert_type(ostinato.DECISION_CODES["orphan_output"], str)
    ostinato.check_json(items)
    return prepared


def rules() -> None:
    """A rule has a value, and where it comes from."""
    cell = ostinato.Cell(True, "https://example.org", "2026-11")  # noqa: FBT003 - the value of a rule
    assert_type(cell, ostinato.Cell[bool])
    assert_type(cell.value, bool)


def histories() -> ostinato.Conversation:
    """A file gives conversations, with the place of every item in it, and a report."""
    loaded = ostinato.load(SAVED, format="codex")
    assert_type(loaded, ostinato.Conversation)
    assert_type(loaded.items, list[dict[str, Any]])
    assert_type(loaded.origins, list[ostinato.Origin | None])
    assert_type(loaded.turns, tuple[ostinato.SavedTurn, ...])
    assert_type(loaded.sources, tuple[tuple[ostinato.Source, ...], ...])
    assert_type(loaded.report, ostinato.LoadReport)
    assert_type(loaded.report.findings, tuple[ostinato.Finding, ...])
    assert_type(loaded.prepare("openai"), ostinato.Prepared)
    assert_type(ostinato.load_all(SAVED), list[ostinato.Conversation])
    assert_type(ostinato.FINDING_CODES["too_deep"], str)
    return loaded


def health(path: str) -> None:
    """What ails a session, and a copy of it without that."""
    diagnosis = ostinato.diagnose(histories(), "openai")
    assert_type(diagnosis, ostinato.Diagnosis)
    assert_type(diagnosis.needs_attention, bool)
    assert_type(diagnosis.symptoms, tuple[ostinato.Symptom, ...])
    examined = ostinato.doctor([path])
    assert_type(examined, Iterator[ostinato.Examined])
    assert_type([one.diagnosis for one in examined], list[ostinato.Diagnosis])
    rescued = ostinato.rescue(SAVED, all_state=True)
    assert_type(rescued, ostinato.Rescued)
    assert_type(rescued.data, bytes)
    assert_type(ostinato.export_redacted(histories()), bytes)
    assert_type(ostinato.export_resumable(histories()), bytes)
    measured = ostinato.measure(path, timing=False)
    assert_type(measured, ostinato.Measurement)
    assert_type(measured.total, dict[str, Any])


def wires() -> None:
    """A wire writes messages as a request, and reads the answer of a stream as a message."""
    wire = ostinato.wire("openai-official", "gpt-6")
    assert_type(wire, ostinato.Wire)
    said: ostinato.UniMessage = {"role": "user", "content_items": [{"type": "text.done", "text": "q"}]}
    config: ostinato.UniConfig = {"max_tokens": 5}
    assert_type(wire.encode([said], config), dict[str, Any])
    events: list[ostinato.UniEvent] = []
    try:
        assert_type(ostinato.concat_uni_events_to_uni_message(events), ostinato.UniMessage)
    except ostinato.TurnError as error:
        assert_type(error, ostinato.TurnError)
    assert_type(wire.client_type, str)


def clients() -> None:
    """A client speaks in events, in a loop or without one. Nothing is sent here."""
    client = ostinato.AutoLLMClient("gpt-6", api_key="k", base_url="http://127.0.0.1:9")
    said: ostinato.UniMessage = {"role": "user", "content_items": [{"type": "text.done", "text": "q"}]}
    signal = ostinato.AbortSignal()
    assert_type(client.streaming_response_stateful(said, {"max_tokens": 5}, signal), AsyncGenerator[ostinato.UniEvent])
    assert_type(client.get_history(), list[ostinato.UniMessage])
    assert_type(client.telemetry, ostinato.ReplayTelemetry)
    base: ostinato.LLMClient = client
    assert_type(base.wire, ostinato.Wire)
    usage: ostinato.UsageMetadata | None = said.get("usage_metadata")
    reason: ostinato.FinishReason | None = said.get("finish_reason")
    assert_type((usage, reason), tuple[ostinato.UsageMetadata | None, ostinato.FinishReason | None])


def stored(folder: str) -> None:
    """A store says what is wrong with a session by name."""
    store = ostinato.SessionStore(folder)
    with store.open("typed") as session:
        assert_type(session.findings, tuple[ostinato.SessionFinding, ...])
    assert_type(ostinato.SESSION_FINDING_CODES["turn_torn"], str)
