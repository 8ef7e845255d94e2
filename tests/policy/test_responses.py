"""The rules of Responses, one by one."""

from __future__ import annotations

import base64
from typing import Any

import pytest

import ostinato

WIRE = "openai-responses"
Json = dict[str, Any]
USER: Json = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}


def reasoning(item_id: str | None = "rs_1", state: Any = "gAAAAAB-one", **more: Any) -> Json:
    """A reasoning item; None leaves a field out."""
    fields = {"type": "reasoning", "id": item_id, "summary": [], "encrypted_content": state}
    return {name: value for name, value in fields.items() if value is not None} | more


def said(item_id: str | None = "msg_1", **more: Any) -> Json:
    """An answer of the model."""
    named = {"id": item_id} if item_id is not None else {}
    return {"type": "message", **named, "role": "assistant", "content": [{"type": "output_text", "text": "ok"}], **more}


def call(item_id: str | None = "fc_1", call_id: str = "call_1", **more: Any) -> Json:
    """A function call."""
    named = {"id": item_id} if item_id is not None else {}
    return {"type": "function_call", **named, "call_id": call_id, "name": "f", "arguments": "{}", **more}


def output(call_id: str = "call_1") -> Json:
    """What the function gave back."""
    return {"type": "function_call_output", "call_id": call_id, "output": "42"}


def without(item: Json, *names: str) -> Json:
    """An item without some fields."""
    return {name: value for name, value in item.items() if name not in names}


def target(
    name: str = "openai", mode: Any = "stateless", held: Any = None, settings: Any = None, **choices: Any
) -> Any:
    """A target, under rules of one's own."""
    goal = ostinato.Target(profile=ostinato.PROFILES[name], mode=mode, held=held, settings=settings or {})
    return goal.but(**choices)


def decided(prepared: ostinato.Prepared) -> list[tuple[Any, ...]]:
    """Code, place and reason of every decision that is more than a note."""
    return [(made.code, made.path, made.reason) for made in prepared.report.decisions if made.action != "kept"]


@pytest.mark.parametrize("name", [name for name, row in ostinato.PROFILES.items() if row.wire == WIRE])
def test_a_sound_conversation_goes_out_as_it_is(name: str) -> None:
    """Every item is the very same object, for every destination that takes ciphertext and ids."""
    items = [USER, reasoning(), call(), output(), reasoning("rs_2", "gAAAAAB-two"), said(phase="final_answer"), USER]
    rules = dict(ostinato.PROFILES[name].cells())
    if rules["ids"].value == "omit" or rules["ciphertext"].value == "refuse":
        pytest.skip("changes on purpose")
    prepared = ostinato.prepare(items, name)
    assert all(sent is given for sent, given in zip(prepared.items, items, strict=True))
    assert prepared.report.decisions == ()
    assert prepared.report.telemetry.reasoning_replay_item_count == 2
    assert prepared.report.unknown_origin == 2


def test_where_ids_are_never_sent_all_go() -> None:
    """Old items obey too, whatever they were saved with; the call id, which ties call and output, stays."""
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "x"},
    }
    prepared = ostinato.prepare([reasoning(), search, call(), output()], "codex")
    assert prepared.items == [without(item, "id") for item in (reasoning(), search, call(), output())]
    assert decided(prepared) == [("id_omitted", f"items/{place}", "id_policy") for place in range(3)]


def test_what_only_an_id_told_apart_goes_out_once_where_ids_do_not() -> None:
    """Two compactions of one state are the same bytes without their ids."""
    twins = [{"type": "compaction", "id": own, "encrypted_content": "gAAAAAB-one"} for own in ("cmp_1", "cmp_2")]
    assert ostinato.prepare(twins, "codex").items == [without(twins[0], "id")]
    assert ostinato.prepare(twins, "openai").items == twins


def test_where_an_id_is_required_an_item_without_goes() -> None:
    """The route of Azure projects refuses reasoning without its id: left out and told, or an error."""
    items = [reasoning(None), call(), output(), reasoning("rs_2", "gAAAAAB-two"), said()]
    prepared = ostinato.prepare(items, "azure-project")
    assert prepared.items == [without(call(), "id"), output(), *items[3:]]
    assert decided(prepared) == [("id_missing", "items/0", None), ("id_omitted", "items/1", "pair")]
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare(items, target("azure-project", missing_id="raise"))
    assert (caught.value.code, caught.value.path) == ("id_missing", "items/0")
    long_id = [reasoning("r" * 65), said()]
    assert decided(ostinato.prepare(long_id, "azure-project"))[0] == ("not_replayable", "items/0", "over_64_chars")


