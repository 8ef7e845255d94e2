"""Two requests are compared as the provider's cache and its check of the prefix compare them."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato

SIGNED = {"type": "thinking", "thinking": "a thought", "signature": "c2lnbmF0dXJl"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1, "b": 2}}
BODY: dict[str, Any] = {
    "model": "claude-a",
    "system": "Be brief. Today is Monday.",
    "tools": [{"name": "f", "input_schema": {"type": "object", "properties": {}}}],
    "messages": [
        {"role": "user", "content": "q1"},
        {"role": "assistant", "content": [SIGNED, CALL]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "1"}]},
    ],
}


def changed(path: str, value: Any, body: dict[str, Any] = BODY) -> dict[str, Any]:
    """The request with another value at a path."""
    made = copy.deepcopy(body)
    *steps, last = path.split("/")
    holder: Any = made
    for step in steps:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    holder[int(last) if isinstance(holder, list) else last] = value
    return made


def test_equal_requests_are_equal() -> None:
    """Nothing differs, and every item is in common."""
    found = ostinato.diff(BODY, copy.deepcopy(BODY))
    assert (found.relation, found.common, found.items, found.change) == ("equal", 3, (3, 3), None)
    assert found.is_prefix
    assert found.wire == "anthropic-messages"


def test_request_that_goes_on_is_extended() -> None:
    """The first is the beginning of the second, or the other way round."""
    longer = {**BODY, "messages": [*BODY["messages"], {"role": "assistant", "content": "ok"}]}
    assert (ostinato.diff(BODY, longer).relation, ostinato.diff(BODY, longer).common) == ("extended", 3)
    assert ostinato.diff(longer, BODY).relation == "shortened"
    assert ostinato.diff(longer, BODY).is_prefix


def test_change_of_a_text_is_named_by_path_and_character() -> None:
    """So is the number of items before it."""
    found = ostinato.diff(BODY, changed("messages/1/content/0/thinking", "a thing"))
    assert found.path == "messages/1/content/0/thinking"
    assert found.change is not None
    assert (found.change.offset, found.change.message, found.common) == (4, 1, 1)
    assert found.kind == "changed"
    assert not found.is_prefix


@pytest.mark.parametrize(
    ("path", "value"),
    [("system", "Be brief. Today is Tuesday."), ("tools/0/name", "g"), ("tools", []), ("system", "")],
)
def test_change_before_the_items_leaves_nothing_in_common(path: str, value: Any) -> None:
    """Every cached item and every signed block comes after it."""
    found = ostinato.diff(BODY, changed(path, value))
    assert found.path == path
    assert (found.common, found.items) == (0, (3, 3))
    assert found.change is not None
    assert found.change.message is None


def test_settings_are_named_and_are_no_difference() -> None:
    """A model or an effort is not part of the prefix; that it changed is worth knowing."""
    found = ostinato.diff(BODY, {**BODY, "model": "claude-b", "max_tokens": 5})
    assert found.relation == "equal"
    assert found.settings == ("max_tokens", "model")


def test_field_that_is_gone_or_new_is_named() -> None:
    """A signature that was lost is a change of its block."""
    bare = changed("messages/1/content/0", {"type": "thinking", "thinking": "a thought"})
    assert (ostinato.diff(BODY, bare).path, ostinato.diff(BODY, bare).kind) == (
        "messages/1/content/0/signature",
        "missing",
    )
    assert ostinato.diff(bare, BODY).kind == "added"


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        ("system", [{"type": "text", "text": BODY["system"], "cache_control": {"type": "ephemeral"}}], "cache_marker"),
        ("system", [{"type": "text", "text": BODY["system"]}], "text_form"),
        ("messages/0", {"content": "q1", "role": "user"}, "key_order"),
        ("messages/0/content", [{"type": "text", "text": "q1"}], "text_form"),
    ],
)
def test_what_does_not_count_is_counted_apart(path: str, value: Any, name: str) -> None:
    """Markers move, fields are read by name, and a text is a list of itself."""
    found = ostinato.diff(BODY, changed(path, value))
    assert found.relation == "equal"
    assert found.uncounted[name] >= 1


def test_order_and_spelling_of_arguments_count() -> None:
    """A model is shown them as they are written."""
    assert ostinato.diff(BODY, changed("messages/1/content/1/input", {"b": 2, "a": 1})).kind == "spelling"
    text = json.dumps(BODY)
    found = ostinato.diff(text, text.replace('"a": 1', '"a": 1.0'))
    assert (found.path, found.kind) == ("messages/1/content/1/input/a", "spelling")
    assert ostinato.diff(text, text.replace('"a": 1', '"a": 3')).kind == "changed"


def test_spelling_of_other_numbers_does_not_count() -> None:
    """A provider reads their value."""
    one = '{"contents": [{"role": "user", "parts": [{"videoMetadata": {"fps": 1e1}}]}]}'
    found = ostinato.diff(one, one.replace("1e1", "10"))
    assert (found.relation, found.uncounted) == ("equal", {"number_spelling": 1})


def test_text_and_object_of_one_request_are_equal() -> None:
    """Spelling is only compared where both sides have one."""
    assert ostinato.diff(json.dumps(BODY), BODY).relation == "equal"
    assert ostinato.diff(json.dumps(BODY).encode(), json.dumps(BODY, indent=1)).relation == "equal"


def test_two_alphabets_of_a_signature_are_the_same_bytes() -> None:
    """Google's library writes the other one; any other change of a signature counts."""
    content = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "-_-_"}]}
    one = {"contents": [content]}
    other = changed("contents/0/parts/0/thoughtSignature", "+/+/", one)
    assert ostinato.diff(one, other).uncounted == {"base64_alphabet": 1}
    assert ostinato.diff(one, other).relation == "equal"
    assert not ostinato.diff(one, changed("contents/0/parts/0/thoughtSignature", "+/+0", one)).is_prefix


