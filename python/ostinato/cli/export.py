"""`ostinato export`: a session to pass on, without its state; or with it, and guarded."""

import argparse
import sys
from collections.abc import Callable

from ostinato.cli.complaint import complain
from ostinato.cli.output import UnsafeOutputError, check_stdout, write_private
from ostinato.errors import ReplayError
from ostinato.exporting import WARNING, export_redacted, export_resumable
from ostinato.names import printable
from ostinato.saved import load

__all__ = ["add_kind", "add_parser", "run", "write_export"]

OK, USAGE, UNREADABLE = 0, 2, 3

EPILOG = """\
Sessions of all formats that `ostinato doctor` reads. An export is a file of
JSON lines; its first line says what it is.

  --redacted    visible turns and structure; lengths and digests instead of
                state. Marked as not resumable: `load`, `doctor` and `rescue`
                refuse it. The default.
  --resumable   everything. Whoever has it can go on with the conversation as
                its owner, so it is written privately (0600), over nothing that
                is there, and not to a terminal, nor to a file that others may
                read, without --force.

examples:
  ostinato export session.jsonl -o for-the-issue.jsonl
  ostinato export session.jsonl --resumable -o backup.jsonl
  ostinato export session.jsonl --resumable | age -r KEY > backup.age

exit codes:
  0    exported
  2    the command line is wrong, or the output would not be private
  3    the session could not be read
  130  stopped by Ctrl-C
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "export",
        help="write a session to pass on, without its state or, guarded, with it",
        description="Export a saved session.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("session", metavar="SESSION", help="the file")
    parser.add_argument("--name", metavar="NAME", help="which session, in a file that holds several")
    add_kind(parser)
    parser.set_defaults(run=run)


def add_kind(parser: argparse.ArgumentParser) -> None:
    """Add the options of an export to a command."""
    parser.add_argument("-o", "--output", metavar="OUT", help="where to write; standard output if missing")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--redacted", action="store_true", help="without opaque state (the default)")
    kind.add_argument("--resumable", action="store_true", help="with all state: a secret")
    parser.add_argument("--keep-text", action="store_true", help="redacted: keep reasoning text")
    parser.add_argument("--length-only", action="store_true", help="redacted: no digests, which can be linked")
    parser.add_argument("--force", action="store_true", help="replace OUT, and write where others could read")


def run(args: argparse.Namespace) -> int:
    """Export; the exit code is documented in the help."""

    def exported() -> bytes:
        conversation = load(args.session, session=args.name)
        if args.resumable:
            return export_resumable(conversation)
        return export_redacted(conversation, reasoning_text=args.keep_text, length_only=args.length_only)

    return write_export(args, exported, args.session)


def write_export(args: argparse.Namespace, exported: Callable[[], bytes], session: str) -> int:
    """Write what a command exports, guarded if it is a secret."""
    try:
        if args.resumable and args.output is None:
            check_stdout(force=args.force)
        data = exported()
        if args.output is not None:
            write_private(args.output, data, force=args.force)
    except UnsafeOutputError as error:
        print(
            f"ostinato {args.command}: {printable(args.output or 'standard output')}: {error}, or --force",
            file=sys.stderr,
        )
        return USAGE
    except ReplayError as error:
        complain(args.command, error, session)
        return UNREADABLE
    if args.output is None:
        sys.stdout.buffer.write(data)
    if args.resumable:
        print(f"ostinato {args.command}: WARNING: {WARNING}", file=sys.stderr)
    return OK
