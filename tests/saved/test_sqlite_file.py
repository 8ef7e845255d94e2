"""SQLite files as bytes, with what their write-ahead log adds."""

from __future__ import annotations

import pathlib
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostinato.saved.on_disk import read_file
from ostinato.saved.sqlite_file import opened, with_log


def write(path: pathlib.Path, *, rows: int = 40, mode: str = "WAL") -> sqlite3.Connection:
    """A database whose last rows are in its log for as long as the connection is open."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
    for number in range(rows):
        connection.execute("INSERT INTO notes VALUES (?, ?)", (number, f"note {number} " * 40))
    return connection


def count(data: bytes) -> int:
    """How many rows a database as bytes holds."""
    with opened(data) as database:
        return int(database.execute("SELECT count(*) FROM notes").fetchone()[0])


def test_rows_in_the_log_are_there_and_nothing_is_made(tmp_path: pathlib.Path) -> None:
    """The newest rows are read, and the folder is as it was."""
    with closing(write(tmp_path / "a.db")):
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert count(read_file(tmp_path / "a.db")) == 40
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_log_without_shared_memory_is_read(tmp_path: pathlib.Path) -> None:
    """A database that was copied with its log alone is whole."""
    (tmp_path / "copy").mkdir()
    with closing(write(tmp_path / "a.db")):
        for name in ("a.db", "a.db-wal"):
            (tmp_path / "copy" / name).write_bytes((tmp_path / name).read_bytes())
    assert count(read_file(tmp_path / "copy" / "a.db")) == 40
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == ["a.db", "a.db-wal"]


def test_database_without_log_is_as_it_is(tmp_path: pathlib.Path) -> None:
    """Other journal modes need no log; the mode alone is set to one that opens anywhere."""
    write(tmp_path / "a.db", mode="DELETE").close()
    assert read_file(tmp_path / "a.db") == (tmp_path / "a.db").read_bytes()
    write(tmp_path / "b.db").close()  # the last to close moves the log into the database
    assert not (tmp_path / "b.db-wal").exists()
    assert count(read_file(tmp_path / "b.db")) == 40


def test_unfinished_transaction_is_left_out(tmp_path: pathlib.Path) -> None:
    """What comes after the last commit did not happen, as in SQLite itself."""
    with closing(write(tmp_path / "a.db", rows=10)) as connection:
        database, log = (tmp_path / "a.db").read_bytes(), (tmp_path / "a.db-wal").read_bytes()
        connection.execute("INSERT INTO notes VALUES (100, 'later')")
        longer = (tmp_path / "a.db-wal").read_bytes()
    assert count(with_log(database, longer)) == 11
    assert count(with_log(database, longer[:-1])) == 10
    torn = bytearray(longer)
    torn[len(log) + 30] ^= 1
    assert count(with_log(database, bytes(torn))) == 10


def test_log_of_another_database_changes_nothing(tmp_path: pathlib.Path) -> None:
    """A log that is none leaves the database as it is."""
    write(tmp_path / "a.db").close()
    database = (tmp_path / "a.db").read_bytes()
    for log in (b"", b"no log at all" * 10, b"\x37\x7f\x06\x82" + bytes(60)):
        assert count(with_log(database, log)) == 40


def test_query_without_end_is_stopped() -> None:
    """A query over nothing that would go on for ever is an error."""
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute("CREATE TABLE notes (id)")
        data = made.serialize()
    with opened(data) as database, pytest.raises(sqlite3.OperationalError):
        database.execute(endless).fetchone()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """A database and its log."""
    folder = tmp_path_factory.mktemp("written")
    with closing(write(folder / "a.db", rows=6)):
        return (folder / "a.db").read_bytes(), (folder / "a.db-wal").read_bytes()


@given(changes=st.lists(st.tuples(st.integers(0, 40_000), st.integers(0, 255)), max_size=8), cut=st.integers(0, 40_000))
def test_damaged_log_never_breaks(written: tuple[bytes, bytes], changes: list[tuple[int, int]], cut: int) -> None:
    """Whatever is in a log, what comes out is a database of whole pages that is no larger than its parts."""
    database, log = written
    damaged = bytearray(log[:cut] if cut < len(log) else log)
    for place, value in changes:
        if place < len(damaged):
            damaged[place] = value
    made = with_log(database, bytes(damaged))
    assert len(made) <= len(database) + len(damaged)
