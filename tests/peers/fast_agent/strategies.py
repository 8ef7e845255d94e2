"""Items, envelopes and stored texts for hypothesis: good ones, and ones damaged in every way that comes to mind."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import json
import pathlib
import types
import uuid
from collections import OrderedDict, UserDict, deque
from typing import Any

from fast_agent.llm.provider.openai.responses_websocket import _AttrObjectView
from hypothesis import strategies as st
from openai.types.responses import ResponseReasoningItem

from tests.compat.fast_agent_differences import COMPACTION_SCHEMA
from tests.compat.fast_agent_vectors import SCHEMA


class Word(enum.Enum):
    """Enumeration members in place of texts."""

    COMPLETED = "completed"
    ID = "rs_enum"


class TextWord(enum.StrEnum):
    """The same, which are texts too."""

    COMPLETED = "completed"
    ID = "rs_enum"


# Texts that have been trouble to somebody: escapes, controls, separators, half pairs, look-alikes.
ODD_TEXTS = (
    "",
    " ",
    "\0",
    "\x1f\x7f",
    "\b\f\n\r\t",
    '"\\/',
    "\u2028\u2029",
    "\ufeff",
    "😀",
    "e\u0301",
    "\ud800",
    "\udc00x",
    "b'x'",
    "NaN",
)
texts = st.one_of(st.text(max_size=12), st.text(st.characters(), max_size=6), st.sampled_from(ODD_TEXTS))
# The same without halves of surrogate pairs, which are a difference of their own.
whole_texts = texts.filter(lambda text: not any("\ud800" <= character <= "\udfff" for character in text))

scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.just(10**400), st.floats(), texts)
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
# What only Python has. Sets hold texts alone, since their order is nobody's.
python_values = st.one_of(
    st.binary(max_size=4),
    st.binary(max_size=4).map(bytearray),
    st.binary(max_size=4).map(memoryview),
    st.decimals(allow_nan=False),
    st.uuids(),
    st.dates(),
    st.datetimes(),
    st.sampled_from([Word.ID, Word.COMPLETED, TextWord.ID, TextWord.COMPLETED]),
    st.just(pathlib.PurePosixPath("rs")),
    st.just(pathlib.Path("rs")),
    st.just(object()),
    st.just({"a"}),
    st.just(()),
    st.just(uuid.NAMESPACE_DNS),
    st.just(dt.date(2026, 1, 1)),
    st.just(decimal.Decimal("1.0")),
)
values = st.one_of(json_values, python_values)


def parts(tag: str, inner: st.SearchStrategy[Any], words: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Lists of parts: mostly good, at times with a part that is not."""
    good = st.fixed_dictionaries({"type": st.just(tag), "text": words})
    extended = st.builds(lambda part, extra: extra | part, good, st.dictionaries(words, inner, max_size=2))
    tags = st.one_of(st.sampled_from(["summary_text", "reasoning_text", "output_text"]), inner)
    damaged = st.one_of(
        inner,
        st.fixed_dictionaries({}, optional={"type": tags, "text": inner}),
        good.map(types.MappingProxyType),
    )
    return st.lists(st.one_of(good, good, good, extended, damaged), max_size=4)


FIELDS = ("type", "id", "summary", "encrypted_content", "content", "status")


@st.composite
def items(
    draw: st.DrawFn, inner: st.SearchStrategy[Any] = json_values, words: st.SearchStrategy[str] = texts
) -> dict[str, Any]:
    """A provider's item: good, with optional fields, or damaged; keys in any order."""
    good = {
        "type": st.just("reasoning"),
        "id": st.one_of(st.just("rs_1"), words),
        "summary": parts("summary_text", inner, words),
        "encrypted_content": st.one_of(st.just("gAAAAAB-cipher_1"), words),
    }
    optional = {
        "content": st.one_of(st.none(), parts("reasoning_text", inner, words)),
        "status": st.sampled_from([None, "completed", "in_progress", "incomplete", "Completed", "", 0, 1, True]),
    }
    item = draw(st.fixed_dictionaries(good, optional=optional))
    if draw(st.booleans()):
        item |= draw(st.dictionaries(st.one_of(st.sampled_from(FIELDS), words), inner, max_size=2))
    for name in draw(st.lists(st.sampled_from(sorted(item)), max_size=1)) if draw(st.booleans()) else []:
        del item[name]
    order = draw(st.permutations(list(item)))
    return {key: item[key] for key in order}


def _views(value: Any) -> Any:
    """Objects with attributes all the way down; one without any would be printed (objects-are-no-text)."""
    if isinstance(value, dict) and value:
        return types.SimpleNamespace(**{key: _views(each) for key, each in value.items()})
    return [_views(each) for each in value] if isinstance(value, list) else value


def _dumped(item: dict[str, Any]) -> Any:
    class Dumps:
        def model_dump(self) -> dict[str, Any]:
            return item

    return Dumps()


# The forms in which an item may come to capture. Each takes a dict whose keys are texts.
FORMS = {
    "dict": lambda item: item,
    "sdk": lambda item: ResponseReasoningItem.construct(**item),
    "view": _AttrObjectView,
    "namespaces": _views,
    "proxy": types.MappingProxyType,
    "ordered": OrderedDict,
    "user dict": UserDict,
    "dump without mode": _dumped,
    "integer key": lambda item: {**item, 5: 1},
    "tuples": lambda item: {k: tuple(v) if isinstance(v, list) else v for k, v in item.items()},
    "deques": lambda item: {k: deque(v) if isinstance(v, list) else v for k, v in item.items()},
}


