"""What generateContent takes back."""

import base64
from typing import Any

import pytest

import ostinato
from ostinato.policy.gemini_signatures import PLACEHOLDER

Json = dict[str, Any]

SIGNED = "U0lHLTE="
GEMINI = ostinato.Target(profile=ostinato.PROFILES["gemini"], model="gemini-3-pro")
CLOUD = ostinato.Target(profile=ostinato.PROFILES["vertex-gemini"], model="gemini-3-pro")


def user(text: str = "hi") -> Json:
    """What a user said."""
    return {"role": "user", "parts": [{"text": text}]}


def model(*parts: Json) -> Json:
    """What a model said."""
    return {"role": "model", "parts": list(parts)}


def call(name: str = "f", signature: str | None = None) -> Json:
    """A call."""
    return {"functionCall": {"name": name, "args": {}}} | ({"thoughtSignature": signature} if signature else {})


def result(*names: str) -> Json:
    """Results of calls."""
    return {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {}}} for name in names]}


def said(prepared: ostinato.Prepared) -> list[tuple[str, str, str]]:
    """Code, action and place of every decision."""
    return [(decision.code, decision.action, decision.path) for decision in prepared.report.decisions]


@pytest.mark.parametrize(
    "part",
    [
        {"text": "", "thoughtSignature": SIGNED},
        {"text": "ok", "thoughtSignature": SIGNED},
        {"text": "ok", "thought_signature": "U0lHLTE"},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}, "thoughtSignature": SIGNED},
        {"toolResponse": {"id": "t", "response": {}}, "thoughtSignature": "-__-AA"},
        {"text": "why", "thought": True, "thoughtSignature": SIGNED},
        {"unheardOf": {"a": 1}, "thoughtSignature": SIGNED},
    ],
)
def test_signed_part_of_any_kind_goes_back_as_it_is(part: Json) -> None:
    """Empty text, images, tools of the server: the part is kept, in its place, in its spelling."""
    history = [user(), model({"text": "a"}, part, {"text": "b"})]
    prepared = ostinato.prepare(history, GEMINI)
    assert all(new is old for new, old in zip(prepared.items, history, strict=True))
    assert prepared.report.decisions == ()
    assert prepared.report.telemetry.reasoning_replay_item_count == 1


def test_every_signature_that_came_is_kept() -> None:
    """A second call with a signature of its own keeps it, and stays in its own content."""
    history = [user(), model(call("f", SIGNED), call("g", "U0lHLTI=")), result("f", "g"), model(call("h", "U0lHLTM="))]
    assert ostinato.prepare(history, GEMINI).items == history
    apart = [user(), model(call("f", SIGNED)), model(call("g", "U0lHLTI="))]
    assert ostinato.prepare(apart, GEMINI).items == apart


def test_split_batch_is_joined() -> None:
    """Parallel calls that a store put into contents of their own are one batch again, and so are their results."""
    history = [user(), model(call("f", SIGNED)), model(call("g")), result("f"), result("g"), model({"text": "done"})]
    prepared = ostinato.prepare(history, GEMINI)
    assert prepared.items == [
        user(),
        model(call("f", SIGNED), call("g")),
        result("f", "g"),
        model({"text": "done"}),
    ]
    assert said(prepared) == [("split_batch", "changed", "contents/2"), ("split_batch", "changed", "contents/4")]


def test_split_batch_is_refused_or_kept_by_choice() -> None:
    """`raise` and `keep`."""
    history = [user(), model(call("f", SIGNED)), model(call("g"))]
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare(history, GEMINI.but(split_batches="raise"))
    assert (caught.value.code, caught.value.path) == ("split_batch", "contents/2")
    assert ostinato.prepare(history, GEMINI.but(split_batches="keep")).items == history


def test_chunks_of_a_stream_stay_contents_of_their_own() -> None:
    """A signed tail of empty text, as Google's client keeps it, is not merged with the text before it."""
    history = [user(), model({"text": "a"}), model({"text": "", "thoughtSignature": SIGNED}), user()]
    assert ostinato.prepare(history, GEMINI).items == history


