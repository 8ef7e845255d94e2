"""What goes out of messages whose thinking stands in blocks."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from tests.policy.blocks import BOTH, CONVERSE, MESSAGES, Spelling, said

HERE = ostinato.Origin("anthropic", "api.anthropic.com", "org-a", "claude-example-1")

both = pytest.mark.parametrize("spell", BOTH, ids=lambda spell: spell.wire)


def of_one(spell: Spelling, *blocks: Any) -> list[Any]:
    """A conversation with one answer."""
    return [spell.user(spell.text("q")), spell.assistant(*blocks)]


@both
def test_sound_conversation_goes_out_as_it_is(spell: Spelling) -> None:
    """Nothing is decided about thinking, calls, results and unknown blocks in their places: the same objects go out."""
    messages = [
        spell.user(spell.text("q")),
        spell.assistant(spell.thinking("a\n"), spell.sealed(), spell.unknown(), spell.call("c1")),
        spell.user(spell.result("c1")),
        spell.assistant(spell.thinking("b"), spell.text("ok")),
    ]
    prepared = ostinato.prepare(messages, spell.target())
    assert all(sent is given for sent, given in zip(prepared.items, messages, strict=True))
    assert prepared.report.decisions == ()
    assert prepared.report.telemetry.reasoning_replay_item_count == 3
    assert prepared.report.unknown_origin == 3


@both
def test_run_with_one_damaged_block_goes_whole(spell: Spelling) -> None:
    """A redacted block without its data takes the run it stands in with it, and no other."""
    messages = of_one(spell, spell.thinking("a"), spell.husk(), spell.text("x"), spell.thinking("b"), spell.text("ok"))
    prepared = ostinato.prepare(messages, spell.target())
    assert prepared.items[1]["content"] == [spell.text("x"), spell.thinking("b"), spell.text("ok")]
    assert [row[:2] for row in said(prepared.report)] == [
        ("thinking_run_broken", "messages/1/content/0"),
        ("unsound_state", "messages/1/content/1"),
    ]


@both
def test_damaged_block_may_raise(spell: Spelling) -> None:
    """`unsound="raise"` makes a redacted block without its data an error with its place."""
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare(of_one(spell, spell.husk(), spell.text("ok")), spell.target().but(unsound="raise"))
    assert (caught.value.code, caught.value.path) == ("unsound_state", "messages/1/content/0")


@both
def test_thinking_at_the_end_is_left_out(spell: Spelling) -> None:
    """A turn that was cut while thinking goes out without what it thought last."""
    messages = of_one(spell, spell.text("ok"), spell.thinking("a"), spell.sealed())
    prepared = ostinato.prepare(messages, spell.target())
    assert prepared.items[1]["content"] == [spell.text("ok")]
    assert [row[0] for row in said(prepared.report)] == ["orphan_thinking", "orphan_thinking"]


@both
def test_message_of_thinking_alone_is_left_out(spell: Spelling) -> None:
    """A message that is thinking and nothing else leaves nothing behind, and the report says so."""
    messages = [*of_one(spell, spell.thinking("a")), spell.user(spell.text("more"))]
    prepared = ostinato.prepare(messages, spell.target())
    assert ("empty_message", "messages/1", None) in said(prepared.report)
    assert [message["role"] for message in prepared.items] == (["user", "user"] if spell.is_messages else ["user"])


def test_thinking_alone_before_another_message_of_the_model_stays() -> None:
    """The API combines turns of one role, so the thinking does not end one."""
    messages = [*of_one(MESSAGES, MESSAGES.thinking("a")), MESSAGES.assistant(MESSAGES.text("ok"))]
    assert ostinato.prepare(messages, "anthropic").items == messages


@both
def test_empty_text_stays_and_is_said_once(spell: Spelling) -> None:
    """Signed blocks without text go out; that a damaged file looks the same is one line of the report."""
    messages = of_one(spell, spell.thinking(""), spell.text("x"), spell.thinking(""), spell.text("ok"))
    prepared = ostinato.prepare(messages, spell.target())
    assert prepared.items == messages
    assert [d.to_dict() for d in prepared.report.decisions] == [
        {"code": "unknown_provenance", "path": "messages/1/content/0", "action": "kept", "blocks": 2}
    ]


@both
def test_lost_empty_text_is_there_again(spell: Spelling) -> None:
    """The field must be there, also when it is empty."""
    block = spell.thinking("")
    (block if spell.is_messages else block["reasoningContent"]["reasoningText"]).pop(
        "thinking" if spell.is_messages else "text"
    )
    prepared = ostinato.prepare(of_one(spell, block, spell.text("ok")), spell.target())
    assert prepared.items[1]["content"][0] == spell.thinking("")
    assert said(prepared.report)[0] == ("text_restored", "messages/1/content/0", None)


@both
def test_fields_that_the_wire_does_not_define_are_left_out(spell: Spelling) -> None:
    """A block of state goes out without what the provider would refuse; its names are in the report."""
    block = spell.thinking("a") | {"extra": "x"}
    prepared = ostinato.prepare(of_one(spell, block, spell.text("ok")), spell.target())
    assert prepared.items[1]["content"][0] == spell.thinking("a")
    assert prepared.report.decisions[0].to_dict()["fields"] == ["extra"]
    assert ostinato.prepare(of_one(spell, block), spell.target().but(extra_fields="keep", may_end=True)).report


def test_cache_marker_on_thinking_is_left_out() -> None:
    """The API refuses the marker there, and does not count it as a change."""
    block = MESSAGES.thinking("a") | {"cache_control": {"type": "ephemeral"}}
    prepared = ostinato.prepare(of_one(MESSAGES, block, MESSAGES.text("ok")), "anthropic")
    assert prepared.items[1]["content"][0] == MESSAGES.thinking("a")


@pytest.mark.parametrize("row", ["deepseek-messages", "moonshot-messages", "minimax-messages", "zai-messages"])
def test_servers_of_others_take_unsigned_thinking(row: str) -> None:
    """Thinking without a signature goes to servers that sign nothing, and is left out for Claude."""
    messages = of_one(MESSAGES, MESSAGES.thinking("a", None), MESSAGES.text("ok"))
    assert ostinato.prepare(messages, row).items == messages
    for claude in ("anthropic", "bedrock-messages", "vertex-messages"):
        prepared = ostinato.prepare(messages, claude)
        assert prepared.items[1]["content"] == [MESSAGES.text("ok")]
        assert said(prepared.report) == [("unsigned_thinking", "messages/1/content/0", None)]


@pytest.mark.parametrize(
    ("model", "taken"),
    [
        ("amazon.nova-example-v1:0", True),
        ("us.minimax.minimax-example", True),
        ("anthropic.claude-example", False),
        (None, False),
    ],
)
def test_makers_on_converse_differ_in_unsigned_reasoning(model: str | None, *, taken: bool) -> None:
    """The maker in the model's id decides."""
    messages = of_one(CONVERSE, CONVERSE.thinking("a", None), CONVERSE.text("ok"))
    assert (ostinato.prepare(messages, CONVERSE.target(model=model)).items == messages) is taken


