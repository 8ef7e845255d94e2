"""`ostinato sessions`: the sessions of a store, listed, shown, checked and taken away."""

import argparse
import datetime as dt
import errno
import json
import os
import pathlib
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ostinato.cli.complaint import complain
from ostinato.cli.export import add_kind, write_export
from ostinato.errors import ReplayError, SessionNotFoundError, StoreError
from ostinato.exporting import export_redacted, export_session, exported_session
from ostinato.names import printable
from ostinato.saved import load
from ostinato.saved.on_disk import read_file
from ostinato.store import SESSION_FINDING_CODES, SessionFinding, SessionInfo, SessionStore, StoredTurn
from ostinato.table import grid, number, several, size, terminal_width

__all__ = ["add_parser", "run"]

OK, ATTENTION, USAGE, UNREADABLE = 0, 1, 2, 3

EPILOG = """\
Opaque state is never shown; reasoning text only by `show --show-reasoning`.
Nothing but `purge`, `restore`, `migrate` and `verify --mend` changes anything.

examples:
  ostinato sessions list ~/.agent/sessions
  ostinato sessions show ~/.agent/sessions monday
  ostinato sessions verify ~/.agent/sessions --json
  ostinato sessions export ~/.agent/sessions monday -o for-the-issue.jsonl
  ostinato sessions export ~/.agent/sessions monday --resumable -o backup.jsonl
  ostinato sessions restore ~/.agent/sessions monday backup.jsonl
  ostinato sessions purge ~/.agent/sessions monday tuesday --yes

exit codes:
  0    done
  1    done, and something needs attention
  2    the command line is wrong, or the answer was no
  3    a session could not be read, or not be taken away
  130  stopped by Ctrl-C
"""


class _Action(NamedTuple):
    """One thing that can be done with the sessions of a folder."""

    help: str
    run: Callable[[argparse.Namespace], int]
    names: str | None
    """How many sessions it is about: `one`, `some`, or None for all of the folder."""
    options: Mapping[str, str]
    """Its switches, and what each does."""
    more: Callable[[argparse.ArgumentParser], None] = lambda _parser: None
    """What else it takes."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "sessions",
        help="list, show, check and take away the sessions of a store",
        description="The sessions that `ostinato.SessionStore` keeps in a folder.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, action in ACTIONS.items():
        own = actions.add_parser(name, help=action.help, description=action.help.capitalize() + ".")
        own.add_argument("directory", metavar="DIR", help="the folder of the store")
        if action.names == "one":
            own.add_argument("name", metavar="NAME", help="the session")
        elif action.names == "some":
            own.add_argument("names", metavar="NAME", nargs="*", help="a session; all of the folder if none is named")
        for option, about in action.options.items():
            own.add_argument(option, action="store_true", help=about)
        action.more(own)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do what was asked; the exit code is documented in the help."""
    if args.action != "restore" and not os.path.lexists(args.directory):
        # A store that was not begun has no sessions; a folder that somebody names here is meant to be there.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), args.directory)
    try:
        return ACTIONS[args.action].run(args)
    except StoreError as error:
        _complain(error)
        return UNREADABLE


def _complain(error: StoreError) -> None:
    print(f"ostinato sessions: {error}", file=sys.stderr)


def _print_json(kind: str, **content: object) -> None:
    json.dump({"schema": f"ostinato.sessions.{kind}", "version": 1, **content}, sys.stdout, indent=2)
    print()


