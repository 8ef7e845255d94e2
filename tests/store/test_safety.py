"""What others may put into the folder, or into a file: refused by name, and never followed, obeyed or shown."""

import contextlib
import json
import os
import pathlib
import pickle
import socket
import traceback

import pytest

from ostinato import StoreError, UnsafePathError
from ostinato.store.folder import Folder
from ostinato.store.frame import SCHEMA, VERSION, FaultError, compact, sealed, strict
from ostinato.store.record import read_message, write_message
from tests.security.test_frames import shown_by_a_reporter
from tests.store.disks import Broken, Quick
from tests.store.saved import MARKER, answer, history, saved, store, turn, user

ACTS = ("open", "read", "purge")


def act_on(folder: pathlib.Path, act: str) -> None:
    """Open, read or purge the session."""
    if act == "open":
        store(folder).open("s").close()
    else:
        getattr(store(folder), act)("s")


@pytest.mark.parametrize("act", ["open", "read"])
def test_a_link_is_not_followed(tmp_path: pathlib.Path, act: str) -> None:
    """Wherever it leads; and what it leads to stays as it is."""
    path = saved(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    before = elsewhere.read_bytes()
    path.symlink_to(elsewhere)
    with pytest.raises(UnsafePathError) as caught:
        act_on(tmp_path, act)
    assert caught.value.code == "symlink"
    assert elsewhere.read_bytes() == before


def test_purging_a_link_takes_the_link_away(tmp_path: pathlib.Path) -> None:
    """And not what it leads to."""
    path = saved(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    store(tmp_path).purge("s")
    assert elsewhere.exists()
    assert not path.is_symlink()


@pytest.mark.parametrize("act", ACTS)
def test_a_folder_that_is_a_link_is_refused(tmp_path: pathlib.Path, act: str) -> None:
    """Its owner may lead it elsewhere at any time."""
    path = saved(tmp_path)
    path.parent.rename(tmp_path / "elsewhere")
    path.parent.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePathError) as caught:
        act_on(tmp_path, act)
    assert caught.value.code == "symlink"
    with pytest.raises(UnsafePathError):
        store(tmp_path).sessions()


@pytest.mark.parametrize("act", ["open", "read"])
def test_a_file_with_a_second_name_is_refused(tmp_path: pathlib.Path, act: str) -> None:
    """Whoever has the other name has the session."""
    path = saved(tmp_path)
    os.link(path, tmp_path / "other")
    with pytest.raises(UnsafePathError) as caught:
        act_on(tmp_path, act)
    assert caught.value.code == "hard_link"


def test_a_second_name_that_comes_later_is_noticed_at_the_next_turn(tmp_path: pathlib.Path) -> None:
    """Nothing more is written."""
    with store(tmp_path).open("s") as session:
        session.append(turn(1))
        os.link(session.path, tmp_path / "other")
        with pytest.raises(UnsafePathError) as caught:
            session.append(turn(2))
        assert caught.value.code == "hard_link"
        (tmp_path / "other").unlink()
        session.append(turn(2))


@pytest.mark.parametrize("act", ["open", "read"])
def test_what_is_no_file_is_refused(tmp_path: pathlib.Path, act: str) -> None:
    """A folder, a pipe (which must not be waited for), a socket."""
    path = saved(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(StoreError) as caught:
        act_on(tmp_path, act)
    assert caught.value.code == "not_a_regular_file"
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(UnsafePathError) as caught:
        act_on(tmp_path, act)
    assert caught.value.code == "not_a_regular_file"
    path.unlink()
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path.parent)  # such names are short
        server.bind("s.jsonl")
    with pytest.raises(UnsafePathError) as caught:
        act_on(tmp_path, act)
    assert caught.value.code == "not_a_regular_file"


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: pathlib.Path) -> None:
    """Or a writer would empty what it leads to."""
    path = saved(tmp_path)
    victim = tmp_path / "victim"
    victim.write_text("kept")
    lock = path.with_suffix(".lock")
    lock.unlink()
    lock.symlink_to(victim)
    for act in ("open", "purge"):
        with pytest.raises(UnsafePathError) as caught:
            act_on(tmp_path, act)
        assert caught.value.code == "symlink"
    assert victim.read_text() == "kept"


