"""The counters of a request: those of the bytes that were sent, given on without a word of content."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import ostinato
import ostinato.metrics
from ostinato.policy.gemini_signatures import PLACEHOLDER
from tests.client.provider import Answer, Provider
from tests.rfc.exchanges import ANSWER, ARGUMENTS, EXCHANGES, QUESTION, RESULT, SPOKEN, THANKS, THOUGHTS
from tests.rfc.talking import answers, client_of, converse, every_client, result, run, say, text

Json = dict[str, Any]

# The names under which providers hold opaque state in requests, written down here and nowhere taken over.
OPAQUE = {"encrypted_content", "signature", "thoughtSignature", "thought_signature", "redactedContent"}
CONTENT = (QUESTION, *THOUGHTS, SPOKEN, ARGUMENTS, RESULT, ANSWER, THANKS, "Be brief.")


def opaque_bytes(value: Any) -> int:
    """The bytes of opaque state in a request body, found by walking all of it. A documented stand-in is none."""
    if isinstance(value, list):
        return sum(map(opaque_bytes, value))
    if not isinstance(value, dict):
        return 0
    sealed = value.get("type") in ("redacted_thinking", "reasoning.encrypted")
    own = sum(
        len(part.encode())
        for name, part in value.items()
        if isinstance(part, str) and part != PLACEHOLDER and (name in OPAQUE or (sealed and name == "data"))
    )
    return own + sum(opaque_bytes(part) for part in value.values())


@pytest.fixture(scope="module")
def collector() -> tuple[InMemoryMetricReader, InMemorySpanExporter]:
    """OpenTelemetry with exporters that keep what they get; its providers can be set once per process."""
    reader, spans = InMemoryMetricReader(), InMemorySpanExporter()
    metrics.set_meter_provider(MeterProvider([reader]))
    tracing = TracerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(tracing)
    ostinato.metrics._instruments.cache_clear()
    return reader, spans


def collected(reader: InMemoryMetricReader) -> Counter[tuple[str, str]]:
    """The counters so far, by name and client type."""
    found: Counter[tuple[str, str]] = Counter()
    data = reader.get_metrics_data()
    for resource in data.resource_metrics if data else ():
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                for point in metric.data.data_points:
                    found[metric.name, str(point.attributes["ostinato.client_type"])] += int(point.value)
    return found


@every_client
def test_counted_is_what_was_sent(server: Provider, client_type: str) -> None:
    """Bytes of opaque state, request by request, as a walk over the bytes that arrived finds them; and their sum."""
    each: list[ostinato.ReplayTelemetry] = []

    async def scene() -> Any:
        client = await converse(server, client_type)
        each.append(client.last_request.telemetry)
        return client

    client = run(server, scene)
    sent = [opaque_bytes(json.loads(body)) for body in server.bodies]
    assert each[0].reasoning_replay_encrypted_bytes == sent[-1]
    assert client.telemetry.reasoning_replay_encrypted_bytes == sum(sent)
    if any(sent):
        assert client.telemetry.reasoning_replay_item_count > 0


@every_client
def test_counted_is_what_was_stored(server: Provider, client_type: str, tmp_path: Path) -> None:
    """Bytes of opaque state in a session file, envelope by envelope, are what the loaded conversation counts."""
    if client_type == "mmsp":
        pytest.skip("a relay has no items of its own")
    server.play(*answers(client_type))

    async def scene() -> None:
        with ostinato.SessionStore(tmp_path).open("s") as session:
            client = client_of(server, client_type, session=session)
            for message in (text(QUESTION), result()):
                await say(client, message)

    run(server, scene)
    stored = 0
    for line in (tmp_path / "s.jsonl").read_text().splitlines():
        record, _end = json.JSONDecoder().raw_decode(line)
        for entry in record.get("replay", ()):
            stored += sum(opaque_bytes(json.loads(envelope)) for envelope in entry["envelopes"])
    assert ostinato.load(tmp_path / "s.jsonl").telemetry.reasoning_replay_encrypted_bytes == stored
    assert bool(stored) == bool(EXCHANGES[client_type].state)


@every_client
def test_collector_gets_figures_and_no_content(
    server: Provider, client_type: str, collector: tuple[InMemoryMetricReader, InMemorySpanExporter]
) -> None:
    """Names and numbers of each request on its span, sums in the meters; nothing that anybody said or sealed."""
    reader, spans = collector
    before = collected(reader)
    spans.clear()

    async def scene() -> Any:
        with trace.get_tracer("test").start_as_current_span("agent"):
            return await converse(server, client_type)

    client = run(server, scene)
    grown = collected(reader) - before
    counted = client.telemetry.to_dict()
    assert {name: counted[name] for name in ostinato.metrics.UNITS if counted[name]} == {
        name: value for (name, of), value in grown.items() if of == client_type
    }
    (span,) = [span for span in spans.get_finished_spans() if span.name == "agent"]  # libraries have spans of their own
    assert span.attributes is not None
    assert {name: span.attributes[name] for name in counted} == client.last_request.telemetry.to_dict()
    told = span.to_json() + str(reader.get_metrics_data())
    for secret in (*CONTENT, *EXCHANGES[client_type].state):
        assert secret not in told


def test_a_refused_request_was_sent(server: Provider) -> None:
    """And counts; one that reached nobody does not."""
    refusal = Answer(status=400, body={"error": {"message": "no"}})

    async def scene() -> tuple[Any, Any]:
        client = await converse(server, "mmsp")
        before = client.telemetry
        server.play(refusal)
        with pytest.raises(ostinato.UpstreamError):
            await say(client, text("again"))
        lost = ostinato.AutoLLMClient("gpt-6", "test-key", "http://127.0.0.1:9/v1", "mmsp")
        lost.set_history(client.get_history())
        with pytest.raises(ostinato.UpstreamError):
            await say(lost, text("again"))
        await lost.close()
        refused = client.telemetry.reasoning_replay_item_count - before.reasoning_replay_item_count
        return refused, lost.telemetry

    refused, lost = run(server, scene)
    assert refused > 0
    assert lost == ostinato.ReplayTelemetry()


@pytest.mark.parametrize("client_type", ["openai-official", "anthropic-official", "google-official"])
def test_a_request_that_a_library_repeats_counts_once(
    server: Provider, client_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the same request: the second try holds what the first one held."""
    for library in (openai, anthropic):
        monkeypatch.setattr(library._base_client.BaseClient, "_calculate_retry_timeout", lambda *_, **__: 0.0)
    first, second, _third = answers(client_type)
    server.play(first, Answer(status=500, body={"error": {"message": "busy"}}), second)

    async def scene() -> Any:
        client = client_of(server, client_type)
        await say(client, text(QUESTION))
        await say(client, result())
        return client

    client = run(server, scene)
    sent = [opaque_bytes(json.loads(body)) for body in server.bodies]
    assert len(sent) == 3
    assert sent[1] == sent[2] > 0
    assert client.telemetry.reasoning_replay_encrypted_bytes == sent[0] + sent[1]


