"""What stands twice in a request. The classes are the codec's: `docs/format.md`, rules D1 to D4."""

from collections.abc import Sequence

from ostinato._core import dedupe
from ostinato.policy.decision import Fact, Log
from ostinato.policy.profiles.responses import ResponsesProfile
from ostinato.policy.responses.entry import Entry, Item
from ostinato.policy.responses.ids import goes_without_id
from ostinato.policy.responses.items import call_of
from ostinato.policy.responses.units import Group

__all__ = ["drop_repeats"]

Key = tuple[str, str, str]


def drop_repeats(entries: Sequence[Entry], found: Sequence[Group], rules: ResponsesProfile, log: Log) -> None:
    """State goes out once, the first place wins (vercel/ai#7883), and what is only similar stays, reported."""
    again = _repeated_items(entries) if rules.same_ids.value == "refused" else {}
    _drop_states(entries, found, again, rules, log)
    for place, first in again.items():
        _drop(entries[place], first, "exact_duplicate", log)


def _drop_states(
    entries: Sequence[Entry], found: Sequence[Group], again: dict[int, int], rules: ResponsesProfile, log: Log
) -> None:
    stateful = [entry for entry in entries if entry.item is not None and entry.state is not None]
    judged = dedupe([entry.state for entry in stateful if entry.state], provider=rules.contract)
    followers = {place: group.followers for group in found for place in group.reasoning}
    by_state: dict[tuple[str | None, str], int] = {}
    by_id: dict[str | None, tuple[int, str]] = {}
    by_ciphertext: dict[str, int] = {}
    for entry, (code, _kept, item_id, sha256) in zip(stateful, judged, strict=True):
        same = by_state.setdefault((item_id, sha256), entry.place)
        named, digest = by_id.setdefault(item_id, (entry.place, sha256))
        shared = by_ciphertext.setdefault(sha256, entry.place)
        if code == "new":
            continue
        conflict = code == "id_ciphertext_conflict"
        facts = {"sha256": (digest, sha256) if conflict else (sha256,), **entry.named}
        if conflict and rules.conflicts.value == "raise":
            raise log.refuse(code, entry.path, **facts)
        if _goes(code, entry, followers.get(entry.place, range(0)), again, rules):
            first = {"exact_duplicate": same, "ciphertext_shared": shared}.get(code, named)
            _drop(entry, first, code, log, **facts)
        else:
            log.kept(code, entry.path, **facts)


def _goes(code: str, entry: Entry, followers: range, again: dict[int, int], rules: ResponsesProfile) -> bool:
    """Whether a state of this class is left out."""
    match code:
        case "exact_duplicate" | "re_encrypted":
            # Without an id nothing refuses it twice, and it is a repeat for sure only if what it led to repeats too.
            named = entry.id is not None or entry.kind != "reasoning"
            whole = bool(followers) and all(place in again for place in followers)
            return rules.repeats.value == "drop" and (named or whole)
        case "id_ciphertext_conflict":
            return rules.conflicts.value == "first"
        case _:
            # Ids that do not go out tell nothing apart: what is left of the two is the same.
            bare = rules.repeats.value == "drop" and entry.kind != "reasoning" and goes_without_id(entry, rules)
            return bare or rules.shared_ciphertext.value == "drop"


def _repeated_items(entries: Sequence[Entry]) -> dict[int, int]:
    """Calls, outputs and messages that stand earlier word for word, under the same id or call.

    A message without an id is never one: people say the same thing twice (lidge-jun/opencodex#1698).
    """
    seen: dict[Key, tuple[int, Item]] = {}
    again = {}
    for entry in entries:
        if entry.item is None or entry.state is not None:
            continue
        key = _key(entry)
        if key is None:
            continue
        first, item = seen.setdefault(key, (entry.place, entry.item))
        if first != entry.place and _equal(item, entry.item):
            again[entry.place] = first
    return again


def _key(entry: Entry) -> Key | None:
    """What makes it one of a kind: its call, as an id may be left out; else its id."""
    call = call_of(entry.given)
    if call is not None:
        return (entry.kind, "call", call)
    return (entry.kind, "id", entry.id) if entry.id is not None else None


def _equal(one: Item, other: Item) -> bool:
    try:
        return {**one, "id": None} == {**other, "id": None}
    except RecursionError:  # nested deeper than can be compared: not known to be the same, so both stay
        return False


def _drop(entry: Entry, first: int, code: str, log: Log, **facts: Fact) -> None:
    entry.item, entry.repeats = None, first
    log.left_out(code, entry.path, None, first=f"items/{first}", **facts)
