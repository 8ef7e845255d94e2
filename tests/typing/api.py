"""How the codec is used, as type checkers see it: mypy reads this file, and `test_api.py` runs it.

`assert_type` fails for the checker where a type is not exactly this one; a line with an `ignore` fails where the
mistake in it is not noticed (`warn_unused_ignores`).
"""

from __future__ import annotations

from typing import Any, Literal, assert_type

import ostinato

ITEM: dict[str, object] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
COMPLETION = Literal["item_status", "response_status", "not_stated"]


def capture() -> ostinato.ReasoningItem:
    """Any object is an item to try."""
    item = ostinato.canonicalize_completed_reasoning_output_item(ITEM)
    assert_type(item, ostinato.ReasoningItem)
    ostinato.canonicalize_completed_reasoning_output_item(
        b'{"type":"thinking","thinking":"","signature":"x"}',
        wire="anthropic-messages",
        provider="bedrock",
        response_status=None,
        limits=ostinato.Limits(max_depth=8),
    )
    many = ostinato.canonicalize_completed_reasoning_output_items([ITEM])
    assert_type(many, list[ostinato.ReasoningItem])
    some = ostinato.canonicalize_completed_reasoning_output_items([ITEM, 5], errors="return")
    assert_type(some, list[ostinato.ReasoningItem | ostinato.ReplayError])
    return item


def attributes() -> None:
    """Attributes have the types of their fields."""
    item = capture()
    assert_type(item.wire, str)
    assert_type(item.kind, str)
    assert_type(item.provider, str | None)
    assert_type(item.id, str | None)
    assert_type(item.type, str | None)
    assert_type(item.encrypted_content, str | None)
    assert_type(item.summary, tuple[str, ...])
    assert_type(item.content, tuple[str, ...])
    assert_type(item.dropped_fields, tuple[str, ...])
    assert_type(item.completion, COMPLETION | None)
    assert_type(item.origin, dict[str, str] | None)
    assert_type(item.to_dict(), dict[str, Any])
    assert_type(hash(item), int)
    assert_type({item: 1}, dict[ostinato.ReasoningItem, int])


def store_and_read() -> None:
    """Texts come out as `str`, and go in as `str` or bytes."""
    text = ostinato.serialize_reasoning_replay_envelope(capture(), origin=ostinato.Origin(provider="openai"))
    assert_type(text, str)
    assert_type(ostinato.serialize_reasoning_replay_envelopes([capture()], origin={"model": "m"}), list[str])
    assert_type(ostinato.parse_reasoning_replay_envelope(text), ostinato.ReasoningItem)
    for given in (text.encode(), bytearray(text.encode()), memoryview(text.encode())):
        assert_type(ostinato.parse_reasoning_replay_envelope(given), ostinato.ReasoningItem)
    assert_type(ostinato.parse_reasoning_replay_envelopes([text]), list[ostinato.ReasoningItem])
    assert_type(
        ostinato.parse_reasoning_replay_envelopes([text, "no"], errors="return"),
        list[ostinato.ReasoningItem | ostinato.ReplayError],
    )


def provider_input() -> None:
    """`as_json` decides the type."""
    assert_type(ostinato.reasoning_replay_item_to_provider_input(capture()), dict[str, Any])
    assert_type(ostinato.reasoning_replay_item_to_provider_input(capture(), as_json=True), bytes)
    assert_type(ostinato.reasoning_replay_items_to_provider_input([capture()]), list[dict[str, Any]])
    assert_type(ostinato.reasoning_replay_items_to_provider_input([capture()], as_json=True), bytes)


