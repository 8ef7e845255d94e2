"""The drop-in module for fast-agent: the forms an item may come in, and its compaction twin."""

from __future__ import annotations

import enum
import types
from collections import UserDict, deque
from collections.abc import Callable
from typing import Any

import pytest

from ostinato.compat import fast_agent
from tests.compat.fast_agent_differences import COMPACTION_SCHEMA, compaction, stored
from tests.compat.fast_agent_vectors import compact, part, reasoning


class Status(enum.Enum):
    """A status that is a member of an enumeration."""

    COMPLETED = "completed"
    IN_PROGRESS = "in_progress"


class View:
    """Attributes over a mapping, and a dump that takes anything, as fast-agent's WebSocket transport makes them."""

    __slots__ = ("_data",)

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __getattr__(self, name: str) -> Any:
        return self._data[name]

    def model_dump(self, *_: object, **__: object) -> dict[str, Any]:
        """Everything."""
        return self._data


class Old:
    """An object whose dump takes no options."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def model_dump(self) -> dict[str, Any]:
        """Everything."""
        return self._data


class Older:
    """An object with a method called `dict`."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def dict(self) -> Any:
        """Everything."""
        return self._data


class Broken(types.SimpleNamespace):
    """An object whose dump fails, while its attributes are there."""

    def model_dump(self, **_: object) -> None:
        """Fail."""
        raise RuntimeError


class Strict:
    """An object whose dump would warn, quoting values, unless it is told not to."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def model_dump(self, *, mode: str, warnings: bool) -> dict[str, Any]:
        """Everything, in JSON's types and without warnings."""
        assert mode == "json"
        assert not warnings
        return self._data


FORMS: dict[str, Callable[[dict[str, Any]], object]] = {
    "mapping": dict,
    "proxy": types.MappingProxyType,
    "user mapping": UserDict,
    "attributes": lambda item: types.SimpleNamespace(**item),
    "view": View,
    "dump without options": Old,
    "dump without warnings": Strict,
    "dump that fails": lambda item: Broken(**item),
    "dict method": Older,
    "attributes within": lambda item: types.SimpleNamespace(
        **{**item, "summary": [types.SimpleNamespace(**each) for each in item["summary"]]}
    ),
    "tuple": lambda item: {**item, "summary": tuple(item["summary"])},
    "deque": lambda item: {**item, "summary": deque(item["summary"])},
    "generator": lambda item: {**item, "summary": (each for each in item["summary"])},
}


@pytest.mark.parametrize("form", FORMS)
def test_form_of_the_item_does_not_matter(form: str) -> None:
    """An item is captured alike in every form that fast-agent takes."""
    item = reasoning(summary=[part("A"), part("B")], content=[{"type": "reasoning_text", "text": "r"}], extra=1)
    envelope = fast_agent.capture_reasoning_replay(FORMS[form](item))
    del item["extra"]
    assert envelope == stored(**item)


@pytest.mark.parametrize(("status", "taken"), [(Status.COMPLETED, True), (Status.IN_PROGRESS, False)])
def test_status_may_be_a_member_of_an_enumeration(status: Status, *, taken: bool) -> None:
    """The member stands for its value."""
    assert (fast_agent.capture_reasoning_replay(reasoning(status=status)) is not None) == taken


@pytest.mark.parametrize("value", [None, "x", b"y", 1, [1], [], (), object(), reasoning, types.SimpleNamespace()])
def test_what_is_no_item_is_refused(value: object) -> None:
    """A value without fields is no item of either kind."""
    assert fast_agent.capture_reasoning_replay(value) is None
    assert fast_agent.capture_compaction_replay(value, origin="openai") is None


def test_kinds_are_not_mixed_up() -> None:
    """Neither function takes the other's items or envelopes."""
    assert fast_agent.capture_reasoning_replay(compaction()["item"]) is None
    assert fast_agent.capture_compaction_replay(reasoning(), origin="openai") is None
    assert fast_agent.parse_reasoning_replay(compaction()) is None
    assert fast_agent.parse_compaction_replay(stored()) is None


def test_own_envelopes_of_the_codec_are_not_read() -> None:
    """An envelope that fast-agent does not know is refused, as fast-agent would refuse it."""
    assert fast_agent.parse_reasoning_replay(stored() | {"schema": "ostinato.openai-responses.reasoning"}) is None


def test_keys_are_in_the_order_that_fast_agent_writes() -> None:
    """The stored text of both kinds is fast-agent's, byte for byte."""
    item = {"encrypted_content": "E", "summary": [{"text": "é\x7f\u2028", "type": "summary_text"}], "id": "rs_1"}
    assert compact(fast_agent.capture_reasoning_replay({**item, "type": "reasoning"})) == (
        '{"schema":"fast-agent.openai-responses.reasoning-replay","version":1,"item":{"type":"reasoning","id":"rs_1",'
        '"summary":[{"type":"summary_text","text":"é\x7f\u2028"}],"encrypted_content":"E"}}'
    )
    done = {"encrypted_content": "E", "status": "in_progress", "id": "cmp_1", "type": "compaction", "created_by": None}
    assert compact(fast_agent.capture_compaction_replay(done, origin="xai")) == (
        f'{{"schema":"{COMPACTION_SCHEMA}","version":1,'
        '"item":{"type":"compaction","id":"cmp_1","encrypted_content":"E"},"origin":"xai"}'
    )


def test_compaction_envelope_is_read() -> None:
    """Item and origin come back; an envelope of the time before origins has none."""
    envelope = compaction()
    assert fast_agent.parse_compaction_replay(envelope) == envelope["item"]
    assert fast_agent.compaction_replay_origin(envelope) == "openai"
    del envelope["origin"]
    assert fast_agent.parse_compaction_replay(envelope) == envelope["item"]
    assert fast_agent.compaction_replay_origin(envelope) is None


@pytest.mark.parametrize("origin", [None, "", 1, ["openai"]])
def test_odd_origin_counts_as_none(origin: object) -> None:
    """An origin that is no text, or an empty one, names no route and does not cost the item."""
    envelope = compaction() | {"origin": origin}
    assert fast_agent.parse_compaction_replay(envelope) == envelope["item"]
    assert fast_agent.compaction_replay_origin(envelope) is None


def test_results_share_nothing_with_their_input() -> None:
    """A caller may change what it gets without changing what it gave."""
    envelope = stored(summary=[part("A")])
    item = fast_agent.parse_reasoning_replay(envelope)
    assert item is not None
    item["summary"][0]["text"] = "changed"
    assert envelope == stored(summary=[part("A")])
