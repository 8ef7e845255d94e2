"""A session keeps turns: what was appended is read again, by this process and by others."""

import json
import os
import pathlib
import re
import stat

import pytest

import ostinato
from ostinato import SessionFormatError, SessionNameError, SessionNotFoundError, SessionStore, SessionWriteError
from ostinato.error_codes import STORE_CODES
from ostinato.store import SESSION_FINDING_CODES
from tests.store.saved import answer, history, saved, store, turn, user


def test_what_was_appended_is_read_again(tmp_path: pathlib.Path) -> None:
    """The messages are the very same, in the order in which they came."""
    path = saved(tmp_path, 3)
    found = store(tmp_path).read("s")
    assert json.dumps(found.messages) == json.dumps(history(1, 2, 3))
    assert (found.turns, found.findings) == (3, ())
    assert path.name == "s.jsonl"


def test_a_session_goes_on_where_it_ended(tmp_path: pathlib.Path) -> None:
    """Turns have numbers that go on, and times by the clock that was passed in."""
    saved(tmp_path, 2)
    with store(tmp_path).open("s") as session:
        assert session.messages == history(1, 2)
        assert session.append(turn(3)) == 3
    turns = list(store(tmp_path).turns("s"))
    assert [one.number for one in turns] == [1, 2, 3]
    assert all(one.at >= 1_700_000_000_000 for one in turns)


def test_a_session_that_holds_nothing_is_no_file(tmp_path: pathlib.Path) -> None:
    """Opening alone leaves no session behind."""
    with store(tmp_path).open("s") as session:
        assert session.messages == []
        assert session.header is None
    assert store(tmp_path).sessions() == []
    with pytest.raises(SessionNotFoundError) as caught:
        store(tmp_path).read("s")
    assert caught.value.code == "session_missing"


def test_a_folder_that_is_not_there_holds_no_sessions(tmp_path: pathlib.Path) -> None:
    """Reading makes nothing."""
    assert store(tmp_path).sessions() == []
    with pytest.raises(SessionNotFoundError):
        store(tmp_path).read("s")
    assert not (tmp_path / "sessions").exists()


def test_a_listing_reads_headers_alone(tmp_path: pathlib.Path) -> None:
    """Name, time, model and size; a file that is no session is named with the reason."""
    path = saved(tmp_path, 2)
    (path.parent / "other.jsonl").write_text("nothing\n")
    (path.parent / "notes.txt").write_text("no session\n")
    found = store(tmp_path).sessions()
    assert [(info.name, info.code) for info in found] == [("other", "header_damaged"), ("s", None)]
    assert found[1].size == path.stat().st_size
    assert found[1].created is not None
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0] + b"garbage\n")
    assert store(tmp_path).sessions()[1].code is None


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_files_and_folders_are_private_whatever_the_umask(tmp_path: pathlib.Path, umask: int) -> None:
    """Folders of mode 0700, files of mode 0600, those of the lock too."""
    before = os.umask(umask)
    try:
        path = saved(tmp_path)
    finally:
        os.umask(before)
    modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()}
    assert modes == {"s.jsonl": 0o600, "s.lock": 0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_folders_above_are_made_private_too(tmp_path: pathlib.Path) -> None:
    """Whatever is made on the way lets nobody in."""
    with SessionStore(tmp_path / "a" / "b").open("s") as session:
        session.append(turn())
    assert [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "a", tmp_path / "a" / "b")] == [0o700] * 2


