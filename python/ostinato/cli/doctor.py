"""`ostinato doctor`: what would happen to saved sessions if they were resumed now."""

import argparse
import json
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence

from ostinato.cli.bar import Bar
from ostinato.cli.destination import add_destination, destination
from ostinato.diagnosis import SYMPTOMS, VERDICTS
from ostinato.errors import ReplayError
from ostinato.examination import Examined, Progress, doctor
from ostinato.table import WIDTH, common_folder, grid, number

__all__ = ["add_parser", "run"]

OK, ATTENTION, USAGE, NOTHING_READ = 0, 1, 2, 3

EPILOG = """\
Formats are told by content; files of other formats in a folder are passed over. Nothing is written,
and no text of a session is shown. Without --target each session is examined for where it came from.

examples:
  ostinato doctor ~/.codex/sessions
  ostinato doctor session.jsonl --target openai --account org-2
  ostinato doctor ~/.claude/projects --json | jq '.sessions[] | select(.needs_attention)'

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
    parser.add_argument("--all", action="store_true", help="list sessions without trouble too")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar, even on a terminal")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Examine and print; the exit code is documented in the help."""
    bar = None if args.no_progress or not sys.stderr.isatty() else Bar()
    try:
        target = destination(args)
    except ReplayError as error:
        print(f"ostinato doctor: {error}", file=sys.stderr)
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
        width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
        print(table(found, width=width, everything=args.all), end="")
    if all(examined.format is None for examined in found):
        print("ostinato doctor: no session could be read", file=sys.stderr)
        return NOTHING_READ
    return ATTENTION if any(examined.diagnosis.needs_attention for examined in found) else OK


def _drawing(bar: Bar) -> Progress:
    def draw(done: int, files: int, bytes_done: int, size: int) -> None:
        bar.draw(bytes_done, size, f"{done:,}/{files:,} files")

    return draw


def table(found: Sequence[Examined], *, width: int = WIDTH, everything: bool = False) -> str:
    """What was found, for people: sessions, then what each symptom means and what to do."""
    verdicts = Counter(examined.diagnosis.verdict for examined in found)
    counted = [[verdict, number(verdicts[verdict]), VERDICTS[verdict]] for verdict in VERDICTS if verdicts[verdict]]
    shown = [examined for examined in found if everything or examined.diagnosis.needs_attention]
    folder = common_folder([examined.path for examined in shown])
    several = {path for path, count in Counter(examined.path for examined in found).items() if count > 1}
    rows = [
        [
            examined.path[len(folder) :] + (f" {examined.session}" if examined.path in several else ""),
            examined.diagnosis.verdict,
            number(examined.diagnosis.turns),
            f"{number(examined.diagnosis.state_sent)}/{number(examined.diagnosis.state_items)}",
            examined.error or ", ".join(f"{each.code} {each.count}" for each in examined.diagnosis.symptoms),
        ]
        for examined in shown
    ]
    symptoms: Counter[str] = Counter()
    for examined in found:
        symptoms.update({symptom.code: symptom.count for symptom in examined.diagnosis.symptoms})
    advice: list[list[str]] = []
    for code in sorted(symptoms):
        kind = SYMPTOMS[code]
        lines = textwrap.wrap(f"{kind.meaning} {kind.advice}", max(30, width - 28))
        advice += [[code, number(symptoms[code]), lines[0]], *(["", "", line] for line in lines[1:])]
    sections = [
        f"ostinato doctor: {number(len(found))} sessions",
        grid("Verdicts", ["", "sessions", ""], counted, width=width, left=(0, 2)),
        grid(
            ("Sessions" if everything else "Sessions that need attention") + (f" in {folder}" if folder else ""),
            ["session", "verdict", "turns", "state sent", "symptoms"],
            rows,
            width=width,
            left=(0, 1, 4),
            shorten=0,
        ),
        grid("Symptoms", ["code", "count", "what it means, and what to do"], advice, width=width, left=(0, 2)),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"