def test_a_new_session_is_not_made_through_a_link(tmp_path: pathlib.Path) -> None:
    """Nor through one at the place where it is made."""
    saved(tmp_path, name="other")
    victim = tmp_path / "victim"
    victim.write_text("kept")
    folder = tmp_path / "sessions"
    (folder / ".s.new").symlink_to(victim)
    with store(tmp_path).open("s") as session:
        session.append(turn())
    assert victim.read_text() == "kept"
    assert not (folder / "s.jsonl").is_symlink()


def test_a_file_that_appears_while_a_session_is_made_is_not_written_over(tmp_path: pathlib.Path) -> None:
    """The session that was new when it was opened is no longer."""
    with store(tmp_path).open("s") as session:
        session.path.write_bytes(b"somebody's")
        with pytest.raises(StoreError) as caught:
            session.append(turn())
        assert caught.value.code == "file_changed"
        assert session.path.read_bytes() == b"somebody's"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_another_users_files_are_refused(tmp_path: pathlib.Path) -> None:
    """A file, a lock, a folder."""
    path = saved(tmp_path)
    for entry in (path, path.with_suffix(".lock"), path.parent):
        os.chown(entry, 65534, 65534)
        with pytest.raises(UnsafePathError) as caught:
            act_on(tmp_path, "open")
        assert caught.value.code == "foreign_owner"
        os.chown(entry, 0, 0)


def test_a_folder_that_is_put_elsewhere_is_not_written_to(tmp_path: pathlib.Path) -> None:
    """What was opened counts, and not what its name leads to by now."""
    with store(tmp_path).open("s") as session:
        folder = session.path.parent
        folder.rename(tmp_path / "moved")
        (tmp_path / "trap").mkdir()
        folder.symlink_to(tmp_path / "trap")
        session.append(turn())
    assert list((tmp_path / "trap").iterdir()) == []
    assert (tmp_path / "moved" / "s.jsonl").exists()


def test_a_folder_that_is_no_folder_is_named(tmp_path: pathlib.Path) -> None:
    """A file, or a path that no system takes."""
    (tmp_path / "sessions").write_text("file")
    with pytest.raises(StoreError) as caught:
        store(tmp_path).open("s")
    assert caught.value.code == "not_a_folder"
    with pytest.raises(StoreError) as caught:
        store(tmp_path / "a\x00b").open("s")
    assert caught.value.code == "not_a_folder"


def test_descriptors_are_closed_whatever_is_refused(tmp_path: pathlib.Path) -> None:
    """A refusal leaks nothing."""
    path = saved(tmp_path)
    os.link(path, tmp_path / "other")
    before = len(list(pathlib.Path("/proc/self/fd").iterdir())) if pathlib.Path("/proc/self/fd").exists() else 0
    for _ in range(20):
        for act in ("open", "read"):
            with pytest.raises(UnsafePathError):
                act_on(tmp_path, act)
    if before:
        assert len(list(pathlib.Path("/proc/self/fd").iterdir())) == before


# Hostile content.


def unit(*lines: bytes, **head: object) -> bytes:
    """A turn whose check holds, whatever it holds."""
    whole = {
        "record": "turn",
        "turn": 1,
        "epoch": 0,
        "at": 1,
        "messages": len(lines),
        "client_type": None,
        "model": None,
        "sent": None,
    }
    return sealed(whole | head, lines)  # type: ignore[arg-type]


def header() -> bytes:
    """The header of the session."""
    return sealed(
        {"schema": SCHEMA, "version": VERSION, "session": "s", "created": 1, "client_type": None, "model": None}
    )


