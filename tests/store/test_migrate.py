"""Migration has a place of its own: a step per version, an explicit command, and the old file stays."""

import pathlib

import pytest

from ostinato import SessionFormatError, SessionLockedError, StoreError
from ostinato.store.migrate import MIGRATIONS, migrated
from tests.store.disks import Broken
from tests.store.saved import history, saved, store

STEPS = {1: lambda data: data + b"two\n", 2: lambda data: data + b"three\n"}


def test_no_step_is_missing() -> None:
    """From every earlier version there is a step; a session of the present version is left as it is."""
    assert dict(MIGRATIONS) == {}


def test_steps_follow_each_other(tmp_path: pathlib.Path) -> None:
    """Each gets what the one before it gave."""
    data = saved(tmp_path).read_bytes()
    assert migrated(data, steps=STEPS, to=3) == data + b"two\nthree\n"
    assert migrated(data, steps=STEPS, to=1) == data


def test_a_missing_step_is_named(tmp_path: pathlib.Path) -> None:
    """And so are a newer version and a header that says nothing."""
    data = saved(tmp_path).read_bytes()
    for given, to, code in (
        (data, 9, "migration_missing"),
        (data, 0, "version_unknown"),
        (b"x", 1, "header_unreadable"),
    ):
        with pytest.raises(SessionFormatError) as caught:
            migrated(given, steps=STEPS, to=to)
        assert caught.value.code == code


def test_the_old_file_stays(tmp_path: pathlib.Path) -> None:
    """Under a name that tells its version, as private as the new one."""
    path = saved(tmp_path)
    data = path.read_bytes()
    assert store(tmp_path).migrate("s", steps=STEPS, to=2) == 1
    assert path.read_bytes() == data + b"two\n"
    old = path.with_name("s.v1")
    assert old.read_bytes() == data
    assert old.stat().st_mode & 0o777 == 0o600
    assert [info.name for info in store(tmp_path).sessions()] == ["s"]
    assert store(tmp_path).migrate("s") == 1


@pytest.mark.parametrize("call", ["write", "sync", "rename"])
@pytest.mark.parametrize("after", [0, 1])
def test_a_migration_that_fails_leaves_the_session(tmp_path: pathlib.Path, call: str, after: int) -> None:
    """At every step the name leads to a whole file, and the next try does it."""
    path = saved(tmp_path)
    data = path.read_bytes()
    if (call, after) != ("rename", 1):
        with pytest.raises(StoreError) as caught:
            store(tmp_path, disk=Broken(call, after=after)).migrate("s", steps=STEPS, to=2)
        assert caught.value.code == "disk_error"
        assert path.read_bytes() == data
        assert store(tmp_path).read("s").messages == history(1, 2)
    assert store(tmp_path).migrate("s", steps=STEPS, to=2) == 1
    assert path.read_bytes() == data + b"two\n"


def test_a_session_that_is_held_is_not_migrated(tmp_path: pathlib.Path) -> None:
    """Its writer would go on in the old file."""
    saved(tmp_path)
    with store(tmp_path).open("s"), pytest.raises(SessionLockedError):
        store(tmp_path).migrate("s", steps=STEPS, to=2)
