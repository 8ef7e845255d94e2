"""From items that were refused to items that may be sent: named state goes whole, visible turns stay."""

import re
from collections.abc import Sequence
from typing import Any, Final

from ostinato.errors import ReplayError
from ostinato.policy import Prepared, ReplayReport, Target, prepare, strip_state
from ostinato.policy.decision import Decision
from ostinato.policy.prepare import RULES
from ostinato.policy.responses.items import KEEPS_ID
from ostinato.refusals.patterns import Action

__all__ = ["DEFAULTS", "recover"]

DEFAULTS: Final = {
    "openai-responses": "openai",
    "openai-chat": "openai-chat",
    "anthropic-messages": "anthropic",
    "bedrock-converse": "bedrock-converse",
    "gemini-generate-content": "gemini",
    "gemini-interactions": "gemini-interactions",
}
"""By wire the profile that items are prepared for, where neither caller nor refusal names one."""

_FROM_THE_BEGINNING: Final = ("anthropic-messages", "bedrock-converse")
"""Wires on which thinking may be left out from the beginning on, and not from the middle (preserved-thinking page)."""
_TOP: Final = re.compile(r"^([a-z]+)/(\d+)")


def recover(
    items: Sequence[Any],
    wire: str,
    target: Target | str | None,
    action: Action,
    *,
    ids: Sequence[str],
    paths: Sequence[str],
    profile: str | None,
) -> Prepared:
    """The items without what was refused.

    Args:
        items: what was sent.
        wire: whose items they are.
        target: where they are about to go.
        action: what the table says is to be done.
        ids: ids that the refusal names.
        paths: places that it names.
        profile: the destination that refuses so, where only one does.
    """
    if wire not in RULES:
        raise ReplayError("unknown_wire")
    if action == "prepare":
        return _changed(prepare(items, target or profile or DEFAULTS[wire])) or _nothing()
    if action not in ("strip_named", "strip_state"):
        return _nothing()
    found = None if action == "strip_state" else _changed(_without(items, wire, ids, paths))
    found = found or _changed(strip_state(items, wire=wire)) or _nothing()
    if target is None:
        return found
    after = prepare(found.items, target)
    decisions = (*found.report.decisions, *after.report.decisions)
    return Prepared(after.items, ReplayReport(decisions, after.report.telemetry, after.report.unknown_origin))


def _changed(prepared: Prepared) -> Prepared | None:
    """A result that is not what was sent: sending the same again would be refused again."""
    return prepared if any(made.action != "kept" for made in prepared.report.decisions) else None


def _nothing() -> Prepared:
    raise ReplayError("not_recoverable")


def _without(items: Sequence[Any], wire: str, ids: Sequence[str], paths: Sequence[str]) -> Prepared:
    """The items without the state that is named, and what of it is tied to other items."""
    named = _named(items, ids, paths)
    kept: list[Any] = []
    decisions: list[Decision] = []
    for unit in _units(items, wire, named):
        part = list(items[unit.start : unit.stop])
        if any(place in unit for place in named):
            stripped = strip_state(part, wire=wire)
            part = stripped.items
            decisions += [_moved(made, unit.start) for made in stripped.report.decisions]
        kept += part
    if wire == "openai-responses":
        kept = _untied(kept, items, ids, decisions)
    return Prepared(kept, ReplayReport(tuple(decisions)))


def _named(items: Sequence[Any], ids: Sequence[str], paths: Sequence[str]) -> list[int]:
    """Which items are named: by place, or by an id that is theirs."""
    by_path = [int(found[2]) for path in paths if (found := _TOP.match(path))]
    by_id = [place for place, item in enumerate(items) if item.get("id") in ids or item.get("call_id") in ids]
    return sorted({place for place in (*by_path, *by_id) if place < len(items)})


def _units(items: Sequence[Any], wire: str, named: Sequence[int]) -> list[range]:
    if wire in _FROM_THE_BEGINNING and named:
        return [range(named[-1] + 1), range(named[-1] + 1, len(items))]
    return RULES[wire].units(items)


def _untied(items: Sequence[Any], given: Sequence[Any], ids: Sequence[str], decisions: list[Decision]) -> list[Any]:
    """The items without the ids by which the server looks for reasoning that is not there."""
    kept = []
    for item in items:
        if item.get("id") not in ids:
            kept.append(item)
            continue
        path = f"items/{next(place for place, one in enumerate(given) if one.get('id') == item['id'])}"
        if str(item.get("type")) in KEEPS_ID:  # nothing without its id
            decisions.append(Decision("not_replayable", path, "left_out", "pair"))
        else:
            kept.append({name: value for name, value in item.items() if name != "id"})
            decisions.append(Decision("id_omitted", path, "changed", "pair"))
    return kept


def _moved(made: Decision, start: int) -> Decision:
    """A decision about a part, with its place in the whole."""
    return made._replace(path=_TOP.sub(lambda found: f"{found[1]}/{int(found[2]) + start}", made.path))
