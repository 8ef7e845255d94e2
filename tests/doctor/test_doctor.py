"""What would happen to saved sessions if they were resumed now."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

import ostinato
from ostinato import diagnosis
from ostinato.diagnosis import SYMPTOMS, VERDICTS, diagnose
from ostinato.examination import doctor
from ostinato.saved import load
from tests.cli.running import ostinato as run
from tests.doctor.sessions import CANARY, HEALTHY, husk, reasoning, rollout, said

QUESTION = said("question", "user")
ANSWER = said("answer")
OTHER = reasoning(1, encrypted_content="gAAAAABanother-state-of-another-length")


def saved(folder: Path, data: bytes, name: str = "rollout.jsonl") -> Path:
    """A private file in a private folder."""
    folder.chmod(0o700)
    path = folder / name
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def symptoms(data: bytes, target: Any = None) -> dict[str, int]:
    """What is found in a session, with counts."""
    return {symptom.code: symptom.count for symptom in diagnose(load(data), target).symptoms}


def test_a_sound_session_is_resumable() -> None:
    """All of its state would be sent, and nothing needs attention."""
    found = diagnose(load(rollout(*HEALTHY)))
    assert (found.verdict, found.state_items, found.state_sent) == ("resumable", 2, 2)
    assert not found.needs_attention
    assert found.symptoms == ()


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ((QUESTION, husk(1), ANSWER), {"husk": 1}),
        ((QUESTION, reasoning(1), said("again", "user")), {"orphan": 1}),
        ((QUESTION, reasoning(1), ANSWER, QUESTION, reasoning(1), ANSWER), {"duplicate": 1}),
        ((QUESTION, reasoning(1), ANSWER, QUESTION, OTHER, ANSWER), {"conflict": 1}),
        ((QUESTION, reasoning(1, encrypted_content="Work it out, then answer."), ANSWER), {"husk": 1}),
        ((QUESTION, ANSWER), {"absent": 1}),
        ((QUESTION,), {}),
    ],
)
def test_each_trouble_has_a_symptom(items: tuple[Any, ...], expected: dict[str, int]) -> None:
    """By its own name, counted."""
    assert symptoms(rollout(*items)) == expected


def test_records_that_cannot_be_read_are_poison() -> None:
    """A lone surrogate, a text that is no JSON, a line that was cut."""
    broken = (
        rollout(*HEALTHY) + b'{"type":"response_item","payload":{"type":"message","role":"user","content":"\\ud83d"}}\n'
    )
    assert symptoms(broken + b"no json\n" + b'{"type":"resp') == {"poison": 3}
    assert diagnose(load(broken)).verdict == "lossy"


def test_state_of_another_place_is_foreign() -> None:
    """At a target that did not make it; where it came from, it is its own."""
    assert symptoms(rollout(*HEALTHY), "xai") == {"foreign": 2}
    found = diagnose(load(rollout(*HEALTHY)), "xai")
    assert (found.verdict, found.state_items, found.state_sent) == ("lossy", 2, 0)


def test_modes_are_told(tmp_path: Path) -> None:
    """Of the file and of its folder, each with what it is."""
    path = saved(tmp_path, rollout(*HEALTHY))
    (examined,) = doctor(path)
    assert examined.diagnosis.symptoms == ()
    path.chmod(0o644)
    tmp_path.chmod(0o755)
    (examined,) = doctor(path)
    (symptom,) = examined.diagnosis.symptoms
    assert symptom.code == "permissive_mode"
    assert symptom.reasons == ("permissive_mode/file 0644", "permissive_mode/dir 0755")
    assert examined.diagnosis.verdict == "resumable"


def test_a_redacted_export_is_told_apart(tmp_path: Path) -> None:
    """It cannot be resumed, on purpose."""
    path = saved(tmp_path, json.dumps(ostinato.saved.export_mark()).encode() + b"\n" + rollout(*HEALTHY))
    (examined,) = doctor(path)
    assert (examined.error, examined.diagnosis.verdict) == ("redacted_export", "unreadable")
    assert [symptom.code for symptom in examined.diagnosis.symptoms] == ["redacted"]


def test_a_folder_is_searched(tmp_path: Path) -> None:
    """Files of no known format are passed over there; one that was named is not."""
    (tmp_path / "deep").mkdir()
    saved(tmp_path / "deep", rollout(*HEALTHY))
    other = saved(tmp_path, b"hello\n", "notes.txt")
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "rollout.jsonl")
    seen: list[tuple[int, ...]] = []
    (examined,) = doctor(tmp_path, progress=lambda *figures: seen.append(figures))
    assert examined.path.endswith("rollout.jsonl")
    assert seen[-1][0] == seen[-1][1] == 2
    assert [each.error for each in doctor([other, tmp_path / "nowhere"])] == [
        "unknown_format",
        "No such file or directory",
    ]


def test_a_target_of_another_wire_is_for_its_own_sessions(tmp_path: Path) -> None:
    """The others are examined for where they came from."""
    path = saved(tmp_path, rollout(*HEALTHY))
    foreign = (
        next(name for name, row in ostinato.PROFILES.items() if row.wire != "openai-responses")
        if len({row.wire for row in ostinato.PROFILES.values()}) > 1
        else "openai"
    )
    (examined,) = doctor(path, target=foreign)
    assert examined.diagnosis.verdict == "resumable"


@pytest.mark.parametrize(
    ("items", "arguments", "code"),
    [
        (HEALTHY, [], 0),
        ((QUESTION, husk(1), ANSWER), [], 1),
        (HEALTHY, ["--target", "xai"], 1),
        (HEALTHY, ["--target", "nobody"], 2),
        (HEALTHY, ["--account", "a"], 2),
    ],
)
def test_exit_codes(tmp_path: Path, items: tuple[Any, ...], arguments: list[str], code: int) -> None:
    """0 nothing, 1 something, 2 the command line is wrong."""
    assert run("doctor", saved(tmp_path, rollout(*items)), *arguments)[0] == code


def test_nothing_to_read_has_an_exit_code(tmp_path: Path) -> None:
    """And is said."""
    code, _out, err = run("doctor", tmp_path)
    assert code == 3
    assert "no session could be read" in err


def test_output_holds_no_content(tmp_path: Path) -> None:
    """Neither state nor text, in neither form; verdicts, counts and advice instead."""
    path = saved(tmp_path, rollout(QUESTION, reasoning(1), ANSWER, husk(2), ANSWER, reasoning(3)))
    _code, table, _err = run("doctor", path, "--all")
    _code, data, _err = run("doctor", path, "--json")
    assert CANARY.encode() not in table + data
    assert b"lossy" in table
    assert SYMPTOMS["husk"].advice.split("`")[1].encode() in table
    (session,) = json.loads(data)["sessions"]
    assert session["verdict"] == "lossy"
    assert session["needs_attention"]
    assert {symptom["code"] for symptom in session["symptoms"]} == {"husk", "orphan"}


def test_names_of_files_are_safe_on_a_terminal(tmp_path: Path) -> None:
    """Control characters of a name are not acted upon."""
    path = saved(tmp_path, rollout(QUESTION, husk(1), ANSWER), "evil\x1b[31m.jsonl")
    _code, table, _err = run("doctor", path, path)
    assert b"\x1b" not in table


def test_every_verdict_and_symptom_is_explained() -> None:
    """In sentences."""
    assert all(text.endswith(".") for text in VERDICTS.values())
    assert all(kind.meaning.endswith(".") and kind.advice.endswith(".") for kind in SYMPTOMS.values())


def test_every_code_is_a_symptom_or_says_nothing_of_health() -> None:
    """A code that is new to `prepare` or `load` has to be put into one of the two."""
    for codes, symptoms, healthy in (
        (ostinato.DECISION_CODES, diagnosis._OF_DECISION, diagnosis._HEALTHY_DECISIONS),
        (ostinato.FINDING_CODES, diagnosis._OF_FINDING, diagnosis._HEALTHY_FINDINGS),
    ):
        unclassified = set(codes) - set(symptoms) - healthy
        assert unclassified == set()
        assert not set(symptoms) & healthy
        assert (set(symptoms) | healthy) <= set(codes)
        assert set(symptoms.values()) <= set(SYMPTOMS)


def test_modes_alone_do_not_fill_the_table(tmp_path: Path) -> None:
    """They are counted, and listed where everything is."""
    path = saved(tmp_path, rollout(*HEALTHY))
    path.chmod(0o644)
    code, out, _err = run("doctor", tmp_path)
    assert code == 1
    assert b"nothing but their modes" in out
    assert path.name.encode() not in out
    assert path.name.encode() in run("doctor", tmp_path, "--all")[1]


def test_the_worst_come_first_and_the_rest_is_counted(tmp_path: Path) -> None:
    """A table that a person can read, however many sessions there are."""
    for place in range(9):
        saved(tmp_path, rollout(QUESTION, husk(1), ANSWER), f"{place}.jsonl")
    broken = tmp_path / "z.jsonl"
    broken.write_bytes(json.dumps(ostinato.saved.export_mark()).encode())
    out = run("doctor", tmp_path, "--sessions", "3")[1].decode()
    listed = [line.split()[0] for line in out.splitlines() if ".jsonl" in line]
    assert listed == ["z.jsonl", "0.jsonl", "1.jsonl"]
    assert "and 7 more" in out


def test_sessions_of_another_wire_than_the_target_are_said(tmp_path: Path) -> None:
    """So that nobody takes the verdict for one about the target."""
    path = saved(tmp_path, rollout(*HEALTHY))
    out = run("doctor", path, "--target", "anthropic")[1].decode()
    assert "1 of another wire than anthropic" in out
    (session,) = json.loads(run("doctor", path, "--target", "anthropic", "--json")[1])["sessions"]
    assert session["target"] == "openai"
    for refused in (lambda: diagnose(load(path), "anthropic"), lambda: ostinato.rescue(path, target="anthropic")):
        with pytest.raises(ostinato.ReplayError) as caught:
            refused()
        assert caught.value.code == "target_of_other_wire"


def test_a_file_that_memory_is_too_small_for_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is reported as not read."""
    large, small = saved(tmp_path, rollout(*HEALTHY), "a.jsonl"), saved(tmp_path, rollout(*HEALTHY), "b.jsonl")

    def loaded(path: Path) -> Any:
        if path == large:
            raise MemoryError
        return ostinato.load_all(path)

    monkeypatch.setattr("ostinato.examination.load_all", loaded)
    assert [(each.path, each.error) for each in doctor(tmp_path)] == [
        (str(large), "not enough memory"),
        (str(small), None),
    ]


def test_a_folder_that_cannot_be_searched_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in it is not passed over in silence."""
    saved(tmp_path, rollout(*HEALTHY))
    closed = tmp_path / "closed"
    closed.mkdir()
    scan = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path) == closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scan(path)

    def loaded(path: Path) -> Any:
        if path == closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return ostinato.load_all(path)

    monkeypatch.setattr("os.scandir", scandir)
    monkeypatch.setattr("ostinato.examination.load_all", loaded)
    assert [(Path(each.path).name, each.error) for each in doctor(tmp_path)] == [
        ("rollout.jsonl", None),
        ("closed", "Permission denied"),
    ]
