"""`load` and `load_all`: which file, which format, which session."""

import copy
import json
import pathlib
import pickle
from typing import Any

import pytest

import ostinato
from ostinato.saved import export_mark

META = {"type": "session_meta", "payload": {"id": "th_1"}}
SAID = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "q"}}
THOUGHT = {
    "type": "response_item",
    "payload": {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAA-canary"},
}


def lines(*records: Any) -> bytes:
    """A file of these records."""
    return "\n".join(json.dumps(record) for record in records).encode()


def refusal(source: Any, **given: Any) -> str:
    """The code of the error."""
    with pytest.raises(ostinato.ReplayError) as refused:
        ostinato.load(source, **given)
    return refused.value.code


@pytest.mark.parametrize("kind", [str, pathlib.Path, pathlib.Path.read_bytes])
def test_a_path_and_bytes_give_the_same(tmp_path: pathlib.Path, kind: Any) -> None:
    """A text is a path, never the content."""
    path = tmp_path / "whatever.txt"
    path.write_bytes(lines(META, SAID))
    assert ostinato.load(kind(path)).items == [SAID["payload"]]


def test_a_file_that_cannot_be_opened_raises_as_usual(tmp_path: pathlib.Path) -> None:
    """Missing files, folders, and paths that no system has."""
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(OSError, match=r"\[Errno"):
            ostinato.load(path)
    assert refusal("a\0b") == "type_mismatch"


@pytest.mark.parametrize("data", [b"", b"hello", b"{}", b"[]", b"[1]", b"null", b"\x89PNG\r\n", lines({"messages": 1})])
def test_what_is_nobodys_layout_is_refused(data: bytes) -> None:
    """And so is a name that no layout has."""
    assert refusal(data) == "unknown_format"
    assert refusal(lines(META, SAID), format="vhs") == "unknown_format"


def test_a_named_format_is_not_asked_whether_it_is_it() -> None:
    """A file without its beginning looks like nothing; whoever knows what it is can say so."""
    record = {"role": "user", "content": "q"}
    assert refusal(lines(record)) == "unknown_format"
    assert ostinato.load(lines(record), format="codex").items == [{"type": "message", **record}]


def test_one_of_several_sessions_must_be_named() -> None:
    """A log of two conversations."""
    body = {"object": "response", "output": [{"type": "reasoning", "id": "rs"}]}
    data = lines({**body, "id": "resp_1"}, {**body, "id": "resp_2"})
    assert refusal(data) == "several_sessions"
    assert refusal(data, session="resp_3") == "unknown_session"
    assert ostinato.load(data, session="resp_2").session == "resp_2"
    assert len(ostinato.load_all(data)) == 2


def test_redact_export_not_resumable() -> None:
    """A marked export is refused by every loader, wherever in the first records the mark is."""
    for data in (
        lines(export_mark(), META, THOUGHT),
        lines(META, export_mark(), THOUGHT),
        json.dumps({**export_mark(), "messages": []}, indent=1).encode(),
        lines({"ostinato": {"export": "other", "resumable": False, "version": 2}}, META, THOUGHT),
    ):
        assert refusal(data) == "redacted_export"
        assert refusal(data, format="codex") == "redacted_export"


def test_a_conversation_shows_no_state_and_can_be_copied() -> None:
    """In `repr` are names, counts and places; copies are equal."""
    loaded = ostinato.load(lines(META, SAID, THOUGHT, {"type": "gAAAAA-canary" * 40, "payload": {}}))
    shown = f"{loaded!r}{loaded.report!r}{[finding.to_dict() for finding in loaded.report.findings]}"
    assert "canary" not in shown
    assert pickle.loads(pickle.dumps(loaded)) == copy.deepcopy(loaded) == loaded  # noqa: S301 - our own bytes


def test_the_origins_of_items_are_those_of_their_turns() -> None:
    """One for each item, as `prepare` takes them."""
    meta = {"type": "session_meta", "payload": {"id": "th_1", "model_provider": "openai"}}
    loaded = ostinato.load(lines(meta, SAID, THOUGHT))
    assert loaded.origins == [None, ostinato.Origin("openai")]
    assert loaded.prepare("xai").report.counts["foreign_state"] == 1
