"""Ways to be malformed that no vector can hold: Python objects that fight back, and texts of many megabytes."""

from __future__ import annotations

import array
import collections
import enum
import itertools
import json
import pathlib
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ostinato
from ostinato._core import error_codes
from tests.codec.vectors import load

ITEM: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
CALL: dict[str, Any] = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "x"}


def capture(item: Any, wire: str = "openai-responses", **named: Any) -> ostinato.ReasoningItem:
    """The item in canonical form."""
    return ostinato.canonicalize_completed_reasoning_output_item(item, wire=wire, **named)


def refused(item: Any, wire: str = "openai-responses", **named: Any) -> tuple[str, str]:
    """Code and path of the refusal of an item."""
    with pytest.raises(ostinato.ReplayError) as caught:
        capture(item, wire, **named)
    # What was raised inside would be shown with it, and may quote the input.
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return caught.value.code, caught.value.path


def part(**fields: Any) -> dict[str, Any]:
    """A summary part."""
    return {"type": "summary_text", **fields}


def cycle_of_lists() -> list[Any]:
    """A list that holds itself."""
    loop: list[Any] = []
    loop.append(loop)
    return loop


def cycle_of_dicts() -> dict[str, Any]:
    """A dict that holds itself, some levels down."""
    loop: dict[str, Any] = {}
    loop["a"] = [{"b": loop}]
    return loop


def nested(levels: int) -> list[Any]:
    """Lists in lists."""
    outer: list[Any] = []
    for _ in range(levels):
        outer = [outer]
    return outer


class Raising:
    """An object that raises whatever is done with it."""

    def __init__(self, error: BaseException) -> None:
        object.__setattr__(self, "error", error)

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return object.__getattribute__(self, name)
        raise object.__getattribute__(self, "error")


class RaisingDump:
    """An SDK object whose dump raises."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def model_dump(self, **_options: Any) -> Any:
        """Raise."""
        raise self.error


class RaisingMapping(collections.UserDict[str, Any]):
    """A mapping whose items cannot be read."""

    def items(self) -> Any:
        """Raise."""
        raise KeyError("secret")


class RaisingKey:
    """A key that raises when it is compared, with the hash of a field's name."""

    def __hash__(self) -> int:
        return hash("id")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("secret")


class RaisingList:
    """A list that ends in an error, each time it is read."""

    def __iter__(self) -> Iterator[Any]:
        yield part(text="a")
        raise RuntimeError("secret")


class Colour(enum.Enum):
    """An enumeration of texts."""

    RED = "reasoning"


class Shade(str, enum.Enum):  # noqa: UP042 - the older kind, which people have
    """An enumeration whose members are texts."""

    RED = "reasoning"


