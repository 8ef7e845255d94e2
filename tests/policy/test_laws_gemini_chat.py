"""What holds for whatever is prepared for Gemini and for Chat Completions."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.policy.prepare import RULES

Json = dict[str, Any]

MARK = "S3CRETS3"
"""State in these histories; it is base64."""

# Values that no wire has, in any place.
HOSTILE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=3) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)
SIGNATURE = st.sampled_from([MARK, "skip_thought_signature_validator", "-__-AA", "", MARK.encode()])


def some(*optional: tuple[str, st.SearchStrategy[Any]], **required: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    """A mapping with some of its optional fields."""
    return st.fixed_dictionaries(required, optional=dict(optional))


def parts() -> st.SearchStrategy[Json]:
    """Parts of every kind that the rules tell apart."""
    kinds: list[st.SearchStrategy[Json]] = [
        some(("thought", st.just(value=True)), ("thoughtSignature", SIGNATURE), text=st.sampled_from(["", "a"])),
        some(
            ("thoughtSignature", SIGNATURE),
            functionCall=some(("thoughtSignature", SIGNATURE), name=st.just("f"), args=st.just({})),
        ),
        some(functionResponse=st.just({"name": "f", "response": {}})),
        some(("thought_signature", SIGNATURE), inlineData=st.just({"mimeType": "image/png", "data": "AAAA"})),
    ]
    return st.one_of(kinds)


CONTENTS = st.lists(some(role=st.sampled_from(["user", "model"]), parts=st.lists(parts(), max_size=3)), max_size=8)
STEPS = st.lists(
    st.one_of(
        some(type=st.just("user_input"), content=st.just([])),
        some(("signature", SIGNATURE), ("summary", st.just([])), type=st.just("thought")),
        some(type=st.just("model_output"), content=st.just([{"type": "text", "text": "a"}])),
        some(("signature", SIGNATURE), type=st.just("function_call"), id=st.just("c"), name=st.just("f")),
        some(type=st.just("function_result"), call_id=st.just("c")),
        some(("signature", SIGNATURE), type=st.just("url_context_call"), id=st.sampled_from("ab")),
        some(("signature", SIGNATURE), type=st.just("url_context_result"), call_id=st.sampled_from("ab")),
        some(
            role=st.just("model"),
            content=st.lists(some(("signature", SIGNATURE), type=st.sampled_from(["thought", "text"])), max_size=2),
        ),
    ),
    max_size=8,
)
DETAIL = some(
    ("index", st.integers(0, 1)),
    ("signature", SIGNATURE),
    ("data", st.just(MARK)),
    ("text", st.sampled_from(["", "a"])),
    ("summary", st.just("s")),
    ("id", st.sampled_from(["a", "b"])),
    type=st.sampled_from(["reasoning.text", "reasoning.summary", "reasoning.encrypted", "other"]),
)
CALL = some(
    ("extra_content", st.just({"google": {"thought_signature": MARK}})),
    id=st.sampled_from(["a", "b", f"a__thought__{MARK}"]),
    function=st.just({"name": "f", "arguments": "{}"}),
)
MESSAGES = st.lists(
    st.one_of(
        some(role=st.sampled_from(["user", "system"]), content=st.just("hi")),
        some(
            role=st.just("tool"), tool_call_id=st.sampled_from(["a", "b", f"a__thought__{MARK}"]), content=st.just("1")
        ),
        some(
            ("reasoning_content", st.sampled_from(["", "r"])),
            ("reasoning", st.just("r")),
            ("encrypted_content", st.just(MARK)),
            ("reasoning_details", st.lists(DETAIL, max_size=4)),
            (
                "thinking_blocks",
                st.lists(some(("signature", SIGNATURE), type=st.just("thinking"), thinking=st.just("t")), max_size=2),
            ),
            ("provider_specific_fields", st.just({"reasoning_content": "r"})),
            ("tool_calls", st.lists(CALL, max_size=2)),
            role=st.just("assistant"),
            content=st.sampled_from(["", "ok", None]),
        ),
    ),
    max_size=8,
)
HISTORIES = {"gemini-generate-content": CONTENTS, "gemini-interactions": STEPS, "openai-chat": MESSAGES}
PROFILES = [profile for profile in ostinato.PROFILES.values() if profile.wire in HISTORIES]
ORIGINS = st.sampled_from([None, {"provider": "elsewhere"}, {"provider": "vertex"}, {"provider": "gemini"}])
CHOICES: dict[str, list[str]] = {
    "foreign": ["drop", "keep"],
    "missing_signature": ["report", "placeholder"],
    "call_signature": ["report", "placeholder"],
    "missing_field": ["empty", "keep"],
    "orphans": ["drop", "keep"],
    "split_batches": ["join", "across", "keep"],
    "sibling_placeholder": ["drop", "keep"],
    "unsound": ["drop"],
}


@st.composite
def requests(draw: st.DrawFn) -> tuple[list[Json], ostinato.Target, Any]:
    """A history, a target that raises for nothing, and one origin for all."""
    profile = draw(st.sampled_from(PROFILES))
    rules = {name: draw(st.sampled_from(CHOICES[name])) for name, _cell in profile.cells() if name in CHOICES}
    target = ostinato.Target(profile=profile, model=draw(st.sampled_from([None, "gemini-2.5", "kimi-k2.6"]))).but(
        **rules
    )
    return draw(HISTORIES[profile.wire]), target, draw(ORIGINS)


@given(requests())
def test_prepare_is_pure_and_idempotent(request: tuple[list[Json], ostinato.Target, Any]) -> None:
    """What was given is not changed, and what was prepared is prepared."""
    history, target, origin = request
    before = copy.deepcopy(history)
    once = ostinato.prepare(history, target, origin=origin)
    assert history == before
    twice = ostinato.prepare(once.items, target, origin=origin)
    assert twice.items == once.items
    assert all(new is old for new, old in zip(twice.items, once.items, strict=True))


@given(requests())
def test_every_change_has_a_decision(request: tuple[list[Json], ostinato.Target, Any]) -> None:
    """Where nothing was decided but to keep, every item is the caller's own object."""
    history, target, origin = request
    prepared = ostinato.prepare(history, target, origin=origin)
    if all(decision.action == "kept" for decision in prepared.report.decisions):
        assert [id(item) for item in prepared.items] == [id(item) for item in history]
    else:
        assert prepared.items != history


