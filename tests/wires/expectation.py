"""What a vector expects, with our decided differences applied, compared with what was observed.

Special values in an expectation: `{"$any": true}`, `{"$one_of": [...]}`, `{"$json": v}` (a text that is this JSON
value), `{"$absent_or": v}` and `{"$absent": true}` (in objects).
"""

import copy
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

MISSING = object()
ABSENT = {"$absent": True}


def diff(expected: Any, actual: Any, path: str = "") -> str | None:
    """None if `actual` is what is expected, else where and how it first differs."""
    if isinstance(expected, dict):
        special = _special(expected, actual, path)
        return _diff_object(expected, actual, path) if special is MISSING else special
    if isinstance(expected, list):
        return _diff_list(expected, actual, path)
    same = (
        repr(expected) == repr(actual)
        if isinstance(expected, float)
        else (type(expected), expected) == (type(actual), actual)
    )
    return None if same else f"{path}: expected {expected!r}, got {actual!r}"


def _special(expected: dict[str, Any], actual: Any, path: str) -> Any:
    if len(expected) != 1:
        return MISSING
    name, value = next(iter(expected.items()))
    match name:
        case "$any":
            return None
        case "$one_of":
            return None if any(diff(one, actual) is None for one in value) else f"{path}: none of {value} is {actual!r}"
        case "$absent_or":
            return diff(value, actual, path)
        case "$json":
            return diff(value, json.loads(actual), path)
    return MISSING


def _may_be_absent(value: Any) -> bool:
    return isinstance(value, dict) and ("$absent_or" in value or value == ABSENT or ABSENT in value.get("$one_of", []))


def _diff_object(expected: dict[str, Any], actual: Any, path: str) -> str | None:
    if not isinstance(actual, dict):
        return f"{path}: expected an object, got {actual!r}"
    for name, value in expected.items():
        if name not in actual:
            if _may_be_absent(value):
                continue
            return f"{path}/{name}: missing, expected {value!r}"
        if value == ABSENT:
            return f"{path}/{name}: must be absent"
        found = diff(value, actual[name], f"{path}/{name}")
        if found:
            return found
    extra = [name for name in actual if name not in expected]
    return f"{path}/{extra[0]}: not expected: {actual[extra[0]]!r}" if extra else None


def _diff_list(expected: list[Any], actual: Any, path: str) -> str | None:
    if not isinstance(actual, list):
        return f"{path}: expected a list, got {actual!r}"
    for place, (one, other) in enumerate(zip(expected, actual, strict=False)):
        found = diff(one, other, f"{path}/{place}")
        if found:
            return found
    if len(expected) != len(actual):
        return f"{path}: {len(expected)} elements expected, got {len(actual)}"
    return None


def select(value: Any, path: str) -> Any:
    """Walk a slash path of keys, indices, `{k=v}` (the elements whose k is v) and `-{k=v}` (the others)."""
    for segment in [part for part in path.split("/") if part]:
        filtered = re.fullmatch(r"(-?)\{([^=}]+)=([^}]*)\}", segment)
        if filtered:
            kept = [x for x in value if isinstance(x, dict) and str(x.get(filtered[2])) == filtered[3]]
            value = [x for x in value if x not in kept] if filtered[1] else kept
        elif isinstance(value, list):
            if not segment.isdigit() or int(segment) >= len(value):
                return MISSING
            value = value[int(segment)]
        elif isinstance(value, dict) and segment in value:
            value = value[segment]
        else:
            return MISSING
    return value


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _texts(part)]
    return [text for part in value for text in _texts(part)] if isinstance(value, list) else []


def _contains(wanted: Any, value: Any) -> bool:
    return wanted in value if isinstance(value, str) else any(diff(wanted, one) is None for one in value)


# Assertion -> does it hold (wanted, found)? A text says why not.
_HOLDS: Mapping[str, Callable[[Any, Any], Any]] = {
    "equals": lambda wanted, value: diff(wanted, value) is None or diff(wanted, value),
    "one_of": lambda wanted, value: diff({"$one_of": wanted}, value) is None,
    "contains": _contains,
    "subset": lambda wanted, value: diff(wanted, {k: x for k, x in value.items() if k in wanted}) is None,
    "intersects": lambda wanted, value: any(one in value for one in wanted),
    "len": lambda wanted, value: len(value) == wanted,
    "matches": lambda wanted, value: isinstance(value, str) and re.search(wanted, value) is not None,
    "json_equals": lambda wanted, value: diff(wanted, json.loads(value)) is None,
}


def check(seen: Any, claim: dict[str, Any]) -> str | None:
    """Why an assertion does not hold; None if it does."""
    path = claim["path"]
    value = select(seen, path)
    if "absent" in claim:
        return None if (value is MISSING) == claim["absent"] else f"{path}: absent is {not claim['absent']}"
    if "no_string" in claim:
        found = value is not MISSING and any(claim["no_string"] in text for text in _texts(value))
        return f"{path}: holds {claim['no_string']!r}" if found else None
    if value is MISSING:
        return None if ABSENT in claim.get("one_of", []) else f"{path}: missing"
    name = next(name for name in _HOLDS if name in claim)
    holds = _HOLDS[name](claim[name], value)
    return None if holds is True else f"{path}: {name} {claim[name]!r} does not hold: {holds}: {value!r}"


def edit(value: Any, change: dict[str, Any]) -> None:
    """Apply one patch operation in place."""
    *way, last = [part for part in change["path"].split("/") if part]
    for segment in way:
        value = value[int(segment)] if isinstance(value, list) else value[segment]
    at: Any = int(last) if isinstance(value, list) else last
    if change.get("remove"):
        del value[at]
    elif change.get("insert"):
        value.insert(at, copy.deepcopy(change["set"]))
    else:
        value[at] = copy.deepcopy(change["set"])


def judge(vector: dict[str, Any], entry: Any, compare: Callable[[dict[str, Any]], str | None], seen: Any) -> str | None:
    """Why the observation is not what a vector and its difference entry ask for; None if it is.

    `compare` compares the observation with a vector's own `expected`.
    """
    if entry is None or entry == "recorded":
        return compare(vector)
    if "any_of" in entry:
        reasons = [judge(vector, one, compare, seen) for one in entry["any_of"]]
        return None if None in reasons else " | ".join(str(reason)[:200] for reason in reasons)
    changed = copy.deepcopy(vector)
    if "expected" in entry or "expected_error" in entry:
        for name in ("expected", "expected_error", "expected_error_detail"):
            changed.pop(name, None)
            if name in entry:
                changed[name] = copy.deepcopy(entry[name])
    for change in entry.get("patch", []):
        edit(changed["expected"], change)
    claims = entry.get("assert", [])
    if changed != vector or not claims:
        found = compare(changed)
        if found:
            return found
    return next((found for claim in claims if (found := check(seen, claim))), None)
