"""The field cases of `tests/cases` about thinking in blocks: the other side of each choice.

What each case says by default is compared by its player.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

import ostinato
from ostinato import policy

CASES = pathlib.Path(__file__).parents[1] / "cases"


def given_in(name: str) -> dict[str, Any]:
    """What a case gives."""
    given: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))["given"]
    return given


def target_of(given: dict[str, Any], row: str, **fields: Any) -> ostinato.Target:
    """The target of a case, under a row of the table."""
    told = {name: given["target"].get(name) for name in ("endpoint", "account", "model")}
    return ostinato.Target(profile=ostinato.PROFILES[row], **told, **fields)


def test_bound_settings_need_beta() -> None:
    """A setting without its beta may be reported instead of refused; with it there is nothing to say."""
    given = given_in("anth-bound-settings-need-beta")
    reported = ostinato.prepare(
        [], target_of(given, "anthropic", settings=given["request"]).but(missing_beta="report")
    ).report
    assert reported.decisions[0].to_dict()["beta"] == "thinking-binding-controls-2026-08-01"
    whole = given["request"] | {"betas": policy.binding_settings()["betas"]}
    assert ostinato.prepare([], target_of(given, "anthropic", settings=whole)).report.decisions == ()


def test_hollowed_block_without_a_digest() -> None:
    """Where nobody kept a digest the block is kept, and where it comes from is not known."""
    block = given_in("anth-hollowed-block")["record"]["block"]
    decision = policy.verify_thinking(block)
    assert decision is not None
    assert (decision.code, decision.action) == ("unknown_provenance", "kept")
    message = {"role": "assistant", "content": [block, {"type": "text", "text": "ok"}]}
    prepared = ostinato.prepare([message], "anthropic")
    assert prepared.items == [message]
    assert prepared.report.counts == {"unknown_provenance": 1}


def test_model_mismatch() -> None:
    """State of another model may be kept, or kept from models that the caller knows to be readable."""
    given = given_in("anth-model-mismatch")
    messages = [{"role": "assistant", "content": given["content"]}]
    target = target_of(given, "anthropic")
    for other in (target.but(foreign="keep"), target.but(readable_models=("claude-a",))):
        assert ostinato.prepare(messages, other, origin=given["origin"]).items == messages


def test_same_model_other_platform() -> None:
    """State of another account may be kept, for a platform that drops it without an error."""
    given = given_in("anth-same-model-other-platform")
    messages = [{"role": "assistant", "content": given["content"]}]
    prepared = ostinato.prepare(
        messages, target_of(given, "bedrock-messages").but(foreign="keep"), origin=given["origin"]
    )
    assert prepared.items == messages
    assert [(d.code, d.reason, d.action) for d in prepared.report.decisions] == [("foreign_state", "account", "kept")]


def test_past_turns_unchanged_at_every_length() -> None:
    """Whatever is said next, what went out before goes out again as the same objects."""
    messages = given_in("anth-past-turns-unchanged")["messages"]
    before: list[Any] = []
    for count in range(1, len(messages) + 1):
        sent = ostinato.prepare(messages[:count], "anthropic").items
        assert all(one is other for one, other in zip(before, sent, strict=False))
        before = sent


def test_removing_the_broken_end_makes_the_chain_whole() -> None:
    """Leaving out the block that was refused is not enough; leaving out all from the gap on is."""
    given = given_in("anth-middle-block-missing")
    checked = policy.check_thinking_chain(given["messages"], given["captured_chain"])
    place = int(checked.invalid[0].split("/")[1])
    assert policy.check_thinking_chain(given["messages"][:place], given["captured_chain"]).invalid == ()