def test_reasoning_that_would_lose_an_id_it_must_have_goes_whole() -> None:
    """The id of a pair goes with that of its partner, and where an id is required the item cannot go without."""
    items = [{"type": "reasoning", "summary": []}, reasoning("rs_2"), said()]
    prepared = ostinato.prepare(items, "azure-project")
    assert prepared.items == [said(None)]
    assert decided(prepared)[1:] == [("id_missing", "items/1", "pair"), ("id_omitted", "items/2", "pair")]
    assert ostinato.prepare(items, "openai").items == [reasoning(None), said(None)]
    with pytest.raises(ostinato.PrepareError, match="items/0: id_missing"):
        ostinato.prepare([reasoning(None), *items[1:]], target("azure-project", missing_id="raise"))


def test_an_id_goes_with_its_partner() -> None:
    """Whichever of the two is too long; what never had an id takes none away."""
    for pair in ([reasoning("r" * 65), said()], [reasoning(), said("m" * 65)]):
        assert ostinato.prepare(pair, "openai").items == [without(item, "id") for item in pair]
    kept = [reasoning(), said(None)]
    assert ostinato.prepare(kept, "openai").items == kept
    assert ostinato.prepare([reasoning(None), said()], "openai").items == [reasoning(None), said(None)]


def test_where_ids_are_not_paired_each_stands_alone() -> None:
    """Where the server looks for none, only the id that is too long goes."""
    assert ostinato.prepare([reasoning("r" * 65), said()], "xai").items == [reasoning(None), said()]


def test_a_long_id_is_not_shown() -> None:
    """Ids over the limit are encrypted themselves; a decision tells their length."""
    prepared = ostinato.prepare([reasoning("r" * 416), said()], "copilot")
    assert prepared.report.decisions[0].to_dict() == {
        "code": "id_omitted",
        "path": "items/0",
        "action": "changed",
        "reason": "over_64_chars",
        "chars": 416,
    }
    assert "rrr" not in f"{prepared.report} {prepared!r}"


def test_an_id_that_another_item_points_at_stays() -> None:
    """An approval names its request by id, and a reference is an id."""
    items = [
        {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}", "server_label": "s"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
        {"type": "item_reference", "id": "msg_9"},
    ]
    assert ostinato.prepare(items, "codex").items == items


@pytest.mark.parametrize("part", ["provider", "endpoint", "account"])
def test_state_of_another_origin_stays_out(part: str) -> None:
    """Whatever of the origin differs is the reason; ids of that origin mean nothing here."""
    own = {"provider": "openai", "endpoint": "https://api.openai.com/v1", "account": "a", "model": "m"}
    goal = ostinato.Target(profile=ostinato.PROFILES["openai"], account="a", model="n")
    items = [USER, reasoning(), call(), output()]
    assert ostinato.prepare(items, goal, origin=own).items == items
    prepared = ostinato.prepare(items, goal, origin={**own, part: "other"})
    assert prepared.items == [USER, without(call(), "id"), output()]
    assert decided(prepared) == [("foreign_state", "items/1", part), ("id_omitted", "items/2", "foreign")]


def test_foreign_state_is_a_choice() -> None:
    """Kept and told, or an error with the place."""
    items, origin = [reasoning(), said()], ostinato.Origin("xai")
    kept = ostinato.prepare(items, target(foreign="keep"), origin=origin)
    assert kept.items == items
    assert kept.report.counts == {"foreign_state": 1}
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare(items, target(foreign="raise"), origin=origin)
    assert (caught.value.code, caught.value.path, caught.value.decision.reason) == (
        "foreign_state",
        "items/0",
        "provider",
    )


