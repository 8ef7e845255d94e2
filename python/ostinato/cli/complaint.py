"""What a command says on stderr when it was given something that it cannot take: what it is, and what to do next."""

import errno
import os
import sys
from collections.abc import Mapping
from typing import Final

from ostinato.errors import PrepareError, ReplayError
from ostinato.names import printable

__all__ = ["advice", "complain", "system_error"]

# Errors whose text names an argument of a function: here it is an option.
_IN_OPTIONS: Final[Mapping[str, str]] = {
    "several_sessions": "it holds several; name one (--name, or --name-a); `ostinato doctor --all FILE` lists them",
    "target_of_other_wire": "the session is of another wire than --target speaks; `ostinato doctor` says which",
    "unknown_format": "no known layout of saved histories looks like this; docs/load.md lists those that are known",
    "unknown_profile": "--model, --endpoint and --account are parts of a target; give --target too",
    "unknown_session": "the file holds no session of this name (`ostinato doctor --all FILE` lists them)",
    "redacted_export": "the file is a redacted export: it holds no state; give the session that it was made from",
    "wires_differ": "the two are of different wires and cannot be compared; --wire says whose they are",
    "not_rescuable": "what must go cannot be left out of this file; `ostinato export` writes a copy to look at",
}


def advice(error: ReplayError | PrepareError) -> str:
    """The error in the words of the command line."""
    text = _IN_OPTIONS.get(error.code)
    return str(error) if text is None else f"{error.code}: {text}"


def complain(command: str, error: ReplayError | PrepareError, path: str | os.PathLike[str] | None = None) -> None:
    """Say on stderr which file of which command it is about, and why."""
    place = "" if path is None else f"{printable(os.fspath(path))}: "
    print(f"ostinato {command}: {place}{printable(advice(error))}", file=sys.stderr)


def system_error(error: OSError) -> str:
    """An error of the system with the name it is about, as one line."""
    place = f"{printable(error.filename)}: " if isinstance(error.filename, str) else ""
    way = "; name one file in it" if error.errno == errno.EISDIR else ""
    return f"{place}{error.strerror or type(error).__name__}{way}"
