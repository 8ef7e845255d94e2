"""SQLite files as bytes: with what their write-ahead log adds, and without a trace in the user's folder.

A database in WAL mode keeps its newest rows in `<file>-wal`. SQLite reads them only where it may create files beside
the database; told that it may not, it reads the database as if they did not exist. So the log is applied here, in
memory, and SQLite gets the result as bytes. Layout: https://www.sqlite.org/fileformat2.html, section 4, read 2026-11.
"""

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final, NamedTuple

__all__ = ["LOG_HEADER", "MAGIC", "opened", "with_log"]

MAGIC: Final = b"SQLite format 3\0"
LOG_HEADER: Final = 32
"""The bytes that name a log: it is begun anew, under another head, once its pages are in the database."""
_FRAME_HEADER: Final = 24
_ENDIAN: Final = {0x377F0682: "<", 0x377F0683: ">"}
_SIZES: Final = frozenset(1 << power for power in range(9, 17))
_MODES: Final = slice(18, 20)
"""The bytes of a database that say whether it has a log: 2 and 2, or 1 and 1."""
_STEPS: Final = 1_000_000
"""Steps of SQLite's machine that a query may take, and as many again for each KiB of the file: a scan takes about ten
for a row, and a row has some ten bytes at least."""

_MOST_STEPS: Final = 2**31 - 1
"""What SQLite counts up to."""


class _Frame(NamedTuple):
    page: int
    pages_after: int
    """Pages of the database after this transaction; 0 in the middle of one."""
    data: bytes


def with_log(database: bytes, log: bytes) -> bytes:
    """A database as of the last whole transaction of its write-ahead log, in the form of one that has no log.

    The log counts up to the first frame that is not sound, as SQLite itself takes it: what follows was not committed.
    """
    width, pages, pending, count = _width(log), dict[int, bytes](), dict[int, bytes](), 0
    for frame in _frames(log, width, most=(len(database) + len(log)) // max(width, 1)):
        pending[frame.page] = frame.data
        if frame.pages_after:
            pages.update(pending)
            pending, count = {}, frame.pages_after
    made = bytearray(database)
    if pages:
        made = made[: count * width].ljust(count * width, b"\0")
        for page, data in pages.items():
            if page <= count:
                made[(page - 1) * width : page * width] = data
    if made[_MODES] == b"\2\2":
        made[_MODES] = b"\1\1"
    return bytes(made)


@contextmanager
def opened(database: bytes) -> Iterator[sqlite3.Connection]:
    """A database in memory. Nothing in it is run: no trigger, no function of its schema; and no query without end.

    Texts come as bytes, since a file may hold what is no UTF-8.

    Raises:
        sqlite3.Error: it is no database; and from any query, where the file is damaged.
    """
    if not database.startswith(MAGIC):
        raise sqlite3.DatabaseError
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(database)
        connection.text_factory = bytes
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA query_only = ON")
        left = _STEPS * (1 + len(database) // 1024)
        connection.set_progress_handler(lambda: 1, min(left, _MOST_STEPS))
        yield connection


def _width(log: bytes) -> int:
    """The size of a page by the log's head; 0 where the head is none."""
    if len(log) < LOG_HEADER or int.from_bytes(log[:4], "big") not in _ENDIAN:
        return 0
    width = int.from_bytes(log[8:12], "big")
    return width if width in _SIZES else 0


def _frames(log: bytes, width: int, *, most: int) -> Iterator[_Frame]:
    """The frames up to the first that is not sound."""
    if not width:
        return
    endian = _ENDIAN[int.from_bytes(log[:4], "big")]
    salts, sums = log[16:24], _sum(log[:24], endian, (0, 0))
    if struct.pack(">II", *sums) != log[24:LOG_HEADER]:
        return
    for place in range(LOG_HEADER, len(log) - width - _FRAME_HEADER + 1, _FRAME_HEADER + width):
        start = place + _FRAME_HEADER
        head, data = log[place:start], log[start : start + width]
        page, pages_after = struct.unpack(">II", head[:8])
        sums = _sum(data, endian, _sum(head[:8], endian, sums))
        if head[8:16] != salts or head[16:] != struct.pack(">II", *sums) or not page or pages_after > most:
            return
        yield _Frame(page, pages_after, data)


def _sum(data: bytes, endian: str, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = iter(struct.unpack(f"{endian}{len(data) // 4}I", data))
    for even, odd in zip(words, words, strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