def test_a_gateway_takes_state_of_the_same_model_alone() -> None:
    """Encrypted payloads can only be replayed to the endpoint that made them."""
    goal = ostinato.Target(profile=ostinato.PROFILES["openrouter-responses"], model="a")
    prepared = ostinato.prepare([reasoning(), said()], goal, origin={"provider": "openrouter", "model": "b"})
    assert decided(prepared)[0] == ("foreign_state", "items/0", "model")


@pytest.mark.parametrize(
    "item",
    [
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAAB-one"},
        {"type": "compaction_summary", "encrypted_content": "gAAAAAB-one"},
        {"type": "program", "id": "prog_1", "call_id": "call_9", "code": "f()", "fingerprint": "fp-one"},
        {
            "type": "agent_message",
            "author": "a",
            "recipient": "b",
            "content": [{"type": "encrypted_content", "encrypted_content": "gAAAAAB-one"}],
        },
        {"type": "thing_of_tomorrow", "encrypted_content": "gAAAAAB-one"},
    ],
    ids=lambda item: item["type"],
)
def test_other_items_carry_state_too(item: Json) -> None:
    """Sound, they go out as they are; foreign, as husks or stripped they go whole."""
    assert ostinato.prepare([item], "openai").items[0] is item
    assert ostinato.prepare([item], "openai", origin={"provider": "xai"}).items == []
    assert ostinato.strip_state([item], wire=WIRE).items == []
    husk = {name: None if name in {"encrypted_content", "fingerprint"} else value for name, value in item.items()}
    if item["type"] == "agent_message":
        husk["content"] = [{"type": "encrypted_content"}]
    prepared = ostinato.prepare([husk], "openai")
    assert prepared.items == []
    assert [made.code for made in prepared.report.decisions] == ["not_replayable"]


def test_a_husk_never_goes_out() -> None:
    """Reasoning without its state is left out, and its follower goes without the id; or it is an error."""
    for husk in (reasoning(state=None), reasoning(state=""), {**reasoning(), "encrypted_content": None}):
        prepared = ostinato.prepare([USER, husk, said()], "openai")
        assert prepared.items == [USER, said(None)]
        assert decided(prepared) == [
            ("not_replayable", "items/1", "no_encrypted_content"),
            ("id_omitted", "items/2", "pair"),
        ]
        assert prepared.report.decisions[0].to_dict()["id"] == "rs_1"
        with pytest.raises(ostinato.PrepareError):
            ostinato.prepare([husk, said()], target(no_ciphertext="raise"))


def test_an_item_that_the_provider_stored_may_go_by_its_id() -> None:
    """A choice for requests that store: the id finds the state. Nulls and the status stay out all the same."""
    stored = {**reasoning(), "encrypted_content": None, "content": None, "status": "completed"}
    prepared = ostinato.prepare([stored, said()], target(no_ciphertext="keep"))
    assert prepared.items == [reasoning(state=None), said()]


@pytest.mark.parametrize("text", ["Work this out.", "naïve", '{"type":"text"}', "[redacted 5 bytes]", "a\nb"])
def test_readable_text_is_no_state(text: str) -> None:
    """A gateway put text where the ciphertext belongs: it is kept apart and never shown."""
    prepared = ostinato.prepare([reasoning(state=text), said()], "openai")
    assert prepared.items == [said(None)]
    assert decided(prepared)[0] == ("not_replayable", "items/0", "readable_ciphertext")
    assert text not in f"{prepared.report} {prepared.report.to_dict()}"
    assert ostinato.prepare([reasoning(state=text), said()], target(readable_ciphertext="keep")).items[0]


def test_state_that_the_codec_refuses_says_why() -> None:
    """The codec's own code is the reason, and the field is named."""
    broken = reasoning(summary=[{"type": "summary_audio", "data": "x"}])
    prepared = ostinato.prepare([broken, said()], "openai")
    assert prepared.items == [said(None)]
    assert prepared.report.decisions[0].to_dict() == {
        "code": "unsound_state",
        "path": "items/0",
        "action": "left_out",
        "reason": "unknown_part_type",
        "field": "summary/0/type",
        "id": "rs_1",
    }