MALFORMED: dict[str, tuple[Any, str, str]] = {
    "bytes as id": (ITEM | {"id": b"rs_1"}, "type_mismatch", "id"),
    "bytes as state": (ITEM | {"encrypted_content": b"x"}, "type_mismatch", "encrypted_content"),
    "bytearray as state": (ITEM | {"encrypted_content": bytearray(b"x")}, "type_mismatch", "encrypted_content"),
    "memoryview as state": (ITEM | {"encrypted_content": memoryview(b"x")}, "type_mismatch", "encrypted_content"),
    "array as state": (ITEM | {"encrypted_content": array.array("B", b"x")}, "type_mismatch", "encrypted_content"),
    "bytes as type": (ITEM | {"type": b"reasoning"}, "unknown_item_type", "type"),
    "bytes as text of a part": (ITEM | {"summary": [part(text=b"a")]}, "type_mismatch", "summary/0/text"),
    "bytes as summary": (ITEM | {"summary": b"a"}, "type_mismatch", "summary"),
    "UUID as id": (ITEM | {"id": uuid.UUID(int=1)}, "type_mismatch", "id"),
    "enum as type": (ITEM | {"type": Colour.RED}, "unknown_item_type", "type"),
    "list as status": (ITEM | {"status": ["completed"]}, "status_invalid", "status"),
    "set as status": (ITEM | {"status": {"completed"}}, "status_invalid", "status"),
    "object as status": (ITEM | {"status": object()}, "status_invalid", "status"),
    "NaN as id": (ITEM | {"id": float("nan")}, "type_mismatch", "id"),
    "class as item": (dict, "type_mismatch", ""),
    "function as item": (capture, "type_mismatch", ""),
    "None as item": (None, "type_mismatch", ""),
    "object as item": (object(), "type_mismatch", ""),
    "empty namespace": (types.SimpleNamespace(), "missing_field", "type"),
    "dict view as item": (ITEM.items(), "type_mismatch", ""),
    "set of texts as summary": (ITEM | {"summary": {"a"}}, "type_mismatch", "summary/0"),
    "lone surrogate in id": (ITEM | {"id": "rs_\ud83d"}, "lone_surrogate", "id"),
    "lone surrogate in state": (ITEM | {"encrypted_content": "\udc80"}, "lone_surrogate", "encrypted_content"),
    "lone surrogate in a part": (ITEM | {"summary": [part(text="a\ud83d")]}, "lone_surrogate", "summary/0/text"),
    "lone surrogate in an unknown key": (ITEM | {"\ud83d": 1}, "lone_surrogate", ""),
    "lone surrogate in status": (ITEM | {"status": "\ud83d"}, "lone_surrogate", "status"),
    "lone surrogate in type": (ITEM | {"type": "\ud83d"}, "unknown_item_type", "type"),
    "lone surrogate in text": ('{"type":"\ud83d"}', "lone_surrogate", ""),
    "cycle in an unknown field": (ITEM | {"x": cycle_of_lists()}, "too_deep", "x"),
    "cycle of dicts in an unknown field": (ITEM | {"x": cycle_of_dicts()}, "too_deep", "x"),
    "cycle in the summary": (ITEM | {"summary": cycle_of_lists()}, "type_mismatch", "summary/0"),
    "200,000 levels in an unknown field": (ITEM | {"x": nested(200_000)}, "too_deep", "x"),
    "200,000 levels in the summary": (ITEM | {"summary": nested(200_000)}, "type_mismatch", "summary/0"),
    "endless summary": (ITEM | {"summary": itertools.repeat(part(text=""))}, "too_many_parts", "summary"),
    "attributes raise": (Raising(RuntimeError("secret")), "unreadable_object", ""),
    "attributes of a part raise": (
        ITEM | {"summary": [Raising(ValueError("secret"))]},
        "unreadable_object",
        "summary/0",
    ),
    "dump raises": (RaisingDump(RuntimeError("secret")), "unreadable_object", ""),
    "dump raises a type error": (RaisingDump(TypeError("secret")), "unreadable_object", ""),
    "dump overflows the stack": (RaisingDump(RecursionError("secret")), "unreadable_object", ""),
    "dump runs out of memory": (RaisingDump(MemoryError("secret")), "unreadable_object", ""),
    "mapping raises": (RaisingMapping(ITEM), "unreadable_object", ""),
    "iterator raises": (ITEM | {"summary": RaisingList()}, "unreadable_object", "summary"),
    "key raises": (
        {RaisingKey(): 1, "type": "reasoning", "summary": [], "encrypted_content": "x"},
        "unreadable_object",
        "",
    ),
}


