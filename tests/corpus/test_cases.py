"""The field cases about saved histories. A case gives items; each is put into a history that holds them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ostinato.corpus import measure

CASES = Path(__file__).parents[1] / "cases"


def case(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a case gives, and what must come of it."""
    loaded = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return loaded["given"], loaded["then"]


def measured(folder: Path, lines: list[str]) -> dict[str, Any]:
    """The figures of one file with these lines."""
    path = folder / "history.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    [file] = measure(path).files
    return file


def rollout(items: list[dict[str, Any]]) -> list[str]:
    """The items as a Codex rollout."""
    return [json.dumps({"type": "response_item", "payload": item}) for item in items]


def event(**payload: Any) -> str:
    """An event of a Codex rollout."""
    return json.dumps({"type": "event_msg", "payload": payload})


def test_compacted_records_repeat_state(tmp_path: Path) -> None:
    """State inside of compacted records is told apart, and counts once among the different ones."""
    given, then = case("measure-compacted-repeats")
    found = measured(tmp_path, given["lines"])
    state = found["state"]
    assert {
        "encrypted_bytes_total": state["bytes"],
        "encrypted_bytes_unique": state["unique_bytes"],
        "by_record": state["by_record"],
        "file_bytes": found["bytes"],
    } == then["output"]


def test_each_request_sends_earlier_state_again(tmp_path: Path) -> None:
    """Growth is the sum over the requests."""
    given, then = case("measure-cumulative-replay")
    replays = [measured(tmp_path, rollout(given["items"][:end]))["replay"] for end in given["requests"]]
    assert [replay["final_request_bytes"] for replay in replays] == then["output"]["encrypted_bytes_per_request"]
    assert replays[-1]["cumulative_bytes"] == then["output"]["cumulative"]
    assert replays[-1]["requests"] == len(given["requests"])


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_open_files_and_folders_are_reported(tmp_path: Path) -> None:
    """Both modes are named beside what they should be."""
    given, then = case("measure-file-mode")
    path = tmp_path / "rollout.jsonl"
    path.write_text("\n".join(rollout(given["items"])))
    path.chmod(int(given["file"]["mode"], 8))
    tmp_path.chmod(int(given["file"]["dir_mode"], 8))
    found = measure(tmp_path)
    assert found.files[0]["findings"] + found.folders[0]["findings"] == then["report"]


def test_tokens_are_those_that_the_provider_reported(tmp_path: Path) -> None:
    """A quarter of the characters is no number of tokens."""
    given, then = case("measure-no-token-guess")
    total = {"reasoning_output_tokens": given["usage"]["reasoning_tokens"]}
    lines = [*rollout(given["items"]), event(type="token_count", info={"total_token_usage": total})]
    found = measured(tmp_path, lines)
    assert {
        "encrypted_bytes": found["state"]["bytes"],
        "provider_reasoning_tokens": found["tokens"]["reasoning"],
        "bytes_per_reasoning_token": found["tokens"]["state_bytes_per_token"],
    } == then["output"]
    assert not [guess for guess in then["absent"] if guess in json.dumps(found, separators=(",", ":"))]


def test_signatures_and_redacted_blocks_are_state(tmp_path: Path) -> None:
    """Thinking without text is state all the same."""
    given, then = case("measure-signature-bytes")
    message = {"role": "assistant", "id": "msg_1", "content": given["content"]}
    found = measured(tmp_path, [json.dumps({"type": "assistant", "parentUuid": None, "message": message})])
    state = found["state"]["by_kind"]
    assert {
        "thinking_blocks": found["thinking"]["blocks"],
        "redacted_blocks": found["items"]["anthropic.redacted_thinking"],
        "signature_bytes": state["anthropic.thinking"],
        "redacted_bytes": state["anthropic.redacted_thinking"],
        "thinking_text_bytes": found["text"]["thinking_bytes"],
    } == then["output"]


def test_text_to_show_is_apart_from_text_to_replay(tmp_path: Path) -> None:
    """A summary that is stored twice is counted in two places, not twice in one."""
    given, then = case("measure-summary-not-twice")
    message = given["message"]
    shown = event(type="agent_reasoning", text=message["display_reasoning"])
    found = measured(tmp_path, [shown, *rollout(message["replay_items"])])
    replay = {"encrypted_bytes": found["state"]["bytes"], "summary_bytes": found["text"]["summary_bytes"]}
    assert {"replay": replay, "display_bytes": found["display"]["bytes"]} == then["output"]


def test_half_a_last_line_is_reported(tmp_path: Path) -> None:
    """What the case calls `truncated_line` is `truncated` here, as in all texts that end too early."""
    given, then = case("load-truncated-last-line")
    path = tmp_path / "rollout.jsonl"
    path.write_text(given["text"], encoding="utf-8")
    [file] = measure(path).files
    assert file["items"] == {"openai.reasoning": then["output"]["items"]}
    [report] = then["report"]
    assert (report["code"], file["problem_lines"]) == (
        "truncated_line",
        [{"code": "truncated", "line": report["line"]}],
    )


def test_half_a_surrogate_pair_is_reported(tmp_path: Path) -> None:
    """The line is named; the items of the file are counted."""
    given, then = case("unicode-lone-surrogate-line")
    file = measured(tmp_path, given["lines"])
    assert file["items"] == {"openai.reasoning": then["output"]["items"]}
    assert file["problem_lines"] == then["report"]
    assert [problem["line"] for problem in file["problem_lines"]] == then["output"]["unreadable_lines"]
