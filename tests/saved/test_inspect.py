"""Evaluation logs of Inspect, and the archives they are."""

from __future__ import annotations

import io
import json
import pathlib
import struct
import sys
import zipfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.saved import zip_file
from ostinato.saved.zip_file import Archive
from tests.budget import examples

Json = dict[str, Any]

DATA = pathlib.Path(__file__).parents[1] / "data" / "frameworks" / "inspect_eval"


def log(*samples: Json, model: str = "openai/m", header: bool = True) -> bytes:
    """A log of these samples."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": {"model": model}}))
        for number, sample in enumerate(samples, 1):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
        if header:
            archive.writestr("header.json", json.dumps({"eval": {"model": model}}))
    return made.getvalue()


def answer(*content: Json, **fields: Any) -> Json:
    """A message of a model."""
    return {"role": "assistant", "id": "m1", "content": list(content), "model": "m", **fields}


def reasoning(text: str, **fields: Any) -> Json:
    """A reasoning block."""
    return {"type": "reasoning", "reasoning": text, **fields}


def load(*messages: Json, model: str = "openai/m", **sample: Any) -> ostinato.Conversation:
    """One sample of these messages."""
    loaded = ostinato.load(log({"messages": list(messages), **sample}, model=model))
    assert loaded.format == "inspect"
    return loaded


@pytest.mark.parametrize(
    ("name", "samples", "items"),
    [("fifty-reasoning-items", 50, 200), ("minimal", 1, 3), ("unfinished-streaming", 4, 12), ("zstd-members", 1, 2)],
)
def test_real_logs_are_loaded(name: str, samples: int, items: int) -> None:
    """Each sample is a conversation, whatever packs its members."""
    found = ostinato.load_all(DATA / f"{name}.eval")
    assert {conversation.format for conversation in found} == {"inspect"}
    assert (len(found), sum(len(conversation.items) for conversation in found)) == (samples, items)
    assert len({conversation.session for conversation in found}) == samples


def test_reasoning_of_a_real_log_keeps_its_ids() -> None:
    """Fifty items of a provider that kept the state itself: their ids are there, and that the state is not is said."""
    found = ostinato.load_all(DATA / "fifty-reasoning-items.eval")
    items = [item for conversation in found for item in conversation.items if item.get("type") == "reasoning"]
    assert len({item["id"] for item in items}) == 50
    assert all(conversation.report.counts == {"unsound_state": 1} for conversation in found)
    assert found[0].turns[-1].origin == ostinato.Origin("openai", model="gpt-5-2025-08-07")


def test_overloaded_fields_are_told_apart() -> None:
    """With `redacted` the text is the ciphertext, and the signature is the item's id."""
    text = {"type": "text", "text": "x", "internal": {"message_id": "msg_1", "message_phase": "final_answer"}}
    loaded = load(
        {"role": "system", "content": "s"},
        {"role": "user", "content": "q"},
        answer(
            reasoning("gAAAAA-example", signature="rs_1", redacted=True),
            reasoning("plain", signature="rs_2", redacted=False, summary="A\n\nB"),
            text,
            tool_calls=[{"id": "c1", "function": "f", "arguments": {"a": 1}, "type": "function"}],
        ),
        {
            "role": "tool",
            "content": "",
            "tool_call_id": "c1",
            "function": "f",
            "error": {"type": "unknown", "message": "e"},
        },
    )
    assert loaded.wire == "openai-responses"
    assert loaded.items[2] == {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAA-example"}
    assert loaded.items[3]["content"] == [{"type": "reasoning_text", "text": "plain"}]
    assert (loaded.items[4]["id"], loaded.items[4]["phase"]) == ("msg_1", "final_answer")
    assert loaded.items[5]["arguments"] == '{"a":1}'
    assert loaded.items[6] == {"type": "function_call_output", "call_id": "c1", "output": "e"}
    assert {"summary_boundaries_unknown", "arguments_rebuilt"} <= loaded.report.counts.keys()


def test_what_was_logged_of_the_call_counts() -> None:
    """Where the raw answer is in the events, summary parts, arguments and the response's id are as they were sent."""
    item = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "A"}, {"type": "summary_text", "text": "attachment://b"}],
        "encrypted_content": "gAAAAA-example",
        "status": None,
    }
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'}
    response = {"object": "response", "id": "resp_1", "model": "m-2", "output": [item, call]}
    message = answer(
        reasoning("gAAAAA-example", signature="rs_1", redacted=True),
        tool_calls=[{"id": "c1", "function": "f", "arguments": {"a": 1}}],
    )
    event = {"event": "model", "output": {"choices": [{"message": message}]}, "call": {"response": response}}
    loaded = load(message, events=[event], attachments={"b": "B"})
    assert [part["text"] for part in loaded.items[0]["summary"]] == ["A", "B"]
    assert loaded.items[1] == call
    assert loaded.report.findings == ()
    assert (loaded.turns[0].id, loaded.turns[0].origin) == ("resp_1", ostinato.Origin("openai", model="m-2"))


