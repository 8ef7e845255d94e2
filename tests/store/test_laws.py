"""Laws of the store: what comes back is what was given, for every message that any provider would take."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ostinato import InvalidMessageError, TurnError, wire
from ostinato.messages import admit, copied
from ostinato.store import frame
from ostinato.store.envelopes import wires_of
from ostinato.store.frame import Line, lines_of, sealed, strict
from ostinato.store.record import read_message, write_message
from ostinato.wires import CLIENT_TYPES
from tests.budget import examples
from tests.store.saved import store

Json = dict[str, Any]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBER = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUE = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT | st.binary(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
STATE = st.sampled_from(["gAAAAAB-example", "c3RhdGU=", "c3RhdGU", "", "a b"]) | TEXT
BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["reasoning.text", "reasoning.encrypted", "reasoning.summary", "reasoning.new"])},
    optional={"text": TEXT, "data": STATE, "summary": TEXT, "index": st.integers(0, 3), "id": TEXT, "format": TEXT},
)
# Every name that a wire keeps state under, with values as wires write them and as nobody does.
NAMES: dict[str, Any] = {
    "channel": st.sampled_from(["summary", "content", "other"]),
    "encrypted_content": STATE,
    "signature": STATE | st.binary(max_size=4),
    "format": TEXT,
    "id": TEXT,
    "summary": st.lists(TEXT, max_size=3),
    "content": st.lists(TEXT, max_size=3),
    "reasoning_field": st.sampled_from(["reasoning_content", "reasoning", "other"]),
    "reasoning_id": TEXT,
    "reasoning_details": st.lists(BLOCK, max_size=3),
    "index": st.integers(-1, 9),
    "redacted_content": STATE,
    "citations": st.lists(VALUE, max_size=2),
    "phase": TEXT,
    "arguments": TEXT,
    "verbatim": st.fixed_dictionaries(
        {
            "wire": st.sampled_from(["openai-responses", "anthropic-messages", "gemini-generate-content", "other"]),
            "item": st.sampled_from(
                [
                    {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAAB-example"},
                    {"type": "redacted_thinking", "data": "state"},
                    {"functionCall": {"name": "f", "args": {"x": 1.0}}, "thoughtSignature": "c3RhdGU="},
                    {"type": "server_tool_use", "input": {}},
                ]
            ),
        }
    ),
}


# As the wires keep them.
TOGETHER = [
    ["signature"],
    ["channel", "encrypted_content", "id"],
    ["channel", "encrypted_content", "summary", "content", "format", "signature"],
    ["encrypted_content"],
    ["reasoning_field"],
    ["reasoning_field", "encrypted_content"],
    ["reasoning_details"],
    ["encrypted_content", "format", "reasoning_id", "index"],
    ["redacted_content"],
    ["verbatim"],
]


# Strategies as functions: what Hypothesis prints of one stays short.
@st.composite
def fidelity(draw: st.DrawFn) -> Any:
    """What an item keeps: state of one wire, of several, of nobody, or none."""
    match draw(st.integers(0, 5)):
        case 0:
            return draw(st.none() | st.dictionaries(TEXT, VALUE, max_size=2))
        case 1:
            names = draw(st.lists(st.sampled_from(sorted(NAMES)), max_size=5, unique=True))
        case _:
            names = draw(st.permutations(draw(st.sampled_from(TOGETHER))))
    return {name: draw(VALUE if draw(st.integers(0, 9)) == 0 else NAMES[name]) for name in names}


FIELDS: dict[str, dict[str, Any]] = {
    "text": {"text": TEXT},
    "thinking": {"thinking": TEXT | st.just("_REDACTED_THINKING")},
    "tool_call": {
        "name": TEXT.filter(bool),
        "arguments": st.dictionaries(TEXT, VALUE, max_size=2),
        "tool_call_id": TEXT.filter(bool),
    },
    "tool_result": {"text": TEXT, "tool_call_id": TEXT.filter(bool)},
    "inline_data": {"data": st.binary(max_size=9), "mime_type": TEXT},
    "inline_thinking": {"data": st.binary(max_size=9), "mime_type": TEXT},
    "image_url": {"image_url": TEXT.filter(bool)},
    "embedding": {"embedding": st.lists(NUMBER, max_size=2)},
}


@st.composite
def items(draw: st.DrawFn) -> Any:
    """An item of any kind, most often thinking, with or without fidelity and something beside."""
    kind = draw(st.sampled_from(["thinking", "thinking", "thinking", *FIELDS]))
    made = {"type": f"{kind}.done"} | {name: draw(value) for name, value in FIELDS[kind].items()}
    if draw(st.booleans()):
        made["fidelity"] = draw(fidelity())
    if draw(st.integers(0, 5)) == 0:
        made["beside"] = draw(VALUE)
    return made


PROVIDERS = ["openai", "xai", "openrouter", "anthropic", "gemini", "bedrock", "minimax", "openai-chat", "nobody"]
BESIDE = {"created_at": NUMBER, "usage_metadata": VALUE, "beside": VALUE}


@st.composite
def messages(draw: st.DrawFn) -> Any:
    """A message that some provider would take."""
    made = {"role": draw(st.sampled_from(["user", "assistant"])), "content_items": draw(st.lists(items(), max_size=3))}
    made["content_items"].append({"type": "text.done", "text": "said"})
    if draw(st.integers(0, 4)):
        made["origin"] = {"provider": draw(st.sampled_from(PROVIDERS)), "model": draw(TEXT)}
    elif draw(st.booleans()):
        made["origin"] = draw(st.none() | st.dictionaries(TEXT, VALUE, max_size=2))
    for name, value in BESIDE.items():
        if draw(st.booleans()):
            made[name] = draw(value)
    assume(admitted(made))
    return made


WIRES = ["openai-responses", "openai-chat", "anthropic-messages", "gemini-interactions", "gemini-generate-content"]


def admitted(message: Any) -> bool:
    """Whether any provider would take it."""
    try:
        admit(message)
    except InvalidMessageError:
        return False
    return True


def spelled(value: Any) -> str:
    """Everything that makes two messages differ: order of keys, spelling of numbers, bytes apart from texts."""
    return repr(value)


@examples(200)
@given(messages(), st.none() | st.sampled_from(WIRES))
def test_a_message_comes_back_as_it_was(message: Any, hint: str | None) -> None:
    """To the order of its keys and the spelling of its numbers, whatever its fidelity holds."""
    line = write_message(message, hint)
    back, differing = read_message(line)
    assert spelled(back) == spelled(copied(message))
    assert differing == []
    assert b"\n" not in line
    assert write_message(back, hint) == line


@examples(40)
@given(st.lists(st.lists(messages(), max_size=3), max_size=3))
def test_a_history_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, turns: list[list[Any]]) -> None:
    """Turn by turn, in another session object."""
    folder = tmp_path_factory.mktemp("laws")
    with store(folder).open("s") as session:
        for messages in turns:
            session.append(messages)
    with store(folder).open("s") as session:
        assert spelled(session.messages) == spelled(copied([message for messages in turns for message in messages]))
        assert session.findings == ()


def outcome(client_type: str, history: list[Any]) -> str:
    """The body of a request, to the byte, or why there is none."""
    try:
        return spelled(wire(client_type, "m").encode(history))
    except TurnError as error:
        return str(error)


@pytest.mark.parametrize("client_type", CLIENT_TYPES)
@examples(15)
@given(history=st.lists(messages(), min_size=1, max_size=3))
def test_every_dialect_writes_a_stored_history_as_before(client_type: str, history: list[Any]) -> None:
    """The request is the same to the byte, and so is its refusal."""
    provider, name = wire(client_type, "m").provider, wire(client_type, "m").name
    for message in history:
        message["origin"] = {"provider": provider, "model": "m"} if provider else {}
    stored = [read_message(write_message(message, name))[0] for message in history]
    assert outcome(client_type, stored) == outcome(client_type, history)


BEDROCK: Any = {
    "role": "assistant",
    "content_items": [
        {"type": "thinking.done", "thinking": "Seven.", "fidelity": {"signature": "c2ln"}},
        {"type": "thinking.done", "thinking": "_REDACTED_THINKING", "fidelity": {"redacted_content": "c2VhbGVk"}},
        {"type": "text.done", "text": "Yes."},
    ],
    "origin": {"provider": "bedrock", "model": "m"},
}


def test_both_forms_of_bedrock_are_kept_in_envelopes() -> None:
    """Signed text and sealed bytes, and the request is the same."""
    line = write_message(BEDROCK, "bedrock-converse")
    assert line.count(b"ostinato.bedrock-converse.reasoning") == 2
    assert outcome("bedrock-converse", [read_message(line)[0]]) == outcome("bedrock-converse", [BEDROCK])
    assert b'"redacted_content":null' in line
    assert "c2VhbGVk" in outcome("bedrock-converse", [BEDROCK])


def test_every_dialect_has_a_wire_that_the_store_knows() -> None:
    """A new dialect needs no row here: its provider is found in the registry."""
    for client_type in CLIENT_TYPES:
        bound = wire(client_type, "m")
        if bound.origin is not None:
            assert wires_of(bound.origin, bound.name) == {bound.name}
    assert not wires_of(None, "openai-responses")
    assert not wires_of({"provider": []}, None)


@given(st.binary(max_size=200), st.integers(1, 9), st.integers(0, 300), st.integers(0, 9))
def test_lines_do_not_depend_on_how_they_are_read(data: bytes, chunk: int, end: int, limit: int) -> None:
    """They are those of the file up to where it is read, however the system cuts it."""
    data = data.replace(b"a", b"\n")
    read = lambda size, offset: data[offset : offset + min(size, chunk)]  # noqa: E731 - one line
    expected, place = [], 0
    for whole in data[:end].split(b"\n"):
        expected.append(Line(place, whole if len(whole) <= limit else None))
        place += len(whole) + 1
    if expected[-1].data == b"":
        expected.pop()
    assert list(lines_of(read, end, limit=limit)) == expected


JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(TEXT, JSON, max_size=4),
    st.lists(st.binary(max_size=9).map(lambda b: b.replace(b"\n", b"")), max_size=3),
)
def test_a_seal_opens_to_what_was_sealed(head: Json, lines: list[bytes]) -> None:
    """And its check holds for nothing else."""
    whole = sealed(head, lines)
    first, *rest = whole.split(b"\n")
    body = b"\n".join(lines)
    opened, begun, digest = frame.open_seal(first)
    assert json.dumps(opened) == json.dumps({**head, "bytes": len(body)})
    assert frame.holds(begun, body, digest)
    assert not frame.holds(begun, body + b"x", digest)
    assert not frame.holds(begun[:-1], body, digest)
    assert b"\n".join(rest) == (body + b"\n" if body else b"")


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_strict_takes_one_spelling_or_refuses_by_name(data: bytes) -> None:
    """Any bytes give a value that is written as these bytes, or a fault."""
    try:
        value = strict(data)
    except frame.FaultError:
        assume(True)  # noqa: FBT003
    else:
        assert frame.compact(value).encode() == data