def test_log_gets_the_figures_where_opentelemetry_is_not_installed(
    server: Provider, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One record per request, the counters as its fields, and no content."""
    monkeypatch.setattr(ostinato.metrics, "_instruments", lambda: None)
    caplog.set_level(logging.INFO, ostinato.metrics.LOGGER)
    client = run(server, lambda: converse(server, "mmsp"))
    records = [record for record in caplog.records if record.name == ostinato.metrics.LOGGER]
    assert len(records) == len(server.bodies)
    summed = sum(vars(record)["reasoning_replay_encrypted_bytes"] for record in records)
    assert summed == client.telemetry.reasoning_replay_encrypted_bytes > 0
    told = str([vars(record) for record in records])
    for secret in (*CONTENT, *EXCHANGES["mmsp"].state):
        assert secret not in told


def test_opentelemetry_is_not_needed() -> None:
    """Where it cannot be imported, nothing else changes; where it can, nobody pays for it before the first request."""
    for script in (
        "sys.modules['opentelemetry'] = None; import ostinato.metrics; assert ostinato.metrics._instruments() is None",
        "import ostinato.client; assert 'opentelemetry' not in sys.modules",
    ):
        path = os.pathsep.join(sys.path)
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", f"import sys; {script}"],
            check=True,
            timeout=60,
            env={**os.environ, "PYTHONPATH": path},
        )


def test_every_counter_has_a_unit() -> None:
    """All but the schema's version, which does not add up."""
    assert {*ostinato.metrics.UNITS, "canonical_schema_version"} == set(ostinato.ReplayTelemetry().to_dict())


def test_a_client_sums_over_its_requests(server: Provider) -> None:
    """Of other clients it knows nothing."""
    first = run(server, lambda: converse(server, "mmsp"))
    server.clients.clear()
    assert client_of(server, "mmsp").telemetry == ostinato.ReplayTelemetry()
    assert first.telemetry.reasoning_replay_item_count > 0
