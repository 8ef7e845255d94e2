"""Values of somebody else's class, in every place of a conversation of every wire."""

from __future__ import annotations

import pickle
import traceback
from collections import UserDict
from types import MappingProxyType
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato

Json = dict[str, Any]
MARK = "S3CRETMARKq9Zk1="
"""State in these conversations, and what their objects say when they raise."""


def refuse(*_: object) -> NoReturn:
    """What code of somebody else's class does."""
    raise RuntimeError(MARK)


class Text(str):
    """A text that cannot be compared, hashed, measured or shown."""

    __slots__ = ()
    __eq__ = __len__ = __str__ = __repr__ = refuse
    __hash__ = refuse  # type: ignore[assignment]


class Fields(dict[str, Any]):
    """An object that cannot be read."""

    get = __getitem__ = __iter__ = items = keys = __contains__ = __eq__ = refuse


class Listing(list[Any]):
    """A list that cannot be read."""

    __len__ = __iter__ = __getitem__ = __eq__ = refuse


class Thing:
    """No value of JSON, and nothing that can be asked."""

    __eq__ = __bool__ = __str__ = __repr__ = __len__ = refuse
    __hash__ = refuse  # type: ignore[assignment]


def circle() -> Json:
    """An object that holds itself."""
    made: Json = {"type": "reasoning", "role": "assistant"}
    made["content"] = made["parts"] = made
    return made


def deep(name: str | None) -> Any:
    """A hundred thousand levels."""
    made: Any = "x"
    for _ in range(100_000):
        made = [made] if name is None else {name: made}
    return made


DEEP = [deep(None), deep("content")]
HOSTILE: list[Any] = [
    *(Text("reasoning"), Text(MARK), Fields(type="reasoning", role="model"), Listing([{"type": "text"}]), Thing()),
    *(UserDict(type="thinking", role="user"), MappingProxyType({"type": "text"}), circle(), *DEEP),
    *(None, True, 10**5000, -1, 1.5, float("nan"), float("inf"), "\ud800", "", b"\xff", (), set(), {}, []),
    *(bytearray(b"a"), {1: 2}, {None: MARK}, {"\ud800": MARK}, {b"a": 1}, MARK, [MARK], {"type": MARK}, object),
    *(range(5), 1j, iter([1])),
]  # fmt: skip

WIRES: dict[str, list[Json]] = {
    "openai-responses": [
        {"role": "user", "content": "hi"},
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "s"}],
            "encrypted_content": MARK,
        },
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}", "status": "completed"},
        {"type": "function_call_output", "call_id": "c1", "output": "1"},
        {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": MARK},
        {"type": "program", "id": "p", "fingerprint": MARK, "call_id": "c2"},
        {"type": "program_output", "call_id": "c2"},
        {"type": "agent_message", "content": [{"type": "encrypted_content", "encrypted_content": MARK}]},
    ],
    "anthropic-messages": [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "t", "signature": MARK},
                {"type": "redacted_thinking", "data": MARK},
                {"type": "text", "text": "x", "citations": [{"type": "web", "encrypted_index": MARK}]},
                {"type": "tool_use", "id": "c1", "name": "f", "input": {}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "1"}]},
    ],
    "bedrock-converse": [
        {"role": "user", "content": [{"text": "hi"}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "t", "signature": MARK}}},
                {"reasoningContent": {"redactedContent": MARK.encode()}},
                {"toolUse": {"toolUseId": "c1", "name": "f", "input": {}}},
            ],
        },
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "1"}]}}]},
    ],
    "gemini-generate-content": [
        {"role": "user", "parts": [{"text": "hi"}]},
        {
            "role": "model",
            "parts": [
                {"text": "t", "thought": True},
                {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": MARK},
                {"functionCall": {"name": "g", "args": {}}},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
    ],
    "gemini-interactions": [
        {"type": "user_input", "content": [{"type": "text", "text": "hi"}]},
        {"type": "thought", "signature": MARK, "summary": [{"type": "text", "text": "s"}]},
        {"type": "function_call", "id": "c", "name": "f", "arguments": {}},
        {"type": "function_result", "call_id": "c", "name": "f", "result": {}},
        {"type": "url_context_call", "id": "u", "signature": MARK},
        {"type": "url_context_result", "call_id": "u", "signature": MARK},
    ],
    "openai-chat": [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": "x",
            "reasoning_content": "r",
            "reasoning_details": [
                {"type": "reasoning.encrypted", "data": MARK, "id": "a", "index": 0},
                {"type": "reasoning.text", "text": "t", "signature": MARK, "index": 1},
                {"type": "reasoning.text", "text": "t", "index": 1},
            ],
            "thinking_blocks": [{"type": "thinking", "thinking": "t", "signature": MARK}],
            "tool_calls": [
                {
                    "id": f"a__thought__{MARK}",
                    "type": "function",
                    "function": {"name": "f", "arguments": "{}"},
                    "extra_content": {"google": {"thought_signature": MARK}},
                }
            ],
        },
        {"role": "tool", "tool_call_id": f"a__thought__{MARK}", "content": "1"},
    ],
}
PROFILES = sorted(ostinato.PROFILES)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(part) for name, part in value.items()}
    return [_copy(part) for part in value] if isinstance(value, list) else value