def with_content(folder: pathlib.Path, content: bytes) -> pathlib.Path:
    """A session file that somebody wrote by hand."""
    path = saved(folder)
    path.write_bytes(content)
    return path


GOOD = write_message(user())
RECORD = json.loads(write_message(answer()))


def changed(**parts: object) -> bytes:
    """The record of an answer with some of its parts changed."""
    return compact(RECORD | parts).encode()


def entry(**parts: object) -> bytes:
    """The same with a changed entry of its replay."""
    return changed(replay=[RECORD["replay"][0] | parts])


def message(item: object) -> dict[str, object]:
    """A message of one item."""
    return {"role": "user", "content_items": [item]}


THOUGHT = {"type": "thinking.done", "thinking": "a"}
STATE = json.loads(RECORD["replay"][0]["envelopes"][0])
DEEP = b'{"record":"message","message":' + b'{"a":' * 400 + b"1" + b"}" * 400 + b',"bytes":[],"replay":[]}'
DEEPER = b'{"record":"message","message":' + b"[" * 100_000 + b"]" * 100_000 + b',"bytes":[],"replay":[]}'

HOSTILE = {
    "duplicate_key": (GOOD.replace(b'"role":"user"', b'"role":"user","role":"user"'), "duplicate_key"),
    "not_canonical": (GOOD.replace(b'"role":', b'"role": '), "not_canonical"),
    "escaped": (GOOD.replace(b"Is", b"\\u0049s"), "not_canonical"),
    "lone_surrogate": (GOOD.replace(b"Is", b"\\ud800"), "lone_surrogate"),
    "not_utf8": (GOOD.replace(b"Is", b"\xff"), "not_utf8"),
    "not_json": (GOOD[:-1], "not_json"),
    "nan": (GOOD.replace(b'"created_at":1', b'"created_at":NaN'), "not_json"),
    "infinite": (GOOD.replace(b'"created_at":1', b'"created_at":1e999'), "not_json"),
    "digits": (GOOD.replace(b'"created_at":1', b'"created_at":' + b"1" * 5000), "not_json"),
    "deep": (DEEP, "message_invalid"),
    "deeper": (DEEPER, "too_deep"),
    "no object": (b"[]", "type_mismatch"),
    "other record": (GOOD.replace(b'"record":"message"', b'"record":"x"'), "type_mismatch"),
    "field more": (GOOD[:-1] + b',"more":1}', "unknown_field"),
    "field less": (GOOD.replace(b',"replay":[]', b""), "missing_field"),
    "no message": (changed(message=[]), "type_mismatch"),
    "no role": (changed(message={}, replay=[]), "message_invalid"),
    "old protocol": (changed(message=message({"type": "text", "text": "a"}), replay=[]), "message_invalid"),
    "thinking alone": (changed(message=message(THOUGHT), replay=[]), "message_invalid"),
    "paths no list": (changed(bytes={}), "type_mismatch"),
    "path empty": (changed(bytes=[[]]), "type_mismatch"),
    "path nowhere": (changed(bytes=[["nowhere"]]), "type_mismatch"),
    "path negative": (changed(bytes=[["content_items", -1]]), "type_mismatch"),
    "path bool": (changed(bytes=[["content_items", True, "text"]]), "type_mismatch"),
    "no base64": (changed(bytes=[["role"]]), "type_mismatch"),
    "entry no object": (changed(replay=[1]), "type_mismatch"),
    "entry item": (entry(item=True), "type_mismatch"),
    "entry nowhere": (entry(item=99), "replay_misfit"),
    "entry negative": (entry(item=-1), "replay_misfit"),
    "entry fills": (entry(fills=["thinking"]), "replay_misfit"),
    "entry fills unknown": (entry(fills=["__class__"]), "replay_misfit"),
    "entry fills twice": (entry(fills=["id", "id"]), "replay_misfit"),
    "entry fills number": (entry(fills=[1]), "type_mismatch"),
    "no envelopes": (entry(envelopes=[]), "replay_misfit"),
    "envelope no json": (entry(envelopes=["x"]), "not_json"),
    "envelope snapshot": (entry(envelopes=[compact(STATE["item"])]), "legacy_snapshot"),
    "envelope unknown": (entry(envelopes=['{"schema":"x","version":1,"item":{}}']), "schema_unknown"),
    "envelope field": (entry(envelopes=[compact(STATE | {"more": 1})]), "unknown_field"),
    "envelope edited": (entry(envelopes=[compact(STATE).replace("gAAAAAB-", "gAAAAAC-")]), "digest_mismatch"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_record_is_left_out_and_named(tmp_path: pathlib.Path, name: str) -> None:
    """Its check holds, and still it is no message; the turns around it are read, and it stays on the disk."""
    line, code = HOSTILE[name]
    content = header() + unit(GOOD) + unit(GOOD, line, turn=2) + unit(GOOD, turn=3)
    path = with_content(tmp_path, content)
    found = store(tmp_path).read("s")
    assert found.messages == [user(), user()]
    (finding,) = found.findings
    assert finding.code in ("record_refused", "envelope_refused")
    assert (finding.turn, finding.reason) == (2, code)
    assert finding.path.startswith("messages/1")
    with store(tmp_path).open("s") as session:
        session.append([user("more")])
    assert path.read_bytes().startswith(content)


def test_display_text_is_never_replayed(tmp_path: pathlib.Path) -> None:
    """Where it is not that of the state, the state is right, and the difference is reported."""
    message = json.loads(json.dumps(RECORD["message"]))
    message["content_items"][0]["thinking"] = "forged"
    with_content(tmp_path, header() + unit(changed(message=message)))
    found = store(tmp_path).read("s")
    assert found.messages == [answer()]
    assert [(one.code, one.path) for one in found.findings] == [("display_differs", "messages/0/replay/0")]


HEADS = {
    "turn zero": {"turn": 0},
    "turn bool": {"turn": True},
    "turn huge": {"turn": 10**30},
    "epoch negative": {"epoch": -1},
    "messages text": {"messages": "1"},
    "messages huge": {"messages": 10**18},
    "model number": {"model": 5},
    "sent list": {"sent": []},
    "field more": {"more": 1},
}


@pytest.mark.parametrize("name", HEADS)
def test_a_hostile_head_costs_its_turn_alone(tmp_path: pathlib.Path, name: str) -> None:
    """Wrong kinds and absurd numbers are damage, and cost no time or memory."""
    with_content(tmp_path, header() + unit(GOOD) + unit(GOOD, **HEADS[name]) + unit(GOOD, turn=2))
    found = store(tmp_path).read("s")
    assert found.messages[0] == user()
    assert found.findings


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"head": [], "start": 0, "groups": []},
        {"head": {}, "start": -1, "groups": []},
        {"head": {}, "start": 5, "groups": ["a"]},
        {"head": {"a": 1}, "start": 0, "groups": []},
        {"head": {}, "start": 0, "groups": [2]},
    ],
)
def test_digests_that_are_none_are_not_used(tmp_path: pathlib.Path, sent: object) -> None:
    """The guard compares with nothing then."""
    with_content(tmp_path, header() + unit(GOOD, sent=sent))
    found = store(tmp_path).read("s")
    assert found.messages == [user()]
    assert (found.conversation.binding, found.conversation.groups) == (None, [])


