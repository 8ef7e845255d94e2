"""Where ostinato answers otherwise than fast-agent 0.10.48, on purpose: the one list.

Three tests read it. `test_fast_agent_differences` shows what ostinato answers to each example, the peer tests show
what the real package answers and allow no difference that is not named here, and a third compares the list with
`docs/differences.md`, which gives the reasons.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import json
import pathlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.compat.fast_agent_vectors import compact, enveloped, part, reasoning

COMPACTION_SCHEMA = "fast-agent.openai-responses.compaction-replay"

REFUSES = "refuses"
ACCEPTS = "accepts"
# Python's own JSON reader fails, so that the drop-in module has nothing to answer.
UNREACHABLE = "unreachable"

# What fast-agent turns into its text, or into its value.
STAND_INS = (dt.date, decimal.Decimal, enum.Enum, pathlib.Path, uuid.UUID)

Covers = Callable[[Any], bool]


@dataclass(frozen=True)
class Difference:
    """One difference: an example, and who answers what to it.

    `reference` and `compat` are `accepts`, `refuses`, `unreachable` or the name of an exception; `codec` is
    `accepts` or the code of the refusal. `covers` tells whether an input is touched by the difference.
    """

    name: str
    example: Callable[[], Any]
    reference: str
    compat: str
    codec: str
    covers: Covers

    def concerns(self, surface: str) -> bool:
        """Whether this surface differs from the reference; the other may agree with it."""
        if surface == "compat":
            return self.compat != self.reference
        return (self.codec == ACCEPTS) != (self.reference == ACCEPTS)


def stored(**changed: Any) -> dict[str, Any]:
    """A stored envelope, with some fields of its item changed."""
    item = reasoning(**changed)
    del item["status"]
    return enveloped(item)


def compaction(**changed: Any) -> dict[str, Any]:
    """A stored compaction envelope, with some fields of its item changed."""
    item = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAAB-cipher_1"} | changed
    return {"schema": COMPACTION_SCHEMA, "version": 1, "item": item, "origin": "openai"}


def nested(depth: int) -> list[Any]:
    """A list in a list, and so on."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


# What an input holds.


def _kept_texts(item: object) -> Iterator[object]:
    """What stands where the codec keeps a text: the fields and the parts of an item."""
    if not isinstance(item, Mapping):
        return
    for name in ("type", "id", "encrypted_content"):
        yield item.get(name)
    for name in ("summary", "content"):
        parts = item.get(name)
        if isinstance(parts, str | bytes | bytearray | Mapping) or not hasattr(parts, "__iter__"):
            continue
        for each in parts:
            if isinstance(each, Mapping):
                yield from (each.get("type"), each.get("text"))


def _item(value: object) -> object:
    """The item of an envelope, a decoded value or an item as it is."""
    return value["item"] if isinstance(value, Mapping) and "item" in value else value


def _is_half_pair(text: object) -> bool:
    return isinstance(text, str) and any("\ud800" <= character <= "\udfff" for character in text)


def has_lone_surrogate(value: object) -> bool:
    """Whether a text that would be kept holds half of a surrogate pair."""
    # A stored text that holds one unescaped is no text at all, wherever it stands.
    outside = (value, value.get("origin") if isinstance(value, Mapping) else None)
    return any(_is_half_pair(text) for text in (*outside, *_kept_texts(_item(value))))


def has_lone_surrogate_in_key(value: object) -> bool:
    """Whether the name of a field, of an item or of a part, holds half of a surrogate pair."""
    item = _item(value)
    lists = [item.get("summary"), item.get("content")] if isinstance(item, Mapping) else []
    parts = [each for parts in lists if isinstance(parts, list | tuple) for each in parts]
    return any(_is_half_pair(key) for each in (item, *parts) if isinstance(each, Mapping) for key in each)


def has_bytes(value: object) -> bool:
    """Whether bytes stand where a text belongs."""
    return any(isinstance(text, bytes | bytearray | memoryview) for text in _kept_texts(value))


def has_stand_in(value: object) -> bool:
    """Whether something that stands for a text is where a text belongs, or for a status."""
    status = value.get("status") if isinstance(value, Mapping) else None
    return any(isinstance(text, STAND_INS) for text in (status, *_kept_texts(value)))


def has_printed_object(value: object) -> bool:
    """Whether an object that is no data and stands for none is where a text belongs."""
    data = (type(None), str, int, float, *STAND_INS, Iterable)
    return any(not isinstance(text, data) for text in _kept_texts(value))


def has_container_status(value: object) -> bool:
    """Whether the status is a list, an object or the like."""
    status = value.get("status") if isinstance(value, Mapping) else None
    return isinstance(status, list | dict | set | tuple)


def has_many_parts(value: object) -> bool:
    """Whether a list has more parts than the default limit."""
    item = _item(value)
    lists = (item.get("summary"), item.get("content")) if isinstance(item, Mapping) else ()
    return any(isinstance(parts, list) and len(parts) > 10_000 for parts in lists)


def has_loose_version(value: object) -> bool:
    """Whether the version equals 1 and is no integer."""
    version = value.get("version") if isinstance(value, Mapping) else None
    return type(version) is not int and version == 1


def has_unknown_part_field(value: object) -> bool:
    """Whether a part holds more than its type and its text."""
    item = _item(value)
    lists = [item.get("summary"), item.get("content")] if isinstance(item, Mapping) else []
    parts = [each for parts in lists if isinstance(parts, list) for each in parts]
    return any(isinstance(each, Mapping) and each.keys() - {"type", "text"} for each in parts)