def test_open_modes_are_reported_and_left(tmp_path: pathlib.Path) -> None:
    """What others may read is said, and not changed unasked."""
    path = saved(tmp_path)
    path.chmod(0o640)
    path.parent.chmod(0o755)
    found = store(tmp_path).read("s").findings
    assert [(one.code, one.path, one.reason) for one in found] == [
        ("mode_open", "sessions", "0755"),
        ("mode_open", "s.jsonl", "0640"),
    ]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_open_modes_are_mended_when_asked(tmp_path: pathlib.Path) -> None:
    """`mend=True` takes the bits away, and says so."""
    path = saved(tmp_path)
    path.chmod(0o644)
    path.parent.chmod(0o777)
    found = store(tmp_path, mend=True).read("s").findings
    assert [one.reason for one in found] == ["0777, mended", "0644, mended"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert store(tmp_path).read("s").findings == ()


def test_stricter_modes_are_left_alone(tmp_path: pathlib.Path) -> None:
    """A folder that even its owner may only read is no finding."""
    path = saved(tmp_path)
    path.chmod(0o400)
    assert store(tmp_path, mend=True).read("s").findings == ()
    assert stat.S_IMODE(path.stat().st_mode) == 0o400


def test_a_history_that_begins_anew_leaves_the_old_one_on_the_disk(tmp_path: pathlib.Path) -> None:
    """It is a record of its own; nothing before it is changed."""
    path = saved(tmp_path, 2)
    before = path.read_bytes()
    with store(tmp_path).open("s") as session:
        session.restart(turn(7))
        session.append(turn(8))
    assert path.read_bytes().startswith(before)
    found = store(tmp_path).read("s")
    assert found.messages == history(7, 8)
    assert (found.turns, found.conversation.place.epoch) == (4, 1)
    assert [one.epoch for one in store(tmp_path).turns("s")] == [0, 0, 1, 1]


def test_a_history_may_begin_anew_with_nothing(tmp_path: pathlib.Path) -> None:
    """And go on, or not."""
    saved(tmp_path, 2)
    with store(tmp_path).open("s") as session:
        session.restart()
        assert session.messages == []
    assert store(tmp_path).read("s").messages == []


def test_a_reader_needs_no_lock(tmp_path: pathlib.Path) -> None:
    """Many may read while one writes."""
    with store(tmp_path).open("s") as session:
        session.append(turn(1))
        assert store(tmp_path).read("s").messages == history(1)
        session.append(turn(2))
        assert store(tmp_path).read("s").messages == history(1, 2)


def test_turns_are_read_when_they_are_asked_for(tmp_path: pathlib.Path) -> None:
    """The first turn of a long session costs no more than that of a short one."""
    path = saved(tmp_path, 2)
    with path.open("ab") as file:
        file.truncate(1 << 31)  # two gigabytes of nothing
    turns = store(tmp_path).turns("s")
    assert next(turns).messages == history(1)


@pytest.mark.parametrize(
    "bad",
    [
        "",
        ".",
        "..",
        "../s",
        "a/b",
        "/etc/passwd",
        "a\\b/c",
        "a\x00b",
        ".hidden",
        "-rf",
        "a b",
        "a\n",
        "é",
        "x" * 101,
        None,
        7,
        b"s",
        "\ud800",
    ],
)
def test_a_name_that_is_none_is_refused_and_not_repeated(tmp_path: pathlib.Path, bad: object) -> None:
    """Nothing is made, wherever it would lead."""
    for act in (store(tmp_path).open, store(tmp_path).read, store(tmp_path).purge):
        with pytest.raises(SessionNameError) as caught:
            act(bad)  # type: ignore[arg-type, operator]
        assert caught.value.code == "name_invalid"
        assert not bad or len(str(bad)) < 4 or str(bad) not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        ({"role": "user"}, "messages/1"),
        (user() | {"beside": object()}, "messages/1"),
        (user() | {"beside": float("nan")}, "messages/1"),
        (user() | {7: 1}, "messages/1"),
        (user("\ud800 canary"), "messages/1/content_items/0"),
        ("canary", "messages/1"),
    ],
)
def test_a_message_that_cannot_be_stored_is_refused_with_its_place(
    tmp_path: pathlib.Path, bad: object, place: str
) -> None:
    """Nothing of the turn is written, and the session goes on."""
    with store(tmp_path).open("s") as session:
        for act in (session.check, session.append, session.restart):
            with pytest.raises(SessionWriteError) as caught:
                act([answer(), bad])  # type: ignore[list-item, operator]
            assert (caught.value.code, caught.value.reason) == ("message_not_storable", place)
            assert "canary" not in str(caught.value)
        session.append(turn())
    assert store(tmp_path).read("s").messages == history(1)


def test_a_turn_beyond_the_limit_is_refused(tmp_path: pathlib.Path) -> None:
    """What could not be read again is not written."""
    with store(tmp_path, max_turn_bytes=2000).open("s") as session:
        session.append(turn())
        with pytest.raises(SessionWriteError) as caught:
            session.append([user("x" * 2000)])
    assert caught.value.code == "turn_too_large"
    found = store(tmp_path, max_turn_bytes=500).read("s")
    assert found.messages == []
    assert [one.code for one in found.findings] == ["record_too_large"]


