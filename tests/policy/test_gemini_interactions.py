"""What the Interactions API takes back."""

from typing import Any

import pytest

import ostinato
from ostinato.policy.gemini_signatures import PLACEHOLDER

Json = dict[str, Any]

TARGET = ostinato.Target(profile=ostinato.PROFILES["gemini-interactions"], model="gemini-3.8-flash")
ASKED: Json = {"type": "user_input", "content": [{"type": "text", "text": "hi"}]}
SAID: Json = {"type": "model_output", "content": [{"type": "text", "text": "ok"}]}
CALL: Json = {"type": "function_call", "id": "fc_1", "name": "f", "arguments": {}}
RESULT: Json = {"type": "function_result", "call_id": "fc_1", "name": "f", "result": "1"}


def thought(signature: Any = "U0lHLTE=", **more: Any) -> Json:
    """A thought."""
    return {"type": "thought", "signature": signature, **more}


def said(prepared: ostinato.Prepared) -> list[tuple[str, str, str]]:
    """Code, action and place of every decision."""
    return [(decision.code, decision.action, decision.path) for decision in prepared.report.decisions]


@pytest.mark.parametrize(
    "step",
    [
        thought(),
        thought("-_-_-w"),
        thought(summary=[]),
        thought(summary=None),
        thought(summary=[{"type": "image", "data": "AAAA", "mime_type": "image/png"}]),
        thought(unheard_of=1),
        {"type": "google_search_call", "id": "s", "signature": "U0lHLTE=", "arguments": {}},
        {"type": "unheard_of", "signature": "U0lHLTE="},
    ],
)
def test_steps_go_back_whole_and_unchanged(step: Json) -> None:
    """All thoughts, and the steps of built-in tools, exactly as they came."""
    history = [ASKED, thought(), step, SAID, ASKED]
    prepared = ostinato.prepare(history, TARGET)
    assert all(new is old for new, old in zip(prepared.items, history, strict=True))
    assert prepared.report.decisions == ()


def test_foreign_steps_are_left_out_whole() -> None:
    """A thought goes as it came, never without its signature; a built-in call goes with its result."""
    search: Json = {"type": "google_search_call", "id": "s", "signature": "U0lHLTI="}
    found: Json = {"type": "google_search_result", "call_id": "s", "result": []}
    history = [ASKED, thought(summary=[{"type": "text", "text": "why"}]), search, found, SAID]
    prepared = ostinato.prepare(history, TARGET, origin={"provider": "vertex"})
    assert prepared.items == [ASKED, SAID]
    assert said(prepared) == [("foreign_state", "left_out", f"steps/{place}") for place in (1, 2, 3)]
    assert {decision.reason for decision in prepared.report.decisions} == {"endpoint"}


def test_signed_call_of_a_function_stays_a_call() -> None:
    """An older client has the signature on the call itself: the call is visible, and stays without it."""
    history = [ASKED, CALL | {"signature": "U0lHLTE="}, RESULT]
    assert ostinato.prepare(history, TARGET).items == history
    assert ostinato.prepare(history, TARGET, origin={"provider": "openai"}).items == [ASKED, CALL, RESULT]


def test_another_model_is_no_reason_to_leave_steps_out() -> None:
    """The service handles what its models can read of each other."""
    history = [ASKED, thought(), SAID]
    origin = {"provider": "gemini", "model": "gemini-3-pro"}
    assert ostinato.prepare(history, TARGET, origin=origin).items == history


@pytest.mark.parametrize("choice", ["report", "placeholder", "raise"])
def test_missing_signature_is_a_choice(choice: str) -> None:
    """A call of the current turn without a signed thought before it."""
    history = [ASKED, CALL, RESULT]
    target = TARGET.but(missing_signature=choice)
    if choice == "raise":
        with pytest.raises(ostinato.PrepareError, match="missing_signature"):
            ostinato.prepare(history, target)
        return
    prepared = ostinato.prepare(history, target)
    opened = [ASKED, {"type": "thought", "signature": PLACEHOLDER}, CALL, RESULT]
    assert prepared.items == (opened if choice == "placeholder" else history)
    code, action = ("placeholder_used", "added") if choice == "placeholder" else ("missing_signature", "kept")
    assert said(prepared) == [(code, action, "steps/1")]