@given(requests(), st.data())
def test_prepare_of_a_prefix_is_a_prefix(request: tuple[list[Json], ostinato.Target, Any], data: st.DataObject) -> None:
    """Cut at the border of a unit, the earlier part goes out the same whatever follows."""
    history, target, origin = request
    borders = [unit.start for unit in RULES[target.wire].units(history)] or [0]
    cut = data.draw(st.sampled_from(borders))
    whole = ostinato.prepare(history, target, origin=origin).items
    part = ostinato.prepare(history[:cut], target, origin=origin).items
    assert whole[: len(part)] == part


@given(requests())
def test_units_are_all_items_in_order(request: tuple[list[Json], ostinato.Target, Any]) -> None:
    """Nothing is between them, and nothing in two of them."""
    history, target, _origin = request
    units = RULES[target.wire].units(history)
    assert [place for unit in units for place in unit] == list(range(len(history)))
    assert all(units)


@given(requests())
def test_foreign_state_never_goes_out(request: tuple[list[Json], ostinato.Target, Any]) -> None:
    """Of another provider's state nothing is sent, wherever it was; and the report holds none of any."""
    history, target, origin = request
    prepared = ostinato.prepare(history, target.but(foreign="drop"), origin={"provider": "elsewhere"})
    assert MARK not in repr(prepared.items)
    kept = ostinato.prepare(history, target, origin=origin).report
    assert MARK not in f"{kept!r}{kept}{kept.to_dict()}"


@given(requests())
def test_strip_leaves_no_state(request: tuple[list[Json], ostinato.Target, Any]) -> None:
    """All opaque state is gone, the order stays, and what is stripped is stripped."""
    history, target, _origin = request
    stripped = ostinato.strip_state(history, wire=target.wire)
    assert MARK not in repr(stripped.items)
    assert ostinato.strip_state(stripped.items, wire=target.wire).report.decisions == ()


@given(requests(), st.data())
def test_no_id_is_made_up(request: tuple[list[Json], ostinato.Target, Any], data: st.DataObject) -> None:
    """Every id that goes out came in, be it with a signature inside."""
    history, target, origin = request
    del data
    ids = {call["id"] for item in history for call in item.get("tool_calls", ())}
    ids |= {name.partition("__thought__")[0] for name in ids}
    sent = ostinato.prepare(history, target, origin=origin).items
    assert all(call["id"] in ids for item in sent for call in item.get("tool_calls", ()))


FIELDS = [
    "role",
    "type",
    "parts",
    "content",
    "signature",
    "summary",
    "id",
    "call_id",
    "tool_calls",
    "tool_call_id",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "encrypted_content",
    "thinking_blocks",
    "provider_specific_fields",
    "thoughtSignature",
    "functionCall",
    "text",
    "thought",
]
KINDS = st.sampled_from(["model", "user", "assistant", "tool", "thought", "function_call", "url_context_call"])
ITEM = st.dictionaries(st.sampled_from(FIELDS), HOSTILE | KINDS | st.lists(HOSTILE, max_size=2), max_size=5)


@given(
    st.lists(ITEM | st.builds(lambda part: {"role": "model", "parts": [part]}, ITEM), max_size=4),
    st.sampled_from(PROFILES),
    ORIGINS,
)
def test_whatever_comes_gives_items_or_a_named_error(
    history: list[Json], profile: ostinato.Profile, origin: Any
) -> None:
    """No shape of input gets another exception out of any of the functions."""
    for attempt in (
        lambda: ostinato.prepare(history, profile.name, origin=origin),
        lambda: ostinato.prepare(history, ostinato.Target(profile=profile, mode="chained", held=("a",)), origin=origin),
        lambda: ostinato.trim(history, keep=1, wire=profile.wire),
        lambda: ostinato.strip_state(history, wire=profile.wire),
    ):
        try:
            attempt()
        except (ostinato.PrepareError, ostinato.ReplayError) as error:
            assert error.code  # noqa: PT017 - either is right


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_deep_values_are_no_danger(profile: ostinato.Profile) -> None:
    """A value of thousands of levels goes through or is refused by name."""
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    items: dict[str, list[Json]] = {
        "gemini-generate-content": [
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": deep}, "thoughtSignature": MARK}]},
            {"role": "model", "parts": [{"text": "a", "thoughtSignature": deep}]},
        ],
        "gemini-interactions": [
            {"type": "thought", "signature": deep},
            {"type": "thought", "signature": "x", "summary": deep},
        ],
        "openai-chat": [{"role": "assistant", "content": deep, "reasoning": deep, "reasoning_details": deep}],
    }
    try:
        ostinato.prepare(items[profile.wire], profile.name)
    except (ostinato.PrepareError, ostinato.ReplayError) as error:
        assert error.code in {"unsound_state", "too_deep"}  # noqa: PT017 - or it goes through
