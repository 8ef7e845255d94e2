"""What the servers of Chat Completions take back."""

from typing import Any

import pytest

import ostinato
from ostinato.policy.gemini_signatures import PLACEHOLDER

Json = dict[str, Any]

USER: Json = {"role": "user", "content": "hi"}
RESULT: Json = {"role": "tool", "tool_call_id": "call_1", "content": "1"}


def to(name: str, **more: Any) -> ostinato.Target:
    """A target by its profile."""
    return ostinato.Target(profile=ostinato.PROFILES[name], **more)


def call(name: str = "call_1", **more: Any) -> Json:
    """A call."""
    return {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}, **more}


def calling(*calls: Json, **more: Any) -> Json:
    """A message of the model with calls."""
    return {"role": "assistant", "content": "", "tool_calls": list(calls or [call()]), **more}


def answer(**more: Any) -> Json:
    """A message of the model."""
    return {"role": "assistant", "content": "ok", **more}


def said(prepared: ostinato.Prepared) -> list[tuple[str, str, str]]:
    """Code, action and place of every decision."""
    return [(decision.code, decision.action, decision.path) for decision in prepared.report.decisions]


def same(prepared: ostinato.Prepared, history: list[Json]) -> bool:
    """Whether what goes out are the caller's own objects."""
    return len(prepared.items) == len(history) and all(
        new is old for new, old in zip(prepared.items, history, strict=True)
    )


@pytest.mark.parametrize(
    "message",
    [
        answer(reasoning="r"),
        answer(reasoning_content="r"),
        answer(content="<think>\n a </think>\n\nok"),
        answer(reasoning_details=[{"type": "reasoning.text", "text": "t", "index": 0}]),
        answer(reasoning_content="sum", encrypted_content="E"),
        calling(call(extra_content={"google": {"thought_signature": "U0lH"}})),
        calling(call("call_1__thought__U0lH")),
        answer(reasoning_details=[{"type": "unheard_of", "x": 1}]),
        answer(provider_specific_fields={"thinking_blocks": [{"type": "thinking", "thinking": "t", "signature": "s"}]}),
    ],
)
def test_reasoning_goes_back_as_it_came(message: Json) -> None:
    """In its field, in its place, and the very same object."""
    history = [USER, message, USER]
    for name in ("openai-chat", "vllm", "minimax", "openrouter"):
        assert same(ostinato.prepare(history, to(name)), history), name


@pytest.mark.parametrize(
    ("name", "was", "reads"),
    [
        ("deepseek", "reasoning", "reasoning_content"),
        ("zai", "reasoning", "reasoning_content"),
        ("groq", "reasoning_content", "reasoning"),
    ],
)
def test_text_is_moved_to_the_name_that_the_server_reads(name: str, was: str, reads: str) -> None:
    """A name that the server does not know would be a loss without a word."""
    prepared = ostinato.prepare([USER, answer(**{was: "r"})], to(name))
    assert prepared.items == [USER, answer(**{reads: "r"})]
    assert (
        prepared.report.decisions[0].to_dict().items()
        >= {"code": "reasoning_field_renamed", "from": was, "to": reads}.items()
    )


@pytest.mark.parametrize(
    ("elsewhere", "field"),
    [
        ({"thinking_blocks": [{"type": "thinking", "thinking": "r", "signature": ""}]}, "thinking_blocks"),
        ({"provider_specific_fields": {"reasoning_content": "r"}}, "provider_specific_fields/reasoning_content"),
    ],
)
def test_text_that_a_gateway_moved_is_found(elsewhere: Json, field: str) -> None:
    """A server that wants its field gets the text, wherever a gateway put it."""
    prepared = ostinato.prepare([USER, calling(**elsewhere), RESULT], to("deepseek"))
    assert prepared.items == [USER, calling(reasoning_content="r"), RESULT]
    wanted = {"code": "reasoning_field_renamed", "from": field, "to": "reasoning_content"}
    assert prepared.report.decisions[0].to_dict().items() >= wanted.items()