def test_items_of_a_cut_response() -> None:
    """OpenAI's are no state, xAI says to send them; what was still being written goes nowhere."""
    cut = [reasoning(status="incomplete"), said()]
    assert ostinato.prepare(cut, "openai").items == [said(None)]
    kept = ostinato.prepare(cut, "xai")
    assert kept.items == [reasoning(), said()]
    assert kept.report.counts == {"incomplete_item": 1, "fields_omitted": 1}
    for name in ("openai", "xai"):
        assert len(ostinato.prepare([reasoning(status="in_progress"), said()], name).items) == 1


def test_plain_reasoning_goes_where_it_is_the_state() -> None:
    """And a ciphertext does not go where it is refused. The other form of it stays, if there is one."""
    plain = [{"type": "reasoning_text", "text": "raw"}]
    both = reasoning(content=plain)
    assert ostinato.prepare([both, said()], "openai").items == [reasoning(), said()]
    assert ostinato.prepare([both, said()], "xai").items == [both, said()]
    assert ostinato.prepare([both, said()], "vllm-responses").items == [without(both, "encrypted_content"), said()]
    assert ostinato.prepare([reasoning(), said()], "vllm-responses").items == [said()]
    assert ostinato.prepare([without(both, "encrypted_content"), said()], "xai").items == [said()]


def test_fields_that_are_no_input_stay_out() -> None:
    """Nulls, the status, empty lists and ids, unknown fields of reasoning; the summary is always there."""
    given = [
        {**without(reasoning(), "summary"), "content": [], "status": "completed", "trace": 1, "signature": "s"},
        {
            **said(phase="commentary"),
            "status": "completed",
            "content": [{"type": "output_text", "text": "ok", "x": None}],
        },
        {**call(), "status": "completed", "namespace": None, "caller": None},
        output(),
        {**said(""), "phase": None},
    ]
    prepared = ostinato.prepare(given, "openai")
    assert prepared.items == [reasoning(), said(phase="commentary"), call(), output(), said(None)]
    assert [made.to_dict()["fields"] for made in prepared.report.decisions if "fields" in made.to_dict()] == [
        ["trace", "signature"],
        ["content", "status"],
        ["status", "content"],
        ["status", "namespace", "caller"],
        ["id", "phase"],
    ]
    gateway = ostinato.prepare(given, "openrouter-responses").items[0]
    assert gateway == {**reasoning(), "signature": "s"}


def test_built_in_tools_keep_what_their_type_requires() -> None:
    """The status, and nulls that must be there."""
    items = [
        reasoning(),
        {"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": None, "outputs": None},
        {"type": "thing_of_tomorrow", "id": "tt_1", "status": "completed", "value": None},
    ]
    assert ostinato.prepare(items, "openai").items == items


def test_reasoning_goes_with_what_followed_it() -> None:
    """A message, a call, a built-in tool's or an unknown one; not an output, nor another's message, nor nothing."""
    for follower in (said(), call(), {"type": "web_search_call", "id": "ws_1"}, {"type": "thing_of_tomorrow"}):
        items = [reasoning(), reasoning("rs_2", "gAAAAAB-two"), follower]
        assert ostinato.prepare(items, "openai").items == items
    for other in (USER, {"role": "developer", "content": "x"}, {"type": "compaction_trigger"}):
        prepared = ostinato.prepare([reasoning(), other], "openai")
        assert prepared.items == [other]
        assert decided(prepared) == [("orphan_reasoning", "items/0", None)]
    assert ostinato.prepare([reasoning()], "openai").items == []
    assert ostinato.prepare([reasoning()], "xai").items == [reasoning()]


def test_an_output_needs_its_call() -> None:
    """An output of no call is refused, so it is left out with the reasoning before it; a held call may be anywhere."""
    pruned = [USER, reasoning(), output(), USER]
    prepared = ostinato.prepare(pruned, "openai")
    assert prepared.items == [USER, USER]
    assert decided(prepared) == [("orphan_reasoning", "items/1", None), ("orphan_output", "items/2", None)]
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare([output(), call()], ostinato.Target(profile=ostinato.PROFILES["openai"]).but(orphans="raise"))
    assert (caught.value.code, caught.value.path) == ("orphan_output", "items/0")
    held = ostinato.Target(profile=ostinato.PROFILES["openai"], settings={"previous_response_id": "resp_1"})
    for goal in (held, "xai", "open-responses"):
        assert ostinato.prepare([output()], goal).items == [output()]
    referred = [{"type": "item_reference", "id": "fc_1"}, output()]
    assert ostinato.prepare(referred, "openai").items == referred


