"""Findings that few files have, each met once."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import ostinato
from tests.saved import test_fast_agent, test_inspect, test_mmsp, test_openai_agents


def inspect_log(*messages: Any) -> bytes:
    """A log of Inspect over a model of Anthropic, with one sample."""
    return test_inspect.log({"messages": list(messages)}, model="anthropic/m")


def found(data: bytes, code: str) -> ostinato.Finding:
    """The one finding of a code."""
    (finding,) = (each for each in ostinato.load(data).report.findings if each.code == code)
    return finding


def test_order_of_several_items_in_one_message() -> None:
    """fast-agent saves where several items were and not where text came between them."""
    made = test_fast_agent
    second = {**made.ITEM, "id": "rs_2", "encrypted_content": "gAAAAA-2"}
    channels = made.state(made.envelope(made.ITEM), made.envelope(second))
    channels["openai-assistant-message-items"] = [made.text({"type": "message", "id": "msg_1", "content": []})]
    said = made.said("assistant", "ok", channels=channels)
    assert found(made.history(said), "order_unknown").path == "messages/0"


def test_damaged_database() -> None:
    """What can be read of a database that is cut is kept, and the damage is told."""
    made = test_openai_agents
    whole = made.store([(number, "s", made.USER) for number in range(1, 2000)])
    found(whole[: len(whole) // 2], "damaged_database")


def test_state_that_the_wire_does_not_take() -> None:
    """State of another origin in a history of MMSP is left out, and the reason is the wire's."""
    made = test_mmsp
    foreign = made.said("assistant", made.ENCRYPTED, made.text("a"), origin={"provider": "xai", "model": "grok-5"})
    own = made.said("assistant", made.ENCRYPTED, made.text("a"), origin={"provider": "openai", "model": "gpt-6"})
    loaded = ostinato.load(json.dumps([made.ASK, own, made.ASK, foreign]).encode())
    reasons = {dict(each.facts)["reason"] for each in loaded.report.findings if each.code == "not_taken"}
    assert "foreign_state" in reasons
    assert reasons <= set(ostinato.DECISION_CODES)


def test_damage_in_a_session(tmp_path: pathlib.Path) -> None:
    """What a store says of one of its sessions is a finding of the load."""
    with ostinato.SessionStore(tmp_path).open("s") as session:
        for _ in range(2):
            session.append([test_mmsp.ASK])
    finding = found((tmp_path / "s.jsonl").read_bytes()[:-10], "session_finding")
    assert dict(finding.facts)["reason"] in ostinato.SESSION_FINDING_CODES


def test_instructions_within_a_conversation() -> None:
    """Anthropic has one place for instructions: those that came later go there too, and it is told."""
    data = inspect_log(
        {"role": "system", "content": "first"},
        {"role": "user", "content": "q"},
        {"role": "system", "content": "second"},
        {"role": "assistant", "content": "a"},
    )
    assert ostinato.load(data).system == [{"type": "text", "text": "first"}, {"type": "text", "text": "second"}]
    assert found(data, "instructions_moved").path == "messages/2/content"


def test_arguments_that_are_no_object() -> None:
    """A wire of objects is given an empty one, and it is told."""
    call = {"id": "c", "function": "f", "arguments": "{", "type": "function"}
    data = inspect_log({"role": "user", "content": "q"}, {"role": "assistant", "content": "a", "tool_calls": [call]})
    assert ostinato.load(data).items[1]["content"][-1]["input"] == {}
    assert dict(found(data, "arguments_unreadable").facts)["id"] == "c"