def test_both_names_by_choice() -> None:
    """Where a history does not say which name the server used."""
    prepared = ostinato.prepare([USER, answer(reasoning="r")], to("vllm").but(field_name="both"))
    assert prepared.items == [USER, answer(reasoning="r", reasoning_content="r")]
    assert said(prepared) == [("reasoning_field_added", "changed", "messages/1")]


@pytest.mark.parametrize("lacking", [{}, {"reasoning_content": None}])
def test_deepseek_gets_the_empty_field(lacking: Json) -> None:
    """A turn that calls tools has the field, be it empty; a plain answer needs none."""
    prepared = ostinato.prepare([USER, calling(**lacking), RESULT, answer()], to("deepseek"))
    assert prepared.items == [USER, calling(reasoning_content=""), RESULT, answer()]
    assert said(prepared) == [("reasoning_field_added", "added", "messages/1")]
    kept = [USER, calling(reasoning_content=""), RESULT]
    assert same(ostinato.prepare(kept, to("deepseek")), kept)


def test_moonshot_wants_what_was_recorded() -> None:
    """Refused by default, with the message and the field; an empty one by choice; none where thinking is off."""
    history = [USER, calling(), RESULT]
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare(history, to("moonshot"))
    assert (
        caught.value.decision.to_dict().items()
        >= {"code": "missing_reasoning_field", "field": "reasoning_content"}.items()
    )
    assert caught.value.path == "messages/1"
    filled = ostinato.prepare(history, to("moonshot").but(missing_field="empty")).items
    assert filled == [USER, calling(reasoning_content=""), RESULT]
    assert same(ostinato.prepare(history, to("moonshot").but(missing_field="keep")), history)
    assert same(ostinato.prepare(history, to("moonshot", settings={"thinking": {"type": "disabled"}})), history)


def test_turn_of_another_provider_gets_the_empty_field() -> None:
    """Nothing was lost there: the server could never have read its reasoning."""
    history = [USER, calling(reasoning_content="r"), RESULT]
    prepared = ostinato.prepare(history, to("moonshot"), origin={"provider": "deepseek"})
    assert prepared.items == [USER, calling(reasoning_content=""), RESULT]
    assert [code for code, _action, _path in said(prepared)] == ["foreign_state", "reasoning_field_added"]


@pytest.mark.parametrize(
    ("target", "setting", "value"),
    [
        (to("moonshot", model="kimi-k2.6"), "thinking.keep", "all"),
        (to("moonshot", model="kimi-k2.6", settings={"thinking": {"keep": None}}), "thinking.keep", "all"),
        (to("zai", settings={"thinking": {"type": "enabled"}}), "thinking.clear_thinking", False),
        (to("zai", settings={"thinking": "enabled"}), "thinking.clear_thinking", False),
        (to("qwen", model="qwen3.8-max"), "preserve_thinking", True),
        (to("vllm", model="Qwen/Qwen3.6-27B"), "chat_template_kwargs.preserve_thinking", True),
    ],
)
def test_setting_that_is_needed_is_named(target: ostinato.Target, setting: str, value: object) -> None:
    """Nothing fails without it, the model only thinks again; it is the caller's to set."""
    history = [USER, answer(reasoning_content="r"), USER]
    prepared = ostinato.prepare(history, target)
    assert same(prepared, history)
    (decision,) = prepared.report.decisions
    wanted = {"code": "request_setting_needed", "setting": setting, "value": value, "path": ""}
    assert decision.to_dict().items() >= wanted.items()
    assert ostinato.prepare([USER, answer()], target).report.decisions == ()