def test_many_heads_that_claim_much_cost_one_pass(tmp_path: pathlib.Path) -> None:
    """Each claims all that follows; time and memory stay those of the file."""
    claims = b"".join(
        unit(b"x" * 2, turn=1)[:-4].replace(b'"bytes":2', b'"bytes":99999999') + b"\n" for _ in range(20_000)
    )
    with_content(tmp_path, header() + claims + unit(GOOD))
    assert store(tmp_path).read("s").messages == [user()]


def test_a_huge_line_is_not_kept(tmp_path: pathlib.Path) -> None:
    """It is larger than the limit: told, left out, and the turns behind it are read."""
    with_content(tmp_path, header() + unit(GOOD) + b"x" * 5_000_000 + b"\n" + unit(GOOD, turn=2))
    found = store(tmp_path, max_turn_bytes=100_000).read("s")
    assert found.messages == [user(), user()]
    assert [one.code for one in found.findings] == ["record_too_large"]


def test_a_huge_header_is_no_header(tmp_path: pathlib.Path) -> None:
    """Turns are read without it."""
    long = sealed({"schema": SCHEMA, "version": VERSION, "session": "s" * 70_000})
    with_content(tmp_path, long + unit(GOOD))
    found = store(tmp_path).read("s")
    assert (found.header, found.messages) == (None, [user()])
    assert [one.code for one in found.findings] == ["header_damaged"]