def _time(milliseconds: int | None) -> str:
    """A time of the clock, in UTC; empty where there is none that could be one."""
    try:
        moment = dt.datetime.fromtimestamp((milliseconds or 0) / 1000, dt.UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return f"{moment:%Y-%m-%d %H:%M:%S}" if milliseconds else ""


# list


def _list(args: argparse.Namespace) -> int:
    found = SessionStore(args.directory).sessions()
    if args.json:
        _print_json("list", sessions=[info.to_dict() for info in found])
    else:
        print(_listing(args.directory, found), end="")
    return ATTENTION if any(info.code for info in found) else OK


def _listing(directory: str, found: Sequence[SessionInfo]) -> str:
    rows = [
        [info.name, _time(info.created), info.model or "", info.client_type or "", size(info.size), info.code or ""]
        for info in found
    ]
    columns = ["session", "created (UTC)", "model", "client type", "size", ""]
    total = f"{several(len(found), 'session')}, {size(sum(info.size for info in found))}"
    shown = grid(f"Sessions in {directory}", columns, rows, width=terminal_width(), left=(0, 1, 2, 3, 5), shorten=0)
    if found and all(info.code == "header_damaged" for info in found):
        total += "\nNone was written by a SessionStore; `ostinato doctor` reads what other programs saved."
    return f"{shown}\n\n{total}\n" if shown else f"{total}\n"


# show


def _show(args: argparse.Namespace) -> int:
    found = SessionStore(args.directory).turns(args.name)
    turns = [_shown_turn(turn, reasoning=args.show_reasoning) for turn in found]
    for finding in found.findings:
        print(f"ostinato sessions: {printable(str(finding))}", file=sys.stderr)
    if args.json:
        _print_json("show", session=args.name, turns=turns)
    else:
        _print_turns(turns)
    return ATTENTION if found.findings else OK


def _print_turns(turns: Iterable[Mapping[str, Any]]) -> None:
    for turn in turns:
        begins = ", the history begins anew" if turn["begins_history"] else ""
        print(f"--- turn {turn['turn']}, {_time(turn['at'])}{begins}")
        for message in turn["messages"]:
            for line in _lines_of(message):
                print(line)
        print()


def _shown_turn(turn: StoredTurn, *, reasoning: bool) -> dict[str, Any]:
    return {
        "turn": turn.number,
        "at": turn.at,
        "begins_history": turn.begins_history,
        "client_type": turn.binding.client_type,
        "model": turn.binding.model,
        "messages": [
            {
                "role": message["role"],
                "items": [_shown_item(dict(item), reasoning=reasoning) for item in message["content_items"]],
            }
            for message in turn.messages
        ],
    }


# What of an item is for people; what is of another kind is given by its length.
_SHOWN: Final = {
    "text": ("text",),
    "tool_call": ("name", "tool_call_id", "arguments"),
    "tool_result": ("tool_call_id", "text"),
    "inline_data": ("mime_type",),
    "inline_thinking": ("mime_type",),
}
_LONG: Final = ("data", "image_url", "embedding", "images")


def _shown_item(item: Mapping[str, Any], *, reasoning: bool) -> dict[str, Any]:
    """An item without its state, and without its reasoning text unless that was asked for."""
    kind = str(item["type"]).partition(".")[0]
    shown: dict[str, Any] = {"type": kind} | {name: item[name] for name in _SHOWN.get(kind, ()) if name in item}
    if kind == "thinking":
        text = item["thinking"]
        shown |= {"text": text} if reasoning else {"characters": len(text)}
    return shown | {f"{name}_length": len(item[name]) for name in _LONG if item.get(name) is not None}


def _lines_of(message: Mapping[str, Any]) -> Iterator[str]:
    for item in message["items"]:
        facts = [f"{name} {value}" for name, value in item.items() if name not in ("type", "text", "arguments")]
        label = f"{message['role']}, {item['type']}" + (f" ({', '.join(facts)})" if facts else "")
        yield f"[{printable(label)}]"
        text = item.get("text")
        if "arguments" in item:
            text = json.dumps(item["arguments"], ensure_ascii=False, default=_bytes)
        for line in (text or "").splitlines():
            yield f"  {printable(line)}"


def _bytes(value: object) -> str:
    return f"<{len(value)} bytes>" if isinstance(value, (bytes, bytearray)) else "<no JSON>"


# verify


def _verify(args: argparse.Namespace) -> int:
    store = SessionStore(args.directory, mend=args.mend)
    results = [_verified(store, name) for name in _named(store, args.names)]
    if args.json:
        _print_json("verify", sessions=results)
    else:
        print(_verdicts(results), end="")
    if any(result["error"] for result in results):
        return UNREADABLE
    return ATTENTION if any(result["findings"] for result in results) else OK


def _named(store: SessionStore, names: Sequence[str]) -> list[str]:
    return list(names) or [info.name for info in store.sessions()]


def _verified(store: SessionStore, name: str) -> dict[str, Any]:
    """What reading a session to its end says of it."""
    try:
        found = store.read(name)
    except StoreError as error:
        if isinstance(error, SessionNotFoundError):
            raise
        return {"session": name, "turns": 0, "messages": 0, "error": error.code, "findings": []}
    return {
        "session": name,
        "turns": found.turns,
        "messages": len(found.messages),
        "error": None,
        "findings": [finding.to_dict() for finding in found.findings],
    }


def _verdicts(results: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            result["session"],
            number(result["turns"]),
            number(result["messages"]),
            result["error"] or ", ".join(_counted(finding["code"] for finding in result["findings"])) or "sound",
        ]
        for result in results
    ]
    places = [
        [result["session"], str(SessionFinding(**finding))] for result in results for finding in result["findings"]
    ]
    meanings: list[list[str]] = []
    for code in sorted({finding["code"] for result in results for finding in result["findings"]}):
        first, *others = textwrap.wrap(SESSION_FINDING_CODES[code], max(30, terminal_width() - 24))
        meanings += [[code, first], *(["", line] for line in others)]
    sections = [
        grid("Sessions", ["session", "turns", "messages", ""], rows, width=terminal_width(), left=(0, 3), shorten=0),
        grid("Findings", ["session", ""], places, width=terminal_width(), left=(0, 1), shorten=0),
        grid("What they mean", ["", ""], meanings, width=terminal_width(), left=(0, 1)),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _counted(codes: Iterable[str]) -> list[str]:
    return [code if count == 1 else f"{code} ({count})" for code, count in Counter(codes).items()]


# purge


def _purge(args: argparse.Namespace) -> int:
    store = SessionStore(args.directory)
    names = _named(store, args.names)
    if names and not args.yes and not _agreed(names):
        print("ostinato sessions: nothing was taken away", file=sys.stderr)
        return USAGE
    gone, failed = [], []
    for name in names:
        try:
            store.purge(name)
        except StoreError as error:
            _complain(error)
            failed.append({"session": name, "error": error.code})
        else:
            gone.append(name)
    if args.json:
        _print_json("purge", purged=gone, failed=failed)
    else:
        print(f"{several(len(gone), 'session')} taken away")
    return UNREADABLE if failed else OK


def _agreed(names: Sequence[str]) -> bool:
    """Ask on the terminal; where there is none, the answer is no."""
    if not sys.stdin or not sys.stdin.isatty():
        print("ostinato sessions: pass --yes to take sessions away without being asked", file=sys.stderr)
        return False
    shown = ", ".join(names[:8]) + (f" and {number(len(names) - 8)} more" if len(names) > 8 else "")  # noqa: PLR2004 - a line
    print(f"Take away {printable(shown)}? This cannot be undone. [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


# migrate


def _migrate(args: argparse.Namespace) -> int:
    version = SessionStore(args.directory).migrate(args.name)
    print(f"{printable(args.name)} was of version {version}")
    return OK


# export, restore


def _export(args: argparse.Namespace) -> int:
    """The redacted form is that of `ostinato export`; the resumable one can be put back byte for byte."""

    def exported() -> bytes:
        data = SessionStore(args.directory).contents(args.name)
        if args.resumable:
            return export_session(data)
        return export_redacted(load(data), reasoning_text=args.keep_text, length_only=args.length_only)

    return write_export(args, exported, args.name)


def _restore(args: argparse.Namespace) -> int:
    try:
        data = exported_session(read_file(pathlib.Path(args.file)))
    except ReplayError as error:
        complain("sessions", error, args.file)
        return UNREADABLE
    SessionStore(args.directory).restore(args.name, data)
    print(f"{printable(args.name)} is in the store again, {size(len(data))}")
    return OK


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a resumable export of a session")


_JSON: Final = {"--json": "as JSON"}

# One row per action.
ACTIONS: Final[Mapping[str, _Action]] = {
    "list": _Action(
        "list the sessions: when each was begun, with which model, and how large it is", _list, None, _JSON
    ),
    "show": _Action(
        "show what was said in a session",
        _show,
        "one",
        _JSON | {"--show-reasoning": "with the text of the reasoning, which is private to many"},
    ),
    "verify": _Action(
        "read sessions to their end and say what is wrong with them",
        _verify,
        "some",
        _JSON | {"--mend": "take modes away that let others in"},
    ),
    "migrate": _Action(
        "bring a session of an earlier version to the present one, and keep the old file beside it", _migrate, "one", {}
    ),
    "export": _Action(
        "write a session to pass on: redacted, or guarded and with its state", _export, "one", {}, add_kind
    ),
    "restore": _Action("put a session back from its resumable export", _restore, "one", {}, _add_file),
    "purge": _Action("take sessions off the disk, after asking", _purge, "some", _JSON | {"--yes": "do not ask"}),
}