@pytest.mark.parametrize(
    "target",
    [
        to("moonshot", model="kimi-k2.6", settings={"thinking": {"type": "enabled", "keep": "all"}}),
        to("moonshot", model="kimi-k3"),
        to("moonshot"),
        to("zai", settings={"thinking": {"clear_thinking": False}}),
        to("zai", endpoint="https://api.z.ai/api/coding/paas/v4"),
        to("qwen", model="qwen3.8-max", settings={"preserve_thinking": True}),
        to("qwen", model="qwen3-32b"),
    ],
)
def test_nothing_is_asked_for_where_it_is_set(target: ostinato.Target) -> None:
    """By the request, by the endpoint, or because the model knows no such setting."""
    assert ostinato.prepare([USER, answer(reasoning_content="r")], target).report.decisions == ()


def test_minimax_details_ask_for_the_split() -> None:
    """Details are what the server sends and takes with `reasoning_split`; text inside of content needs nothing."""
    details = [{"type": "reasoning.text", "text": "t", "index": 0}]
    history = [USER, answer(reasoning_details=details)]
    (decision,) = ostinato.prepare(history, to("minimax")).report.decisions
    assert dict(decision.facts) == {"setting": "reasoning_split", "value": True}
    assert ostinato.prepare([USER, answer(content="<think>x</think>ok")], to("minimax")).report.decisions == ()


def test_fragments_of_a_stream_are_merged() -> None:
    """Texts side by side, the last signature, each block where it began; what has no index stands for itself."""
    fragments = [
        {"type": "reasoning.text", "text": "a", "index": 0, "format": "anthropic-claude-v1"},
        {"type": "reasoning.summary", "summary": "s", "index": 1},
        {"type": "reasoning.text", "text": "b", "index": 0},
        {"type": "reasoning.text", "text": "", "signature": "SIG", "index": 0},
        {"type": "reasoning.text", "text": "c"},
        {"type": "reasoning.text", "text": "d"},
        {"type": "reasoning.encrypted", "data": "E", "id": "rs_1", "index": 2},
    ]
    prepared = ostinato.prepare([USER, answer(reasoning_details=fragments)], to("openrouter"))
    assert prepared.items[1]["reasoning_details"] == [
        {"type": "reasoning.text", "text": "ab", "index": 0, "format": "anthropic-claude-v1", "signature": "SIG"},
        {"type": "reasoning.summary", "summary": "s", "index": 1},
        {"type": "reasoning.text", "text": "c"},
        {"type": "reasoning.text", "text": "d"},
        {"type": "reasoning.encrypted", "data": "E", "id": "rs_1", "index": 2},
    ]
    assert said(prepared) == [("fragments_merged", "changed", "messages/1")]


def test_whole_blocks_of_one_index_stay_apart() -> None:
    """An index may be used again, under another id or by a block that is signed already."""
    details = [
        {"type": "reasoning.text", "text": "a", "signature": "A", "index": 0},
        {"type": "reasoning.text", "text": "b", "signature": "B", "index": 0},
        {"type": "reasoning.summary", "summary": "a", "id": "rs_1", "index": 1},
        {"type": "reasoning.summary", "summary": "b", "id": "rs_2", "index": 1},
    ]
    history = [USER, answer(reasoning_details=details)]
    assert same(ostinato.prepare(history, to("openrouter")), history)


STATE = (
    {"reasoning": "S3CRET"},
    {"reasoning_content": "S3CRET", "encrypted_content": "S3CRET"},
    {"reasoning_details": [{"type": "reasoning.encrypted", "data": "S3CRET", "index": 0}]},
    {"thinking_blocks": [{"type": "thinking", "thinking": "t", "signature": "S3CRET"}]},
    {"provider_specific_fields": {"thinking_blocks": [{"type": "redacted_thinking", "data": "S3CRET"}]}},
    {"provider_specific_fields": {"thought_signatures": ["S3CRET"]}},
    {"content": [{"type": "thinking", "thinking": "t", "signature": "S3CRET"}, {"type": "text", "text": "ok"}]},
    {"tool_calls": [call(extra_content={"google": {"thought_signature": "S3CRET"}})]},
    {"tool_calls": [call(provider_specific_fields={"thought_signature": "S3CRET"})]},
    {"tool_calls": [call("call_1__thought__S3CRET")]},
)