@pytest.mark.parametrize("depth", [10, 100_000])
def test_strict_ends_for_any_depth(depth: int) -> None:
    """In a value or a fault, never in an overflow of the stack."""
    text = b"[" * depth + b"]" * depth
    expected = contextlib.nullcontext() if depth == 10 else pytest.raises(FaultError, match="too_deep")
    with expected:
        strict(text)


def test_nothing_of_a_message_is_in_an_error_a_finding_or_a_repr(tmp_path: pathlib.Path) -> None:
    """A marker in texts, state and keys is seen nowhere but in the file and in the messages."""
    secret = answer(MARKER, f"gAAAAAB{MARKER}")
    secret["content_items"][0]["fidelity"] |= {MARKER: MARKER}
    shown: list[object] = []
    with store(tmp_path, max_turn_bytes=10_000).open("s") as session:
        session.append([user(MARKER), secret])
        shown += [session, session.read(), session.header, session.findings]
        for bad in (secret | {MARKER: object()}, user(MARKER * 5000), {"role": MARKER, "content_items": [MARKER]}):
            with pytest.raises(StoreError) as caught:
                session.append([bad])
            shown += [caught.value, pickle.loads(pickle.dumps(caught.value))]  # noqa: S301 - our own
            shown += [shown_by_a_reporter(caught.value), *traceback.format_exception(caught.value)]
        path = session.path
    shown += [store(tmp_path).read("s"), list(store(tmp_path).turns("s")), store(tmp_path).sessions()]
    line = write_message(secret)
    for cut in range(0, len(line), 17):
        with pytest.raises(FaultError) as fault:
            read_message(line[:cut])
        shown.append(fault.value)
    for disk in (Broken("read", after=2), Broken("read", after=1)):
        with pytest.raises(StoreError) as caught:
            store(tmp_path, disk=disk).read("s")
        shown.append(shown_by_a_reporter(caught.value))
    path.write_bytes(path.read_bytes().replace(MARKER.encode(), MARKER.upper().encode()))
    shown.append(store(tmp_path).read("s"))
    assert MARKER in path.parent.joinpath("s.jsonl").read_text().lower()
    assert all(MARKER not in text.lower() for one in shown for text in (repr(one), str(one)))


def test_errors_of_the_store_say_what_to_do(tmp_path: pathlib.Path) -> None:
    """A code, the path, and advice; they outlive a pickle."""
    with pytest.raises(StoreError) as caught:
        store(tmp_path).read("s")
    error = caught.value
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (type(again), again.code, again.path, str(again)) == (type(error), error.code, error.path, str(error))
    assert error.advice
    assert error.advice in str(error)


def test_a_folder_may_be_opened_twice(tmp_path: pathlib.Path) -> None:
    """Two processes make it at once, and both have it."""
    seen = store(tmp_path).open("s")
    again = Folder(tmp_path / "sessions", disk=Quick(), mend=False, create=True, seen=seen._seen)
    again.close()
    seen.close()
    assert history(1)