def test_interleaved_calls_are_not_reordered() -> None:
    """Where results stand between calls nobody can tell a lost signature from a torn batch: it is reported."""
    history = [user(), model(call("f", SIGNED)), result("f"), model(call("g")), result("g")]
    prepared = ostinato.prepare(history, GEMINI)
    assert prepared.items == history
    assert said(prepared) == [("missing_signature", "kept", "contents/3/parts/0")]


def test_batch_that_a_store_tore_apart_is_joined_by_choice() -> None:
    """Whoever knows that each call was stored with its result gets the batch back; a signed call begins a new step."""
    torn = [user(), model(call("f", SIGNED)), result("f"), model(call("g")), result("g"), model(call("h", "U0lHLTM="))]
    prepared = ostinato.prepare(torn, GEMINI.but(split_batches="across"))
    assert prepared.items == [user(), model(call("f", SIGNED), call("g")), result("f", "g"), torn[5]]
    assert said(prepared) == [("split_batch", "changed", "contents/3"), ("split_batch", "changed", "contents/4")]


def test_call_whose_signature_was_taken_out_is_no_part_of_another_batch() -> None:
    """State of another model is left out, and its call stays a step of its own."""
    mixed = [user(), model(call("f", SIGNED)), result("f"), model(call("g", "U0lHLTI=")), result("g")]
    other = ostinato.Origin("openai")
    prepared = ostinato.prepare(mixed, GEMINI.but(split_batches="across"), origin=[None, None, None, other, None])
    assert [len(content["parts"]) for content in prepared.items] == [1, 1, 1, 1, 1]


def test_earlier_turns_are_not_checked() -> None:
    """The API looks at the current turn alone, and so does the report."""
    history = [user(), model(call("f")), result("f"), model({"text": "done"}), user("more"), model(call("g"))]
    assert said(ostinato.prepare(history, GEMINI)) == [("missing_signature", "kept", "contents/5/parts/0")]


def test_older_models_take_unsigned_calls() -> None:
    """Signatures are optional before Gemini 3."""
    older = ostinato.Target(profile=ostinato.PROFILES["gemini"], model="models/gemini-2.5-pro")
    assert said(ostinato.prepare([user(), model(call("f"))], older)) == []


@pytest.mark.parametrize("choice", ["report", "placeholder", "raise"])
def test_missing_signature_is_a_choice(choice: str) -> None:
    """Reported, filled with the documented stand-in, or refused; never more than the first call of the step."""
    history = [user(), model({"text": "a"}, call("f"), call("g"))]
    target = GEMINI.but(missing_signature=choice)
    if choice == "raise":
        with pytest.raises(ostinato.PrepareError, match="missing_signature"):
            ostinato.prepare(history, target)
        return
    prepared = ostinato.prepare(history, target)
    filled = model({"text": "a"}, call("f", PLACEHOLDER), call("g"))
    assert prepared.items == ([user(), filled] if choice == "placeholder" else history)
    assert prepared.report.telemetry.reasoning_replay_item_count == 0


def test_placeholder_stays_when_the_turn_is_over() -> None:
    """A turn goes out the same whether or not a next one follows, so the prefix stays."""
    target = GEMINI.but(missing_signature="placeholder")
    turn = [user(), model(call("f")), result("f"), model({"text": "done"})]
    before = ostinato.prepare(turn, target).items
    after = ostinato.prepare([*turn, user("more"), model(call("g"))], target).items
    assert after[: len(before)] == before


def test_placeholder_of_a_sibling_is_left_out() -> None:
    """With stand-ins on every parallel call the model answers nothing; `keep` leaves them."""
    history = [user(), model(call("f", SIGNED), call("g", PLACEHOLDER))]
    prepared = ostinato.prepare(history, GEMINI)
    assert prepared.items == [user(), model(call("f", SIGNED), call("g"))]
    assert ("sibling_placeholder", "changed", "contents/1/parts/1") in said(prepared)
    assert ostinato.prepare(history, GEMINI.but(sibling_placeholder="keep")).items == history


