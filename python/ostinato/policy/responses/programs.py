"""What is left of a program of the model once its state is gone."""

from collections.abc import Mapping, Sequence

from ostinato.policy.decision import Log
from ostinato.policy.responses.entry import Entry
from ostinato.policy.responses.items import call_of

__all__ = ["drop_what_programs_left"]


def drop_what_programs_left(entries: Sequence[Entry], log: Log) -> None:
    """The output of a program that is left out goes too; calls that it made stay, as the model's own.

    Both name the program by its call id (`program_output.call_id`, `caller.caller_id`: openai 3.57.0).
    """
    gone: set[str] = set()
    for entry in entries:
        call = call_of(entry.given)
        if entry.kind == "program" and call is not None:
            (gone.add if entry.item is None else gone.discard)(call)
        elif entry.item is None:
            continue
        elif entry.kind == "program_output" and call in gone:
            entry.item = None
            log.left_out("orphan_output", entry.path, **entry.named)
        elif _caller(entry) in gone:
            entry.without("caller")
            log.changed("fields_omitted", entry.path, fields=("caller",))


def _caller(entry: Entry) -> str | None:
    caller = entry.given.get("caller")
    made_by = caller.get("caller_id") if isinstance(caller, Mapping) else None
    return made_by if isinstance(made_by, str) else None
