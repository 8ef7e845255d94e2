"""What the players of field cases share: comparing without showing, and how a case names what we say."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import ostinato
from ostinato.saved import FINDING_CODES

Case = dict[str, Any]

SAID = {"at": "path"}
"""How a case names a fact of a decision, where the name differs."""

# A code or reason that a case proposes -> what we say of the same thing. Where ours is the case's own, it is not here.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "cut_item": ("incomplete_item", "not_completed", "response_incomplete"),
    "duplicate_dropped": ("exact_duplicate",),
    "empty_ciphertext": ("empty_value",),
    "empty_id": ("empty_value",),
    "foreign_origin": ("foreign_state",),
    "husk_dropped": ("not_replayable",),
    "id_required": ("id_missing", "missing_field"),
    "incomplete_item": ("not_completed", "response_incomplete"),
    "invalid_base64": ("signature_not_base64", "unsound_state"),
    "invalid_json": ("not_json", "truncated", "trailing_text", "unreadable_line"),
    "invalid_signature": ("signature_not_base64", "unsound_state"),
    "invalid_type": ("type_mismatch",),
    "item_reference": ("not_replayable",),
    "legacy_record": ("legacy_minimal", "legacy_snapshot"),
    "missing_ciphertext": ("not_replayable", "missing_field", "state_missing"),
    "missing_field": ("state_missing", "empty_value"),
    "missing_id": ("id_missing", "missing_field"),
    "missing_signature": ("unsigned_thinking", "missing_field"),
    "no_state": ("missing_field", "state_missing", "empty_value", "not_replayable"),
    "not_capturable": ("missing_field", "state_missing", "empty_value", "not_completed"),
    "not_completed": ("incomplete_item", "response_incomplete"),
    "not_json": ("truncated", "trailing_text", "unreadable_line"),
    "not_of_this_wire": ("type_mismatch",),
    "not_opaque": ("not_replayable",),
    "not_replayable": ("missing_field", "state_missing", "empty_value"),
    "parallel_batch_split": ("split_batch",),
    "policy": ("id_policy",),
    "stand_in_used": ("reasoning_field_added", "placeholder_used"),
    "thinking_only": ("orphan_thinking", "empty_message"),
    "thinking_only_message": ("orphan_thinking", "empty_message"),
    "trailing_thinking": ("orphan_thinking",),
    "unknown_schema": ("schema_unknown",),
    "unknown_shape": ("state_missing", "missing_field", "unknown_field", "type_mismatch"),
    "unknown_version": ("version_unknown", "version_not_integer"),
    "unreadable_line": ("truncated_line", "not_a_record"),
    "unsigned": ("unsigned_thinking",),
    "unsupported_version": ("version_unknown", "version_not_integer"),
    "wrong_type": ("type_mismatch", "version_not_integer", "status_invalid"),
}


def is_said(proposed: Any, found: Any) -> bool:
    """Whether we say what a case says, in its word or in ours for the same thing."""
    return bool(proposed == found) or (isinstance(proposed, str) and found in SPELLINGS.get(proposed, ()))


def answers(row: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    """Whether something that was said answers a row of a report, fact by fact."""
    facts = {SAID.get(name, name): fact for name, fact in row.items()}
    return all(_is_fact(name, fact, said.get(name)) for name, fact in facts.items())


def _is_fact(name: str, proposed: Any, found: Any) -> bool:
    if name in ("code", "reason"):
        return is_said(proposed, found)
    return is_place(proposed, found) if name == "path" else bool(proposed == found)


def is_place(proposed: Any, found: Any) -> bool:
    """Whether we name the place that a case names: the very field, or the item it is a field of."""
    return bool(proposed == found) or (
        isinstance(proposed, str) and bool(found) and proposed.rpartition("/")[0] == found and "/" in str(found)
    )


_OURS = {*ostinato.DECISION_CODES, *ostinato.ERROR_CODES, *FINDING_CODES, *SPELLINGS}
_TELLS_LITTLE = {"code", "reason", "count"}

notes: list[str] = []
"""What was said of the very place or fact that a case names, but under a name that no table has: the reader judges."""


def _is_said_there(row: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    """Whether something was said of what a row is about, where its code is nobody's here."""
    if row["code"] in _OURS or row.keys() <= _TELLS_LITTLE:
        return False
    if not answers({name: fact for name, fact in row.items() if name not in ("code", "reason")}, said):
        return False
    notes.append(f"says {said['code']} for {row['code']}")
    return True


