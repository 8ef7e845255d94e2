"""The codec again, as naive as can be: what the compiled one must agree with.

Written from `docs/format.md` over the standard library, for obviousness and not for speed. It keeps the text of
numbers, and refuses with one exception.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from tests.oracle_tables import (
    BARE,
    COMPACTION_STRICT,
    CONTRACTS,
    OMIT_IF_EMPTY,
    REQUIRED,
    ROUTE,
    SEALED,
    STRICT,
    Field,
    Table,
)


class Refused(Exception):  # noqa: N818 - it is an answer, no error of ours
    """The input is not accepted."""


class Number(str):
    """A number, by its text."""

    __slots__ = ()


# --- JSON text (rules F1 to F5, L1)


def decode(text: str, max_depth: int = 129) -> Any:
    """The value of a text: objects as dicts, numbers as `Number`. Refuses what rules F1, F3 and F4 refuse."""
    if _depth(text) > max_depth:
        raise Refused("too_deep")
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_int=Number, parse_float=Number, parse_constant=_constant
        )
    except (json.JSONDecodeError, RecursionError) as error:
        raise Refused("not_json") from error


def _depth(text: str) -> int:
    """The deepest nesting of brackets outside of strings, whether or not the text is sound."""
    depth = deepest = 0
    for found in re.findall(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', text, re.DOTALL):
        if found in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif found in "]}":
            depth -= 1
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise Refused("duplicate_key")
    for key in keys:
        sound(key)
    return dict(pairs)


def _constant(_word: str) -> Any:
    raise Refused("not_json")


def sound(text: str) -> str:
    """The same text, which has no half of a surrogate pair."""
    if re.search("[\ud800-\udfff]", text):
        raise Refused("lone_surrogate")
    return text


def spell(value: Any) -> str:
    """The canonical spelling of a value (rule F2)."""
    match value:
        case Number():
            return str(value)
        case str():
            return json.dumps(sound(value), ensure_ascii=False)
        case dict():
            return "{" + ",".join(f"{spell(key)}:{spell(inner)}" for key, inner in value.items()) + "}"
        case list():
            return "[" + ",".join(spell(inner) for inner in value) + "]"
        case _:
            return json.dumps(value)


# --- items (rules C1 to C6, V1 to V9)


def read(
    value: Any, table: Table, *, strict: bool, dropped: list[str] | None = None, place: str = ""
) -> dict[str, Any]:
    """The canonical form of an object by its table; `strict` refuses unknown fields, else they are dropped by name."""
    if not isinstance(value, dict):
        raise Refused("type_mismatch")
    known = {name for field in table.fields for name in (field.name, *(() if strict else field.aliases))}
    _others(value, known, table.ignored, strict=strict, dropped=dropped, place=place)
    kept: dict[str, Any] = {}
    for field in table.fields:
        spellings = [field.name] if strict else [field.name, *field.aliases]
        found = [value[name] for name in spellings if name in value]
        if len(found) > 1:
            raise Refused("duplicate_key")
        given = found[0] if found else None
        if given is None:
            if field.presence == REQUIRED:
                raise Refused("missing_field")
            continue
        read_value = KINDS[field.kind](given, field, strict, dropped, f"{place}{field.name}/")
        empty = read_value in ("", []) and not isinstance(read_value, bool)
        if empty and field.presence == OMIT_IF_EMPTY:
            continue
        if empty and field.kind in ("id", "opaque", "base64"):
            raise Refused("empty_value")
        kept[field.name] = read_value
    if table.rule is not None:
        fewest, most, names = table.rule
        if not fewest <= len(kept.keys() & set(names)) <= most:
            raise Refused("state_missing or fields_conflict")
    return kept


def _others(
    value: dict[str, Any],
    known: set[str],
    ignored: tuple[str, ...],
    *,
    strict: bool,
    dropped: list[str] | None,
    place: str,
) -> None:
    for key in value:
        if key in known:
            continue
        if strict:
            raise Refused("unknown_field")
        if dropped is not None and not (place == "" and key in ignored):
            shown = key if re.fullmatch(r"[A-Za-z0-9_.$:-]{1,64}", key) else f"<key of {len(key.encode())} bytes>"
            dropped.append(place + shown)


def _tag(value: Any, field: Field, *_rest: Any) -> Any:
    if value != field.detail or not isinstance(value, str) or isinstance(value, Number):
        raise Refused("unknown_item_type")
    return value


def _unmarked(value: Any) -> None:
    """What redaction left is named for what it is."""
    if isinstance(value, dict) and (value.get("redacted") is True or {"parts", "bytes"} <= value.keys()):
        raise Refused("redacted")


def _text(value: Any, *_rest: Any) -> Any:
    _unmarked(value)
    if not isinstance(value, str) or isinstance(value, Number):
        raise Refused("type_mismatch")
    return sound(value)


def _base64(value: Any, *_rest: Any) -> Any:
    text = _text(value)
    letters = re.fullmatch(r"([A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(=*)", text)
    if text and (letters is None or letters[2] not in ("", "=" * (-len(letters[1]) % 4)) or len(letters[1]) % 4 == 1):
        raise Refused("signature_not_base64")
    return text


def _integer(value: Any, *_rest: Any) -> Any:
    if not isinstance(value, Number) or re.search("[.eE]", value):
        raise Refused("type_mismatch")
    return value


def _flag(value: Any, *_rest: Any) -> Any:
    if not isinstance(value, bool):
        raise Refused("type_mismatch")
    return value


def _json(value: Any, *_rest: Any) -> Any:
    spell(value)
    return value


def _object_field(value: Any, field: Field, strict: bool, dropped: list[str] | None, place: str) -> Any:  # noqa: FBT001
    return read(value, field.detail, strict=strict, dropped=dropped, place=place)


def _part_list(value: Any, field: Field, strict: bool, dropped: list[str] | None, place: str) -> Any:  # noqa: FBT001
    if not isinstance(value, list):
        raise Refused("type_mismatch")
    parts = []
    for index, part in enumerate(value):
        tag = part.get("type") if isinstance(part, dict) else None
        if not isinstance(tag, str) or isinstance(tag, Number) or tag not in field.detail:
            raise Refused("unknown_part_type")
        table = Table((Field("type", "tag", detail=tag), *field.detail[tag]))
        parts.append(read(part, table, strict=strict, dropped=dropped, place=f"{place}{index}/"))
    return parts


KINDS: dict[str, Callable[..., Any]] = {
    "tag": _tag,
    "id": _text,
    "opaque": _text,
    "base64": _base64,
    "text": _text,
    "integer": _integer,
    "flag": _flag,
    "json": _json,
    "object": _object_field,
    "parts": _part_list,
}


def capture(value: Any, wire: str, provider: str) -> tuple[str, dict[str, Any], list[str]]:
    """The name of the item in SEALED, its canonical form, and the fields that were dropped."""
    if not isinstance(value, dict):
        raise Refused("type_mismatch")
    chosen = None
    for name, table in CONTRACTS[wire, provider].items():
        first = table.fields[0]
        tagged = first.kind == "tag"
        same = tagged and value.get("type") == first.detail and not isinstance(value["type"], Number)
        if same or (not tagged and chosen is None):
            chosen = name
            if same:
                break
    if chosen is None:
        raise Refused("unknown_item_type")
    if chosen == "openai-responses.reasoning" and value.get("status") not in (None, "completed"):
        raise Refused("not_completed or status_invalid")
    dropped: list[str] = []
    return chosen, read(value, CONTRACTS[wire, provider][chosen], strict=False, dropped=dropped), dropped


# --- envelopes (rules E1 to E8)


def envelope(name: str, item: dict[str, Any], origin: dict[str, str] | None = None) -> str:
    """The stored text of a canonical item."""
    for schema, kind, table in [
        (BARE, "openai-responses.reasoning", STRICT),
        (ROUTE, "openai-responses.compaction", COMPACTION_STRICT),
    ]:
        required = {field.name for field in table.fields if field.presence == REQUIRED}
        if name == kind and origin is None and required <= item.keys() <= {field.name for field in table.fields}:
            return spell({"schema": schema, "version": Number(1), "item": item})
    frame: dict[str, Any] = {"schema": f"ostinato.{name}", "version": Number(1), "item": item}
    if origin is not None:
        frame["origin"] = {key: origin[key] for key in ORIGIN if key in origin}
    frame["digest"] = hashlib.sha256(spell(item).encode()).hexdigest()
    return spell(frame)


ORIGIN = ("provider", "endpoint", "account", "model")


def parse(text: str) -> tuple[str, dict[str, Any], dict[str, str] | None]:
    """The name of the item, its canonical form and its origin."""
    frame = decode(text)
    if not isinstance(frame, dict) or not isinstance(frame.get("schema"), str) or isinstance(frame["schema"], Number):
        raise Refused("not_an_envelope")
    schema = frame["schema"]
    tables = {BARE: STRICT, ROUTE: COMPACTION_STRICT} | {f"ostinato.{name}": table for name, table in SEALED.items()}
    if schema not in tables:
        raise Refused("schema_unknown")
    if not isinstance(frame.get("version"), Number) or str(frame["version"]) != "1":
        raise Refused("version")
    optional = {BARE: set(), ROUTE: {"origin"}}.get(schema, {"origin", "digest"})
    if not {"schema", "version", "item"} <= frame.keys() <= {"schema", "version", "item"} | optional:
        raise Refused("unknown_field")
    item = read(frame["item"], tables[schema], strict=True)
    if schema in (BARE, ROUTE):
        if schema == ROUTE and isinstance(frame.get("origin"), str):
            sound(frame["origin"])
        name = {BARE: "openai-responses.reasoning", ROUTE: "openai-responses.compaction"}[schema]
        return name, item, None
    if frame.get("digest") != hashlib.sha256(spell(item).encode()).hexdigest():
        raise Refused("digest_mismatch")
    return schema.removeprefix("ostinato."), item, _origin(frame.get("origin"))


def _origin(value: Any) -> dict[str, str] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not value or not value.keys() <= set(ORIGIN):
        raise Refused("origin_invalid")
    for key, text in value.items():
        _text(text)
        if not 1 <= len(text.encode()) <= 1024:
            raise Refused("origin_invalid")
        if key == "account" and not re.fullmatch("[0-9a-f]{64}", text):
            raise Refused("origin_invalid")
    return value
