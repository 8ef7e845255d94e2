"""The compiled codec and the naive one of `tests/oracle.py` agree on every input."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from tests import oracle
from tests.budget import examples
from tests.codec.strategies import JSON, edits, sent, stored

LAWS = examples(100)


def plain(value: Any) -> Any:
    """A decoded value with numbers as Python has them."""
    match value:
        case oracle.Number():
            return json.loads(value)
        case dict():
            return {key: plain(inner) for key, inner in value.items()}
        case list():
            return [plain(inner) for inner in value]
        case _:
            return value


def answer(call: Callable[[], Any]) -> Any:
    """What the compiled codec answers, or None for a refusal. Any other exception is a failure."""
    try:
        return call()
    except ostinato.ReplayError:
        return None


def naive(call: Callable[[], Any]) -> Any:
    """What the naive codec answers, or None for a refusal."""
    try:
        return call()
    except oracle.Refused:
        return None


def text_of(item: ostinato.ReasoningItem) -> str:
    """The canonical text of an item."""
    return ostinato.reasoning_replay_item_to_provider_input(item, as_json=True).decode()


def same_item(item: ostinato.ReasoningItem | None, expected: tuple[str, dict[str, Any], Any] | None) -> None:
    """Fail unless both refused, or both have the same item."""
    if item is None or expected is None:
        assert (item is None) == (expected is None)
        return
    name, fields, _rest = expected
    assert f"{item.wire}.{item.kind}" == name
    assert text_of(item) == oracle.spell(fields)


@LAWS
@given(sent())
def test_capture_of_texts(given_item: tuple[str, str, Any]) -> None:
    """Both capture the same item, with the same fields dropped, from the same text."""
    wire, provider, value = given_item
    text = oracle.spell(value)
    expected = naive(lambda: oracle.capture(oracle.decode(text), wire, provider))
    item = answer(lambda: ostinato.canonicalize_completed_reasoning_output_item(text, wire=wire, provider=provider))
    same_item(item, expected)
    if item is not None:
        assert sorted(item.dropped_fields) == sorted(expected[2])


@LAWS
@given(sent())
def test_capture_of_values(given_item: tuple[str, str, Any]) -> None:
    """A decoded value gives what its text gives, but for the spelling of numbers."""
    wire, provider, value = given_item
    value = plain(value)
    text = json.dumps(value, ensure_ascii=False)
    item, from_text = (
        answer(
            lambda given=given: ostinato.canonicalize_completed_reasoning_output_item(
                given, wire=wire, provider=provider
            )
        )
        for given in (value, text)
    )
    assert item == from_text
    if item is not None:
        assert item.dropped_fields == from_text.dropped_fields


@LAWS
@given(stored())
def test_stored_texts(record: tuple[str, dict[str, Any], dict[str, str] | None]) -> None:
    """Both read the same item from a stored text, and write it in the same bytes."""
    name, fields, origin = record
    text = oracle.envelope(name, fields, origin)
    item = ostinato.parse_reasoning_replay_envelope(text)
    same_item(item, (name, fields, origin))
    assert item.origin == origin
    assert ostinato.serialize_reasoning_replay_envelope(item) == text
    assert oracle.parse(text) == (name, fields, origin)


@examples(200)
@given(stored(), st.data())
def test_edited_texts(record: tuple[str, dict[str, Any], dict[str, str] | None], data: st.DataObject) -> None:
    """Both refuse the same edited texts, and read the same from the others."""
    text = data.draw(edits(oracle.envelope(*record)))
    for candidate in (text, resealed(text)):
        same_item(
            answer(lambda candidate=candidate: ostinato.parse_reasoning_replay_envelope(candidate)),
            naive(lambda candidate=candidate: oracle.parse(candidate)),
        )


def resealed(text: str) -> str:
    """The text with the digest that its item would need, so that edits of sealed items reach the table."""
    head, _, tail = text.partition(',"item":')
    item, _, _ = tail.rpartition(',"digest":"')
    if not item:
        return text
    return f'{head},"item":{item},"digest":"{hashlib.sha256(item.encode(errors="replace")).hexdigest()}"}}'


@LAWS
@given(JSON)
def test_any_value(value: Any) -> None:
    """Both refuse a value that is no envelope, as text and decoded."""
    text = oracle.spell(value)
    same_item(answer(lambda: ostinato.parse_reasoning_replay_envelope(text)), naive(lambda: oracle.parse(text)))


@LAWS
@given(st.text(st.characters()))
def test_any_text(text: str) -> None:
    """Both refuse a text that is no JSON, halves of surrogate pairs and all."""
    same_item(answer(lambda: ostinato.parse_reasoning_replay_envelope(text)), naive(lambda: oracle.parse(text)))


@pytest.mark.parametrize("depth", [127, 128, 129, 130])
def test_depth(depth: int) -> None:
    """Both take the same depth of nesting."""
    arguments = "[" * (depth - 2) + "]" * (depth - 2)
    text = f'{{"functionCall":{{"args":{arguments}}},"thoughtSignature":"eA=="}}'
    item = answer(lambda: ostinato.canonicalize_completed_reasoning_output_item(text, wire="gemini-generate-content"))
    expected = naive(lambda: oracle.capture(oracle.decode(text, 128), "gemini-generate-content", "gemini"))
    same_item(item, expected)
    assert (item is None) == (depth > 128)
