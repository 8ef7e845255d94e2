"""Writers in processes of their own: killed at every step, held against each other, and short of room for real."""

import errno
import fcntl
import itertools
import json
import os
import pathlib
import signal
import subprocess
import tempfile
from collections.abc import Iterator

import pytest

from ostinato import SessionLockedError, StoreError
from tests.store.saved import history, saved, store, turn
from tests.store.writer import begin, tell


@pytest.fixture
def writer(tmp_path: pathlib.Path) -> Iterator["subprocess.Popen[str]"]:
    """A writer for the sessions of the folder."""
    with begin(tmp_path) as process:
        yield process
        process.kill()
        process.stdin.close()  # type: ignore[union-attr]


def test_kill_9_at_every_step_costs_the_turn_at_hand_alone(
    tmp_path: pathlib.Path, writer: "subprocess.Popen[str]"
) -> None:
    """From the first byte of the file on: what was confirmed is there, in order, and the next writer goes on."""
    saved(tmp_path, name="folder")
    for step in itertools.count():
        name = f"s{step}"
        fate, confirmed = tell(writer, f"kill {name} {step} 1 2 3").split()
        with store(tmp_path).open(name) as session:
            there = [message for number in range(1, int(confirmed) + 1) for message in turn(number)]
            more = session.messages[len(there) :]
            assert session.messages[: len(there)] == there, step
            assert more in ([], turn(int(confirmed) + 1)), step  # on the disk, and not confirmed any more
            codes = {one.code for one in session.findings}
            assert codes <= {"turn_torn", "creation_unfinished", "lock_was_stale"}, step
            assert ("lock_was_stale" in codes) == (fate == "killed")
            before = session.messages
            session.append(turn(7))
        assert store(tmp_path).read(name).messages == [*before, *turn(7)], step
        if fate == "done":
            break
    assert step > 50


def test_two_processes_cannot_write_one_session(tmp_path: pathlib.Path, writer: "subprocess.Popen[str]") -> None:
    """The second is told who has it, in a named error; readers are served all the time."""
    assert tell(writer, "open s") == "opened 0"
    assert tell(writer, "append 1") == "turn 1"
    with pytest.raises(SessionLockedError) as caught:
        store(tmp_path).open("s")
    assert caught.value.code == "session_locked"
    assert caught.value.owner.pid == writer.pid
    assert str(writer.pid) in str(caught.value)
    with pytest.raises(SessionLockedError):
        store(tmp_path).purge("s")
    assert store(tmp_path).read("s").messages == history(1)
    assert tell(writer, "close") == "closed"
    with store(tmp_path).open("s") as session:
        assert session.findings == ()
        session.append(turn(2))
        assert tell(writer, "open s").startswith("session_locked process")
    assert tell(writer, "open s") == "opened 4"


def test_a_writer_that_was_killed_holds_nothing(tmp_path: pathlib.Path, writer: "subprocess.Popen[str]") -> None:
    """The kernel gives its lock back; that it did not do so itself is reported."""
    tell(writer, "open s")
    tell(writer, "append 1")
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    with store(tmp_path).open("s") as session:
        assert [one.code for one in session.findings] == ["lock_was_stale"]
        assert f"process {writer.pid}" in str(session.findings[0])
        assert session.messages == history(1)


def test_two_sessions_of_one_process_are_two_writers(tmp_path: pathlib.Path) -> None:
    """The lock is not the process's but the session's."""
    with store(tmp_path).open("s"):
        with pytest.raises(SessionLockedError):
            store(tmp_path).open("s")
        with store(tmp_path).open("t") as other:
            other.append(turn())
    store(tmp_path).open("s").close()


def test_a_forked_child_is_no_writer(tmp_path: pathlib.Path, writer: "subprocess.Popen[str]") -> None:
    """It has the parent's session in its memory, and neither writes to it nor gives it back."""
    tell(writer, "open s")
    tell(writer, "append 1")
    assert tell(writer, "fork") == "session_forked"
    assert tell(writer, "append 2") == "turn 2"
    with pytest.raises(SessionLockedError) as caught:
        store(tmp_path).open("s")
    assert caught.value.owner.pid == writer.pid
    assert store(tmp_path).read("s").messages == history(1, 2)