def test_placeholder_is_no_state() -> None:
    """It is told, kept wherever it was made, and not counted."""
    history = [ASKED, thought(PLACEHOLDER), CALL, RESULT]
    prepared = ostinato.prepare(history, TARGET, origin={"provider": "openai"})
    assert prepared.items == history
    assert said(prepared) == [("placeholder_present", "kept", "steps/1")]
    assert prepared.report.telemetry.reasoning_replay_item_count == 0


@pytest.mark.parametrize("signature", [7, "U0lHx", "not base64!", b"SIG"])
def test_broken_state_is_refused_or_left_out_whole(signature: Any) -> None:
    """What the codec refuses: a redacted value, a signature that was cut; and bytes, which no JSON text holds."""
    history = [ASKED, thought(signature), SAID]
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare(history, TARGET)
    assert (caught.value.code, caught.value.path) == ("unsound_state", "steps/1")
    assert ostinato.prepare(history, TARGET.but(unsound="drop")).items == [ASKED, SAID]


def test_thoughts_alone_are_an_orphan() -> None:
    """A turn that was cut while thinking."""
    history = [ASKED, thought(), ASKED]
    prepared = ostinato.prepare(history, TARGET)
    assert prepared.items == [ASKED, ASKED]
    assert said(prepared) == [("orphan_thinking", "left_out", "steps/1")]
    assert ostinato.prepare(history, TARGET.but(orphans="keep")).items == history


@pytest.mark.parametrize(("held", "first"), [(None, 3), (("fc_1",), 3), (("s",), 0), ((), 0)])
def test_chained_mode_sends_what_is_new(held: tuple[str, ...] | None, first: int) -> None:
    """The provider holds all up to its last answer, or what the caller says it holds."""
    history = [ASKED, thought(), CALL, RESULT]
    target = ostinato.Target(profile=TARGET.profile, mode="chained", held=held)
    prepared = ostinato.prepare(history, target)
    assert prepared.items == history[first:]
    assert [code for code, _action, _path in said(prepared)] == (["held_by_provider"] if first else [])


def test_turns_of_the_older_form_follow_the_same_rules() -> None:
    """`{role, content}`: state inside of it is found, left out and counted like any other."""
    turn = {"role": "model", "content": [thought(), {"type": "text", "text": "ok"}]}
    history = [{"role": "user", "content": "hi"}, turn, {"role": "model", "content": [thought()]}]
    prepared = ostinato.prepare(history[:2], TARGET)
    assert all(new is old for new, old in zip(prepared.items, history[:2], strict=True))
    assert prepared.report.telemetry.reasoning_replay_item_count == 1
    foreign = ostinato.prepare(history, TARGET, origin={"provider": "openai"})
    assert foreign.items == [history[0], {"role": "model", "content": [{"type": "text", "text": "ok"}]}]
    assert said(foreign)[0] == ("foreign_state", "left_out", "steps/1/content/0")
    assert ostinato.strip_state(history, wire="gemini-interactions").items == foreign.items
    with pytest.raises(ostinato.ReplayError, match="steps/0/content/0"):
        ostinato.prepare([{"role": "model", "content": [7]}], TARGET)


def test_trim_keeps_a_turn_with_its_results() -> None:
    """A thought, its call and the result are cut together."""
    history = [ASKED, thought(), CALL, RESULT, SAID]
    assert ostinato.trim(history, keep=2, wire="gemini-interactions").items == history[1:]


def test_strip_takes_all_state() -> None:
    """Thoughts go whole, and so do built-in calls that are signed, with their results."""
    search: Json = {"type": "google_search_call", "id": "s", "signature": "U0lHLTI="}
    found: Json = {"type": "google_search_result", "call_id": "s", "result": []}
    history = [ASKED, thought(), search, found, CALL | {"signature": "U0lHLTE="}, RESULT, SAID]
    stripped = ostinato.strip_state(history, wire="gemini-interactions")
    assert stripped.items == [ASKED, CALL, RESULT, SAID]
    assert stripped.report.counts == {"state_stripped": 4}