@pytest.mark.parametrize(("item", "code", "path"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_objects_are_refused(item: Any, code: str, path: str) -> None:
    """Each is refused by name, at its place, and nothing else is raised."""
    assert refused(item) == (code, path)


MALFORMED_ARGUMENTS: dict[str, tuple[Any, str, str]] = {
    "NaN": ({"a": float("nan")}, "not_finite", "a"),
    "infinity": ({"a": [float("-inf")]}, "not_finite", "a/0"),
    "integer of 5,000 digits": ({"a": 10**5000}, "too_large", "a"),
    "key that is a number": ({5: 1}, "type_mismatch", "key:int"),
    "key that is None": ({None: 1}, "type_mismatch", "key:NoneType"),
    "lone surrogate": ({"a": "\ud83d"}, "lone_surrogate", "a"),
    "lone surrogate in a key": ({"\ud83d": 1}, "lone_surrogate", ""),
    "cycle": (cycle_of_dicts(), "too_deep", ""),
    "object": ({"a": object()}, "type_mismatch", "a"),
    "function": ({"a": print}, "type_mismatch", "a"),
    "object that raises": ({"a": Raising(RuntimeError("secret"))}, "unreadable_object", "a"),
    "iterator that raises": ({"a": RaisingList()}, "unreadable_object", "a"),
}


@pytest.mark.parametrize(("arguments", "code", "path"), MALFORMED_ARGUMENTS.values(), ids=MALFORMED_ARGUMENTS)
def test_malformed_arguments_are_refused(arguments: Any, code: str, path: str) -> None:
    """A tool call that a signature belongs to is kept whole or refused: nothing in it is changed to fit."""
    found, where = refused(CALL | {"functionCall": {"name": "f", "args": arguments}}, "gemini-generate-content")
    assert found == code
    assert where.startswith("functionCall/args")
    assert code == "too_deep" or where == f"functionCall/args/{path}".rstrip("/")


def test_endless_arguments_meet_the_limit_of_bytes() -> None:
    """An iterator without end stops at the limit."""
    call = CALL | {"functionCall": {"args": itertools.repeat("a")}}
    limits = ostinato.Limits(max_item_bytes=10_000)
    assert refused(call, "gemini-generate-content", limits=limits)[0] == "too_large"


ODD_BUT_SOUND: dict[str, Any] = {
    "tuple as summary": ITEM | {"summary": (part(text="a"),)},
    "generator as summary": lambda: ITEM | {"summary": (part(text=text) for text in "a")},
    "deque as summary": ITEM | {"summary": collections.deque([part(text="a")])},
    "ordered dict": collections.OrderedDict(ITEM, summary=[part(text="a")]),
    "user dict": collections.UserDict(ITEM, summary=[collections.UserDict(part(text="a"))]),
    "chain map": collections.ChainMap({"summary": [part(text="a")]}, ITEM),
    "enum that is a text": ITEM | {"type": Shade.RED, "summary": [part(text="a")]},
    "number as an unknown key": ITEM | {5: 1, "summary": [part(text="a")]},
    "NaN in an unknown field": ITEM | {"x": float("nan"), "summary": [part(text="a")]},
    "integer of 5,000 digits in an unknown field": ITEM | {"x": 10**5000, "summary": [part(text="a")]},
    "object in an unknown field": ITEM | {"x": object(), "summary": [part(text="a")]},
    "object that raises in an unknown field": ITEM | {"x": Raising(RuntimeError()), "summary": [part(text="a")]},
    "bytes in an unknown field": ITEM | {"x": b"\xff", "summary": [part(text="a")]},
    "one value in two places": ITEM | {"x": [ITEM] * 1000, "y": ITEM, "summary": [part(text="a")]},
}


@pytest.mark.parametrize("item", ODD_BUT_SOUND.values(), ids=ODD_BUT_SOUND)
def test_odd_objects_are_captured(item: Any) -> None:
    """What only looks odd, or stands where it is dropped, is no reason to lose the state."""
    kept = capture(item() if isinstance(item, types.FunctionType) else item)
    assert kept.to_dict() == ITEM | {"summary": [part(text="a")]}


def test_shared_values_cost_no_more_than_they_hold() -> None:
    """A value shared at every level of a hundred is not walked two to the hundred times."""
    shared: list[Any] = []
    for _ in range(100):
        shared = [shared, shared]
    assert capture(ITEM | {"x": shared}).dropped_fields == ("x",)


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_interrupts_go_through(interrupt: type[BaseException]) -> None:
    """What is no `Exception` is nobody's to swallow."""
    with pytest.raises(interrupt):
        capture(RaisingDump(interrupt()))


def test_a_dict_that_changes_while_it_is_read() -> None:
    """Foreign code that adds keys while an item is read cannot break the reading."""
    item: dict[str, Any] = dict(ITEM)

    class Meddler:
        """Adds a key whenever it is looked at."""

        def __getattr__(self, name: str) -> Any:
            item[f"x{len(item)}"] = 1
            raise AttributeError(name)

    item["meddler"] = Meddler()
    assert capture(item).id == "rs_1"


class Text(str):
    """A subclass of text, with ideas of its own."""

    __slots__ = ()

    def __str__(self) -> str:
        return "other"

    def encode(self, *_arguments: Any, **_named: Any) -> bytes:
        """Encode something else."""
        return b"other"


def test_subclasses_of_text_are_their_text() -> None:
    """What a subclass says of itself does not matter."""
    assert capture(ITEM | {"id": Text("rs_1")}) == capture(ITEM)
    stored = Text(ostinato.serialize_reasoning_replay_envelope(capture(ITEM)))
    assert type(ostinato.serialize_reasoning_replay_envelope(ostinato.parse_reasoning_replay_envelope(stored))) is str


NOT_TEXT: list[Any] = [None, 5, 1.5, True, [], {}, object(), str, "".join]


@pytest.mark.parametrize("value", NOT_TEXT, ids=[type(value).__name__ for value in NOT_TEXT])
def test_what_is_no_text_is_not_parsed(value: Any) -> None:
    """A stored envelope is a text."""
    with pytest.raises(ostinato.ReplayError, match="type_mismatch"):
        ostinato.parse_reasoning_replay_envelope(value)


MIB = 1 << 20
HEAD = '{"schema":"fast-agent.openai-responses.reasoning-replay","version":1,"item":'
LARGE: dict[str, tuple[Callable[[], str], str]] = {
    "one string": (lambda: '"' + "x" * (65 * MIB) + '"', "too_large"),
    "spaces": (lambda: " " * (65 * MIB), "too_large"),
    "brackets": (lambda: "[" * (32 * MIB), "too_deep"),
    "an open string": (lambda: HEAD + '"' + "x" * (32 * MIB), "truncated"),
    "escapes": (lambda: HEAD + '"' + "\\u0041" * (4 * MIB) + '"}', "type_mismatch"),
    "digits": (lambda: HEAD + "1" * (32 * MIB) + "}", "type_mismatch"),
    "keys": (lambda: HEAD + json.dumps({f"k{n}": n for n in range(200_000)}) + "}", "missing_field"),
}


@pytest.mark.parametrize(("make", "code"), LARGE.values(), ids=LARGE)
def test_large_texts(make: Callable[[], str], code: str) -> None:
    """Megabytes of one thing are refused by name, in time proportional to their length."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.parse_reasoning_replay_envelope(make())
    assert caught.value.code == code


def test_a_ciphertext_of_32_mib() -> None:
    """There is no upper bound on state but the limit of bytes."""
    item = capture(ITEM | {"encrypted_content": "x" * (32 * MIB)})
    stored = ostinato.serialize_reasoning_replay_envelope(item)
    assert ostinato.parse_reasoning_replay_envelope(stored.encode()) == item
    assert len(stored) == 32 * MIB + 77 + len(json.dumps(ITEM, separators=(",", ":"))) - 1


def test_as_much_as_the_limit_is_stored_and_read_again() -> None:
    """An item that just fits the limit, with an origin as long as one may be, is read within the limit (rule L2)."""
    limits = ostinato.Limits(max_item_bytes=1000)
    empty = len(json.dumps(ITEM, separators=(",", ":"))) - 1
    item = capture(ITEM | {"encrypted_content": "x" * (1000 - empty)}, limits=limits)
    long = "\0" * 1024
    origin = ostinato.Origin(provider=long, endpoint=long, account="0" * 64, model=long)
    stored = ostinato.serialize_reasoning_replay_envelope(item, origin=origin)
    assert ostinato.parse_reasoning_replay_envelope(stored, limits=limits) == item
    assert refused(ITEM | {"encrypted_content": "x" * (1001 - empty)}, limits=limits) == ("too_large", "")


@pytest.mark.parametrize("code", ostinato.ERROR_CODES)
def test_every_code_has_a_sentence(code: str) -> None:
    """The list of codes says what each means."""
    assert (
        str(ostinato.ReplayError(code, "item/id", 7)) == f"{code} at item/id (offset 7): {ostinato.ERROR_CODES[code]}"
    )


# Codes that no item, text or object meets; what does is named beside them.
MET_ELSEWHERE = {
    "unknown_policy": lambda: ostinato.dedupe([], provider="openai", policy="none"),
    "origin_invalid": lambda: ostinato.serialize_reasoning_replay_envelope(capture(ITEM), origin=ostinato.Origin()),
}


@pytest.mark.parametrize(("code", "call"), MET_ELSEWHERE.items(), ids=MET_ELSEWHERE)
def test_codes_of_arguments(code: str, call: Callable[[], Any]) -> None:
    """Arguments can be refused, too."""
    with pytest.raises(ostinato.ReplayError) as caught:
        call()
    assert caught.value.code == code


def test_every_code_is_met() -> None:
    """No code is without an input that meets it: in a vector, or in this file."""
    met = {code for _, code, _ in (*MALFORMED.values(), *MALFORMED_ARGUMENTS.values())} | MET_ELSEWHERE.keys()
    met |= {vector.refusal[0] for kind in ("reject", "capture") for vector in load(kind) if vector.refusal is not None}
    assert dict(error_codes()).keys() <= met


def test_every_code_of_the_python_side_is_in_a_test() -> None:
    """Codes that the core does not know are named by the tests of what raises them."""
    own = ostinato.ERROR_CODES.keys() - dict(error_codes()).keys()
    tests = pathlib.Path(__file__).parents[1]
    text = "".join(path.read_text(encoding="utf-8") for path in tests.rglob("test_*.py"))
    assert {code for code in own if f'"{code}"' not in text} == set()