def test_the_same_item_goes_out_once() -> None:
    """The first place wins, for reasoning, answers, calls and their outputs; the rest of the turn stays."""
    turn = [reasoning(), call(), output()]
    prepared = ostinato.prepare([*turn, *turn, USER], "openai")
    assert prepared.items == [*turn, USER]
    assert decided(prepared) == [("exact_duplicate", f"items/{place}", None) for place in (3, 4, 5)]
    assert prepared.report.telemetry.replay_deduplicated_exact_count == 3
    again = ostinato.prepare([reasoning(), said(), USER, reasoning(), said("msg_2")], "openai")
    assert again.items == [reasoning(), said(), USER, said("msg_2")]


def test_a_repeat_never_costs_the_state() -> None:
    """Where the first of two is an orphan, the second is the one that goes out."""
    items = [reasoning(), USER, reasoning(), said()]
    assert ostinato.prepare(items, "openai").items == items[1:]
    assert ostinato.prepare([reasoning(), reasoning(), said()], "openai").items == [reasoning(), said()]


def test_an_id_that_a_client_made_up_is_sent_once() -> None:
    """Two answers under one constant id: both go out, the second without the id."""
    other = said(content=[{"type": "output_text", "text": "another"}])
    prepared = ostinato.prepare([said(), USER, other], "openai")
    assert prepared.items == [said(), USER, without(other, "id")]
    assert decided(prepared) == [("id_omitted", "items/2", "repeated")]
    assert ostinato.prepare([said(), USER, other], "vllm-responses").items == [said(), USER, other]


def test_small_servers_count_their_calls_anew() -> None:
    """The same call under the same call id may be a new one where ids are not unique."""
    turn = [call(None, "call_0"), output("call_0")]
    assert ostinato.prepare([*turn, USER, *turn], "llama-cpp-responses").items == [*turn, USER, *turn]


def test_state_that_was_encrypted_again_goes_out_once() -> None:
    """Two whole tokens of one length and time under one id are one state."""
    tokens = [base64.urlsafe_b64encode(b"\x80" + (10**9 + at).to_bytes(8) + bytes(64)).decode() for at in (0, 5)]
    items = [reasoning(state=tokens[0]), reasoning(state=tokens[1]), said()]
    prepared = ostinato.prepare(items, target(conflicts="keep"))
    assert prepared.items == [items[0], said()]
    assert decided(prepared) == [("re_encrypted", "items/1", None)]


def test_chained_requests_hold_what_is_new() -> None:
    """By the ids the provider holds, or after the model's last item; ids of what is new stay."""
    items = [USER, reasoning(), call(), output(), USER]
    assert ostinato.prepare(items, target(mode="chained")).items == items[3:]
    assert ostinato.prepare(items, target(mode="chained", held=("rs_1", "fc_1"))).items == items[3:]
    prepared = ostinato.prepare(items, target(mode="chained", held=("rs_1",)))
    assert prepared.items == items[2:]
    assert prepared.report.decisions[0].to_dict() == {
        "code": "held_by_provider",
        "path": "items/0",
        "action": "left_out",
        "items": 2,
    }
    assert ostinato.prepare([USER], target(mode="chained")).items == [USER]


def test_a_reference_needs_a_store() -> None:
    """Where the request stores nothing, nothing is found by reference."""
    items = [{"type": "item_reference", "id": "rs_1"}, USER]
    assert ostinato.prepare(items, "openai").items == items
    prepared = ostinato.prepare(items, target(settings={"store": False}))
    assert prepared.items == [USER]
    assert decided(prepared) == [("not_replayable", "items/0", "not_stored")]


def test_a_reference_behind_an_output_is_not_its_call() -> None:
    """What is said later changes nothing of what went out."""
    reference = {"type": "item_reference", "id": "fc_1"}
    assert ostinato.prepare([USER, output(), USER, reference], "openai").items == [USER, USER, reference]
    assert ostinato.prepare([USER, reference, output()], "openai").items == [USER, reference, output()]