@pytest.mark.parametrize("state", STATE)
def test_foreign_state_is_left_out_wherever_it_is(state: Json) -> None:
    """The visible turn stays, and a call keeps its result even where its id held the signature."""
    name = state.get("tool_calls", [{}])[0].get("id", "call_1")
    history = [USER, answer(tool_calls=[call()]) | state, RESULT | {"tool_call_id": name}]
    prepared = ostinato.prepare(
        history, to("vllm", endpoint="http://a:8000"), origin={"provider": "vllm", "endpoint": "b:8000"}
    )
    assert "S3CRET" not in repr(prepared.items)
    assert "S3CRET" not in f"{prepared.report!r}{prepared.report}"
    assert prepared.items[1]["tool_calls"] == [call()]
    assert prepared.items[2] == RESULT
    assert {decision.code for decision in prepared.report.decisions} == {"foreign_state"}
    assert prepared.report.decisions[0].reason == "endpoint"


@pytest.mark.parametrize("state", STATE[1:])
def test_strip_takes_all_opaque_state(state: Json) -> None:
    """Ciphertext, signatures and signed blocks, with the text beside them."""
    name = state.get("tool_calls", [{}])[0].get("id", "call_1")
    history = [USER, answer(tool_calls=[call()]) | state, RESULT | {"tool_call_id": name}]
    stripped = ostinato.strip_state(history, wire="openai-chat")
    assert "S3CRET" not in repr(stripped.items)
    assert stripped.items[1]["tool_calls"] == [call()]
    assert stripped.items[2] == RESULT
    assert stripped.report.counts["state_stripped"] >= 1


def test_strip_keeps_plain_reasoning() -> None:
    """Text that nobody signed is no opaque state, and a server may want it."""
    history = [
        USER,
        calling(reasoning_content="r"),
        RESULT,
        answer(reasoning_details=[{"type": "reasoning.text", "text": "t"}]),
    ]
    assert same(ostinato.strip_state(history, wire="openai-chat"), history)


def test_another_vendor_behind_a_gateway_is_foreign() -> None:
    """A gateway hands state on to the vendor whose model is asked."""
    history = [USER, answer(reasoning="r", reasoning_details=[{"type": "reasoning.encrypted", "data": "E"}])]
    origin = {"provider": "openrouter", "model": "anthropic/claude-opus-5"}
    same_vendor = to("openrouter", model="anthropic/claude-sonnet-5")
    assert same(ostinato.prepare(history, same_vendor, origin=origin), history)
    prepared = ostinato.prepare(history, to("openrouter", model="openai/gpt-6"), origin=origin)
    assert prepared.items == [USER, answer()]
    assert prepared.report.decisions[0].reason == "model"


def test_foreign_state_is_a_choice() -> None:
    """`keep` and `raise`."""
    history, origin = [USER, answer(reasoning="r")], {"provider": "openai"}
    kept = ostinato.prepare(history, to("vllm").but(foreign="keep"), origin=origin)
    assert same(kept, history)
    assert said(kept) == [("foreign_state", "kept", "messages/1")]
    with pytest.raises(ostinato.PrepareError, match="foreign_state"):
        ostinato.prepare(history, to("vllm").but(foreign="raise"), origin=origin)


@pytest.mark.parametrize("choice", ["report", "placeholder", "raise"])
def test_first_call_on_the_route_to_gemini_is_signed(choice: str) -> None:
    """As for generateContent: of parallel calls the first, and the stand-in only by choice."""
    history = [USER, calling(call(), call("call_2"))]
    target = to("gemini-openai-compatible").but(call_signature=choice)
    if choice == "raise":
        with pytest.raises(ostinato.PrepareError, match="missing_signature"):
            ostinato.prepare(history, target)
        return
    prepared = ostinato.prepare(history, target)
    signed = call(extra_content={"google": {"thought_signature": PLACEHOLDER}})
    assert prepared.items == ([USER, calling(signed, call("call_2"))] if choice == "placeholder" else history)
    again = ostinato.prepare(prepared.items, target)
    assert again.items == prepared.items
    assert said(again)[0][0] == ("placeholder_present" if choice == "placeholder" else "missing_signature")