def test_bytes_come_back_as_bytes(tmp_path: pathlib.Path) -> None:
    """Media, and the signatures of the oldest histories, wherever they stand."""
    data = bytes(range(256))
    image = {"type": "inline_data.done", "data": data, "mime_type": "image/png", "fidelity": {"signature": b"\x00"}}
    message = {"role": "assistant", "content_items": [image], "beside": [{"deep": data}, "AAAA"]}
    with store(tmp_path).open("s") as session:
        session.append([message])  # type: ignore[list-item]
        assert session.messages == [message]


def test_a_closed_session_takes_nothing(tmp_path: pathlib.Path) -> None:
    """Closing twice is closing once."""
    session = store(tmp_path).open("s")
    session.close()
    session.close()
    for act in (lambda: session.append(turn()), lambda: session.messages, lambda: session.check([])):
        with pytest.raises(SessionWriteError) as caught:
            act()
        assert caught.value.code == "session_closed"


def test_a_session_that_is_not_closed_is_given_back_with_its_object(tmp_path: pathlib.Path) -> None:
    """Nobody need close what nobody holds any more."""
    session = store(tmp_path).open("s")
    session.append(turn())
    del session
    with store(tmp_path).open("s") as again:
        assert again.messages == history(1)
        assert again.findings == ()


def test_a_session_is_purged_with_all_that_belongs_to_it(tmp_path: pathlib.Path) -> None:
    """Its file, its lock, and what a stopped writer left."""
    path = saved(tmp_path)
    (path.parent / ".s.new").write_bytes(b"rest")
    saved(tmp_path, name="kept")
    store(tmp_path).purge("s")
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["kept.jsonl", "kept.lock"]
    with pytest.raises(SessionNotFoundError):
        store(tmp_path).purge("s")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"schema":"ostinato.session","version":2,"anything":[]}', "version_unknown"),
        (b'{"schema":"ostinato.session","version":true}', "version_unknown"),
        (b'{"schema":"other","version":1}', "schema_unknown"),
        (b'{"type":"session_meta"}', "header_unreadable"),
        (b"not json", "header_unreadable"),
        (b"", "header_unreadable"),
    ],
)
def test_what_is_no_session_of_this_version_is_refused_by_name(tmp_path: pathlib.Path, line: bytes, code: str) -> None:
    """And stays as it is."""
    path = saved(tmp_path)
    path.write_bytes(line)
    with pytest.raises(SessionFormatError) as caught:
        store(tmp_path).read("s")
    assert caught.value.code == code
    with pytest.raises(SessionFormatError) as caught, store(tmp_path).open("s") as session:
        session.append(turn())
    assert caught.value.code == code
    assert path.read_bytes() == line


def test_a_renamed_session_is_read_and_reported(tmp_path: pathlib.Path) -> None:
    """Its header names another."""
    path = saved(tmp_path)
    path.rename(path.with_name("t.jsonl"))
    found = store(tmp_path).read("t")
    assert found.messages == history(1, 2)
    assert [one.code for one in found.findings] == ["name_differs"]


def test_names_that_differ_in_letters_alone_are_one_file_to_some_systems(tmp_path: pathlib.Path) -> None:
    """A session is not written to under another's name."""
    path = saved(tmp_path)
    path.rename(path.with_name("S.jsonl"))
    with pytest.raises(SessionNameError) as caught:
        store(tmp_path).open("S")
    assert caught.value.code == "session_exists"


def test_every_code_has_a_meaning_and_advice() -> None:
    """Each that the store raises; and none is left over."""
    package = pathlib.Path(ostinato.__file__).parent
    own = "".join(path.read_text() for path in package.joinpath("store").glob("*.py"))
    named = set(re.findall(r'(?:[A-Z][A-Za-z]+Error\(|code = )"([a-z_]+)"', own))
    faults = set(re.findall(r'FaultError\("([a-z0-9_]+)"', own)) - {"message_not_storable"}
    assert named - faults - set(SESSION_FINDING_CODES) <= set(STORE_CODES)
    everything = "".join(path.read_text() for path in package.rglob("*.py") if path.name != "error_codes.py")
    assert [code for code in STORE_CODES if f'"{code}"' not in everything] == []


def test_every_finding_has_a_meaning() -> None:
    """The codes are in the order of the alphabet, and each is a sentence."""
    assert list(SESSION_FINDING_CODES) == sorted(SESSION_FINDING_CODES)
    assert all(meaning.endswith(".") for meaning in SESSION_FINDING_CODES.values())
