"""The bytes of a saved history on disk, whole, even where a part of it lies in a file beside it."""

import pathlib
from typing import Final

from ostinato.errors import ReplayError
from ostinato.saved.sqlite_file import LOG_HEADER, MAGIC, with_log

__all__ = ["read_file"]

_TRIES: Final = 5


def read_file(path: pathlib.Path) -> bytes:
    """A file as it is now; a SQLite database with what its write-ahead log adds. Only reads.

    Raises:
        ReplayError: `file_changing`: somebody was writing to the database all the while.
        OSError: it cannot be read.
    """
    log = path.with_name(path.name + "-wal")
    for _try in range(_TRIES):
        head = _read(log, LOG_HEADER)
        data = path.read_bytes()
        if not data.startswith(MAGIC):
            return data
        # A log that was begun anew in between may have had pages that are in neither of what was read. One that only
        # grew has them all: what it has moved into the database since is still in it.
        frames = _read(log)
        if frames[:LOG_HEADER] == head:
            return with_log(data, frames)
    raise ReplayError("file_changing")


def _read(log: pathlib.Path, size: int = -1) -> bytes:
    try:
        with log.open("rb") as file:
            return file.read(size)
    except FileNotFoundError:  # the usual case: no writer has it open
        return b""