@st.composite
def envelopes(draw: st.DrawFn) -> dict[str, Any]:
    """A decoded envelope: good, or damaged in its frame or its item."""
    item = draw(items())
    item.pop("status", None) if draw(st.integers(0, 9)) else None
    if draw(st.integers(0, 3)):
        item = {key: each for key, each in item.items() if key in FIELDS}
    frame: dict[str, Any] = {"schema": SCHEMA, "version": 1, "item": item}
    if not draw(st.integers(0, 3)):
        loose = st.sampled_from([True, 1.0, 1, 2, 0, "1", None, float("nan"), 10**400])
        frame["version"] = draw(st.one_of(loose, scalars))
    if not draw(st.integers(0, 7)):
        frame["schema"] = draw(st.one_of(st.sampled_from([SCHEMA.upper(), COMPACTION_SCHEMA]), scalars))
    if not draw(st.integers(0, 7)):
        frame |= draw(st.dictionaries(texts, json_values, max_size=1))
    if not draw(st.integers(0, 7)):
        frame["item"] = draw(json_values)
    if not draw(st.integers(0, 7)):
        del frame[draw(st.sampled_from(sorted(frame)))]
    return frame


@st.composite
def stored_texts(draw: st.DrawFn) -> str:
    """The JSON text of an envelope in any spelling, sometimes broken."""
    envelope = draw(envelopes())
    spelling = draw(st.sampled_from([{"separators": (",", ":")}, {"separators": (", ", ": ")}, {"indent": 1}]))
    text = json.dumps(envelope, ensure_ascii=draw(st.booleans()), default=dict, **spelling)
    if not draw(st.integers(0, 4)):
        text = draw(st.sampled_from([" {}", "{}\n", "\t\r\n{} ", "\ufeff{}", "{}x", "\u00a0{}", "{}{}"])).replace(
            "{}", text
        )
    if not draw(st.integers(0, 6)):
        old, new = draw(st.sampled_from(REWRITES))
        text = text.replace(old, new, 1)
    if not draw(st.integers(0, 6)):
        start, end = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
        text = draw(st.sampled_from([text[:start] + text[end:], text[:start] + draw(texts) + text[start:]]))
    return text


# Other spellings of a value, duplicate keys, and things that are not JSON.
REWRITES = (
    ('"version":1', '"version":1.0'),
    ('"version":1', '"version":1e0'),
    ('"version":1', '"version":10e-1'),
    ('"version":1', '"version":-1'),
    ('"version":1', '"version":01'),
    ('"version":1', '"version":+1'),
    ('"version":1', '"version":2,"version":1'),
    ('"schema":', '"schema":"x","schema":'),
    ('"id":', '"id":"first","id":'),
    ('"text":', '"text":"first","text":'),
    ('"type":', '"type":"first","type":'),
    ('"item":', '"item":{"a":1,"a":2},"item":'),
    ('"text":', '"\\u0074ext":'),
    ("summary_text", "summary\\u005Ftext"),
    ("reasoning", "\\u0072easoning"),
    ("rs_1", "\\ud83d\\ude00"),
    ("rs_1", "\\uD83D"),
    ("rs_1", "\\x41"),
    ("rs_1", "\\/"),
    ("rs_1", "\x01"),
    ("rs_1", "\t"),
    ('"', "'"),
    ("[", "[,"),
    ("]", ",]"),
    ("null", "NaN"),
    ("null", "Infinity"),
    ("null", "-Infinity"),
    ("{", "{/**/"),
)


@st.composite
def compactions(draw: st.DrawFn) -> dict[str, Any]:
    """A decoded compaction envelope: good, or damaged in its frame or its item."""
    item = {"type": "compaction", "id": draw(texts), "encrypted_content": draw(texts)}
    frame: dict[str, Any] = {"schema": COMPACTION_SCHEMA, "version": 1, "item": item}
    if draw(st.booleans()):
        frame["origin"] = draw(st.one_of(st.sampled_from(["openai", "xai", ""]), json_values))
    if not draw(st.integers(0, 3)):
        item |= draw(st.dictionaries(st.one_of(st.sampled_from(sorted(item)), texts), json_values, max_size=2))
    if not draw(st.integers(0, 3)):
        frame |= draw(st.dictionaries(st.one_of(st.sampled_from(sorted(frame)), texts), json_values, max_size=1))
    if not draw(st.integers(0, 7)):
        frame["version"] = draw(st.sampled_from([True, 1.0, 2, "1"]))
    if not draw(st.integers(0, 7)):
        del frame[draw(st.sampled_from(sorted(frame)))]
    return frame


compaction_items = st.fixed_dictionaries(
    {
        "type": st.one_of(st.just("compaction"), st.just("compaction"), json_values),
        "id": st.one_of(texts, values),
        "encrypted_content": st.one_of(texts, values),
    },
    optional={"status": json_values, "created_by": json_values, "summary": json_values},
)
