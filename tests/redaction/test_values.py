"""Python values of every kind are redacted, and none of them raises."""

import dataclasses
import datetime as dt
import decimal
import enum
import json
import types
from collections import OrderedDict, deque
from typing import Never

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.redaction import redact
from tests.budget import examples

TOKEN = "gAAAAABn4rRGCANARYtqW9bLx0Zz8QkVd3f2aP7uHcMsJwYe"  # noqa: S105 - made up


def test_values_keep_their_types_and_their_order() -> None:
    """What is no secret comes back as it was."""
    value = {"b": [1, 2.5, None, True, "text", "é\ud800"], "a": {"n": 10**30}}
    assert redact(value).value == value
    assert list(redact(value).value) == ["b", "a"]


def test_text_gives_text_and_bytes_give_bytes() -> None:
    """The kind of text does not change, and half a surrogate pair survives."""
    assert redact("plain \ud800").value == "plain \ud800"
    assert redact(b"\xff plain").value == b"\xff plain"
    assert redact(bytearray(b"plain")).value == b"plain"
    assert "CANARY" not in redact(f"token {TOKEN}").value
    assert b"CANARY" not in redact(f"token {TOKEN}".encode()).value


def test_options_choose_what_goes() -> None:
    """Reasoning text may stay, and digests may go."""
    value = {"type": "thinking", "thinking": "so it is", "signature": "s1"}
    kept = redact(value, reasoning_text=False)
    assert kept.value["thinking"] == "so it is"
    assert kept.report["reasoning_text"]["values"] == 0
    assert redact(value, length_only=True).value["signature"] == {"redacted": True, "bytes": 2}


def test_a_report_counts_and_holds_no_content() -> None:
    """Counts by class and field name."""
    report = redact([{"type": "thinking", "thinking": "abc", "signature": "s1"}, {"x": b"\xff\x00"}]).report
    assert report["values"] == 3
    assert report["opaque"] == {
        "values": 2,
        "bytes": 4,
        "fields": {"bytes": {"values": 1, "bytes": 2}, "signature": {"values": 1, "bytes": 2}},
    }
    assert report["reasoning_text"]["fields"] == {"thinking": {"values": 1, "bytes": 3}}


class Model:
    """A model of some SDK."""

    def __init__(self, **fields: object) -> None:
        self._fields = fields

    def model_dump(self, **options: object) -> dict[str, object]:
        """What pydantic's does, with the options that keep it to what was sent."""
        assert options == {"by_alias": True, "exclude_unset": True, "warnings": False}
        return self._fields


@dataclasses.dataclass
class Block:
    """A block of some framework."""

    type: str
    thinking: str
    signature: bytes


class Kind(enum.Enum):
    """A word of some framework."""

    THINKING = "thinking"


@pytest.mark.parametrize(
    "value",
    [
        Model(type="thinking", thinking="CANARY it is", signature=TOKEN),
        Block("thinking", "CANARY it is", b"\xffCANARY"),
        types.SimpleNamespace(type=Kind.THINKING, thinking="CANARY it is", signature=TOKEN),
        types.MappingProxyType({"type": "thinking", "thinking": "CANARY it is", "signature": TOKEN}),
        OrderedDict(a=(deque([{"encrypted_content": TOKEN}]),)),
        {"x": {TOKEN}, TOKEN: 1, "call__thought__CANARYq1": 2},
        {"body": json.dumps({"type": "thinking", "signature": "sig-CANARY"})},
        {"body": repr({"type": "thinking", "signature": "sig-CANARY"})},
        {"body": json.dumps({"type": "thinking", "signature": "sig-CANARY"}).encode()},
    ],
    ids=["model", "dataclass", "namespace", "mapping", "containers", "keys", "json", "repr", "bytes"],
)
def test_objects_of_sdks_are_read(value: object) -> None:
    """Models, dataclasses, mappings, sets and text inside them."""
    redacted = redact(value)
    assert "CANARY" not in repr(redacted)
    assert redact(redacted.value).value == redacted.value


def test_a_replay_item_is_redacted_like_its_dict() -> None:
    """Canonical items are values, too."""
    item = ostinato.canonicalize_completed_reasoning_output_item(
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": TOKEN}
    )
    redacted = redact({"item": item}).value
    assert redacted["item"]["id"] == "rs_1"
    assert redacted["item"]["encrypted_content"]["bytes"] == len(TOKEN)
    assert redact(item).value == redacted["item"]


def test_what_is_no_data_is_named_by_its_type() -> None:
    """Functions, classes and modules say nothing of what they hold."""
    for value, name in ((print, "builtin_function_or_method"), (int, "type"), (ValueError(TOKEN), "ValueError")):
        redacted = redact({"x": value})
        assert redacted.value == {"x": {"redacted": True, "type": name}}
        assert redacted.report["unread"]["fields"]["object"]["values"] == 1


class Hostile:
    """Raises whatever it is asked."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(TOKEN)

    def __repr__(self) -> str:
        raise RuntimeError(TOKEN)

    __str__ = __repr__


class HostileMapping(dict[str, int]):
    """Raises when it is read."""

    def items(self) -> Never:
        """What a mapping is read by."""
        raise RuntimeError(TOKEN)


def test_hostile_objects_are_named_by_their_type() -> None:
    """What raises while it is read is reported, not raised."""
    redacted = redact([Hostile(), HostileMapping(a=1)])
    assert redacted.value == [{"redacted": True, "type": "Hostile"}, {"redacted": True, "type": "HostileMapping"}]


def test_an_interrupt_is_not_swallowed() -> None:
    """Ctrl-C while foreign code runs stops the redaction."""

    class Interrupting(dict):
        def items(self) -> Never:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        redact(Interrupting(a=1))


def test_cycles_and_depths_end() -> None:
    """A value that contains itself, or is nested too deep, is named by its type from there on."""
    cycle = {"a": 1}
    cycle["self"] = cycle
    assert redact(cycle).value == {"a": 1, "self": {"redacted": True, "type": "dict"}}
    deep = {"signature": TOKEN}
    for _ in range(5000):
        deep = [deep]
    assert "CANARY" not in repr(redact(deep))
    shared = ["x"]
    assert redact([shared, shared]).value == [["x"], ["x"]]


def test_numbers_that_json_cannot_say() -> None:
    """Infinities, decimals and numbers of any length."""
    redacted = redact([float("inf"), decimal.Decimal("1.50"), 10**5000, dt.date(2026, 1, 2)]).value
    assert redacted == [float("inf"), "1.50", {"redacted": True, "type": "int"}, "2026-01-02"]
    assert repr(redact([float("nan")]).value) == "[nan]"


def test_keys_that_are_no_text() -> None:
    """As JSON writes them, or by their type."""
    assert redact({2: "a", None: "b", True: "c", 1.5: "d", (TOKEN,): "e"}).value == {
        "2": "a",
        "true": "c",
        "null": "b",
        "1.5": "d",
        "<tuple>": "e",
    }


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.text("gA-_={}[]\"':\\,", max_size=40),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["type", "thinking", "signature", "data"]), inner)
    ),
    max_leaves=12,
)


@examples(300)
@given(values)
def test_any_value_is_redacted_once_and_for_all(value: object) -> None:
    """Redacting twice changes nothing."""
    once = redact(value).value
    assert repr(redact(once).value) == repr(once)
