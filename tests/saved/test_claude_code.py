"""Transcripts of Claude Code."""

import json
from typing import Any

import ostinato

THOUGHT = {"type": "thinking", "thinking": "t", "signature": "c2ln"}
TEXT = {"type": "text", "text": "ok"}


def call(name: str) -> dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": name, "name": "lookup", "input": {"q": "x"}}


def result(name: str) -> dict[str, Any]:
    """What it gave."""
    return {"type": "tool_result", "tool_use_id": name, "content": "found"}


def user(uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    """A line of the user's side."""
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "message": message, **more}


def model(uuid: str, parent: str | None, message: str, *blocks: Any, tokens: int = 1, **more: Any) -> dict[str, Any]:
    """A line of the model's side."""
    fields = {"id": message, "role": "assistant", "model": "claude-opus-4-8", "content": list(blocks)}
    fields["usage"] = {"output_tokens": tokens, "service_tier": "standard"}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "message": fields, **more}


def lines(*records: Any) -> bytes:
    """A file of these records."""
    return "\n".join(json.dumps(record) for record in records).encode()


def test_load_claude_code_merge() -> None:
    """Three lines with one message id are one message, and the last usage is final."""
    loaded = ostinato.load(
        lines(
            user("u0", None, "q"),
            model("u1", "u0", "msg_a", THOUGHT),
            model("u2", "u1", "msg_a", TEXT),
            model("u3", "u2", "msg_a", call("toolu_1"), tokens=57),
        )
    )
    assert loaded.items[1] == {"role": "assistant", "content": [THOUGHT, TEXT, call("toolu_1")]}
    turn = loaded.turns[1]
    assert (turn.id, turn.usage, turn.origin) == (
        "msg_a",
        {"output_tokens": 57},
        ostinato.Origin("anthropic", model="claude-opus-4-8"),
    )
    assert [source.line for source in loaded.sources[1]] == [2, 3, 4]


def test_lines_without_links_follow_each_other() -> None:
    """A cut of a transcript may have no parents at all."""
    records = [model(f"u{number}", None, "msg_a", block) for number, block in enumerate((THOUGHT, TEXT))]
    for record in records:
        del record["parentUuid"]
    assert ostinato.load(lines(*records)).items == [{"role": "assistant", "content": [THOUGHT, TEXT]}]


def test_results_of_parallel_calls_are_on_branches() -> None:
    """Each result hangs on the line of its call; all go back in one message, right behind the calls."""
    loaded = ostinato.load(
        lines(
            user("u0", None, "q"),
            model("u1", "u0", "msg_a", call("toolu_1")),
            model("u2", "u1", "msg_a", call("toolu_2")),
            user("u3", "u2", [result("toolu_2")]),
            user("u4", "u1", [result("toolu_1")]),
            model("u5", "u4", "msg_b", TEXT),
        )
    )
    assert [item["role"] for item in loaded.items] == ["user", "assistant", "user", "assistant"]
    assert loaded.items[1]["content"] == [call("toolu_1"), call("toolu_2")]
    assert sorted(block["tool_use_id"] for block in loaded.items[2]["content"]) == ["toolu_1", "toolu_2"]
    assert not loaded.report.findings


def test_a_record_may_be_written_before_the_one_it_follows() -> None:
    """The order is that of the links, not that of the lines."""
    loaded = ostinato.load(
        lines(
            user("u0", None, "q"),
            user("u2", "u1", [result("toolu_1")]),
            model("u1", "u0", "msg_a", call("toolu_1")),
            model("u3", "u2", "msg_b", TEXT),
        )
    )
    assert [item["content"] for item in loaded.items] == ["q", [call("toolu_1")], [result("toolu_1")], [TEXT]]


def test_a_branch_that_was_given_up_is_named() -> None:
    """An edited prompt leaves the old one behind: the newest message decides."""
    loaded = ostinato.load(
        lines(
            user("u0", None, "old"),
            model("u1", "u0", "msg_a", TEXT),
            user("u2", None, "new"),
            model("u3", "u2", "msg_b", TEXT),
        )
    )
    assert [item["content"] for item in loaded.items] == ["new", [TEXT]]
    assert [(finding.code, finding.records) for finding in loaded.report.findings] == [("other_branch", 2)]


def test_a_compaction_ends_the_way_up() -> None:
    """What would be resumed begins with the summary, which is sent although it is not shown."""
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "u2", "parentUuid": None}
    loaded = ostinato.load(
        lines(
            user("u0", None, "q"),
            model("u1", "u0", "msg_a", THOUGHT),
            {**boundary, "logicalParentUuid": "u1"},
            user("u3", "u2", "summary", isCompactSummary=True, isVisibleInTranscriptOnly=True),
            model("u4", "u3", "msg_b", TEXT),
        )
    )
    assert [item["content"] for item in loaded.items] == ["summary", [TEXT]]
    assert [(finding.code, finding.records) for finding in loaded.report.findings] == [("compacted_away", 2)]


def test_a_missing_parent_does_not_cost_what_was_before() -> None:
    """A damaged line in the middle breaks a link; the record is taken to follow the one before it."""
    whole = [user("u0", None, "q"), model("u1", "u0", "msg_a", TEXT), user("u2", "u1", "more")]
    damaged = lines(whole[0]) + b'\n{"type": "assistant", \n' + lines(whole[2])
    loaded = ostinato.load(damaged)
    assert [item["content"] for item in loaded.items] == ["q", "more"]
    assert loaded.report.counts == {"unreadable_line": 1, "missing_parent": 1}


