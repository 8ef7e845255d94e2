"""The command line: `ostinato COMMAND`. One module per command, with `add_parser` and `run`."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from ostinato._core import __version__
from ostinato.cli import completion, diff, doctor, export, measure, redact, rescue, schema, sessions
from ostinato.cli.complaint import system_error
from ostinato.names import printable

__all__ = ["COMMANDS", "main"]

COMMANDS = (measure, doctor, rescue, diff, export, redact, sessions, schema, completion)

OK, USAGE, UNREADABLE, INTERRUPTED, NO_READER = 0, 2, 3, 130, 141

EPILOG = """\
examples:
  ostinato measure ~/.codex/sessions         what saved histories hold and cost
  ostinato doctor ~/.codex/sessions          which of them can be resumed
  ostinato rescue a.jsonl -o copy.jsonl      a copy that its provider takes
  ostinato diff turn-1.json turn-2.json      why the provider's cache misses
  ostinato export a.jsonl -o issue.jsonl     one to pass on, without its state
  ostinato redact app.log > shareable.log    a log without reasoning state
  ostinato sessions list ~/.agent/sessions   what the sessions of a store are

`ostinato COMMAND --help` says more of each command.

exit codes:
  0    done
  1    done, and something needs attention
  2    the command line is wrong
  3    the input could not be read, or the output not be written
  130  stopped by Ctrl-C
  141  whoever read the output stopped reading
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is documented in the help. No mistake of a user ends in a traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be any bytes
    try:
        args = _parser().parse_args(argv)
    except SystemExit as stopped:  # argparse has said what is wrong, or what was asked for
        return stopped.code if isinstance(stopped.code, int) else OK
    try:
        return _run(args)
    except KeyboardInterrupt:
        print(f"ostinato {args.command}: stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # What is still buffered has no reader either; without this Python would complain when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    except MemoryError:
        print(
            f"ostinato {args.command}: not enough memory; `ostinato measure` takes files of any size", file=sys.stderr
        )
        return UNREADABLE
    except OSError as error:
        print(f"ostinato {args.command}: {system_error(error)}", file=sys.stderr)
        return UNREADABLE


def _run(args: argparse.Namespace) -> int:
    if sys.stdout is None:
        print(f"ostinato {args.command}: there is no standard output", file=sys.stderr)
        return UNREADABLE
    code: int = args.run(args)
    sys.stdout.flush()
    return code


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints repeat what was typed, safe for a terminal: a shell may have typed names of files."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ostinato",
        description="Measures, examines, mends and redacts what agents save of reasoning models.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"ostinato {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser
