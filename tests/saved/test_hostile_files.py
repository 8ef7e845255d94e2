"""Whatever is in a file: a conversation, or a named error. Real files are damaged in every way that bytes can be."""

import json
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.saved import FORMATS
from ostinato.saved.file import SavedFile

DATA = pathlib.Path(__file__).parents[1] / "data"
SMALL = [
    SavedFile((DATA / name).read_bytes()).data
    for name in (
        "codex/v0.50-basic.jsonl",
        "codex/v0.73-mixed-record-shapes.jsonl",
        "codex/v0.146-small.jsonl",
        "claude_code/v2.1.6-tiny.jsonl",
        "claude_code/v2.1.9-sidechain.jsonl",
        "fast_agent/v0.10.48-xai_dupes/history_coder.json",
        "fast_agent/v0.10.48-native_compaction/history_coder.json",
        "fast_agent/v0.10.48-other_providers/history_anthropic.json",
    )
]
MADE: list[Any] = [
    [{"role": "assistant", "content_items": [{"type": "text.done", "text": "a", "fidelity": {"signature": "c2ln"}}]}],
    {
        "request": {"input": [{"type": "reasoning", "id": "rs"}]},
        "response": {"object": "response", "output": [], "id": "r"},
    },
    {"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning", "id": "rs", "summary": []}},
]
ODD = st.sampled_from([None, True, 0, -1, 1.5, 10**400, "", "x", [], {}, [[]], {"": {}}, ["x"], {"type": []}, "\ud800"])


def load_all(data: bytes, format: str | None = None) -> list[ostinato.Conversation]:  # noqa: A002 - its name in `load_all`
    """What is loaded; nothing where a named error says why."""
    refused: list[str] = []
    found: list[ostinato.Conversation] = []
    try:
        found = ostinato.load_all(data, format=format)
    except ostinato.ReplayError as error:
        refused.append(error.code)
    assert ostinato.ERROR_CODES.keys() >= set(refused)
    for conversation in found:
        assert len(conversation.origins) == len(conversation.sources) == len(conversation.items)
        json.dumps(conversation.items, ensure_ascii=False).encode()
        repr(conversation)
        [finding.to_dict() for finding in conversation.report.findings]
    return found


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a value."""
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(part, (*path, key))


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with another one at a place."""
    if not path:
        return new
    key, *rest = path
    made = dict(value) if isinstance(value, dict) else list(value)
    made[key] = put(value[key], tuple(rest), new)
    return made


@given(st.sampled_from(SMALL), st.data())
def test_damaged_bytes_never_break_loading(data: bytes, draw: st.DataObject) -> None:
    """Cut, doubled and overwritten anywhere."""
    start = draw.draw(st.integers(0, len(data)))
    stop = draw.draw(st.integers(start, min(len(data), start + 200)))
    load_all(data[:start] + draw.draw(st.binary(max_size=6)) + data[stop:])
    load_all(data[:stop] + data[start:])


@given(st.sampled_from(SMALL), ODD, st.data())
def test_values_of_any_type_never_break_loading(data: bytes, odd: Any, draw: st.DataObject) -> None:
    """A field holds what it should not, at any depth of any record."""
    values = [value.value for value in SavedFile(data).values() if value.fault is None]
    place = draw.draw(st.sampled_from(list(places(values))[1:]))
    changed = put(values, place, odd)
    loaded = load_all("\n".join(map(json.dumps, changed)).encode())
    load_all("\n".join(map(json.dumps, changed)).encode(), draw.draw(st.sampled_from(FORMATS)).name)
    if len(place) > 1 and loaded and "\ud800" not in json.dumps(changed, ensure_ascii=False):
        assert sum(conversation.report.records for conversation in loaded) > 0


@given(st.sampled_from(MADE), ODD, st.data())
def test_odd_records_of_logs_and_messages_never_break_loading(record: Any, odd: Any, draw: st.DataObject) -> None:
    """The same for the layouts without a sample."""
    place = draw.draw(st.sampled_from(list(places(record))))
    load_all(json.dumps(put(record, place, odd)).encode())
    load_all(json.dumps(put(record, place, odd)).encode(), draw.draw(st.sampled_from(FORMATS)).name)


@given(st.binary(max_size=60), st.sampled_from([None, *(known.name for known in FORMATS)]))
def test_any_bytes_never_break_loading(data: bytes, name: str | None) -> None:
    """Whatever they are taken for."""
    load_all(data, name)


@given(st.sampled_from(SMALL[:5]), st.data())
def test_every_record_of_a_damaged_file_is_accounted_for(data: bytes, draw: st.DataObject) -> None:
    """Each value of the file is in the items or in the findings, exactly once, however it is damaged."""
    start = draw.draw(st.integers(0, len(data)))
    damaged = data[:start] + draw.draw(st.binary(max_size=6)) + data[start + draw.draw(st.integers(0, 50)) :]
    found = load_all(damaged)
    if found:
        values = sum(1 for _ in SavedFile(damaged).values())
        assert sum(conversation.report.records for conversation in found) == values


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"messages":[', '{"type":"response_item","payload":'])
def test_deep_nesting_is_named(opening: str) -> None:
    """A hundred thousand levels are no reason to fail, and not to be slow."""
    whole = opening * 100_000
    for data in (whole.encode(), f'{{"type":"session_meta","payload":{{}}}}\n{whole}\n{{"parentUuid":null}}'.encode()):
        for known in FORMATS:
            load_all(data, known.name)


@pytest.mark.parametrize("data", [b"[\n" * 20_000, b'"\n' * 20_000, b"[\n" * 900 + b"1,\n" * 50_000, b"{\n" * 20_000])
def test_damage_costs_no_more_than_its_size(data: bytes) -> None:
    """Many lines that each read on to the end of the file are given up after a few."""
    assert sum(1 for _ in SavedFile(data).values()) >= 1


@given(st.sampled_from(SMALL), ODD, st.data())
def test_whatever_is_loaded_can_be_prepared_or_is_refused(data: bytes, odd: Any, draw: st.DataObject) -> None:
    """What a file holds goes on to `prepare` as it is, and that names what is wrong with it."""
    values = [value.value for value in SavedFile(data).values() if value.fault is None]
    changed = put(values, draw.draw(st.sampled_from(list(places(values))[1:])), odd)
    for conversation in load_all("\n".join(map(json.dumps, changed)).encode()):
        targets = [name for name, row in ostinato.PROFILES.items() if row.wire == conversation.wire]
        try:
            conversation.prepare(draw.draw(st.sampled_from(targets)))
        except (ostinato.PrepareError, ostinato.ReplayError) as refused:
            str(refused)
