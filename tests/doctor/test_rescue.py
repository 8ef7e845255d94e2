"""A copy of a session that its provider takes again."""

from __future__ import annotations

import json
import re
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.rescued_copy import rescue
from ostinato.saved import load
from tests.cli.running import ostinato as run
from tests.doctor.sessions import CANARY, HEALTHY, call, husk, reasoning, rollout, said

QUESTION = said("question", "user")
ANSWER = said("answer")
PIECES = (
    (QUESTION,),
    (ANSWER,),
    (reasoning(1),),
    (reasoning(2), ANSWER),
    (reasoning(3), *call(3)),
    (husk(4),),
    (husk(5), ANSWER),
    (reasoning(6, encrypted_content="plain words, no state"),),
    call(7),
)


def visible(data: bytes) -> list[Any]:
    """What is left of a conversation for people: everything but reasoning, without ids."""
    items = load(data).items
    return [
        {name: value for name, value in item.items() if name != "id"} for item in items if item["type"] != "reasoning"
    ]


def unnamed(line: bytes) -> bytes:
    """A line without ids: that of a partner goes with the state it is bound to."""
    return re.sub(rb'"id": ?"[^"]*",? ?', b"", line)


@given(
    st.permutations(PIECES).flatmap(lambda pieces: st.integers(1, 9).map(lambda count: sum(pieces[:count], ()))),
    st.sampled_from([None, "openai", "xai", "azure"]),
    st.booleans(),
)
def test_what_is_rescued_can_be_resumed(items: tuple[Any, ...], target: str | None, all_state: bool) -> None:  # noqa: FBT001
    """Its target takes all that is left, visible turns stay, and every line is one of the original, but for an id."""
    data = rollout(*items)
    made = rescue(data, target=target, all_state=all_state)
    left = load(made.data)
    report = left.prepare(target or "openai").report
    assert [decision for decision in report.decisions if decision.action == "left_out"] == []
    assert visible(made.data) == visible(data)
    original = (unnamed(line) for line in data.splitlines())
    assert all(unnamed(line) in original for line in made.data.splitlines())  # in order: the iterator only moves on
    whole = [removal for removal in made.removed if removal.code != "id_omitted"]
    assert len(data.splitlines()) - len(made.data.splitlines()) == len({removal.line for removal in whole})
    if all_state:
        assert CANARY.encode() + b"0" not in made.data


def test_a_sound_session_is_copied_as_it_is() -> None:
    """Byte for byte."""
    made = rescue(rollout(*HEALTHY))
    assert (made.data, made.removed) == (rollout(*HEALTHY), ())


def test_poison_is_left_out() -> None:
    """Lines that cannot be read go, and those around them stay."""
    sound = rollout(*HEALTHY)
    head, rest = sound.split(b"\n", 1)
    poison = b'{"type":"response_item","payload":{"type":"message","role":"user","content":"\\ud83d"}}\n'
    made = rescue(head + b"\n" + poison + rest + b'{"type":"respo')
    assert made.data == sound
    assert [(removal.code, removal.line) for removal in made.removed] == [("lone_surrogate", 2), ("truncated_line", 10)]


def test_all_state_goes_when_it_is_asked_for() -> None:
    """The last resort, when a provider refuses what looks sound."""
    made = rescue(rollout(*HEALTHY), all_state=True)
    assert [item["type"] for item in load(made.data).items if item["type"] == "reasoning"] == []
    assert {removal.code for removal in made.removed} == {"state_stripped"}


DATA = Path(__file__).parents[1] / "data"


def is_saved(path: Path) -> bool:
    """Whether a file holds sessions, and is not one that lies beside them."""
    try:
        return path.is_file() and bool(ostinato.load_all(path))
    except ostinato.ReplayError:
        return False


SAVED = [
    path for folder in ("fast_agent", "frameworks") for path in sorted((DATA / folder).rglob("*")) if is_saved(path)
]


@pytest.mark.parametrize("path", SAVED, ids=lambda path: str(path.relative_to(DATA)))
def test_messages_that_hold_more_than_state_stay(path: Path) -> None:
    """Of whatever program, also where reasoning, words and calls are saved as one message; or it cannot be rescued."""
    conversations = ostinato.load_all(path)
    for before in conversations[:2]:
        name = before.session if len(conversations) > 1 else None
        try:
            made = rescue(path, session=name, all_state=True)
        except (ostinato.ReplayError, ostinato.PrepareError) as refused:
            assert refused.code in ("not_rescuable", "unknown_wire")  # noqa: PT017 - an error is one of two right answers
            continue
        after = load(made.data, session=name)
        assert words(after.items) >= words(ostinato.strip_state(before.items, wire=before.wire).items)


def words(value: Any) -> Counter[str]:
    """The texts and arguments in native items."""
    found: Counter[str] = Counter()
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            found.update(part[name] for name in ("text", "arguments", "output") if isinstance(part.get(name), str))
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return found


