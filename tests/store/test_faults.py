"""Whatever the disk does, at whichever byte: turns that were confirmed stay, and what is lost is said."""

import errno
import pathlib
import shutil
from typing import Any

import pytest

from ostinato import SessionWriteError, StoreError
from ostinato.store.disk import Disk
from tests.store.disks import Broken, Counting, Full, Quick, Short
from tests.store.saved import Model, client_of, history, saved, say, store, turn, user


def small(number: int) -> list[Any]:
    """A turn of few bytes."""
    return [user(f"Question {number}")]


def smalls(*numbers: int) -> list[Any]:
    """The messages of some of them."""
    return [message for number in numbers for message in small(number)]


def with_turns(folder: pathlib.Path, *numbers: int, disk: Disk | None = None) -> tuple[pathlib.Path, list[int]]:
    """A session with some small turns: its file, and where each of them ends."""
    with store(folder, disk=disk or Quick()).open("s") as session:
        ends = []
        for number in numbers:
            session.append(small(number))
            ends.append(session.path.stat().st_size)
        return session.path, ends


def test_short_writes_write_it_all(tmp_path: pathlib.Path) -> None:
    """A system that takes few bytes at a time is served until it has them all."""
    with store(tmp_path, disk=Short()).open("s") as session:
        session.append(turn(1))
        session.append(turn(2))
    found = store(tmp_path).read("s")
    assert (found.messages, found.findings) == (history(1, 2), ())


def test_a_loss_of_power_at_every_byte_costs_the_last_turn_alone(tmp_path: pathlib.Path) -> None:
    """The file ends anywhere in the turn that was being written; what is there stays, and the session goes on."""
    path, ends = with_turns(tmp_path, 1, 2, 3)
    whole = path.read_bytes()
    for end in range(ends[1], ends[2] + 1):
        path.write_bytes(whole[:end])
        is_whole = end >= ends[2] - 1  # but for the newline, it is there
        with store(tmp_path, disk=Quick()).open("s") as session:
            assert session.messages == smalls(1, 2, *([3] if is_whole else [])), end
            codes = [one.code for one in session.findings]
            assert codes == ([] if is_whole or end == ends[1] else ["turn_torn"]), end
            session.append(small(4))
        assert path.read_bytes()[:end] == whole[:end], "what was there is not written anew"
        found = store(tmp_path).read("s")
        assert found.messages == smalls(1, 2, *([3] if is_whole else []), 4), end
        lost = [one.code for one in found.findings]
        assert len(lost) == (0 if is_whole or end == ends[1] else 1), end


def test_blocks_that_never_reached_the_disk_cost_the_last_turn_alone(tmp_path: pathlib.Path) -> None:
    """Some file systems keep the length of a file and lose its bytes: zeros stand there."""
    path, ends = with_turns(tmp_path, 1, 2, 3)
    whole = path.read_bytes()
    for start in range(ends[1], ends[2] - 1, 3):
        path.write_bytes(whole[:start] + bytes(ends[2] - start))
        with store(tmp_path, disk=Quick()).open("s") as session:
            assert session.messages == smalls(1, 2)
            assert [one.code for one in session.findings] in (["turn_torn"], ["line_unreadable"], ["digest_mismatch"])
            session.append(small(4))
        assert store(tmp_path).read("s").messages == smalls(1, 2, 4)


def test_a_second_crash_costs_the_second_turn_alone(tmp_path: pathlib.Path) -> None:
    """Torn turns one behind the other hide nothing of what stands between and after them."""
    path, ends = with_turns(tmp_path, 1, 2)
    for number, cut in ((3, 40), (4, 111), (5, 3)):
        path.write_bytes(path.read_bytes()[: -cut if number > 3 else ends[1]])
        with store(tmp_path).open("s") as session:
            session.append(small(number))
            session.append(small(10 + number))
    found = store(tmp_path).read("s")
    assert found.messages == smalls(1, 2, 3, 4, 5, 15)
    assert len(found.findings) == 2


def test_a_full_disk_at_every_byte_costs_the_turn_and_nothing_else(tmp_path: pathlib.Path) -> None:
    """The turn is refused by name and taken back; with room again, the session goes on."""
    path, ends = with_turns(tmp_path, 1, 2)
    kept = path.read_bytes()
    size = ends[1] - ends[0]
    for room in range(0, size, 7):
        disk = Full(room)
        with store(tmp_path, disk=disk).open("s") as session:
            session.read()
            with pytest.raises(SessionWriteError) as caught:
                session.append(small(3))
            assert (caught.value.code, caught.value.reason) == ("turn_not_written", "ENOSPC")
            assert path.read_bytes() == kept
            assert session.messages == smalls(1, 2)
            disk.room = 1 << 20
            session.append(small(4))
        found = store(tmp_path).read("s")
        assert (found.messages, found.findings) == (smalls(1, 2, 4), ())
        path.write_bytes(kept)


