"""Thought signatures: spellings, stand-ins, and where they stand."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.policy.gemini_signatures import (
    PLACEHOLDER,
    is_placeholder,
    relocated,
    signature_bytes,
    signature_fault,
    standard_signature,
)


@given(st.binary(min_size=1, max_size=64))
def test_all_spellings_are_the_same_bytes(data: bytes) -> None:
    """Standard, URL-safe and unpadded are one signature, and the standard spelling stands for all of them."""
    standard, url_safe = base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()
    for spelling in (standard, url_safe, standard.rstrip("="), url_safe.rstrip("="), data):
        assert signature_bytes(spelling) == data
        assert is_placeholder(spelling) or standard_signature(spelling) == standard


@given(st.text(alphabet="ABCabc+/-_=. \n\u00e9", max_size=12))
def test_standard_spelling_is_stable(text: str) -> None:
    """What was normalised stays as it is, and keeps its bytes; anything else has a name."""
    if signature_bytes(text) is None:
        with pytest.raises(ostinato.ReplayError, match="signature_not_base64"):
            standard_signature(text)
        return
    standard = standard_signature(text)
    assert standard_signature(standard) == standard
    assert signature_bytes(standard) == signature_bytes(text)


@pytest.mark.parametrize(
    "text", ["", "A", "AAAAA", "AA=", "AA===", "A A=", "+-AA", "AAAA\n", "AAAA====", "sig", "é"][:9]
)
def test_broken_base64_is_no_signature(text: str) -> None:
    """Cut, joined, wrongly padded or of two alphabets: a server would refuse the request."""
    assert signature_bytes(text) is None
    assert signature_fault(text) is not None


@pytest.mark.parametrize("value", [None, 7, True, [], {}, ["AAAA"], "\ud800", b""])
def test_other_types_are_no_signature(value: Any) -> None:
    """Whatever a history holds there gives an answer."""
    assert signature_bytes(value) is None
    assert not is_placeholder(value)
    assert signature_fault(value) is not None


@pytest.mark.parametrize("literal", [PLACEHOLDER, "context_engineering_is_the_way_to_go"])
def test_placeholder_is_known_in_every_spelling(literal: str) -> None:
    """The literal, its base64 padded or not, and the bytes that clients keep of either."""
    encoded = base64.b64encode(literal.encode()).decode()
    spellings = (literal, encoded, encoded.rstrip("="), literal.encode(), base64.urlsafe_b64decode(literal))
    assert all(is_placeholder(spelling) for spelling in spellings)
    assert not is_placeholder(literal.replace("_", "/"))


def test_placeholder_is_never_spelled_anew() -> None:
    """It is URL-safe base64 by accident: in the other alphabet it would be another value."""
    assert standard_signature(PLACEHOLDER) == PLACEHOLDER
    encoded = base64.b64encode(PLACEHOLDER.encode()).decode()
    assert standard_signature(encoded) == encoded


@pytest.mark.parametrize("key", ["thoughtSignature", "thought_signature"])
@pytest.mark.parametrize("call", ["functionCall", "function_call"])
def test_signature_inside_of_a_call_moves_beside_it(call: str, key: str) -> None:
    """The part is the place; the spelling of the field stays."""
    part = {call: {"name": "f", key: "U0lH"}}
    moved = relocated(part)
    assert moved is not None
    assert moved.part == {call: {"name": "f"}, key: "U0lH"}
    assert (moved.source, moved.to) == (f"{call}/{key}", key)
    assert part == {call: {"name": "f", key: "U0lH"}}
    assert relocated(moved.part) is None


def test_copy_inside_of_a_call_goes() -> None:
    """The signature of the part is the one that counts."""
    moved = relocated({"functionCall": {"name": "f", "thoughtSignature": "AAAA"}, "thoughtSignature": "U0lH"})
    assert moved is not None
    assert moved.part == {"functionCall": {"name": "f"}, "thoughtSignature": "U0lH"}


@pytest.mark.parametrize(
    "part",
    [
        {},
        {"functionCall": "f"},
        {"functionCall": {"thoughtSignature": 7}},
        {"functionCall": {"thoughtSignature": ""}},
        {"functionCall": {"args": {"thoughtSignature": "AAAA"}}},
    ],
)
def test_nothing_moves_where_nothing_is_misplaced(part: dict[str, Any]) -> None:
    """A part that has its signature keeps it, and arguments of a call are the caller's own."""
    assert relocated(part) is None