FOREIGN = [
    ("anthropic", HERE._replace(provider="openai"), "provider"),
    ("anthropic", HERE._replace(account="org-b"), "account"),
    ("anthropic", HERE._replace(model="claude-example-2"), "model"),
    ("anthropic", HERE, None),
    ("anthropic", HERE._replace(model="us.anthropic.claude-example-1-v1:0"), None),
    ("anthropic", HERE._replace(model="claude-example-1-20260101"), None),
    ("anthropic", HERE._replace(account=None, endpoint="proxy.example"), None),
    ("bedrock-messages", HERE, "account"),
    ("bedrock-messages", HERE._replace(account=None), "provider"),
    ("vertex-messages", HERE, "account"),
    ("bedrock-converse", HERE, "account"),
    ("bedrock-converse", HERE._replace(provider="gemini"), "provider"),
    ("deepseek-messages", HERE, "provider"),
    ("litellm-messages", HERE._replace(endpoint=None, account=None), None),
]


@pytest.mark.parametrize(("row", "origin", "reason"), FOREIGN)
def test_foreign_state_goes_as_whole_blocks(row: str, origin: ostinato.Origin, reason: str | None) -> None:
    """State of another provider, account or model is left out, never sent as text; the words of the turn stay."""
    profile = ostinato.PROFILES[row]
    spell = CONVERSE if profile.wire == CONVERSE.wire else MESSAGES
    target = ostinato.Target(
        profile=profile,
        account="org-a" if row in ("anthropic", "litellm-messages") else "aws-1",
        model="claude-example-1",
    )
    messages = of_one(spell, spell.thinking("secret thought"), spell.sealed(), spell.text("ok"))
    prepared = ostinato.prepare(messages, target, origin=[None, origin])
    if reason is None:
        assert prepared.items == messages
        return
    assert prepared.items[1]["content"] == [spell.text("ok")]
    assert said(prepared.report) == [("foreign_state", f"messages/1/content/{n}", reason) for n in (0, 1)]


def test_caller_chooses_what_happens_to_foreign_state() -> None:
    """It can be kept, refused, or kept from models that the caller names."""
    messages = of_one(MESSAGES, MESSAGES.thinking("a"), MESSAGES.text("ok"))
    target = MESSAGES.target(model="claude-example-2")
    kept = ostinato.prepare(messages, target.but(foreign="keep"), origin=HERE)
    assert kept.items == messages
    assert kept.report.decisions[0].action == "kept"
    assert ostinato.prepare(messages, target.but(readable_models=("claude-example-1",)), origin=HERE).items == messages
    with pytest.raises(ostinato.PrepareError, match="foreign_state"):
        ostinato.prepare(messages, target.but(foreign="raise"), origin=HERE)