@pytest.mark.parametrize(
    "endpoint", ["us-central1-aiplatform.googleapis.com", "https://aiplatform.googleapis.com/v1", None]
)
@pytest.mark.parametrize("provider", ["vertex", "google"])
def test_all_regions_of_google_cloud_are_one_service(provider: str, endpoint: str | None) -> None:
    """State made in a region replays in another; a provider that says only `google` is taken at its endpoint."""
    history = [user(), model(call("f", SIGNED))]
    origin = ostinato.Origin(provider, endpoint)
    assert ostinato.prepare(history, CLOUD, origin=origin).items == history
    foreign = said(ostinato.prepare(history, GEMINI, origin=origin))
    known = provider == "vertex" or endpoint is not None
    assert (("foreign_state", "changed", "contents/1/parts/0") in foreign) is known


def test_proxy_in_front_of_a_service_is_that_service() -> None:
    """The provider says who signs, also where the endpoint is somebody else's host."""
    target = ostinato.Target(profile=ostinato.PROFILES["gemini"], endpoint="https://proxy.example/v1")
    history = [user(), model(call("f", SIGNED))]
    assert (
        ostinato.prepare(history, target, origin=ostinato.Origin("gemini", "generativelanguage.googleapis.com")).items
        == history
    )
    assert ostinato.prepare(history, target, origin={"provider": "vertex"}).items != history


def test_foreign_state_leaves_the_visible_turn() -> None:
    """Calls and text stay without their signatures; thoughts, and what was there for its signature alone, do not."""
    history = [
        user(),
        model(
            {"text": "why", "thought": True, "thoughtSignature": SIGNED},
            {"text": "ok", "thoughtSignature": SIGNED},
            {"text": "", "thoughtSignature": SIGNED},
        ),
    ]
    prepared = ostinato.prepare(history, GEMINI, origin={"provider": "openrouter"})
    assert prepared.items == [user(), model({"text": "ok"})]
    assert [action for code, action, _path in said(prepared)] == ["left_out", "changed", "left_out"]
    assert {decision.reason for decision in prepared.report.decisions} == {"provider"}


def test_foreign_state_is_a_choice() -> None:
    """`keep` and `raise`."""
    history, origin = [user(), model(call("f", SIGNED))], {"provider": "vertex"}
    kept = ostinato.prepare(history, GEMINI.but(foreign="keep"), origin=origin)
    assert kept.items == history
    assert said(kept) == [("foreign_state", "kept", "contents/1/parts/0")]
    with pytest.raises(ostinato.PrepareError, match="foreign_state"):
        ostinato.prepare(history, GEMINI.but(foreign="raise"), origin=origin)


@pytest.mark.parametrize("signature", ["not base64!", "AAAAA", "+-__", 7, ["A"], {"a": 1}, "\ud800"])
def test_broken_signature_is_refused(signature: Any) -> None:
    """What cannot be a signature fails the whole request, so it is an error before it; or left out, by choice."""
    history = [user(), model({"text": "ok", "thoughtSignature": signature})]
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare(history, GEMINI)
    assert (caught.value.code, caught.value.path) == ("unsound_state", "contents/1/parts/0")
    assert repr(signature).strip("'") not in f"{caught.value!r}{caught.value}"
    assert ostinato.prepare(history, GEMINI.but(unsound="drop")).items == [user(), model({"text": "ok"})]


def test_two_spellings_of_the_field_are_a_conflict() -> None:
    """Nobody can say which of the two counts."""
    history = [user(), model({"text": "ok", "thoughtSignature": SIGNED, "thought_signature": "U0lHLTI="})]
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare(history, GEMINI)
    assert caught.value.decision.reason == "fields_conflict"


