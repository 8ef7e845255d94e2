"""`ostinato schema`: the JSON Schemas of the stored formats."""

import argparse
import sys

from ostinato._core import json_schema_text, schema_names

__all__ = ["add_parser", "run"]

OK, USAGE = 0, 2

EPILOG = """\
examples:
  ostinato schema
  ostinato schema ostinato.anthropic-messages.thinking > thinking.schema.json

exit codes:
  0    printed
  2    there is no schema of this name
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "schema",
        help="print the JSON Schema of a stored format, or the names of all",
        description="Print the JSON Schema (draft 2020-12) of an envelope; without a name, the names.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="the `schema` of an envelope")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print; the exit code is documented in the help."""
    names = "\n".join(schema_names())
    if args.name is None:
        print(names)
        return OK
    text = json_schema_text(args.name)
    if text is None:
        print(f"ostinato schema: there is no schema of this name; there are:\n{names}", file=sys.stderr)
        return USAGE
    print(text, end="")
    return OK