def test_a_full_disk_at_the_first_turn_leaves_no_session(tmp_path: pathlib.Path) -> None:
    """Nothing half made has the session's name."""
    disk = Full(100)
    with store(tmp_path, disk=disk).open("s") as session:
        with pytest.raises(SessionWriteError) as caught:
            session.append(small(1))
        assert (caught.value.code, caught.value.reason) == ("turn_not_written", "ENOSPC")
        assert store(tmp_path).sessions() == []
        disk.room = 1 << 20
        session.append(small(2))
    found = store(tmp_path).read("s")
    assert (found.messages, found.findings) == (smalls(2), ())


@pytest.mark.parametrize("code", [errno.EIO, errno.EDQUOT, errno.ENOSPC, errno.EROFS])
def test_a_turn_that_fails_is_taken_back(tmp_path: pathlib.Path, code: int) -> None:
    """A write that stops half way leaves the file as it was; the session goes on."""
    path, _ = with_turns(tmp_path, 1, 2)
    kept = path.read_bytes()
    disk = Broken("write", code=code)
    with store(tmp_path, disk=disk).open("s") as session:
        session.read()

        with pytest.raises(SessionWriteError) as caught:
            session.append(small(3))
        assert (caught.value.code, caught.value.reason) == ("turn_not_written", errno.errorcode[code])
        assert path.read_bytes() == kept
        disk.calls = ()
        session.append(small(3))
    assert store(tmp_path).read("s").messages == smalls(1, 2, 3)


class _OneSyncFails(Quick):
    """One sync fails, and all others work."""

    failed = False

    def sync(self, fd: int) -> None:
        """Fails once."""
        if not self.failed:
            self.failed = True
            raise OSError(errno.EIO, "broken")
        super().sync(fd)


def test_a_sync_that_fails_once_costs_the_turn(tmp_path: pathlib.Path) -> None:
    """What was not confirmed is cut off, and does not come back with the next open."""
    path, _ = with_turns(tmp_path, 1)
    kept = path.read_bytes()
    with store(tmp_path, disk=_OneSyncFails()).open("s") as session:
        with pytest.raises(SessionWriteError) as caught:
            session.append(small(2))
        assert caught.value.code == "turn_not_written"
        assert path.read_bytes() == kept
        session.append(small(3))
    assert store(tmp_path).read("s").messages == smalls(1, 3)


def test_a_turn_that_cannot_be_taken_back_ends_the_session(tmp_path: pathlib.Path) -> None:
    """It may be there or not: the session takes no more, and the next open says what is there."""
    with_turns(tmp_path, 1)
    disk = Broken("write", "truncate")
    with store(tmp_path, disk=disk).open("s") as session:
        session.read()
        with pytest.raises(SessionWriteError) as caught:
            session.append(small(2))
        assert (caught.value.code, caught.value.reason) == ("turn_unconfirmed", "EIO")
        for act in (lambda: session.append(small(3)), lambda: session.check([]), lambda: session.messages):
            with pytest.raises(SessionWriteError) as caught:
                act()
            assert caught.value.code == "session_broken"
    with store(tmp_path).open("s") as again:
        assert again.messages == smalls(1)
        assert [one.code for one in again.findings] == ["turn_torn"]
        again.append(small(4))
        assert again.messages == smalls(1, 4)


@pytest.mark.parametrize("call", ["write", "sync", "rename"])
def test_a_session_that_cannot_be_made_is_none(tmp_path: pathlib.Path, call: str) -> None:
    """At whichever step it fails, nothing has the session's name, and the next try makes it."""
    (tmp_path / "sessions").mkdir(mode=0o700)
    disk = Broken(call)
    with store(tmp_path, disk=disk).open("s") as session:
        with pytest.raises(SessionWriteError) as caught:
            session.append(small(1))
        assert caught.value.code == "turn_not_written"
        assert store(tmp_path).sessions() == []
        disk.calls = ()
        session.append(small(2))
    assert store(tmp_path).read("s").messages == smalls(2)


def test_a_folder_that_cannot_be_synced_leaves_the_first_turn_unconfirmed(tmp_path: pathlib.Path) -> None:
    """The file is there; whether its name outlives a loss of power is not known, and the error says so."""
    (tmp_path / "sessions").mkdir(mode=0o700)
    with store(tmp_path, disk=Broken("sync", after=1)).open("s") as session:
        with pytest.raises(SessionWriteError) as caught:
            session.append(small(1))
        assert caught.value.code == "turn_unconfirmed"
    with store(tmp_path).open("s") as again:
        assert again.messages == smalls(1)