def test_signature_inside_of_a_call_is_put_in_its_place() -> None:
    """A store that nests it costs nothing."""
    history = [user(), model({"functionCall": {"name": "f", "thoughtSignature": SIGNED}})]
    prepared = ostinato.prepare(history, GEMINI)
    assert prepared.items == [user(), model({"functionCall": {"name": "f"}, "thoughtSignature": SIGNED})]
    assert prepared.report.decisions[0].to_dict() == {
        "code": "relocated_field",
        "path": "contents/1/parts/0",
        "action": "changed",
        "from": "functionCall/thoughtSignature",
        "to": "thoughtSignature",
    }


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xfb\xff\xfe\x00", "+//+AA=="),
        (PLACEHOLDER.encode(), PLACEHOLDER),
        (base64.urlsafe_b64decode(PLACEHOLDER), PLACEHOLDER),
    ],
)
def test_bytes_go_out_as_text(data: bytes, text: str) -> None:
    """Google's client has bytes, which no JSON can hold; a stand-in becomes the constant that it is."""
    prepared = ostinato.prepare([user(), model({"text": "ok", "thought_signature": data})], GEMINI)
    assert prepared.items == [user(), model({"text": "ok", "thought_signature": text})]
    assert ("bytes_as_text", "changed", "contents/1/parts/0") in said(prepared)
    assert ostinato.prepare(prepared.items, GEMINI).items == prepared.items


def test_orphans_are_left_out() -> None:
    """Thoughts that led to nothing, and a result whose call is gone."""
    thoughts = model({"text": "why", "thought": True, "thoughtSignature": SIGNED})
    history = [result("f"), user(), thoughts, user("again")]
    prepared = ostinato.prepare(history, GEMINI)
    assert prepared.items == [user(), user("again")]
    assert [code for code, _action, _path in said(prepared)] == ["orphan_result", "orphan_thinking"]
    assert ostinato.prepare(history, GEMINI.but(orphans="keep")).items == history
    with pytest.raises(ostinato.PrepareError, match="orphan_result"):
        ostinato.prepare(history, GEMINI.but(orphans="raise"))


def test_results_of_cached_calls_are_no_orphans() -> None:
    """With explicit caching the call may stand in the cache."""
    cached = ostinato.Target(profile=ostinato.PROFILES["gemini"], settings={"cachedContent": "cachedContents/1"})
    assert ostinato.prepare([result("f")], cached).items == [result("f")]


def test_trim_keeps_a_step_with_its_results() -> None:
    """A call and its result are cut together, and so are the contents of one step."""
    history = [user(), model({"text": "a"}), model(call("f", SIGNED)), result("f"), model({"text": "done"})]
    trimmed = ostinato.trim(history, keep=2, wire="gemini-generate-content")
    assert trimmed.items == history[1:]
    assert ostinato.trim(history, keep=2, wire="gemini-generate-content", earlier=False).items == history[4:]


def test_strip_takes_all_state() -> None:
    """Signatures go, stand-ins too; what was said and called stays."""
    history = [
        user(),
        model({"text": "why", "thought": True, "thoughtSignature": SIGNED}, call("f", SIGNED), call("g", PLACEHOLDER)),
        model({"text": "", "thoughtSignature": SIGNED}),
    ]
    stripped = ostinato.strip_state(history, wire="gemini-generate-content")
    assert stripped.items == [user(), model(call("f"), call("g"))]
    assert stripped.report.counts == {"state_stripped": 4}


@pytest.mark.parametrize("parts", ["text", 7, {"text": "x"}, [7], [None], ["x"]])
def test_what_is_no_content_is_named(parts: Any) -> None:
    """An error with the place, and nothing of the value."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.prepare([{"role": "model", "parts": parts}], GEMINI)
    assert caught.value.code == "type_mismatch"
    assert caught.value.path.startswith("contents/0/parts")
