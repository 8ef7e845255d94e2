"""`ostinato measure`: what saved histories hold, cost and leak."""

import argparse
import json
import sys
from collections.abc import Callable

from ostinato import report
from ostinato.cli.bar import Bar
from ostinato.cli.whole_number import whole_number
from ostinato.corpus import MOST_THREADS, Measurement, Progress, measure
from ostinato.names import printable
from ostinato.table import terminal_width

__all__ = ["add_parser", "run"]

OK, ATTENTION, NOTHING_READ, INTERRUPTED = 0, 1, 3, 130

EPILOG = """\
Formats and packing (gzip, zstd) are told by content: fast-agent, Codex
rollouts, Claude Code transcripts. Files of other formats are named and skipped
(`ostinato doctor` reads more formats). No text of a history is ever shown;
docs/measure.md explains every figure.

examples:
  ostinato measure ~/.codex/sessions
  ostinato measure ~/.claude/projects --json | jq .total.opaque
  ostinato measure --csv histories > histories.csv

exit codes:
  0    measured
  1    a path could not be read; with --strict: anything needs attention
  2    the command line is wrong
  3    nothing could be measured
  130  stopped by Ctrl-C
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "measure",
        help="count what saved histories hold: items, state, repeats, bytes sent again",
        description="Measure saved histories in files and folders.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file or a folder")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="all figures as JSON (schema ostinato.measure, version 1)")
    form.add_argument("--csv", action="store_true", help="all figures as CSV: a row for each file and one for all")
    parser.add_argument("--files", type=whole_number, default=40, metavar="N", help="files listed in the table (40)")
    parser.add_argument("--threads", type=_threads, default=0, metavar="N", help="threads (0: one per core)")
    parser.add_argument("--no-timing", action="store_true", help="do not time the forms of the payload comparison")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar, even on a terminal")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if something needs attention")
    parser.set_defaults(run=run)


def _threads(text: str) -> int:
    if (count := whole_number(text)) > MOST_THREADS:
        raise argparse.ArgumentTypeError(f"at most {MOST_THREADS} threads")
    return count


def run(args: argparse.Namespace) -> int:
    """Measure and print; the exit code is documented in the help."""
    bar = None if args.no_progress or not sys.stderr.isatty() else Bar()
    try:
        progress = None if bar is None else _drawing(bar)
        found = measure(args.paths, threads=args.threads, timing=not args.no_timing, progress=progress)
    except KeyboardInterrupt:
        print("ostinato measure: stopped", file=sys.stderr)
        return INTERRUPTED
    finally:
        if bar is not None:
            bar.clear()
    _write(found, args)
    for error in found.errors:
        print(f"ostinato measure: {error['code']}: {printable(error['path'])}", file=sys.stderr)
    if not found.files:
        print("ostinato measure: nothing to measure; no file is of a known format", file=sys.stderr)
        return NOTHING_READ
    return ATTENTION if found.errors or (args.strict and report.attention(found)) else OK


def _drawing(bar: Bar) -> Callable[[Progress], None]:
    def draw(progress: Progress) -> None:
        bar.draw(progress.bytes_done, progress.bytes, f"{progress.files_done:,}/{progress.files:,} files")

    return draw


def _write(found: Measurement, args: argparse.Namespace) -> None:
    if args.json:
        json.dump(found.to_dict(), sys.stdout, indent=2)
        print()
    elif args.csv:
        report.write_csv(found, sys.stdout)
    else:
        width = terminal_width()
        print(report.table(found, files=args.files, width=width), end="")
