"""`ostinato doctor`: what would happen to saved sessions if they were resumed now."""

import argparse
import json
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ostinato.cli.bar import Bar
from ostinato.cli.complaint import complain
from ostinato.cli.destination import add_destination, destination
from ostinato.cli.whole_number import whole_number
from ostinato.diagnosis import SYMPTOMS, VERDICTS
from ostinato.errors import ReplayError
from ostinato.examination import Examined, Progress, doctor
from ostinato.table import WIDTH, common_folder, grid, number, several, terminal_width

__all__ = ["add_parser", "run"]

OK, ATTENTION, USAGE, NOTHING_READ = 0, 1, 2, 3

EPILOG = """\
Formats are told by content; files of other formats in a folder are passed over.
Nothing is written, and no text of a session is shown. Without --target each
session is examined for where it came from.

examples:
  ostinato doctor ~/.codex/sessions
  ostinato doctor session.jsonl --target openai --account org-2
  ostinato doctor ~/.claude/projects --json |
    jq '.sessions[] | select(.needs_attention)'

exit codes:
  0    nothing needs attention
  1    something needs attention
  2    the command line is wrong
  3    no session could be read
  130  stopped by Ctrl-C
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "doctor",
        help="say which saved sessions can be resumed, and what is wrong with the others",
        description="Examine saved sessions: what would happen if each were resumed now.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file or a folder")
    add_destination(parser)
    parser.add_argument("--json", action="store_true", help="everything as JSON (schema ostinato.doctor, version 1)")
    parser.add_argument(
        "--sessions", type=whole_number, default=40, metavar="N", help="sessions listed in the table (40)"
    )
    parser.add_argument("--all", action="store_true", help="list every session, also those without trouble")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar, even on a terminal")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Examine and print; the exit code is documented in the help."""
    bar = None if args.no_progress or not sys.stderr.isatty() else Bar()
    try:
        target = destination(args)
    except ReplayError as error:
        complain("doctor", error)
        return USAGE
    try:
        found = list(doctor(args.paths, target=target, progress=None if bar is None else _drawing(bar)))
    finally:
        if bar is not None:
            bar.clear()
    if args.json:
        sessions = [examined.to_dict() for examined in found]
        json.dump({"schema": "ostinato.doctor", "version": 1, "sessions": sessions}, sys.stdout, indent=2)
        print()
    else:
        width = terminal_width()
        print(table(found, width=width, everything=args.all, most=args.sessions, target=args.target), end="")
    if all(examined.format is None for examined in found):
        print("ostinato doctor: no session could be read", file=sys.stderr)
        return NOTHING_READ
    return ATTENTION if any(examined.diagnosis.needs_attention for examined in found) else OK


def _drawing(bar: Bar) -> Progress:
    def draw(done: int, files: int, bytes_done: int, size: int) -> None:
        bar.draw(bytes_done, size, f"{done:,}/{files:,} files")

    return draw