REQUESTS = {
    "openai-responses": {"instructions": "Be brief.", "input": [{"type": "message", "role": "user", "content": "q"}]},
    "openai-chat": {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "q"}]},
    "anthropic-messages": {"system": "Be brief.", "messages": [{"role": "user", "content": "q"}]},
    "gemini-generate-content": {"systemInstruction": {"parts": []}, "contents": [{"role": "user", "parts": []}]},
    "gemini-interactions": {"system_instruction": "Be brief.", "input": [{"type": "user_input", "content": []}]},
    "bedrock-converse": {"system": [{"text": "Be brief."}], "messages": [{"role": "user", "content": [{"text": "q"}]}]},
}


@pytest.mark.parametrize(("wire", "body"), REQUESTS.items())
def test_wire_is_told_from_the_request(wire: str, body: dict[str, Any]) -> None:
    """By its fields and the types of its items."""
    assert ostinato.diff(body, body).wire == wire
    assert ostinato.diff(body, body).relation == "equal"


def test_wire_that_cannot_be_told_makes_everything_count() -> None:
    """A lone user message is written alike on two wires; the caller may name one."""
    body = {"messages": [{"role": "user", "content": "q"}]}
    block = {"messages": [{"role": "user", "content": [{"type": "text", "text": "q"}]}]}
    assert ostinato.diff(body, block).wire is None
    assert not ostinato.diff(body, block).is_prefix
    assert ostinato.diff(body, block, "anthropic-messages").is_prefix


def test_lists_of_items_and_saved_conversations_are_compared() -> None:
    """Nobody knows what stood before them, so only what both have is compared."""
    assert ostinato.diff(BODY["messages"], BODY, "anthropic-messages").relation == "equal"
    saved = ostinato.Conversation(format="claude-code", wire="anthropic-messages", items=BODY["messages"][:2])
    assert (ostinato.diff(saved, BODY).relation, ostinato.diff(saved, BODY).common) == ("extended", 2)
    assert ostinato.diff(saved, changed("messages/0/content", "q2")).path == "messages/0/content"


@pytest.mark.parametrize(
    ("request_a", "code"),
    [
        ("{", "not_json"),
        ('{"messages": [], "messages": []}', "duplicate_key"),
        ('{"messages": [NaN]}', "not_finite"),
        (b"\xff", "not_utf8"),
        ("[" * 100_000, "too_deep"),
        ({"model": "m"}, "not_a_request"),
        ("1", "not_a_request"),
        (None, "not_a_request"),
        (REQUESTS["bedrock-converse"], "wires_differ"),
    ],
)
def test_bad_input_is_a_named_error(request_a: Any, code: str) -> None:
    """With the side it is on."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.diff(request_a, BODY)
    assert caught.value.code == code
    assert caught.value.path == ("" if code == "wires_differ" else "a")


def test_unknown_wire_is_refused() -> None:
    """Its rules are not known."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.diff(BODY, BODY, "nonsense")
    assert caught.value.code == "unknown_wire"


def test_result_shows_no_text_unasked() -> None:
    """Neither texts nor state, in any form of it."""
    other = changed("messages/1/content/0/thinking", "a secret")
    found = ostinato.diff(BODY, other)
    shown = f"{found}{found!r}{found.to_dict()}"
    assert "secret" not in shown
    assert "thought" not in shown
    assert found.excerpts() == ("a thought", "a secret")


@pytest.mark.parametrize(
    ("block", "field"),
    [
        (SIGNED, "signature"),
        ({"type": "redacted_thinking", "data": "c2VjcmV0"}, "data"),
        ({"type": "reasoning", "summary": [], "encrypted_content": "gAAAAAB-example"}, "encrypted_content"),
        ({"functionCall": {"name": "f"}, "thoughtSignature": "c2ln"}, "thoughtSignature"),
    ],
)
def test_state_is_never_shown(block: dict[str, Any], field: str) -> None:
    """Not even to who asks for texts."""
    found = ostinato.diff([[block]], [[{**block, field: "c2lnbmF0dXJlMg=="}]])
    assert found.path == f"items/0/0/{field}"
    assert found.excerpts() is None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "input", "text", "type", "cache_control"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
WIRES = st.sampled_from(sorted(REQUESTS))


@given(st.lists(JSON, max_size=4), st.lists(JSON, max_size=3), WIRES)
def test_beginning_is_a_prefix(start: list[Any], more: list[Any], wire: str) -> None:
    """What is only added to is always the beginning of what it became, on every wire, as value and as text."""
    for found in (
        ostinato.diff(start, [*start, *more], wire),
        ostinato.diff(json.dumps(start), json.dumps([*start, *more]), wire),
    ):
        assert found.relation == ("extended" if more else "equal")
        assert found.common == len(start)


@given(st.lists(JSON, max_size=4), st.lists(JSON, max_size=4), WIRES)
def test_both_directions_agree(one: list[Any], other: list[Any], wire: str) -> None:
    """What is in common is in common; what differs differs in the same item."""
    there, back = ostinato.diff(one, other, wire), ostinato.diff(other, one, wire)
    assert there.common == back.common
    assert there.is_prefix == back.is_prefix
    assert one[: there.common] == other[: there.common] or there.uncounted
    assert json.dumps(there.to_dict())


@given(st.lists(JSON | st.just(object()) | st.just(float("nan")) | st.just(b"x"), max_size=3), WIRES)
def test_any_values_give_a_result(items: list[Any], wire: str) -> None:
    """Values that no request holds too."""
    assert str(ostinato.diff(items, copy.copy(items), wire))
    assert str(ostinato.diff(items, [{"input": 10**5000}], wire))