def test_state_of_a_model_that_the_target_reads_stays() -> None:
    """The table knows which models read the state of others, and that the reverse does not follow."""
    messages = of_one(MESSAGES, MESSAGES.thinking("a"), MESSAGES.text("ok"))
    older, newer = "claude-opus-5", "claude-fable-5-1"
    read = ostinato.prepare(messages, MESSAGES.target(model=newer), origin=HERE._replace(model=older))
    assert read.items == messages
    unread = ostinato.prepare(messages, MESSAGES.target(model=older), origin=HERE._replace(model=newer))
    assert said(unread.report)[0][2] == "model"


def test_other_state_of_another_provider_is_left_out_with_its_call() -> None:
    """Search results that only their maker can read go with their call; to the same provider they stay."""
    search = {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"signature": "no state"}}
    found = [{"type": "web_search_result", "encrypted_content": "QUJD"}]
    answer = {"type": "web_search_tool_result", "tool_use_id": "srv1", "content": found}
    compaction = {"type": "compaction", "content": "so far", "encrypted_content": "QUJD"}
    messages = of_one(MESSAGES, compaction, search, answer, MESSAGES.text("ok"))
    assert ostinato.prepare(messages, MESSAGES.target(model="claude-example-2"), origin=HERE).items == messages
    foreign = ostinato.prepare(messages, MESSAGES.target(), origin=HERE._replace(provider="moonshot"))
    assert foreign.items[1]["content"] == [MESSAGES.text("ok")]
    assert len(foreign.report.decisions) == 3


@both
def test_lone_calls_and_results_are_left_out(spell: Spelling) -> None:
    """A call that nobody answered, a result of no call and a second result would be refused."""
    messages = [
        spell.user(spell.text("q")),
        spell.assistant(spell.thinking("a"), spell.call("c1"), spell.call("c2")),
        spell.user(spell.result("c1"), spell.result("c1"), spell.result("c9")),
        spell.assistant(spell.text("ok")),
    ]
    prepared = ostinato.prepare(messages, spell.target())
    assert prepared.items[1]["content"] == [spell.thinking("a"), spell.call("c1")]
    assert prepared.items[2]["content"] == [spell.result("c1")]
    assert said(prepared.report) == [
        ("orphan_call", "messages/1/content/2", "call"),
        ("orphan_result", "messages/2/content/1", "repeated"),
        ("orphan_result", "messages/2/content/2", "result"),
    ]
    with pytest.raises(ostinato.PrepareError, match="orphan_call"):
        ostinato.prepare(messages, spell.target().but(orphans="raise"))


@both
def test_calls_of_the_last_turn_wait_for_their_results(spell: Spelling) -> None:
    """A call that is not answered yet is no orphan."""
    messages = of_one(spell, spell.thinking("a"), spell.call("c1"))
    assert ostinato.prepare(messages, spell.target()).items == messages


def test_converse_refuses_what_is_blank() -> None:
    """A blank text goes, a blank result gets a stand-in, and roles alternate; Messages keeps all three as they are."""
    for spell in BOTH:
        messages = [
            spell.user(spell.text("q")),
            spell.assistant(spell.text(" \n"), spell.call("c1")),
            spell.user(spell.result("c1", "")),
            spell.user(spell.text("more")),
        ]
        prepared = ostinato.prepare(messages, spell.target())
        if spell.is_messages:
            assert prepared.items == messages
        else:
            assert [len(message["content"]) for message in prepared.items] == [1, 1, 2]
            assert prepared.items[2]["content"][0] == spell.result("c1", "(empty)")
            assert {row[0] for row in said(prepared.report)} == {"blank_text", "blank_result", "turns_joined"}


def test_sealed_bytes_stay_the_bytes_they_are() -> None:
    """Redacted content of Converse goes out as it came: bytes as an SDK has them, or base64 as JSON has it."""
    for data in (b"\x00\xa1\xff", bytearray(b"\x00"), "AKH/"):
        messages = of_one(CONVERSE, {"reasoningContent": {"redactedContent": data}}, CONVERSE.text("ok"))
        assert ostinato.prepare(messages, "bedrock-converse").items[1] is messages[1]


@both
def test_strip_takes_all_state_and_leaves_the_input(spell: Spelling) -> None:
    """Whole blocks go, the visible turn stays, and what was given is not touched."""
    messages = of_one(spell, spell.thinking("a"), spell.thinking("b", None), spell.sealed(), spell.text("ok"))
    before = copy.deepcopy(messages)
    stripped = ostinato.strip_state(messages, wire=spell.wire)
    assert stripped.items == of_one(spell, spell.text("ok"))
    assert stripped.report.counts == {"state_stripped": 3}
    assert messages == before


