"""Every vector, over every form in which its input may be given, comes to the same result."""

from __future__ import annotations

from typing import Any

import pytest

import ostinato
from ostinato.replay import parse_decoded_envelope
from tests.codec import surfaces
from tests.codec.vectors import Vector, compact, load

ACCEPT, REJECT, CAPTURE = load("accept"), load("reject"), load("capture")
ACCEPT_VALUES, REJECT_VALUES, CAPTURE_VALUES = (
    [vector for vector in vectors if vector.is_value] for vectors in (ACCEPT, REJECT, CAPTURE)
)
# What is too deep, large or many is found at another place where a whole text is not read first.
FOUND_ELSEWHERE = {"too_deep", "too_large", "too_many_parts"}


def names(vectors: list[Vector]) -> list[str]:
    """What pytest calls them."""
    return [vector.name for vector in vectors]


def refused(vector: Vector, error: ostinato.ReplayError, *, decoded: bool = False) -> None:
    """Fail unless this is the refusal that the vector asks for."""
    assert vector.refusal is not None, f"{vector.name}: {error}"
    code, path = vector.refusal
    assert error.code == code, vector.name
    if not (decoded and code in FOUND_ELSEWHERE):
        assert error.path == path, vector.name
    if not decoded and "offset" in vector.fields:
        assert error.offset == vector.fields["offset"], vector.name


def given_as_text(vector: Vector, surface: str) -> Any:
    """The text in the form of a surface; bytes that are no text stay bytes."""
    try:
        return surfaces.TEXTS[surface](vector.text)
    except UnicodeDecodeError:
        return vector.text


@pytest.mark.parametrize("surface", surfaces.TEXTS)
@pytest.mark.parametrize("vector", ACCEPT, ids=names(ACCEPT))
def test_stored_text_is_accepted(vector: Vector, surface: str) -> None:
    """The item, its origin and route are read; the text is written again in canonical form."""
    item = ostinato.parse_reasoning_replay_envelope(given_as_text(vector, surface), limits=vector.limits)
    assert item.origin == vector.fields.get("origin")
    assert item.route == vector.fields.get("route")
    written = ostinato.serialize_reasoning_replay_envelope(item)
    assert (written.encode() == vector.text) is vector.fields["canonical"]
    if "item" in vector.fields:
        assert compact(item.to_dict()) == compact(vector.fields["item"])
        assert ostinato.reasoning_replay_item_to_provider_input(item, as_json=True) == compact(item.to_dict()).encode()
    if "bytes" in vector.fields:
        assert len(written) == vector.fields["bytes"]
    if "parts" in vector.fields:
        assert len(item.summary) == vector.fields["parts"]
    assert ostinato.parse_reasoning_replay_envelope(written, limits=vector.limits) == item


@pytest.mark.parametrize("surface", surfaces.TEXTS)
@pytest.mark.parametrize("vector", REJECT, ids=names(REJECT))
def test_stored_text_is_refused(vector: Vector, surface: str) -> None:
    """The refusal has this code, this path and, where the vector names it, this offset."""
    text = given_as_text(vector, surface)
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.parse_reasoning_replay_envelope(text, limits=vector.limits)
    refused(vector, caught.value)


@pytest.mark.parametrize("surface", surfaces.VALUES)
@pytest.mark.parametrize("vector", ACCEPT_VALUES, ids=names(ACCEPT_VALUES))
def test_decoded_record_is_accepted(vector: Vector, surface: str) -> None:
    """A record that was decoded before is read as its text is."""
    item = parse_decoded_envelope(surfaces.VALUES[surface](vector.value), limits=vector.limits)
    assert item == ostinato.parse_reasoning_replay_envelope(vector.text, limits=vector.limits)
    assert item.origin == vector.fields.get("origin")


@pytest.mark.parametrize("surface", surfaces.VALUES)
@pytest.mark.parametrize("vector", REJECT_VALUES, ids=names(REJECT_VALUES))
def test_decoded_record_is_refused(vector: Vector, surface: str) -> None:
    """A record that was decoded before is refused as its text is."""
    with pytest.raises(ostinato.ReplayError) as caught:
        parse_decoded_envelope(surfaces.VALUES[surface](vector.value), limits=vector.limits)
    refused(vector, caught.value, decoded=True)


def captured(vector: Vector, given: Any, *, decoded: bool) -> None:
    """Fail unless capture comes to what the vector says."""
    fields = vector.fields
    try:
        item = ostinato.canonicalize_completed_reasoning_output_item(
            given,
            wire=fields.get("wire", "openai-responses"),
            provider=fields.get("provider"),
            response_status=fields.get("response_status"),
            limits=vector.limits,
        )
    except ostinato.ReplayError as error:
        refused(vector, error, decoded=decoded)
        return
    assert vector.refusal is None, vector.name
    assert compact(item.to_dict()) == compact(fields["item"])
    if "json" in fields:
        json = ostinato.reasoning_replay_item_to_provider_input(item, as_json=True)
        assert json == fields["json"].encode()
    assert list(item.dropped_fields) == fields["dropped"]
    assert item.completion == fields["completion"]


@pytest.mark.parametrize("surface", surfaces.TEXTS)
@pytest.mark.parametrize("vector", CAPTURE, ids=names(CAPTURE))
def test_provider_text_is_captured(vector: Vector, surface: str) -> None:
    """JSON text of a provider's item is kept, dropped and refused as the vector says."""
    captured(vector, given_as_text(vector, surface), decoded=False)


@pytest.mark.parametrize("surface", surfaces.VALUES)
@pytest.mark.parametrize("vector", CAPTURE_VALUES, ids=names(CAPTURE_VALUES))
def test_provider_value_is_captured(vector: Vector, surface: str) -> None:
    """The same item as a dict, an SDK model, an object with attributes or a mapping comes to the same."""
    captured(vector, surfaces.VALUES[surface](vector.value), decoded=True)


def test_there_are_vectors() -> None:
    """The search for vectors finds those of this project."""
    assert min(len(ACCEPT), len(REJECT), len(CAPTURE)) > 50
