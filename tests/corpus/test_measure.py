"""Measuring from Python: figures as an independent reader has them, in a form to rely on, and nothing secret."""

import csv
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import ostinato
from ostinato import report
from ostinato.corpus import Progress, measure

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
EXPECTED: dict[str, dict[str, Any]] = json.loads((DATA / "expected.json").read_text())["files"]


@pytest.fixture(scope="module")
def samples() -> ostinato.Measurement:
    """All samples, measured once."""
    return measure(DATA)


def keys(figures: Any, prefix: str = "") -> set[str]:
    """The paths of all keys; names that the files gave are left out."""
    named = {"items", "nested", "record_types", "problems", "generation", "refused", "formats", "by_record", "by_kind"}
    named |= {"summary_parts", "content", "encrypted_content", "status", "unknown_fields"}
    found = set()
    for name, value in figures.items():
        found.add(prefix + name)
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, dict) and name not in named:
            found |= keys(inner, f"{prefix}{name}.")
    return found


def test_files_measure_as_expected(samples: ostinato.Measurement) -> None:
    """Every figure that the independent reader gave has the same key and value here."""
    found = {str(Path(file["path"]).relative_to(DATA)): file for file in samples.files}
    assert found.keys() == EXPECTED.keys()
    for name, figures in EXPECTED.items():
        assert {key: found[name].get(key) for key in figures} == figures, name


def test_measure_is_a_public_name() -> None:
    """One path may be given alone, as text or as a path object."""
    name = "codex/v0.104-one-item.jsonl"
    assert ostinato.measure(str(DATA / name)).total["items"] == {"openai.reasoning": 1}
    assert ostinato.measure([DATA / name]).to_dict()["schema"] == "ostinato.measure"


def test_a_file_named_twice_is_measured_once() -> None:
    """A folder and a file in it give the file once."""
    file = DATA / "codex" / "v0.104-one-item.jsonl"
    assert measure([file, file.parent]).total["files"] == measure(file.parent).total["files"]


def test_every_key_is_documented(samples: ostinato.Measurement) -> None:
    """The schema stands in docs/measure.md, key by key."""
    documented = set(re.findall(r"^\| `([^`]+)` \|", (ROOT / "docs" / "measure.md").read_text(), re.MULTILINE))
    data = samples.to_dict()
    of_files = set().union(*(keys(file) for file in samples.files))
    used = of_files | keys(data["total"]) | {key for key in keys(data) if "." not in key}
    used |= keys(data["folders"][0], "folders.") | keys(data["skipped"][0], "skipped.")
    assert sorted(used - documented) == []


def test_progress_is_told_and_can_stop(tmp_path: Path) -> None:
    """The callback is called while work goes on, and what it raises ends the measurement."""
    line = json.dumps({"type": "response_item", "payload": {"type": "message", "role": "user", "content": "x" * 2000}})
    for number in range(8):
        (tmp_path / f"{number}.jsonl").write_text((line + "\n") * 5000)
    seen: list[Progress] = []

    def stop(progress: Progress) -> None:
        seen.append(progress)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        measure(tmp_path, threads=1, progress=stop)
    assert len(seen) == 1
    assert (seen[0].files, seen[0].bytes) == (8, 8 * 5000 * (len(line) + 1))


def test_the_table_fits(samples: ostinato.Measurement) -> None:
    """No line is longer than asked for, whatever the paths."""
    for width in (90, 100):
        drawn = report.table(samples, files=60, width=width)
        assert max(map(len, drawn.splitlines())) <= width
        assert f"{len(EXPECTED)} files" in drawn
    assert "Payload comparison" in drawn
    assert "permissive_mode" in drawn or os.name == "nt"


def test_names_of_files_cannot_command_a_terminal(tmp_path: Path) -> None:
    """What a terminal would act upon is not printed."""
    (tmp_path / "a\x1b[2Jb.jsonl").write_text('{"type":"event_msg","payload":{}}')
    drawn = report.table(measure(tmp_path))
    assert "a?[2Jb.jsonl" in drawn
    assert "\x1b" not in drawn


def test_csv_has_a_row_for_each_file_and_one_for_all(samples: ostinato.Measurement) -> None:
    """Every row has the same columns, and figures are those of the JSON form."""
    out = io.StringIO()
    report.write_csv(samples, out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert [row["scope"] for row in rows] == ["file"] * len(EXPECTED) + ["total"]
    for row, file in zip(rows, samples.files, strict=False):
        assert row["path"] == file["path"]
        assert row["opaque.unique"] == str(file["opaque"]["unique"])
    assert rows[-1]["items.openai.reasoning"] == str(samples.total["items"]["openai.reasoning"])


def texts(value: Any) -> set[str]:
    """Every long text of a decoded history."""
    if isinstance(value, str):
        return {value} if len(value) >= 40 else set()
    if isinstance(value, dict):
        return set().union(*map(texts, value.values()))
    if isinstance(value, list):
        return set().union(*map(texts, value))
    return set()


def test_no_text_of_a_history_comes_out(samples: ostinato.Measurement) -> None:
    """Neither state nor reasoning text is in any form of the output."""
    out = io.StringIO()
    report.write_csv(samples, out)
    shown = json.dumps(samples.to_dict()) + report.table(samples) + out.getvalue() + repr(samples)
    for path in (DATA / "codex").glob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            try:
                record = json.loads(line)
            except ValueError:  # a sample that was cut on purpose
                continue
            secrets = texts(record)
            assert not [secret for secret in secrets if secret in shown and "metadata_passthrough" not in secret]
    assert not re.search(r"[A-Za-z0-9+/_-]{100,}={0,2}", shown)


def test_names_from_a_file_are_shown_only_if_they_look_like_names(tmp_path: Path) -> None:
    """A record type, status or field that holds state or prose is counted by its length."""
    secret = "gAAAAAB" + "canary" * 20
    item = {
        "type": "reasoning",
        "summary": [],
        "encrypted_content": secret,
        "status": secret,
        secret: 1,
        "two words": 2,
    }
    records = [{"type": secret, "payload": {}}, {"type": "response_item", "payload": item}]
    records.append({"type": "response_item", "payload": {"type": secret, "encrypted_content": secret}})
    path = tmp_path / "rollout.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    found = measure(path)
    shown = json.dumps(found.to_dict()) + report.table(found)
    assert "canary" not in shown
    assert "two words" not in shown
    assert found.files[0]["reasoning"]["status"] == {f"<key of {len(secret)} bytes>": 1}


def test_what_needs_attention_is_named_by_code(tmp_path: Path) -> None:
    """Bad lines, dead records and open files come with a code and a sentence."""
    path = tmp_path / "rollout.jsonl"
    path.write_text('{"type":"event_msg","payload":{}}\nnot json\n')
    path.chmod(0o600)
    tmp_path.chmod(0o700)
    assert report.attention(measure(path)) == [("not_json", 1, ostinato.ERROR_CODES["not_json"])]
    path.chmod(0o640)
    assert [code for code, _, _ in report.attention(measure(path))] == ["not_json", "permissive_mode"]