def identity() -> None:
    """Keys are tuples with names."""
    key = ostinato.reasoning_replay_dedupe_key(capture(), provider="xai")
    assert_type(key, ostinato.DedupeKey)
    assert_type(key.id, str | None)
    assert_type(ostinato.reasoning_replay_dedupe_keys([capture()]), list[ostinato.DedupeKey])
    deduped = ostinato.dedupe([capture(), capture()], provider="openai", policy="unique-state")
    assert_type(deduped, ostinato.Deduped)
    assert_type(deduped.report, ostinato.DedupeReport)
    assert_type(deduped.report.repeats, tuple[ostinato.Repeat, ...])
    telemetry = ostinato.ReplayTelemetry.from_items([capture()], report=deduped.report)
    assert_type(telemetry + telemetry, ostinato.ReplayTelemetry)
    assert_type(telemetry.to_dict(), dict[str, int])


def diagnostics() -> None:
    """What may be shown: plain data, whatever was given."""
    assert_type(ostinato.redact(ITEM, length_only=True), ostinato.Redacted)
    assert_type(ostinato.redact_reasoning_replay_for_diagnostics(capture()), dict[str, Any])
    assert_type(ostinato.redact_reasoning_replays_for_diagnostics(["text", 5]), list[dict[str, Any]])
    assert_type(ostinato.schemas(), tuple[str, ...])
    assert_type(ostinato.json_schema(ostinato.schemas()[0]), dict[str, Any])


def streams_and_requests() -> None:
    """A stream to items, two requests to a difference, a refusal to what it means."""
    stream = ostinato.Capture("openai-responses", "xai")
    for event in ostinato.SseParser().feed(b"data: {}\n\n"):
        assert_type(event, dict[str, Any])
        stream.feed(event)
    captured = stream.finish(ended_by="abort")
    assert_type(captured, ostinato.Captured)
    assert_type(captured.items, list[dict[str, Any]])
    assert_type(captured.state, tuple[ostinato.ReasoningItem, ...])
    assert_type(captured.report, ostinato.ReplayReport)
    found = ostinato.diff({"input": []}, '{"input": []}', wire="openai-responses")
    assert_type(found, ostinato.Diff)
    assert_type(found.is_prefix, bool)
    assert_type(found.excerpts(), tuple[str, str] | None)
    refusal = ostinato.explain(ValueError("Could not decrypt the provided encrypted_content"))
    assert_type(refusal, ostinato.Explanation)
    assert_type(refusal.code, str)
    assert_type(refusal.recover([ITEM]), ostinato.Prepared)


def errors() -> None:
    """A refusal is a `ValueError` with three attributes."""
    error: ValueError = ostinato.ReplayError("not_json", "item/id", 7)
    if isinstance(error, ostinato.ReplayError):
        assert_type(error.code, str)
        assert_type(error.path, str)
        assert_type(error.offset, int | None)
    assert_type(ostinato.ERROR_CODES, dict[str, str])


def sessions(folder: str) -> None:
    """A store gives sessions, and a session what is in it."""
    store = ostinato.SessionStore(folder)
    with store.open("typed") as session:
        assert_type(session, ostinato.Session)
        said: ostinato.UniMessage = {"role": "user", "content_items": [{"type": "text.done", "text": "a"}]}
        assert_type(session.append([said]), int)
        assert_type(session.messages, list[ostinato.UniMessage])
    assert_type(store.read("typed").messages, list[ostinato.UniMessage])
    assert_type([info.name for info in store.sessions()], list[str])


def mistakes() -> list[type[Exception]]:
    """What a checker notices before it runs, and what it raises when it does."""
    item = capture()
    raised: list[type[Exception]] = []
    try:
        item.id = "other"  # type: ignore[misc]
    except AttributeError as error:
        raised.append(type(error))
    try:
        ostinato.serialize_reasoning_replay_envelope(ITEM)  # type: ignore[arg-type]
    except TypeError as error:
        raised.append(type(error))
    try:
        ostinato.parse_reasoning_replay_envelopes([], errors="ignore")  # type: ignore[call-overload]
    except TypeError as error:
        raised.append(type(error))
    try:
        ostinato.canonicalize_completed_reasoning_output_item(ITEM, "openai-chat")  # type: ignore[call-arg]
    except TypeError as error:
        raised.append(type(error))
    return raised