def test_a_limit_of_the_system_on_file_sizes_costs_the_turn(
    tmp_path: pathlib.Path, writer: "subprocess.Popen[str]"
) -> None:
    """A real write that stops half way, at several places of a turn."""
    path = saved(tmp_path, 1)
    tell(writer, "open s")
    size = path.stat().st_size
    for more in (1, 100, 1100):
        assert tell(writer, f"limit {size + more}") == "limited"
        assert tell(writer, "append 2") == "turn_not_written EFBIG"
        assert path.stat().st_size == size
    assert tell(writer, f"limit {1 << 30}") == "limited"
    assert tell(writer, "append 3") == "turn 2"
    assert store(tmp_path).read("s").messages == history(1, 3)


def test_a_file_system_without_room_costs_the_turn(tmp_path: pathlib.Path) -> None:
    """A real one of 64 kB."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount")
    folder = tmp_path / "sessions"
    folder.mkdir(mode=0o700)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", str(folder)],  # noqa: S607 - wherever mount is
        check=False,
        capture_output=True,
    )
    if mounted.returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        with store(tmp_path).open("s") as session:
            for number in itertools.count(1):
                try:
                    session.append(turn(number))
                except StoreError as error:
                    assert (error.code, error.reason) == ("turn_not_written", "ENOSPC")  # noqa: PT017 - at some turn
                    break
            confirmed = list(range(1, number))
            assert session.messages == history(*confirmed)
        found = store(tmp_path).read("s")
        assert (found.messages, found.findings) == (history(*confirmed), ())
        assert len(confirmed) > 20
    finally:
        subprocess.run(["umount", str(folder)], check=True)  # noqa: S607 - as above


def test_a_folder_that_may_only_be_read_takes_no_session() -> None:
    """By name; what is there can still be opened."""
    with tempfile.TemporaryDirectory() as name, begin(pathlib.Path(name)) as writer:
        assert tell(writer, "open s") == "opened 0"  # and everything is imported
        assert tell(writer, "append 1") == "turn 1"
        assert tell(writer, "close") == "closed"
        path = pathlib.Path(name, "sessions", "s.jsonl")
        if os.geteuid() == 0:  # whom no mode stops
            for entry in (path.parent.parent, path.parent, *path.parent.iterdir()):
                os.chown(entry, 65534, 65534)
            assert tell(writer, "become 65534") == "became"
        path.parent.chmod(0o500)
        assert tell(writer, "open new").startswith("disk_error E")
        assert tell(writer, "open s") == "opened 2"
        path.parent.chmod(0o700)
        assert tell(writer, "append 2") == "turn 2"
        writer.kill()


def _left_by(folder: pathlib.Path, owner: object) -> None:
    saved(folder, 1)
    lock = folder / "sessions" / "s.lock"
    lock.write_text(owner if isinstance(owner, str) else json.dumps(owner))


def test_a_session_of_another_host_is_not_taken_from_it(tmp_path: pathlib.Path) -> None:
    """On a shared file system this kernel cannot know whether that process lives: whoever knows may take over."""
    _left_by(tmp_path, {"pid": 1, "host": "another.example", "started": "5", "at": 9})
    with pytest.raises(SessionLockedError) as caught:
        store(tmp_path).open("s")
    assert caught.value.code == "locked_elsewhere"
    assert "another.example" in str(caught.value)
    with store(tmp_path).open("s", take_over=True) as session:
        assert [one.code for one in session.findings] == ["lock_was_stale"]
    store(tmp_path).open("s").close()


@pytest.mark.parametrize(
    "text",
    [
        "garbage",
        "{}",
        "[1]",
        '{"pid":"1","host":2,"started":3,"at":4}',
        "[" * 5000,
        '{"pid":1,"host":"\\u001b[31m","started":"","at":1}',
    ],
)
def test_a_lock_file_that_says_nothing_stops_nobody(tmp_path: pathlib.Path, text: str) -> None:
    """The lock is the kernel's; the file only says whose."""
    _left_by(tmp_path, text)
    with store(tmp_path).open("s") as session:
        assert [one.code for one in session.findings] == ["lock_was_stale"]
        assert str(session.findings[0]).isprintable()


def test_a_file_system_without_locks_takes_no_session(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As some network file systems answer: without a lock, two writers could not be told apart."""

    def flock(_fd: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(SessionLockedError) as caught:
        store(tmp_path).open("s")
    assert caught.value.code == "lock_unsupported"