def unanswered(case: Case, said: list[dict[str, Any]]) -> list[str]:
    """A miss for every row of the case's report that nothing answers."""
    rows = case["then"].get("report", [])
    return [
        f"not reported: {row['code']}"
        for row in rows
        if not any(answers(row, one) for one in said) and not any(_is_said_there(row, one) for one in said)
    ]


def under_policy(case: Case, target: ostinato.Target, judge: Callable[[ostinato.Target], list[str]]) -> list[str]:
    """What is wrong by our own rules; of a case that is a choice, by none of the choices that a caller has.

    A case says in `policy` what is a choice and not a provider's rule. Ours may be another one: then it is enough that
    the case's can be chosen.
    """
    wrong = judge(target)
    if wrong and case["policy"] and any(not judge(other) for other in _choices(target)):
        return []
    return wrong


def _choices(target: ostinato.Target) -> Iterator[ostinato.Target]:
    """The target under every other value of each rule that has a few."""
    ours = dict(target.profile.cells())
    for name, values in target.profile.choices.items():
        yield from (target.but(**{name: value}) for value in values if value != ours[name].value)
    same: tuple[str, ...] = ours["same_origin"].value
    yield from (target.but(same_origin=(*same, name)) for name in ("account", "model") if name not in same)


def with_bytes(value: Any) -> Any:
    """A value whose bytes a case spells in hex, under names that end in `_bytes_hex`."""
    if isinstance(value, dict):
        return {
            name.removesuffix("_bytes_hex"): bytes.fromhex(part) if name.endswith("_bytes_hex") else with_bytes(part)
            for name, part in value.items()
        }
    return [with_bytes(part) for part in value] if isinstance(value, list) else value


def as_text(value: Any) -> Any:
    """A value with its bytes as JSON has them."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {name: as_text(part) for name, part in value.items()}
    return [as_text(part) for part in value] if isinstance(value, list) else value


def at(value: Any, path: str) -> Any:
    """What stands at a path such as `items/0/id`; None where there is nothing."""
    for step in path.split("/"):
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (LookupError, TypeError, ValueError):
            return None
    return value


def differ(what: str, found: object, expected: object) -> list[str]:
    """A miss where two values differ, numbers and their types included. Says nothing of the values."""
    same = json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)
    return [] if same else [f"{what} differs"]


def reported(case: Case, report: ostinato.ReplayReport) -> list[str]:
    """A miss for every row of the case's report that no decision answers."""
    return unanswered(case, [decision.to_dict() for decision in report.decisions])


def refused(case: Case, error: ostinato.PrepareError | ostinato.ReplayError) -> list[str]:
    """Where an error is not the one that the case expects, or the case expects none."""
    wanted = case["then"].get("error")
    if wanted is None:
        return [f"refused: {error.code}"]
    said = {"code": error.code, "at": error.path, "path": error.path, "offset": getattr(error, "offset", None)}
    if isinstance(error, ostinato.PrepareError):
        said |= error.decision.to_dict()
    known = is_said(wanted["code"], error.code) or _is_said_there({"code": "", **wanted}, said)
    wrong = [] if known else ["error code differs"]
    return wrong + [
        f"error {name} differs"
        for name, value in wanted.items()
        if name != "code" and said.get(name) is not None and not _is_fact(SAID.get(name, name), value, said[name])
    ]


def absent(case: Case, *values: object) -> list[str]:
    """Where something is left that the case wants nowhere."""
    shown = "".join(f"{value!r}{value}" for value in values)
    shown += "".join(_json(value) for value in values)
    return [f"left: {len(text)} characters" for text in case["then"].get("absent", []) if text in shown]


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except TypeError:  # a report or an error, of which only what it prints counts
        return ""