def test_strip_takes_state_outside_of_thinking_too() -> None:
    """What a server's search found is state, and so are the citations that point into it."""
    search = {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {}}
    answer = {"type": "web_search_tool_result", "tool_use_id": "srv1", "content": [{"encrypted_content": "QUJD"}]}
    cited = MESSAGES.text("ok") | {"citations": [{"encrypted_index": "QUJD"}]}
    stripped = ostinato.strip_state(of_one(MESSAGES, search, answer, cited), wire=MESSAGES.wire)
    assert stripped.items == of_one(MESSAGES, MESSAGES.text("ok"))


@both
def test_trim_never_parts_a_call_from_its_result(spell: Spelling) -> None:
    """A cut between them is made before the call, and said."""
    messages = [
        spell.user(spell.text("q")),
        spell.assistant(spell.thinking("a"), spell.call("c1")),
        spell.user(spell.result("c1")),
        spell.assistant(spell.text("ok")),
    ]
    trimmed = ostinato.trim(messages, keep=2, wire=spell.wire)
    assert trimmed.items == messages[1:]
    assert trimmed.report.counts == {"cut_moved": 1}
    assert ostinato.trim(messages, keep=2, wire=spell.wire, earlier=False).items == messages[3:]


WRONG = [
    ([{"content": []}], "messages/0/role"),
    ([{"role": 1, "content": []}], "messages/0/role"),
    ([{"role": "user"}], "messages/0/content"),
    ([{"role": "user", "content": {"a": 1}}], "messages/0/content"),
    ([{"role": "user", "content": [None]}], "messages/0/content/0"),
]


@both
@pytest.mark.parametrize(("messages", "path"), WRONG)
def test_what_is_no_message_is_refused_with_its_place(spell: Spelling, messages: Any, path: str) -> None:
    """The error names the place, for all three functions."""
    for call in (
        lambda: ostinato.prepare(messages, spell.target()),
        lambda: ostinato.strip_state(messages, wire=spell.wire),
        lambda: ostinato.trim(messages, keep=1, wire=spell.wire),
    ):
        with pytest.raises(ostinato.ReplayError) as caught:
            call()
        assert (caught.value.code, caught.value.path) == ("type_mismatch", path)


WRITTEN = [
    ("anthropic-official", None, "anthropic"),
    ("anthropic-official", "bedrock://eu-example-1", "bedrock-messages"),
    ("ant-messages", "https://server.example", "ant-messages"),
    ("bedrock-converse", None, "bedrock-converse"),
]
ITEMS = [
    {"type": "thinking.done", "thinking": "a", "fidelity": {"signature": "sig-example"}},
    {"type": "thinking.done", "thinking": "", "fidelity": {"signature": "sig-example"}},
    {"type": "thinking.done", "thinking": "b"},
    {"type": "thinking.done", "thinking": "_REDACTED_THINKING", "fidelity": {"signature": "QUJD"}},
    {"type": "thinking.done", "thinking": "_REDACTED_THINKING"},
    {"type": "text.done", "text": "ok"},
    {"type": "text.done", "text": " "},
    {"type": "tool_call.done", "name": "f", "tool_call_id": "c1", "arguments": {}},
]


@pytest.mark.parametrize(("client", "endpoint", "row"), WRITTEN)
@given(items=st.lists(st.sampled_from(ITEMS), min_size=1, max_size=6))
def test_client_writes_what_prepare_takes(client: str, endpoint: str | None, row: str, items: list[Any]) -> None:
    """Both ask the same rules: what a client wrote, prepare has nothing to change in."""
    question = {"role": "user", "content_items": [{"type": "text.done", "text": "q"}]}
    wire = ostinato.wire(client, "claude-example", endpoint=endpoint)
    try:
        body = wire.encode([question, {"role": "assistant", "content_items": items}])  # type: ignore[list-item]
    except ostinato.InvalidMessageError:
        return  # nothing of it could be sent
    written = [message for message in body["messages"] if message["role"] == "assistant"]
    prepared = ostinato.prepare(written, row)
    assert all(sent is given for sent, given in zip(prepared.items, written, strict=True))


@both
def test_message_of_which_nothing_is_left_may_raise(spell: Spelling) -> None:
    """A message that was thinking alone is left out, and said; `empty_messages="raise"` refuses the request."""
    messages = [spell.user(spell.text("q")), spell.assistant(spell.thinking("a")), spell.user(spell.text("r"))]
    with pytest.raises(ostinato.PrepareError) as caught:
        ostinato.prepare(messages, spell.target().but(empty_messages="raise"))
    assert (caught.value.code, caught.value.path) == ("empty_message", "messages/1")
    assert "empty_message" in ostinato.prepare(messages, spell.target()).report.counts
