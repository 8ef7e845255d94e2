"""`ostinato rescue`: a copy of a session without the state that would be refused."""

import argparse
import json
import sys
from collections import Counter

from ostinato.cli.complaint import complain
from ostinato.cli.destination import add_destination, destination
from ostinato.cli.output import UnsafeOutputError, write_private
from ostinato.errors import PrepareError, ReplayError
from ostinato.names import printable
from ostinato.rescued_copy import Rescued, rescue
from ostinato.table import grid, number

__all__ = ["add_parser", "run"]

OK, USAGE, UNREADABLE = 0, 2, 3

EPILOG = """\
State that would be refused is left out as whole items, records that cannot be
read too; visible turns stay, and all other bytes are those of the original,
which is never touched. The copy is loaded and checked again before it is
written, with a mode that is private (0600).

examples:
  ostinato rescue rollout.jsonl -o rollout.rescued.jsonl
  ostinato rescue session.jsonl -o copy.jsonl --target openai --account org-2
  ostinato rescue session.jsonl -o copy.jsonl --all-state
    (the last resort, when a provider refuses what looks sound)

exit codes:
  0    a copy was written
  2    the command line is wrong, or the output is there already
  3    the session could not be read, or cannot be rescued
  130  stopped by Ctrl-C
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "rescue",
        help="write a copy of a session that its provider takes again",
        description="Write a copy of a session without the state that would be refused.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("session", metavar="SESSION", help="the file")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="where to write; must not be there yet")
    parser.add_argument("--name", metavar="NAME", help="which session, in a file that holds several")
    parser.add_argument("--all-state", action="store_true", help="leave all opaque state out")
    add_destination(parser)
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the copy and print what is not in it."""
    try:
        target = destination(args)
    except ReplayError as error:
        complain("rescue", error)
        return USAGE
    try:
        made = rescue(args.session, target=target, session=args.name, all_state=args.all_state)
    except (ReplayError, PrepareError) as error:
        complain("rescue", error, args.session)
        return UNREADABLE
    try:
        write_private(args.output, made.data)
    except UnsafeOutputError as error:
        print(f"ostinato rescue: {printable(args.output)}: {error}", file=sys.stderr)
        return USAGE
    _report(made, args)
    return OK


def _report(made: Rescued, args: argparse.Namespace) -> None:
    if args.json:
        report = {"schema": "ostinato.rescue", "version": 1, "output": args.output, "bytes": len(made.data)}
        json.dump(report | {"removed": [removal.to_dict() for removal in made.removed]}, sys.stdout, indent=2)
        print()
        return
    print(f"ostinato rescue: wrote {printable(args.output)}, {number(len(made.data))} bytes")
    counts = Counter((removal.code, removal.reason or "") for removal in made.removed)
    rows = [[code, reason, number(count)] for (code, reason), count in sorted(counts.items())]
    left_out = grid("Left out", ["code", "reason", "places"], rows, left=(0, 1))
    print(f"\n{left_out}" if left_out else "Nothing had to be left out.")