def test_signatures_of_the_two_services_are_foreign_to_each_other() -> None:
    """The route for this wire makes no difference, in either direction."""
    history = [USER, calling(call(extra_content={"google": {"thought_signature": "U0lH"}}))]
    prepared = ostinato.prepare(history, to("gemini-openai-compatible"), origin={"provider": "vertex"})
    assert prepared.items == [USER, calling()]
    assert [code for code, _action, _path in said(prepared)] == ["foreign_state", "missing_signature"]
    cloud = to("vertex-gemini-openai-compatible", endpoint="https://us-central1-aiplatform.googleapis.com/v1")
    assert same(ostinato.prepare(history, cloud, origin={"provider": "vertex"}), history)
    assert ostinato.prepare(history, cloud, origin={"provider": "gemini"}).items == [USER, calling()]


def test_orphans_are_left_out() -> None:
    """Reasoning that led to nothing, and a result whose call is gone."""
    history = [RESULT, USER, {"role": "assistant", "content": None, "reasoning": "r"}, USER]
    prepared = ostinato.prepare(history, to("openai-chat"))
    assert prepared.items == [USER, USER]
    assert [code for code, _action, _path in said(prepared)] == ["orphan_result", "orphan_thinking"]
    assert same(ostinato.prepare(history, to("openai-chat").but(orphans="keep")), history)
    with pytest.raises(ostinato.PrepareError, match="orphan_result"):
        ostinato.prepare(history, to("openai-chat").but(orphans="raise"))


@pytest.mark.parametrize(
    "broken",
    [
        {"reasoning_content": 7},
        {"reasoning": "\ud800"},
        {"encrypted_content": ["E"]},
        {"reasoning_details": "text"},
        {"reasoning_details": [7]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "data": 7}]},
    ],
)
def test_broken_reasoning_is_refused_or_left_out(broken: Json) -> None:
    """What the codec refuses, by the codec's reason; never a word of it."""
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare([USER, answer(**broken)], to("openai-chat"))
    assert (caught.value.code, caught.value.path) == ("unsound_state", "messages/1")
    assert ostinato.prepare([USER, answer(**broken)], to("openai-chat").but(unsound="drop")).items == [USER, answer()]


def test_trim_keeps_calls_with_their_results() -> None:
    """A message with calls and the results after it are cut together."""
    history = [USER, calling(call(), call("call_2")), RESULT, RESULT | {"tool_call_id": "call_2"}, answer()]
    assert ostinato.trim(history, keep=2, wire="openai-chat").items == history[1:]
    assert ostinato.trim(history, keep=2, wire="openai-chat", earlier=False).items == history[4:]


def test_sealed_detail_goes_out_once() -> None:
    """The same id and data again is refused upstream, in a message or in a later one; equal data alone is no repeat."""
    sealed = {"type": "reasoning.encrypted", "data": "RUVF", "id": "rs_1", "index": 0}
    nameless = {"type": "reasoning.encrypted", "data": "RUVF", "index": 1}
    history = [
        USER,
        answer(reasoning_details=[sealed, nameless, dict(sealed), dict(nameless), {**sealed, "id": "rs_2"}]),
        USER,
        answer(reasoning_details=[dict(sealed)]),
    ]
    prepared = ostinato.prepare(history, to("openrouter"))
    assert prepared.items[1]["reasoning_details"] == [sealed, nameless, nameless, {**sealed, "id": "rs_2"}]
    assert prepared.items[3] == answer()
    assert said(prepared) == [
        ("exact_duplicate", "left_out", "messages/1/reasoning_details/2"),
        ("exact_duplicate", "left_out", "messages/3/reasoning_details/0"),
    ]
    assert prepared.report.telemetry.replay_deduplicated_exact_count == 2
