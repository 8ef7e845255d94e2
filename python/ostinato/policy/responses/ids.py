"""Which ids go out.

An id is sent as it came or not at all: never made, hashed, cut or replaced (maximhq/bifrost#5186).
"""

from collections.abc import Iterable, Sequence

from ostinato.policy.decision import Log
from ostinato.policy.profiles.responses import ResponsesProfile
from ostinato.policy.responses.entry import Entry
from ostinato.policy.responses.items import KEEPS_ID, id_of
from ostinato.policy.responses.units import Group

__all__ = ["check_missing_ids", "drop_ids", "goes_without_id"]


def check_missing_ids(entries: Sequence[Entry], rules: ResponsesProfile, log: Log) -> None:
    """Reasoning without an id: taken by most, refused by one route of Azure (Azure/azure-sdk-for-net#59967)."""
    choice = rules.missing_id.value
    for entry in entries:
        if entry.kind != "reasoning" or entry.item is None:
            continue
        if rules.ids.value == "required" and entry.id is not None and len(entry.id) > rules.max_id.value:
            entry.item = None
            reason = over(rules.max_id.value)
            log.left_out("not_replayable", entry.path, reason, chars=len(id_of(entry.given) or ""))
        if entry.item is None or entry.id is not None or choice == "allow":
            continue
        if choice == "raise":
            raise log.refuse("id_missing", entry.path)
        if choice == "report":
            log.kept("id_missing", entry.path)
        else:
            entry.item = None
            log.left_out("id_missing", entry.path)


def drop_ids(entries: Sequence[Entry], found: Sequence[Group], rules: ResponsesProfile, log: Log) -> None:
    """Leave out every id that the target would refuse, and with it those it is paired with."""
    if rules.ids.value == "omit":
        _omit(entries, "id_policy", rules, log)
        return
    _omit((entry for entry in entries if entry.foreign), "foreign", rules, log)
    for entry in entries:
        own = entry.id
        if own is not None and len(own) > rules.max_id.value and entry.kind not in KEEPS_ID:
            _omit([entry], over(rules.max_id.value), rules, log, chars=len(own))
    if rules.same_ids.value == "refused":
        _omit(_named_again(entries), "repeated", rules, log)
    if rules.paired_ids.value == "together":
        _omit_pairs(entries, found, rules, log)


def goes_without_id(entry: Entry, rules: ResponsesProfile) -> bool:
    """Whether the target takes the item only without its id, if it has one."""
    return rules.ids.value == "omit" or len(id_of(entry.given) or "") > rules.max_id.value


def over(limit: int) -> str:
    """The reason for leaving out an id of more than so many characters."""
    return f"over_{limit}_chars"


def _omit_pairs(entries: Sequence[Entry], found: Sequence[Group], rules: ResponsesProfile, log: Log) -> None:
    """Where an id of a group is gone, the ids of the whole group go (mastra-ai/mastra#15509, hermes-agent#98942)."""
    sent: set[str | None] = {None}
    for group in found:
        members = [entries[place] for place in (*group.reasoning, *group.followers)]
        here = {entry.id for entry in members if entry.kind == "reasoning"}
        if any(_lost_id(entry, here, sent) for entry in members):
            _omit(members, "pair", rules, log)
        else:
            sent |= here


def _lost_id(entry: Entry, here: set[str | None], earlier: set[str | None]) -> bool:
    """Whether the item leaves another without the id that is looked for.

    Reasoning does, unless an item of its id goes out here or earlier. What followed it does where it had an id: what
    never had one is taken after reasoning with an id (langchain-openai 1.7.4).
    """
    had = id_of(entry.given)
    if entry.kind == "reasoning":
        return entry.id is None and (had is None or (had not in here and had not in earlier))
    return entry.item is not None and entry.id is None and had is not None


def _named_again(entries: Iterable[Entry]) -> list[Entry]:
    """Items under an id that stands earlier, with other content: a client made the id up (microsoft/vscode#321977).

    Two states under one id are not among them: which of them goes out is the rule `conflicts`.
    """
    seen: set[str] = set()
    states: set[str] = set()
    again = []
    for entry in entries:
        own = entry.id
        if own is None:
            continue
        if own in seen and not (entry.state is not None and own in states):
            again.append(entry)
        seen.add(own)
        if entry.state is not None:
            states.add(own)
    return again


def _omit(entries: Iterable[Entry], reason: str, rules: ResponsesProfile, log: Log, **facts: int) -> None:
    """Leave out ids, and reasoning that would then lack the id that it must have."""
    for entry in entries:
        if entry.id is None or entry.kind in KEEPS_ID:
            continue
        if rules.ids.value != "required" or entry.kind != "reasoning" or rules.missing_id.value in ("allow", "report"):
            entry.without("id")
            log.changed("id_omitted", entry.path, reason, **facts)
        elif rules.missing_id.value == "raise":
            raise log.refuse("id_missing", entry.path, reason, **facts)
        else:
            entry.item = None
            log.left_out("id_missing", entry.path, reason, **facts)
