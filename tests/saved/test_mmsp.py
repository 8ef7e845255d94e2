"""Histories and traces of MMSP."""

import json
from typing import Any

import pytest

import ostinato


def said(role: str, *items: Any, **more: Any) -> dict[str, Any]:
    """A message."""
    return {"role": role, "content_items": list(items), **more}


def text(words: str, **fidelity: Any) -> dict[str, Any]:
    """A text item."""
    return {"type": "text.done", "text": words, **({"fidelity": fidelity} if fidelity else {})}


def thinking(words: str, **fidelity: Any) -> dict[str, Any]:
    """A thinking item."""
    return {"type": "thinking.done", "thinking": words, "fidelity": fidelity}


CALL = {"type": "tool_call.done", "name": "f", "arguments": {"b": 1, "a": 2}, "tool_call_id": "call_1"}
ASK = said("user", text("q"))
ENCRYPTED = thinking("AB", channel="summary", encrypted_content="gAAAAA-1")


def test_load_mmsp_history() -> None:
    """Replay works, and what cannot be restored is named: the parts of a summary, the text of arguments."""
    loaded = ostinato.load(json.dumps([ASK, said("assistant", ENCRYPTED, CALL)]).encode())
    assert loaded.wire == "openai-responses"
    assert loaded.items[1] == {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "AB"}],
        "encrypted_content": "gAAAAA-1",
    }
    assert {(finding.code, dict(finding.facts).get("id")) for finding in loaded.report.findings} == {
        ("summary_boundaries_unknown", None),
        ("arguments_rebuilt", "call_1"),
    }


def test_what_this_library_saves_beside_is_used() -> None:
    """Parts, argument text and origin are kept in histories written here, and nothing is rebuilt."""
    own = thinking("AB", id="rs_1", channel="summary", encrypted_content="gAAAAA-1", summary=["A", "B"])
    call = {**CALL, "fidelity": {"arguments": '{"b":1, "a":2}'}}
    origin = {"provider": "openai", "endpoint": "https://api.openai.com/v1", "model": "gpt-6-astra"}
    loaded = ostinato.load(json.dumps([ASK, said("assistant", own, call, origin=origin)]).encode())
    assert [part["text"] for part in loaded.items[1]["summary"]] == ["A", "B"]
    assert loaded.items[2]["arguments"] == '{"b":1, "a":2}'
    assert not loaded.report.findings
    assert loaded.origins[1] == ostinato.Origin(**origin)


def test_a_trace_names_its_model() -> None:
    """The trace file has a frame around the history, and bytes as base64."""
    picture = {"type": "inline_data.done", "data": "aGk=", "mime_type": "image/png"}
    signed = [thinking("t", signature="c2ln"), text("a")]
    trace = {
        "history": [said("user", text("q"), picture), said("assistant", *signed)],
        "config": {"model": "gemini-3-pro", "system_prompt": "Be brief."},
        "timestamp": 1,
    }
    loaded = ostinato.load(json.dumps(trace, indent=2).encode())
    assert (loaded.wire, loaded.system) == ("gemini-interactions", "Be brief.")
    assert loaded.origins[-1] == ostinato.Origin("gemini", model="gemini-3-pro")


@pytest.mark.parametrize(
    ("item", "wire"),
    [
        (ENCRYPTED, "openai-responses"),
        (text("a", phase="commentary"), "openai-responses"),
        (thinking("t", signature="c2ln"), "anthropic-messages"),
        (thinking("t", reasoning_field="reasoning_content"), "openai-chat"),
        (thinking("t", encrypted_content="gAAAAA-1", format="openai-responses-v1", reasoning_id="rs"), "openai-chat"),
        ({**CALL, "fidelity": {"signature": "c2ln"}}, "gemini-generate-content"),
    ],
)
def test_the_state_tells_the_wire(item: dict[str, Any], wire: str) -> None:
    """No message says who made it; what stands in it does."""
    loaded = ostinato.load(json.dumps([ASK, said("assistant", item, text("a"))]).encode())
    assert loaded.wire == wire
    assert "wire_assumed" not in loaded.report.counts


def test_a_message_that_no_wire_takes_is_named() -> None:
    """The others are loaded."""
    broken = [said("assistant", {"type": "hologram.done"}), said("user"), 7, said("user", text("more"))]
    loaded = ostinato.load(json.dumps([ASK, *broken]).encode())
    assert len(loaded.items) == 2
    assert [(finding.code, finding.path) for finding in loaded.report.findings if finding.records] == [
        ("unsound_record", "1/content_items/0"),
        ("unsound_record", "2"),
        ("not_a_record", ""),
    ]
    assert loaded.report.records == 5


def test_a_trace_that_is_cut_gives_its_messages() -> None:
    """What stands before the damage is loaded."""
    whole = json.dumps(
        {"history": [ASK, said("assistant", text("a")), said("user", text("b"))], "config": {}}, indent=2
    )
    loaded = ostinato.load(whole[: whole.index('"b"')].encode())
    assert len(loaded.items) == 2
    assert loaded.report.counts["truncated_line"] == 1