def test_what_a_stopped_creation_left_is_reported_and_replaced(tmp_path: pathlib.Path) -> None:
    """Its first turn was not confirmed; it has no session's name."""
    path, _ = with_turns(tmp_path, 1)
    whole = path.read_bytes()
    path.unlink()
    for cut in (0, 50, len(whole)):
        path.with_name(".s.new").write_bytes(whole[:cut])
        assert store(tmp_path).sessions() == []
        with store(tmp_path).open("s") as session:
            assert [one.code for one in session.findings] == ["creation_unfinished"]
            session.append(small(2))
            assert session.messages == smalls(2)
        path.unlink()


def test_a_disk_that_cannot_be_read_is_an_error_and_no_loss(tmp_path: pathlib.Path) -> None:
    """A fault of the moment is not taken for damage, or the next writer would go on without these turns."""
    with_turns(tmp_path, 1, 2)
    for act in (
        lambda: store(tmp_path, disk=Broken("read")).read("s"),
        lambda: store(tmp_path, disk=Broken("read", after=1)).open("s").messages,
        lambda: store(tmp_path, disk=Broken("read", after=1)).open("s").append(small(3)),
    ):
        with pytest.raises(StoreError) as caught:
            act()
        assert (caught.value.code, caught.value.reason) == ("disk_error", "EIO")
    assert store(tmp_path).sessions()[0].code is None
    assert store(tmp_path, disk=Broken("read")).sessions()[0].code == "disk_error"
    assert store(tmp_path).read("s").messages == smalls(1, 2)


def test_a_failing_write_reaches_the_caller_of_the_client_in_place_of_the_stop(tmp_path: pathlib.Path) -> None:
    """History and file are what they were, and the client is free for the next call."""
    disk = Full(1 << 20)
    with store(tmp_path, disk=disk).open("s") as session:
        model = Model()
        client = client_of(session, model)
        say(client, "a")
        before = client.get_history()
        disk.room = 10
        with client, pytest.raises(SessionWriteError) as caught:
            list(client.stream(user("b")))
        assert caught.value.code == "turn_not_written"
        assert client.get_history() == before == store(tmp_path).read("s").messages
        disk.room = 1 << 20
        say(client, "c")
        assert [len(request.groups) for request in model.requests] == [1, 3, 3]
        recorded = client.get_history()
    assert store(tmp_path).read("s").messages == recorded
    again = Model()
    with store(tmp_path).open("s") as session:
        say(client_of(session, again), "d")  # the guard knows of no turn that failed


def test_somebody_who_writes_past_the_lock_is_noticed(tmp_path: pathlib.Path) -> None:
    """Nothing is written over it, and nothing of it is cut off."""
    path, _ = with_turns(tmp_path, 1)
    with store(tmp_path).open("s") as session:
        session.read()
        path.write_bytes(path.read_bytes() + b"foreign\n")
        kept = path.read_bytes()
        for act in (lambda: session.append(small(2)), lambda: session.messages):
            with pytest.raises(StoreError) as caught:
                act()
            assert caught.value.code == "file_changed"
        assert path.read_bytes() == kept


def test_a_session_that_was_taken_away_is_noticed(tmp_path: pathlib.Path) -> None:
    """A turn is not written to a file that nobody can find."""
    path, _ = with_turns(tmp_path, 1)
    with store(tmp_path).open("s") as session:
        session.read()
        path.unlink()
        with pytest.raises(StoreError) as caught:
            session.append(small(2))
        assert caught.value.code == "session_missing"


@pytest.mark.parametrize(
    ("instead", "code"), [(None, "session_missing"), ("link", "file_changed"), ("file", "file_changed")]
)
def test_a_session_that_was_moved_is_noticed(tmp_path: pathlib.Path, instead: str | None, code: str) -> None:
    """Under its name there is nothing, a link or another file: the turn goes neither there nor where it was moved."""
    path, _ = with_turns(tmp_path, 1)
    moved = path.with_name("moved")
    with store(tmp_path).open("s") as session:
        session.read()
        kept = path.read_bytes()
        path.rename(moved)
        if instead == "link":
            path.symlink_to(moved)
        elif instead == "file":
            path.write_bytes(kept)
        with pytest.raises(StoreError) as caught:
            session.append(small(2))
        assert caught.value.code == code
        assert moved.read_bytes() == kept


def test_a_folder_that_was_moved_takes_turns(tmp_path: pathlib.Path) -> None:
    """The session is in it, wherever it is."""
    folder = tmp_path / "folder"
    with_turns(folder, 1)
    with store(folder).open("s") as session:
        session.read()
        folder.rename(tmp_path / "elsewhere")
        session.append(small(2))
    assert store(tmp_path / "elsewhere").read("s").turns == 2