def test_two_objects_on_a_line_are_two_records() -> None:
    """Claude Code has written lines without an end between them."""
    snapshot = json.dumps({"type": "file-history-snapshot", "messageId": "u0", "snapshot": {}})
    loaded = ostinato.load(lines(user("u0", None, "q")) + snapshot.encode() + b"\n" + lines(user("u1", "u0", "r")))
    assert [item["content"] for item in loaded.items] == ["q", "r"]
    assert loaded.report.records == 3


def test_the_same_record_twice_counts_once() -> None:
    """Copies are counted; two different records with one id are both kept, and named."""
    again = user("u0", None, "q")
    loaded = ostinato.load(lines(again, again, model("u1", "u0", "msg_a", TEXT)))
    assert len(loaded.items) == 2
    assert loaded.report.counts == {"repeated_record": 1}
    loaded = ostinato.load(lines(again, user("u0", "u0", "other"), model("u1", "u0", "msg_a", TEXT)))
    assert [item["content"] for item in loaded.items] == ["q", "other", [TEXT]]
    assert "uuid_conflict" in loaded.report.counts


def test_sidechains_are_conversations_of_their_own() -> None:
    """A subagent's records are loaded beside those of the session that started it."""
    data = lines(
        user("u0", None, "q"),
        user("a0", None, "task", isSidechain=True),
        model("a1", "a0", "msg_x", THOUGHT, isSidechain=True),
        model("u1", "u0", "msg_a", TEXT),
    )
    main, agent = ostinato.load_all(data)
    assert (main.session, main.parent, len(main.items)) == ("s1", None, 2)
    assert (agent.parent, [item["role"] for item in agent.items]) == ("s1", ["user", "assistant"])
    assert ostinato.load(data).items == main.items
    assert ostinato.load(data, session=agent.session).items == agent.items


def test_a_file_of_one_subagent_is_that_subagents() -> None:
    """Newer versions write a file for each."""
    loaded = ostinato.load(lines(user("a0", None, "task", isSidechain=True, agentId="agent-7")))
    assert (loaded.session, loaded.parent) == ("agent-7", "s1")


def test_what_was_not_sent_is_left_out_by_name() -> None:
    """Notices of the program, answers that were taken back, and attachments whose text is not in the file."""
    notice = model("u2", "u1", "m", TEXT)
    notice["message"]["model"] = "<synthetic>"
    loaded = ostinato.load(
        lines(
            user("u0", None, "q"),
            model("u1", "u0", "msg_a", TEXT),
            notice,
            {"type": "attachment", "uuid": "u3", "parentUuid": "u2", "attachment": {"type": "todo"}},
            model("u4", "u3", "msg_b", THOUGHT, supersedesUuids=["u1"]),
            {"type": "telepathy", "sessionId": "s1"},
        )
    )
    assert [item["content"] for item in loaded.items] == ["q", [THOUGHT]]
    assert {(finding.code, dict(finding.facts).get("type")) for finding in loaded.report.findings} == {
        ("not_sent", "assistant/synthetic"),
        ("not_rebuilt", "attachment/todo"),
        ("retracted", None),
        ("unknown_record", "telepathy"),
    }


def test_a_signature_without_text_is_kept_and_named() -> None:
    """It may be omitted by the provider or blanked later: without a digest nobody can tell."""
    hollow = {"type": "thinking", "thinking": "", "signature": "c2ln"}
    loaded = ostinato.load(lines(user("u0", None, "q"), model("u1", "u0", "msg_a", hollow, TEXT)))
    assert loaded.items[1]["content"][0] == hollow
    assert loaded.report.counts == {"unknown_provenance": 1}


def test_the_platform_is_told_from_the_id() -> None:
    """Bedrock and Vertex mark the ids of their messages; a server that only speaks the wire is nobody we know."""
    made = [("msg_bdrk_1", "claude-x"), ("msg_vrtx_1", "claude-x"), ("msg_1", "claude-x"), ("chatcmpl-1", "glm-5")]
    records = [user("u0", None, "q")]
    for number, (name, of_model) in enumerate(made):
        record = model(f"m{number}", records[-1]["uuid"], name, TEXT)
        record["message"]["model"] = of_model
        records.append(record)
    origins = [turn.origin for turn in ostinato.load(lines(*records)).turns[1:]]
    assert [origin and origin.provider for origin in origins] == ["bedrock", "vertex", "anthropic", None]


def test_printed_streams_load_like_transcripts() -> None:
    """`--output-format stream-json` names the session otherwise, has no links, and repeats messages as events."""
    init = {"type": "system", "subtype": "init", "session_id": "s2", "uuid": "p0", "model": "claude-opus-4-8"}
    event = {"type": "stream_event", "event": {"type": "ping"}, "session_id": "s2", "uuid": "p1"}
    printed = [model(f"p{place}", None, "msg_a", block) for place, block in enumerate((THOUGHT, TEXT), 2)]
    agent = model("p9", None, "msg_x", TEXT, parent_tool_use_id="toolu_1")
    for record in (*printed, agent):
        del record["parentUuid"], record["sessionId"]
        record["session_id"] = "s2"
    main, other = ostinato.load_all(
        lines(init, event, *printed, agent, {"type": "result", "session_id": "s2", "uuid": "p10"})
    )
    assert (main.session, main.items) == ("s2", [{"role": "assistant", "content": [THOUGHT, TEXT]}])
    assert (other.session, other.parent) == ("toolu_1", "s2")
    assert main.report.counts == {"not_sent": 2, "display_copy": 1}