def test_attachments_are_put_in_their_places() -> None:
    """A pointer is the text it stands for; one that points nowhere stays, and is said."""
    loaded = load(
        {"role": "user", "content": "attachment://a"},
        {"role": "user", "content": "attachment://b"},
        attachments={"a": "A"},
    )
    assert [item["content"] for item in loaded.items] == ["A", "attachment://b"]
    assert loaded.report.counts == {"missing_attachment": 1}


PROVIDERS: list[tuple[str, list[Json], list[Json]]] = [
    (
        "anthropic/m",
        [reasoning("c2ln", summary="t", redacted=True), reasoning("ZGF0YQ==", redacted=True)],
        [{"type": "thinking", "thinking": "t", "signature": "c2ln"}, {"type": "redacted_thinking", "data": "ZGF0YQ=="}],
    ),
    ("anthropic/m", [reasoning("t", signature="c2ln")], [{"type": "thinking", "thinking": "t", "signature": "c2ln"}]),
    (
        "google/m",
        [reasoning("c2ln", summary="t", redacted=True), {"type": "text", "text": "x"}],
        [{"text": "t", "thought": True}, {"text": "x", "thoughtSignature": "c2ln"}],
    ),
    (
        "bedrock/m",
        [
            reasoning("t", signature="c2ln"),
            reasoning("", redacted=True, internal={"bedrock_redacted_content": "ZGF0YQ=="}),
        ],
        [
            {"reasoningContent": {"reasoningText": {"text": "t", "signature": "c2ln"}}},
            {"reasoningContent": {"redactedContent": "ZGF0YQ=="}},
        ],
    ),
]


@pytest.mark.parametrize(("model", "content", "blocks"), PROVIDERS)
def test_each_provider_fills_the_fields_in_its_own_way(model: str, content: list[Json], blocks: list[Json]) -> None:
    """The same fields are other things for each provider."""
    message = load(answer(*content), model=model).items[0]
    assert message.get("content", message.get("parts")) == blocks


def test_signature_of_a_call_of_gemini_goes_to_it() -> None:
    """A carrier that names a call has its signature."""
    loaded = load(
        answer(
            reasoning("c2ln", redacted=True, internal={"gemini_function_call_id": "c1"}),
            tool_calls=[{"id": "c1", "function": "f", "arguments": {}}],
        ),
        model="google/m",
    )
    assert loaded.items[0]["parts"] == [
        {"functionCall": {"id": "c1", "name": "f", "args": {}}, "thoughtSignature": "c2ln"}
    ]


@pytest.mark.parametrize("spelled", ["-__-AA==", "-__-AA", "+//+AA"])
def test_signature_of_gemini_has_one_spelling(spelled: str) -> None:
    """Whatever alphabet a store wrote, it is loaded in the one that every server takes, and told."""
    loaded = load(
        answer(
            reasoning(spelled, redacted=True, internal={"gemini_function_call_id": "c1"}),
            tool_calls=[{"id": "c1", "function": "f", "arguments": {}}],
        ),
        model="google/m",
    )
    assert loaded.items[0]["parts"][0]["thoughtSignature"] == "+//+AA=="
    assert loaded.report.counts["signature_respelled"] == 1