def table(
    found: Sequence[Examined],
    *,
    width: int = WIDTH,
    everything: bool = False,
    most: int = 40,
    target: str | None = None,
) -> str:
    """What was found, for people: sessions, the worst first, then what each symptom means and what to do.

    Args:
        found: what `ostinato.doctor` gave.
        width: columns to fit into.
        everything: list every session, also those without trouble.
        most: how many sessions to list otherwise; the rest is a line with their number.
        target: the destination that was asked for, to say for which sessions it could not be taken.
    """
    verdicts = Counter(examined.diagnosis.verdict for examined in found)
    counted = [[verdict, number(verdicts[verdict]), VERDICTS[verdict]] for verdict in VERDICTS if verdicts[verdict]]
    shown = list(found) if everything else [examined for examined in found if _stands_out(examined)]
    good_to_bad = list(VERDICTS)
    shown.sort(key=lambda examined: (-good_to_bad.index(examined.diagnosis.verdict), examined.path))
    listed = shown if everything else shown[:most]
    sections = [
        f"ostinato doctor: {several(len(found), 'session')}",
        _wrapped("Verdicts", ["", "sessions", ""], counted, width),
        _sessions(listed, found, width, everything=everything),
        "\n".join(
            textwrap.fill(note, width)
            for note in _notes(found, len(shown) - len(listed), everything=everything, target=target)
        ),
        _symptoms(found, width),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _stands_out(examined: Examined) -> bool:
    """Whether something other than its mode, which most files of a folder share, needs attention."""
    diagnosis = examined.diagnosis
    others = tuple(symptom for symptom in diagnosis.symptoms if symptom.code != "permissive_mode")
    return replace(diagnosis, symptoms=others).needs_attention


def _sessions(listed: Sequence[Examined], found: Sequence[Examined], width: int, *, everything: bool) -> str:
    folder = common_folder([examined.path for examined in listed])
    shared = {path for path, count in Counter(examined.path for examined in found).items() if count > 1}
    rows = [
        [
            examined.path[len(folder) :] + (f" {examined.session}" if examined.path in shared else ""),
            examined.diagnosis.verdict,
            number(examined.diagnosis.turns),
            f"{number(examined.diagnosis.state_sent)}/{number(examined.diagnosis.state_items)}",
            examined.error
            or ", ".join(
                f"{each.code} {number(each.count)}"
                for each in examined.diagnosis.symptoms
                if everything or each.code != "permissive_mode"
            ),
        ]
        for examined in listed
    ]
    title = ("Sessions" if everything else "Sessions that need attention") + (f" in {folder}" if folder else "")
    return _wrapped(title, ["session", "verdict", "turns", "state sent", "symptoms"], rows, width, shorten=0)


def _notes(found: Sequence[Examined], hidden: int, *, everything: bool, target: str | None) -> Iterator[str]:
    """What the list does not say."""
    if hidden:
        yield f"... and {number(hidden)} more that need attention (--sessions N, or --all)."
    modes = sum(examined.diagnosis.needs_attention and not _stands_out(examined) for examined in found)
    if modes and not everything:
        yield f"{number(modes)} more need attention for nothing but their modes (permissive_mode); --all lists them."
    other = sum(examined.target not in (None, target) for examined in found)
    if target and other:
        yield (
            f"{number(other)} of another wire than {target} speaks: examined for where they came from"
            " (`target` in --json)."
        )


def _symptoms(found: Sequence[Examined], width: int) -> str:
    counts: Counter[str] = Counter()
    sessions: Counter[str] = Counter()
    for examined in found:
        counts.update({symptom.code: symptom.count for symptom in examined.diagnosis.symptoms})
        sessions.update({symptom.code for symptom in examined.diagnosis.symptoms})
    rows = [
        [code, number(sessions[code]), number(counts[code]), f"{SYMPTOMS[code].meaning} {SYMPTOMS[code].advice}"]
        for code in sorted(counts)
    ]
    return _wrapped("Symptoms", ["code", "sessions", "count", "what it means, and what to do"], rows, width)


def _wrapped(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], width: int, *, shorten: int | None = None
) -> str:
    """A table whose last column goes on in the next line where it is too long; the first and last stand left."""
    last = len(columns) - 1
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    if shorten is not None:
        others = sum(widths) - widths[shorten] - widths[last] + min(widths[last], 32) + 2 * last
        widths[shorten] = min(widths[shorten], max(24, width - others))
    room = max(24, width - sum(widths[:last]) - 2 * last)
    lines: list[list[str]] = []
    for row in rows:
        first, *more = textwrap.wrap(row[last], room, break_on_hyphens=False) or [""]
        lines += [[*row[:last], first], *([*[""] * last, other] for other in more)]
    return grid(
        title, columns, lines, width=width, left=(0, 1, last) if shorten is not None else (0, last), shorten=shorten
    )