def test_a_reference_that_is_left_out_is_no_call() -> None:
    """An output may answer an item that is referred to, but not one that the request cannot refer to."""
    items = [{"type": "item_reference", "id": "fc_1"}, output()]
    assert ostinato.prepare(items, "openai").items == items
    prepared = ostinato.prepare(items, target(settings={"store": False}))
    assert prepared.items == []
    assert [code for code, _path, _reason in decided(prepared)] == ["not_replayable", "orphan_output"]


def test_what_a_program_left_goes_with_it() -> None:
    """Its output answers nothing any more; a call that it made stays, as the model's own."""
    program = {"type": "program", "id": "prog_1", "call_id": "call_9", "code": "f()", "fingerprint": "fp-one"}
    made = call(caller={"type": "program", "caller_id": "call_9"})
    result = {"type": "program_output", "id": "po_1", "call_id": "call_9", "result": "1", "status": "completed"}
    assert ostinato.prepare([program, made, output(), result], "openai").items == [program, made, output(), result]
    stripped = ostinato.strip_state([program, made, output(), result], wire=WIRE)
    assert stripped.items == [call(), output()]
    assert stripped.report.counts == {"state_stripped": 1, "orphan_output": 1, "fields_omitted": 1}


def test_stripping_keeps_the_visible_turns() -> None:
    """Whole items go, and the ids that were paired with them; an answer of no reasoning keeps its own."""
    items = [USER, reasoning(), call(), output(), said("msg_2"), {"type": "compaction", "encrypted_content": "x"}]
    stripped = ostinato.strip_state(items, wire=WIRE)
    assert stripped.items == [USER, call(None), output(), said("msg_2")]
    assert stripped.report.counts == {"state_stripped": 2, "id_omitted": 1}


@pytest.mark.parametrize(
    ("keep", "earlier", "later"), [(0, 5, 5), (1, 4, 4), (2, 2, 4), (3, 2, 2), (4, 1, 1), (9, 0, 0)]
)
def test_a_cut_never_tears_a_call_from_its_output(keep: int, earlier: int, later: int) -> None:
    """A server refuses either alone. The cut is made before the two, or after."""
    items = [USER, said(), call(), output(), USER]
    assert ostinato.trim(items, keep=keep, wire=WIRE).items == items[earlier:]
    assert ostinato.trim(items, keep=keep, wire=WIRE, earlier=False).items == items[later:]


def test_a_profile_of_another_wire_is_refused() -> None:
    """By name, before anything is looked at."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.prepare([USER], "nobody")
    assert caught.value.code == "unknown_profile"


@pytest.mark.parametrize("choices", [{"orphans": "whatever"}, {"foreign": "Drop"}, {"ids": None}])
def test_a_choice_has_its_values(choices: Json) -> None:
    """A misspelt choice is told, and not taken for another."""
    with pytest.raises(ostinato.ReplayError) as caught:
        target(**choices)
    assert (caught.value.code, caught.value.path) == ("unknown_policy", f"profile/{next(iter(choices))}")


THOUGHT = {"role": "assistant", "content": [{"type": "thinking", "thinking": "a", "signature": "c2ln"}]}
CONTENT = {"role": "model", "parts": [{"text": "a", "thoughtSignature": "c2ln"}]}


@pytest.mark.parametrize(
    ("name", "item", "path"),
    [
        ("openai", THOUGHT, "items/0/content/0/type"),
        ("openai", {"parts": []}, "items/0/type"),
        ("openai", {"role": "assistant", "content": "a", "reasoning_content": "b"}, "items/0/reasoning_content"),
        ("openai-chat", reasoning(), "messages/0/role"),
        ("openai-chat", {"parts": []}, "messages/0/role"),
        ("gemini", reasoning(), "contents/0/parts"),
        ("gemini", THOUGHT, "contents/0/content"),
        ("anthropic", reasoning(), "messages/0/role"),
        ("anthropic", CONTENT, "messages/0/content"),
        ("bedrock-converse", CONTENT, "messages/0/content"),
    ],
)
def test_items_of_another_wire_are_refused(name: str, item: Json, path: str) -> None:
    """No rule of the target would read their state, so it would go to whoever is asked."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.prepare([item], name)
    assert (caught.value.code, caught.value.path) == ("type_mismatch", path)