def has_unknown_compaction_field(value: object) -> bool:
    """Whether the item of a compaction envelope holds more than its three fields."""
    item = _item(value)
    return isinstance(item, Mapping) and bool(item.keys() - {"type", "id", "encrypted_content"})


def _noticed(text: object, hook: str, notice: Callable[[Any], bool]) -> bool:
    """Whether something is noticed by a hook of Python's JSON reader; nothing is in what it does not read."""
    found = []

    def look(given: Any) -> None:
        found.append(notice(given))

    if isinstance(text, str):
        try:
            json.loads(text, **{hook: look})
        except (ValueError, RecursionError):
            return False
    return any(found)


def has_duplicate_key(value: object) -> bool:
    """Whether an object of a JSON text has a key twice."""
    return _noticed(value, "object_pairs_hook", lambda pairs: len({key for key, _ in pairs}) < len(pairs))


def has_not_a_number(value: object) -> bool:
    """Whether NaN or an infinity stands in a text by name."""
    return _noticed(value, "parse_constant", bool)


def _no(_: object) -> bool:
    """For differences whose inputs no generator makes."""
    return False


# Capture: what a provider sent.

CAPTURE = (
    Difference(
        "status-is-no-container",
        lambda: reasoning(status=["completed"]),
        "TypeError",
        REFUSES,
        "status_invalid",
        has_container_status,
    ),
    Difference(
        "bytes-are-no-text",
        lambda: reasoning(encrypted_content=b"abc"),
        ACCEPTS,
        REFUSES,
        "type_mismatch",
        has_bytes,
    ),
    Difference(
        "objects-are-no-text",
        lambda: reasoning(id=object()),
        ACCEPTS,
        REFUSES,
        "type_mismatch",
        has_printed_object,
    ),
    Difference(
        "stand-ins-are-no-text",
        lambda: reasoning(id=uuid.UUID(int=1)),
        ACCEPTS,
        ACCEPTS,
        "type_mismatch",
        has_stand_in,
    ),
    Difference(
        "captured-lone-surrogate",
        lambda: reasoning(encrypted_content="en\ud800c"),
        ACCEPTS,
        REFUSES,
        "lone_surrogate",
        has_lone_surrogate,
    ),
    Difference(
        "lone-surrogate-in-a-key",
        lambda: reasoning(**{"\ud800": 1}),
        ACCEPTS,
        ACCEPTS,
        "lone_surrogate",
        has_lone_surrogate_in_key,
    ),
    Difference(
        "deep-dropped-field",
        lambda: reasoning(x=nested(20_000)),
        "RecursionError",
        ACCEPTS,
        "too_deep",
        _no,
    ),
    Difference(
        "limits",
        lambda: reasoning(summary=[part("")] * 10_001),
        ACCEPTS,
        REFUSES,
        "too_many_parts",
        has_many_parts,
    ),
)

# Reading: stored text. The drop-in module is handed the decoded value, as fast-agent does it.

READ = (
    Difference(
        "version-is-the-integer-1",
        lambda: compact(stored() | {"version": True}),
        ACCEPTS,
        REFUSES,
        "version_not_integer",
        has_loose_version,
    ),
    Difference(
        "unknown-part-field",
        lambda: compact(stored(summary=[part("A") | {"future": 1}])),
        ACCEPTS,
        REFUSES,
        "unknown_field",
        has_unknown_part_field,
    ),
    Difference(
        "stored-lone-surrogate",
        lambda: json.dumps(stored(encrypted_content="en\ud800c")),
        ACCEPTS,
        REFUSES,
        "lone_surrogate",
        has_lone_surrogate,
    ),
    Difference(
        "duplicate-key",
        lambda: compact(stored())[:-2] + ',"id":"rs_2"}}',
        ACCEPTS,
        ACCEPTS,
        "duplicate_key",
        has_duplicate_key,
    ),
    Difference(
        "not-a-number",
        lambda: compact(stored(summary=[part("A") | {"x": float("nan")}])),
        ACCEPTS,
        REFUSES,
        "not_json",
        has_not_a_number,
    ),
    Difference(
        "number-of-many-digits",
        lambda: compact(stored()).replace('"version":1', '"version":' + "1" * 4_301),
        "ValueError",
        UNREACHABLE,
        "version_unknown",
        _no,
    ),
    Difference(
        "deep-text",
        lambda: compact(stored())[:-1] + ',"x":' + "[" * 200_000 + "]" * 200_000 + "}",
        "RecursionError",
        UNREACHABLE,
        "too_deep",
        _no,
    ),
    Difference(
        "other-envelopes",
        lambda: compact(compaction()),
        REFUSES,
        REFUSES,
        ACCEPTS,
        _no,
    ),
)

# Compaction items: decoded envelopes.

COMPACTION = (
    Difference(
        "unknown-compaction-field",
        lambda: compaction(created_by="x"),
        ACCEPTS,
        REFUSES,
        "unknown_field",
        has_unknown_compaction_field,
    ),
)

# Decoded values that no JSON text gives.

PAYLOAD = (
    Difference(
        "parts-in-a-tuple",
        lambda: stored(summary=(part("A"),)),
        REFUSES,
        ACCEPTS,
        ACCEPTS,
        _no,
    ),
    Difference(
        "payload-is-no-mapping",
        lambda: None,
        "TypeError",
        REFUSES,
        "not_an_envelope",
        _no,
    ),
)


def covering(differences: tuple[Difference, ...], surface: str, value: object) -> list[str]:
    """Names of the differences of a surface that touch an input."""
    return [each.name for each in differences if each.concerns(surface) and each.covers(value)]