@pytest.mark.parametrize("damage", [b"X", b'"', b"\n", b"\x00", b"\xff"])
def test_one_wrong_byte_costs_one_turn_wherever_it_is(tmp_path: pathlib.Path, damage: bytes) -> None:
    """The turn that holds it is left out and reported; all others are read."""
    path, ends = with_turns(tmp_path, 1, 2, 3)
    whole = path.read_bytes()
    head = whole.index(b"\n") + 1
    starts = [head, ends[0], ends[1]]
    for place in range(0, len(whole) - 1, 5):
        if whole[place : place + 1] == damage:
            continue
        path.write_bytes(whole[:place] + damage + whole[place + 1 :])
        found = store(tmp_path).read("s")
        hit = next((n for n, end in enumerate(ends) if starts[n] <= place < end), None)
        at_end = hit is not None and place == ends[hit] - 1
        lost = set() if hit is None else {hit + 1}
        if at_end:  # the newline between two turns makes one line of them
            lost |= {hit + 2} if hit is not None else set()
        assert found.messages == smalls(*sorted({1, 2, 3} - lost)), place
        assert found.findings, place


def test_a_lost_turn_in_the_middle_is_missed(tmp_path: pathlib.Path) -> None:
    """A file from which somebody cut a turn is not taken for whole."""
    path, ends = with_turns(tmp_path, 1, 2, 3)
    whole = path.read_bytes()
    path.write_bytes(whole[: ends[0]] + whole[ends[1] :])
    found = store(tmp_path).read("s")
    assert found.messages == smalls(1, 3)
    assert [(one.code, one.turn) for one in found.findings] == [("turn_missing", 2)]
    turns = store(tmp_path).turns("s")
    assert (turns.findings, len(list(turns)), turns.findings) == ((), 2, found.findings)


def test_a_turn_that_is_there_twice_counts_once(tmp_path: pathlib.Path) -> None:
    """Nor does one that stands out of order, as two copies of a file merged by hand have it."""
    path, ends = with_turns(tmp_path, 1, 2, 3)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[ends[0] :])
    found = store(tmp_path).read("s")
    assert found.messages == smalls(1, 2, 3)
    assert [(one.code, one.turn) for one in found.findings] == [("turn_repeated", 2), ("turn_repeated", 3)]


def test_a_lost_beginning_of_a_history_does_not_mix_two(tmp_path: pathlib.Path) -> None:
    """Turns of the new history are never read behind those of the old one."""
    with store(tmp_path, disk=Quick()).open("s") as session:
        session.append(small(1))
        begin = session.path.stat().st_size
        session.restart(small(2))
        end = session.path.stat().st_size
        session.append(small(3))
        path = session.path
    whole = path.read_bytes()
    path.write_bytes(whole[:begin] + b"X" * (end - begin - 1) + whole[end - 1 :])
    found = store(tmp_path).read("s")
    assert found.messages == smalls(3)
    assert [one.code for one in found.findings] == ["line_unreadable", "turn_missing", "history_missing"]


def test_a_clock_that_goes_back_changes_no_order(tmp_path: pathlib.Path) -> None:
    """It is reported; the order is that of the file."""
    times = iter([50, 50, 100, 40, 60])
    options: Any = {"now": lambda: next(times)}
    sessions = store(tmp_path)
    sessions._now = options["now"]
    with sessions.open("s") as session:
        for number in (1, 2, 3, 4):
            session.append(small(number))
    found = store(tmp_path).read("s")
    assert found.messages == smalls(1, 2, 3, 4)
    assert [(one.code, one.turn) for one in found.findings] == [("clock_went_back", 3)]


def test_what_is_not_asked_for_is_not_read(tmp_path: pathlib.Path) -> None:
    """A listing reads headers, and the first turn costs one chunk, however long the session is."""
    with store(tmp_path, disk=Quick()).open("s") as session:
        session.append([user("x" * 100_000) for _ in range(40)])
        session.append([user("x" * 100_000) for _ in range(40)])
    disk = Counting()
    store(tmp_path, disk=disk).sessions()
    assert disk.bytes <= 70_000
    disk = Counting()
    with store(tmp_path, disk=disk).open("s"):
        assert disk.bytes <= 70_000
    turns = store(tmp_path, disk=disk).turns("s")
    next(turns)
    assert disk.bytes <= 6_000_000


def test_a_copy_of_a_session_is_a_session(tmp_path: pathlib.Path) -> None:
    """A file holds all there is: it can be put away and come back."""
    path = saved(tmp_path, 2)
    kept = tmp_path / "backup"
    shutil.copy(path, kept)
    store(tmp_path).purge("s")
    shutil.copy(kept, path)
    path.chmod(0o600)
    with store(tmp_path).open("s") as session:
        assert session.messages == history(1, 2)
        session.append(turn(3))
    assert store(tmp_path).read("s").findings == ()