def test_reasoning_goes_out_of_a_message_and_its_words_stay() -> None:
    """LangChain saves a response as one message."""
    content = [reasoning(1), {"type": "text", "text": "answer", "id": "msg_1"}, reasoning(2)]
    answer = {"type": "ai", "content": content, "response_metadata": {"model_provider": "openai"}}
    saved = [{"type": "human", "content": "question"}, answer]
    data = json.dumps([{"type": one["type"], "data": one} for one in saved]).encode()
    made = rescue(data, all_state=True)
    (_question, left) = json.loads(made.data)
    assert left["data"]["content"] == [{"type": "text", "text": "answer"}]
    assert {removal.code for removal in made.removed} == {"orphan_reasoning", "state_stripped", "id_omitted"}


def test_a_file_that_is_no_session_is_refused() -> None:
    """By name."""
    with pytest.raises(ostinato.ReplayError) as caught:
        rescue(b"hello")
    assert caught.value.code == "unknown_format"


def test_the_command_writes_a_private_copy(tmp_path: Path) -> None:
    """Whatever the umask; the original keeps its bytes, and the report holds no content."""
    data = rollout(QUESTION, reasoning(1), ANSWER, husk(2), ANSWER)
    original, copy = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    original.write_bytes(data)
    code, out, err = run("rescue", original, "-o", copy)
    assert (code, err) == (0, "")
    assert original.read_bytes() == data
    assert load(copy).prepare("openai").report.decisions == ()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert b"not_replayable" in out
    assert CANARY.encode() not in out
    code, out, _err = run("rescue", original, "-o", tmp_path / "c.jsonl", "--json")
    assert json.loads(out)["removed"] == [
        {"code": "not_replayable", "line": 5, "path": "payload", "reason": "no_encrypted_content"}
    ]


@pytest.mark.parametrize("taken", ["original", "link", "other"])
def test_nothing_is_overwritten(tmp_path: Path, taken: str) -> None:
    """Neither the original, nor what a link points to, nor anything else."""
    original = tmp_path / "original"
    original.write_bytes(rollout(*HEALTHY))
    (tmp_path / "link").symlink_to(original)
    (tmp_path / "other").write_bytes(b"mine")
    code, _out, err = run("rescue", original, "-o", tmp_path / taken)
    assert code == 2
    assert "is there already" in err
    assert (tmp_path / "other").read_bytes() == b"mine"
    assert original.read_bytes() == rollout(*HEALTHY)


@pytest.mark.parametrize(("data", "words"), [(b"hello", "unknown_format"), (None, "No such file")])
def test_what_cannot_be_read_is_said(tmp_path: Path, data: bytes | None, words: str) -> None:
    """With an exit code of its own."""
    path = tmp_path / "a"
    if data is not None:
        path.write_bytes(data)
    code, _out, err = run("rescue", path, "-o", tmp_path / "b")
    assert code == 3
    assert words in err
    assert not (tmp_path / "b").exists()


def claude_lines() -> list[Any]:
    """A transcript of Claude Code: one block per line, each naming the line before it."""
    said: list[tuple[str, Any]] = [
        ("user", "question"),
        ("assistant", {"type": "thinking", "thinking": CANARY, "signature": f"{CANARY}signature=="}),
        ("assistant", {"type": "redacted_thinking", "data": f"{CANARY}data"}),
        ("assistant", {"type": "text", "text": "answer"}),
        ("user", "thanks"),
    ]
    lines = []
    for number, (role, block) in enumerate(said):
        message: dict[str, Any] = {"role": role, "content": block if role == "user" else [block]}
        if role == "assistant":
            message |= {"id": "msg_1", "type": "message", "model": "claude-a", "stop_reason": None}
        names = {"parentUuid": f"u{number - 1}" if number else None, "sessionId": "s1", "uuid": f"u{number}"}
        more = {"type": role, "message": message, "isSidechain": False, "version": "2.0.0", "cost": 1.0}
        lines.append(names | more)
    return lines


def test_records_behind_one_that_went_follow_the_one_before_it() -> None:
    """Otherwise the program that resumes it would lose everything before the gap."""
    data = "".join(json.dumps(line) + "\n" for line in claude_lines()).encode()
    made = rescue(data, all_state=True)
    first, *_thinking, answer, thanks = claude_lines()
    assert [json.loads(line) for line in made.data.splitlines()] == [first, answer | {"parentUuid": "u0"}, thanks]
    assert load(made.data).report.findings == ()
    assert b'"cost": 1.0' in made.data


def test_a_log_of_one_answer_cannot_be_rescued_from_itself() -> None:
    """Nothing would be left of it."""
    events = [
        {"type": "response.output_item.done", "output_index": 0, "item": reasoning(1)},
        {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [reasoning(1)]}},
    ]
    data = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
    with pytest.raises(ostinato.ReplayError) as caught:
        rescue(data, all_state=True)
    assert caught.value.code == "not_rescuable"


def test_a_line_that_is_nested_without_end_goes_like_any_other() -> None:
    """Readers that follow records by name look into every line, this one too."""
    lines = [json.dumps(line) for line in claude_lines()]
    data = "\n".join([*lines[:1], "[" * 100_000, *lines[1:]]).encode() + b"\n"
    assert rescue(data).data == rescue("\n".join(lines).encode() + b"\n").data