def _places(value: Any) -> list[tuple[Any, Any]]:
    names = value if type(value) is dict else range(len(value)) if type(value) is list else ()
    return [place for name in names for place in ((value, name), *_places(value[name]))]


SPOILS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, len(HOSTILE) - 1)), min_size=1, max_size=3)
"""Which places, and what comes there: numbers alone, since Hypothesis shows what it draws."""


def spoiled(wire: str, spoils: list[tuple[int, int]]) -> list[Any]:
    """A conversation with something in places of it that does not belong there."""
    items = _copy(WIRES[wire])
    places = _places(items)
    for place, value in spoils:
        parent, name = places[place % len(places)]
        parent[name] = HOSTILE[value]
    return list(items)


def shown(error: BaseException) -> str:
    """All that a log gets of an exception, and the names of the variables that a crash reporter finds below it."""
    held = [
        name
        for frame, _line in traceback.walk_tb(error.__traceback__)
        if str(frame.f_globals["__name__"]).startswith("ostinato")
        for name in frame.f_locals
    ]
    assert set(held) <= {"error", "function"}
    return f"{error}{error!r}" + "".join(traceback.TracebackException.from_exception(error).format())


@given(st.sampled_from(PROFILES), st.sampled_from(["stateless", "chained"]), SPOILS)
def test_whatever_stands_anywhere_gives_a_result_or_a_named_error(
    profile: str, mode: Any, spoils: list[tuple[int, int]]
) -> None:
    """Of every function over native items; and nothing that comes back or is raised shows state."""
    row = ostinato.PROFILES[profile]
    items = spoiled(row.wire, spoils)
    target = ostinato.Target(profile=row, mode=mode)
    calls = (
        lambda: ostinato.prepare(items, target, origin={"provider": "other"}),
        lambda: ostinato.prepare(items, target),
        lambda: ostinato.trim(items, keep=1, wire=row.wire),
        lambda: ostinato.strip_state(items, wire=row.wire),
        lambda: ostinato.diff({"input": items}, {"input": WIRES[row.wire]}),
        lambda: ostinato.explain({"error": {"message": items}}),
        lambda: _captured(row.wire, items),
    )
    for call in calls:
        try:
            result = call()
        except ostinato.OstinatoError as error:
            assert MARK not in shown(error)  # noqa: PT017 - an error is one of two right answers
        else:
            report = getattr(result, "report", None)
            assert MARK not in f"{result!r}{report}"
            assert MARK.encode() not in pickle.dumps(report)


def _captured(wire: str, events: list[Any]) -> ostinato.Captured:
    capture = ostinato.Capture(wire)
    for event in events:
        capture.feed(event)
    return capture.finish()


def test_what_a_caller_asks_about_origins_raises_as_it_does() -> None:
    """An error of the caller's own function is the caller's, not one of the items."""
    with pytest.raises(RuntimeError, match="mine"):
        ostinato.prepare([{"role": "user", "content": "hi"}], "openai", origin=lambda *_: _fail())


def _fail() -> NoReturn:
    raise RuntimeError("mine")


@pytest.mark.parametrize("origin", [5, 1.5, object(), {1}, iter([])], ids=["int", "float", "object", "set", "iterator"])
def test_an_origin_that_is_none_is_refused_by_name(origin: Any) -> None:
    """One, a sequence, a function, or nothing; whatever else comes has a place."""
    with pytest.raises(ostinato.ReplayError, match="type_mismatch at origin"):
        ostinato.prepare([{"role": "user", "content": "hi"}], "openai", origin=origin)


@pytest.mark.parametrize("origin", [Fields(provider="openai"), Listing([None])], ids=["object", "list"])
def test_an_origin_that_cannot_be_read_has_a_name(origin: Any) -> None:
    """As an item that cannot."""
    with pytest.raises(ostinato.ReplayError, match="unreadable_object"):
        ostinato.prepare([{"role": "user", "content": "hi"}], "openai", origin=origin)


def test_a_value_that_cannot_be_read_has_a_name() -> None:
    """The codec's own."""
    with pytest.raises(ostinato.ReplayError, match="unreadable_object") as caught:
        ostinato.prepare([Fields()], "openai")
    assert caught.value.__context__ is None
