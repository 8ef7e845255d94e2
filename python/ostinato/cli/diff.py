"""`ostinato diff`: where two requests, or two saved conversations, part."""

import argparse
import json
import pathlib
from collections.abc import Mapping

from ostinato.cli.complaint import complain
from ostinato.comparison import Diff, Request, diff
from ostinato.comparison.layouts import LAYOUTS, items_name
from ostinato.comparison.spelling import read
from ostinato.errors import ReplayError
from ostinato.names import printable
from ostinato.saved import load

__all__ = ["add_parser", "run"]

ALIKE, DIFFERS, UNREADABLE = 0, 1, 3

EPILOG = """\
A and B are bodies of requests as JSON, lists of native items, or saved
histories that `ostinato` knows. Compared is what a provider reads in order:
tools and system prompt, then the items. No text is shown without --show-text,
and opaque state never.

examples:
  ostinato diff turn-1.request.json turn-2.request.json
  ostinato diff --json monday.jsonl tuesday.jsonl

exit codes:
  0    equal, or one is the beginning of the other
  1    they differ
  2    the command line is wrong
  3    a file could not be read, holds no request and no history, or is of
       another wire
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "diff",
        help="say where two requests part: how many items are the same, and the first difference",
        description="Compare two requests as the provider's cache and its check of the prefix do.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("a", type=pathlib.Path, metavar="A", help="the earlier one")
    parser.add_argument("b", type=pathlib.Path, metavar="B", help="the later one")
    parser.add_argument(
        "--wire",
        metavar="WIRE",
        choices=sorted(LAYOUTS),
        help=f"whose requests they are, where their fields do not tell: {', '.join(sorted(LAYOUTS))}",
    )
    for side in ("a", "b"):
        about = f"which session, where {side.upper()} holds several"
        parser.add_argument(f"--name-{side}", metavar="NAME", help=about)
    parser.add_argument("--json", action="store_true", help="the result as JSON (schema ostinato.diff, version 1)")
    parser.add_argument(
        "--show-text", action="store_true", help="show the texts around the difference: this is content"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare and print; the exit code is documented in the help."""
    path = args.a
    try:
        a = _request(path, args.name_a)
        path = args.b
        found = diff(a, _request(path, args.name_b), args.wire)
    except ReplayError as error:
        complain(
            "diff", error, None if error.code == "wires_differ" else {"a": args.a, "b": args.b}.get(error.path, path)
        )
        return UNREADABLE
    excerpts = found.excerpts() if args.show_text else None
    if args.json:
        shown = {} if excerpts is None else {"text": {"a": excerpts[0], "b": excerpts[1]}}
        print(json.dumps(found.to_dict() | shown, indent=2))
    else:
        _print(found, excerpts)
    return ALIKE if found.is_prefix else DIFFERS


def _request(path: pathlib.Path, name: str | None) -> Request:
    """A request as its text, or a saved conversation."""
    data = path.read_bytes()
    try:
        value = read(data, str(path))
    except ReplayError:
        return load(path, session=name)
    is_request = isinstance(value, list) or (isinstance(value, Mapping) and items_name(value) is not None)
    try:
        return load(path, session=name)  # some programs save what looks like a request
    except ReplayError as error:
        if error.code != "unknown_format" or not is_request:
            raise
    return data


def _print(found: Diff, excerpts: tuple[str, str] | None) -> None:
    print(printable(str(found)))
    if excerpts is not None:
        print(f"  a: {printable(excerpts[0])}\n  b: {printable(excerpts[1])}")
    if found.uncounted:
        print("  differs and does not count: " + ", ".join(f"{name} {n}" for name, n in found.uncounted.items()))
    if found.settings:
        print("  other fields that differ: " + printable(", ".join(found.settings)))
