"""Random items, made from the oracle's tables, and random damage to them."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.oracle import ORIGIN, Number
from tests.oracle_tables import CONTRACTS, OMIT_IF_EMPTY, REQUIRED, SEALED, Field, Table

# Characters at the borders of the rules, and any other that UTF-8 can hold.
BORDERS = '\0\x01\x08\t\n\x0b\x0c\r\x1f "\\/\x7f\x80\u2028\u2029\ud7ff\ue000\ufeff\uffff\U00010000\U0010ffff😀'
CHARACTERS = st.one_of(st.sampled_from(BORDERS), st.characters(exclude_categories=["Cs"]))
HALVES = st.characters(categories=["Cs"])


def texts(minimum: int = 0, maximum: int = 12) -> st.SearchStrategy[str]:
    """Any text that can be stored."""
    return st.text(CHARACTERS, min_size=minimum, max_size=maximum)


NUMBERS = st.one_of(
    st.integers().map(Number),
    st.from_regex(r"\A-?(0|[1-9][0-9]{0,9})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?\Z").map(Number),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, texts()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts(maximum=5), inner, max_size=3)),
    max_leaves=8,
)


@st.composite
def _part(draw: st.DrawFn, types: dict[str, tuple[Field, ...]]) -> Any:
    tag = draw(st.sampled_from(sorted(types)))
    kept = {
        field.name: draw(VALUES[field.kind](field, int(field.presence == OMIT_IF_EMPTY)))
        for field in types[tag]
        if field.presence == REQUIRED or draw(st.booleans())
    }
    return {"type": tag, **kept}


def _base64(data: bytes, url_safe: bool, bare: bool) -> str:  # noqa: FBT001
    text = (base64.urlsafe_b64encode if url_safe else base64.b64encode)(data).decode()
    return text.rstrip("=") if bare else text


BASE64 = st.builds(_base64, st.binary(min_size=1, max_size=12), st.booleans(), st.booleans())

VALUES: dict[str, Callable[[Field, int], st.SearchStrategy[Any]]] = {
    "tag": lambda field, _least: st.just(field.detail),
    "id": lambda _field, _least: texts(1),
    "opaque": lambda _field, _least: texts(1),
    "base64": lambda _field, _least: BASE64,
    "text": lambda _field, least: texts(least),
    "integer": lambda _field, _least: st.integers().map(Number),
    "flag": lambda _field, _least: st.booleans(),
    "json": lambda _field, _least: JSON.filter(lambda value: value is not None),
    "object": lambda field, _least: items(field.detail),
    "parts": lambda field, least: st.lists(_part(field.detail), min_size=least, max_size=3),
}


@st.composite
def items(draw: st.DrawFn, table: Table) -> dict[str, Any]:
    """A canonical item of a table."""
    fields = {field.name: field for field in table.fields}
    present = {name for name, field in fields.items() if field.presence == REQUIRED or draw(st.booleans())}
    if table.rule is not None:
        _fewest, most, names = table.rule
        chosen = draw(st.sampled_from([name for name in names if name in fields]))
        present = (present - set(names) if most == 1 else present) | {chosen}
    return {
        name: draw(VALUES[field.kind](field, int(field.presence == OMIT_IF_EMPTY)))
        for name, field in fields.items()
        if name in present
    }


ORIGINS = st.fixed_dictionaries(
    {},
    optional={
        name: st.text("0123456789abcdef", min_size=64, max_size=64) if name == "account" else texts(1)
        for name in ORIGIN
    },
).filter(bool)


@st.composite
def stored(draw: st.DrawFn) -> tuple[str, dict[str, Any], dict[str, str] | None]:
    """The name of an item, the item, and perhaps an origin."""
    name = draw(st.sampled_from(sorted(SEALED)))
    return name, draw(items(SEALED[name])), draw(st.none() | ORIGINS)


@st.composite
def sent(draw: st.DrawFn) -> tuple[str, str, Any]:
    """Wire, provider, and what a provider may send: an item in any order, with nulls, unknown fields, and damage."""
    wire, provider = draw(st.sampled_from(sorted(CONTRACTS)))
    name, table = draw(st.sampled_from(sorted(CONTRACTS[wire, provider].items(), key=lambda row: row[0])))
    fields = dict(draw(items(table)))
    for field in table.fields:
        if field.name not in fields and draw(st.booleans()):
            fields[field.name] = draw(st.sampled_from([None, "", []]))
        if field.aliases and field.name in fields and draw(st.booleans()):
            fields[field.aliases[0]] = fields.pop(field.name)
    fields |= draw(
        st.dictionaries(st.one_of(st.sampled_from(["x", "role", "created_by"]), texts(1, 4)), JSON, max_size=2)
    )
    if "reasoning" in name and draw(st.booleans()):
        fields["status"] = draw(st.sampled_from([None, "completed", "incomplete", "other", [], Number("1")]))
    if draw(st.integers(0, 3)) == 0 and fields:
        damaged = draw(st.sampled_from(sorted(fields)))
        fields[damaged] = draw(JSON)
    order = draw(st.permutations(sorted(fields)))
    return wire, provider, {key: fields[key] for key in order}


@st.composite
def edits(draw: st.DrawFn, text: str) -> str:
    """The text after a few small edits."""
    fragments = [
        *('"', "\\", ",", ":", "{", "}", "[", "]", "null", "1", "1.0", "true", " ", "\n", "\ufeff", "NaN", "\x01"),
        *('"id":"x",', '"content":[],', ',"origin":null', "\\u0041", "\\ud800", "\\/", "é", '"x":1,', '"text":""'),
    ]
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.sampled_from([0, 0, 1, 2, 8])))
        text = text[:start] + draw(st.sampled_from(["", *fragments])) + text[stop:]
    return text
