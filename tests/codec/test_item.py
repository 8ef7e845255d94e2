"""`ReasoningItem`: frozen, comparable, hashable, picklable, and silent about what it holds."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from typing import Any

import pytest

import ostinato

STATE = "gAAAAAB-secret-state"
ITEM: dict[str, Any] = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "A"}, {"type": "summary_text", "text": "é\n"}],
    "encrypted_content": STATE,
}


def captured(**changed: Any) -> ostinato.ReasoningItem:
    """An item with some fields changed."""
    return ostinato.canonicalize_completed_reasoning_output_item(ITEM | changed)


def stored(**changed: Any) -> ostinato.ReasoningItem:
    """The same, read from its stored text."""
    return ostinato.parse_reasoning_replay_envelope(ostinato.serialize_reasoning_replay_envelope(captured(**changed)))


def test_attributes_of_a_captured_item() -> None:
    """Fields are decoded when read; what capture noticed is beside them."""
    item = captured(status="completed", extra=1)
    assert (item.wire, item.kind, item.type, item.id) == ("openai-responses", "reasoning", "reasoning", "rs_1")
    assert item.encrypted_content == STATE
    assert item.summary == ("A", "é\n")
    assert item.content == ()
    assert (item.provider, item.completion, item.dropped_fields) == ("openai", "item_status", ("extra",))
    assert (item.origin, item.route) == (None, None)
    assert item.get("summary") == ITEM["summary"]
    assert item.get("content") is None
    assert item.get("no such field") is None
    assert item.to_dict() == ITEM
    assert list(item.to_dict()) == ["type", "id", "summary", "encrypted_content"]


def test_attributes_of_a_stored_item() -> None:
    """A stored item knows nothing of its capture."""
    item = stored()
    assert (item.provider, item.completion, item.dropped_fields) == (None, None, ())
    assert item.to_dict() == ITEM


def test_attributes_are_missing_as_none() -> None:
    """An item without id, type or ciphertext says None, and never mints one."""
    item = ostinato.canonicalize_completed_reasoning_output_item(
        {"reasoning_content": "hm"}, wire="openai-chat", provider="deepseek"
    )
    assert (item.id, item.type, item.encrypted_content, item.summary) == (None, None, None, ())
    assert item.get("reasoning_content") == "hm"


@pytest.mark.parametrize("name", ["id", "wire", "encrypted_content", "anything"])
def test_frozen(name: str) -> None:
    """No attribute can be set or deleted, and no object of the class can be made by hand."""
    item = captured()
    with pytest.raises(AttributeError):
        setattr(item, name, "other")
    with pytest.raises(AttributeError):
        delattr(item, name)
    with pytest.raises(TypeError):
        ostinato.ReasoningItem()


def test_equality_and_hash() -> None:
    """Items are equal when wire, kind and canonical text are, wherever they came from."""
    assert captured() == stored()
    assert hash(captured()) == hash(stored())
    assert captured(extra=1) == captured(status="completed")
    assert captured() != captured(id="rs_2")
    assert captured() != captured(encrypted_content=STATE + "x")
    assert captured() != ITEM
    assert len({captured(), stored(), captured(id="rs_2")}) == 2


def test_order_is_not_defined() -> None:
    """Items have no order to be compared by."""
    with pytest.raises(TypeError):
        sorted([captured(), captured(id="rs_2")])  # type: ignore[type-var]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol: int) -> None:
    """An item survives a pickle, with its origin and its large text."""
    origin = ostinato.Origin(provider="openai", model="m")
    text = ostinato.serialize_reasoning_replay_envelope(captured(encrypted_content="x" * 100_000), origin=origin)
    item = ostinato.parse_reasoning_replay_envelope(text)
    again = pickle.loads(pickle.dumps(item, protocol))  # noqa: S301
    assert again == item
    assert again.origin == item.origin == {"provider": "openai", "model": "m"}


def test_pickle_of_an_item_beyond_the_default_limits() -> None:
    """What was let in under wider limits is not lost on the way to another process."""
    deep: Any = "x"
    for _ in range(300):
        deep = [deep]
    item = ostinato.canonicalize_completed_reasoning_output_item(
        {"functionCall": {"args": deep}, "thoughtSignature": "eA=="},
        wire="gemini-generate-content",
        limits=ostinato.Limits(max_depth=400),
    )
    assert pickle.loads(pickle.dumps(item)) == item  # noqa: S301


def test_pickle_keeps_what_capture_noticed() -> None:
    """Provider, completion and dropped fields reach the other process too."""
    item = pickle.loads(pickle.dumps(captured(status="completed", extra=1)))  # noqa: S301
    assert (item.provider, item.completion, item.dropped_fields) == ("openai", "item_status", ("extra",))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copy(duplicate: Any) -> None:
    """A copy of a frozen item is the item."""
    item = captured()
    assert duplicate(item) is item
    assert duplicate([item]) == [item]


def test_repr_shows_no_state() -> None:
    """The text of an item shows lengths and a digest."""
    for item in (captured(), stored()):
        for shown in (repr(item), str(item), f"{item}", f"{[item]}"):
            assert STATE not in shown
            assert "A" not in shown.replace("ReasoningItem", "")
            assert f"{len(STATE)} bytes" in shown
            assert hashlib.sha256(STATE.encode()).hexdigest()[:12] in shown
            assert "summary=<2 parts, 4 bytes>" in shown


def test_repr_hides_an_id_that_is_no_name() -> None:
    """State that stands in the id, as some gateways put it there, is not shown."""
    assert "gAAAAAB" not in repr(captured(id="gAAAAAB" + "x" * 100))


def test_source_may_go_away() -> None:
    """An item keeps what it was read from alive, and does not see later changes of a buffer."""
    buffer = bytearray(ostinato.serialize_reasoning_replay_envelope(captured()).encode())
    item = ostinato.parse_reasoning_replay_envelope(buffer)
    for place in range(len(buffer)):
        buffer[place] = 0
    assert item == captured()


def test_provider_input_is_fresh() -> None:
    """Every call gives a dict of its own, so that a caller may change it."""
    item = stored()
    first = ostinato.reasoning_replay_item_to_provider_input(item)
    first["summary"].append("x")
    first["status"] = "completed"
    assert ostinato.reasoning_replay_item_to_provider_input(item) == ITEM


def test_provider_input_as_json() -> None:
    """The JSON text of an item is its canonical text, without schema, version, origin or digest (rule E8)."""
    origin = ostinato.Origin(provider="openai")
    text = ostinato.serialize_reasoning_replay_envelope(captured(), origin=origin)
    item = ostinato.parse_reasoning_replay_envelope(text)
    given = ostinato.reasoning_replay_item_to_provider_input(item, as_json=True)
    assert given == json.dumps(ITEM, ensure_ascii=False, separators=(",", ":")).encode()


def test_origin_forms() -> None:
    """An origin is given as a tuple of its class or as a mapping; one that was read is kept when stored again."""
    account = ostinato.Origin.account_digest("me", salt=b"salt")
    origin = ostinato.Origin(provider="openai", endpoint="e", account=account, model="m")
    text = ostinato.serialize_reasoning_replay_envelope(captured(), origin=origin)
    assert ostinato.serialize_reasoning_replay_envelope(captured(), origin=origin._asdict()) == text
    item = ostinato.parse_reasoning_replay_envelope(text)
    assert ostinato.serialize_reasoning_replay_envelope(item) == text
    other = ostinato.serialize_reasoning_replay_envelope(item, origin=ostinato.Origin(provider="xai"))
    assert ostinato.parse_reasoning_replay_envelope(other).origin == {"provider": "xai"}


@pytest.mark.parametrize(
    "origin",
    [{}, ostinato.Origin(), {"provider": ""}, {"account": "me"}, {"model": "m" * 1025}, {"provider": None}],
)
def test_origins_that_are_refused(origin: Any) -> None:
    """An origin says something, and never holds an account itself (rule E7)."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.serialize_reasoning_replay_envelope(captured(), origin=origin)
    assert (caught.value.code, caught.value.path) == ("origin_invalid", "origin")


def test_a_mapping_of_an_origin_has_no_other_keys() -> None:
    """A key that an envelope cannot hold is not lost silently."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.serialize_reasoning_replay_envelope(captured(), origin={"provider": "openai", "region": "eu"})
    assert caught.value.path == "origin/region"