def test_reasoning_of_chat_models_goes_back_as_it_came() -> None:
    """OpenRouter's details are in the signature as JSON; others name their field."""
    details = [{"type": "reasoning.encrypted", "data": "sealed", "index": 0}]
    signature = "reasoning-details://" + json.dumps(details)
    assert (
        load(answer(reasoning("t", signature=signature)), model="openrouter/a/m").items[0]["reasoning_details"]
        == details
    )
    named = reasoning("t", internal="reasoning_content")
    assert load(answer(named), model="together/m").items[0]["reasoning_content"] == "t"


def test_unfinished_log_is_loaded() -> None:
    """Without `header.json`, and without the directory of the archive, all whole samples are there."""
    sample = {"messages": [{"role": "user", "content": "q"}, answer({"type": "text", "text": "x"})]}
    data = log(sample, sample, header=False)
    assert len(ostinato.load_all(data)) == 2
    assert ostinato.load_all(data)[0].turns[1].origin == ostinato.Origin("openai", model="m")
    found = ostinato.load_all(data[: data.index(b"PK\1\2") - 5])
    assert [conversation.session for conversation in found] == ["1_epoch_1"]
    assert found[0].report.counts == {"packed_file_is_cut": 1}


def test_damaged_sample_costs_itself_alone() -> None:
    """A sample that is no JSON is named, and the others are loaded."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", "{")
        archive.writestr("samples/2_epoch_1.json", json.dumps({"messages": [{"role": "user", "content": "q"}]}))
    first, second = ostinato.load_all(made.getvalue())
    assert (first.report.counts, len(second.items)) == ({"unreadable_line": 1}, 1)


def test_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A member that unpacks to more than a sample may have is refused before it is unpacked."""
    monkeypatch.setattr(zip_file, "_MAX_MEMBER", 10_000)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", " " * 10_001)
    with pytest.raises(ostinato.ReplayError, match="too_large"):
        ostinato.load_all(made.getvalue())


def test_members_count_against_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many members of allowed size are refused together, as are members that share their bytes."""
    monkeypatch.setattr(zip_file, "MAX_BYTES", 10_000)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"samples/{number}.json", " " * 4_000)
    archive_read = Archive(made.getvalue())
    with pytest.raises(ostinato.ReplayError, match="too_large"):
        [archive_read.read(name) for name in archive_read.members]


def test_missing_zstd_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a library for zstd the error says what to install."""
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    with pytest.raises(ostinato.ReplayError, match="zstd_unavailable"):
        ostinato.load_all(DATA / "zstd-members.eval")


def test_unknown_packing_is_a_finding() -> None:
    """A member that is packed in a way nobody reads costs itself alone."""
    data = bytearray(log({"messages": []}, header=False))
    struct.pack_into("<H", data, data.index(b"samples/1") - 30 + 8, 97)
    struct.pack_into("<H", data, data.rindex(b"samples/1") - 46 + 10, 97)
    assert ostinato.load_all(bytes(data))[0].report.counts == {"unreadable_line": 1}


MADE = log({"messages": [answer(reasoning("gAAAAA-example", signature="rs_1", redacted=True))]})


@given(
    changes=st.lists(st.tuples(st.integers(0, len(MADE) - 1), st.integers(0, 255)), max_size=10),
    cut=st.integers(0, len(MADE)),
)
@examples(100)
def test_damaged_archive_never_breaks(changes: list[tuple[int, int]], cut: int) -> None:
    """Any bytes give conversations or a named error."""
    damaged = bytearray(MADE[:cut])
    for place, value in changes:
        if place < len(damaged):
            damaged[place] = value
    try:
        ostinato.load_all(bytes(damaged), format="inspect")
    except ostinato.ReplayError as error:
        assert error.code in ostinato.ERROR_CODES  # noqa: PT017 - most examples raise nothing
