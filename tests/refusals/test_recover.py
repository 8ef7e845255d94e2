"""What was refused goes whole, and visible turns stay."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import ostinato

Item = dict[str, Any]


def reasoning(name: str) -> Item:
    """A reasoning item."""
    return {"type": "reasoning", "id": f"rs_{name}", "summary": [], "encrypted_content": f"gAAAAAB-example-{name}"}


def said(name: str) -> Item:
    """A message of the model."""
    content = [{"type": "output_text", "text": "Hi", "annotations": []}]
    return {"type": "message", "id": f"msg_{name}", "role": "assistant", "content": content}


USER: Item = {"role": "user", "content": "q"}
TURNS = [USER, reasoning("1"), said("1"), USER, reasoning("2"), said("2"), USER]


def kinds(items: list[Item]) -> list[tuple[str | None, str | None]]:
    """Type and id of every item."""
    return [(item.get("type"), item.get("id")) for item in items]


def codes(prepared: ostinato.Prepared) -> list[tuple[str, str]]:
    """Code and place of every decision."""
    return [(made.code, made.path) for made in prepared.report.decisions]


def test_named_state_goes_and_other_state_stays() -> None:
    """With the id of what followed it, by which the server would look for it."""
    refusal = ostinato.explain("The encrypted content for item rs_1 could not be verified.")
    recovered = refusal.recover(TURNS)
    assert kinds(recovered.items) == [
        (None, None),
        ("message", None),
        (None, None),
        ("reasoning", "rs_2"),
        ("message", "msg_2"),
        (None, None),
    ]
    assert ("state_stripped", "items/1") in codes(recovered)


def test_places_of_decisions_are_those_of_the_whole() -> None:
    """The second turn is not the first one of anything."""
    recovered = ostinato.explain("The encrypted content for item rs_2 could not be verified.").recover(TURNS)
    assert ("state_stripped", "items/4") in codes(recovered)
    assert recovered.items[1] is TURNS[1]


def test_all_state_goes_where_nothing_is_named() -> None:
    """And its count is in the report."""
    recovered = ostinato.explain("The encrypted content gAAA...DQ== could not be verified.").recover(TURNS)
    assert [item.get("type") for item in recovered.items] == [None, "message", None, "message", None]
    assert recovered.report.counts["state_stripped"] == 2


def test_lost_partner_costs_an_id_and_not_the_item() -> None:
    """The reasoning is gone already; the message it belonged to is visible and stays."""
    refusal = ostinato.explain("Item 'msg_1' was provided without its required 'reasoning' item 'rs_1'.")
    recovered = refusal.recover([USER, said("1"), USER, reasoning("2"), said("2")])
    assert kinds(recovered.items)[1] == ("message", None)
    assert kinds(recovered.items)[3] == ("reasoning", "rs_2")
    assert codes(recovered) == [("id_omitted", "items/1")]


def test_item_that_is_named_by_its_place_goes() -> None:
    """A husk has no state, and sometimes no id."""
    husk = {"type": "reasoning", "summary": []}
    refusal = ostinato.explain("Missing required parameter: 'input[1].encrypted_content'.")
    assert [item.get("type") for item in refusal.recover([USER, husk, said("1")]).items] == [None, "message"]


def test_repeated_items_are_left_out_by_the_rules_of_the_destination() -> None:
    """What `prepare` would have changed is changed now."""
    refusal = ostinato.explain(
        "Duplicate item found with id rs_1. Remove duplicate items from your input and try again."
    )
    recovered = refusal.recover([USER, reasoning("1"), said("1"), reasoning("1"), said("3")])
    assert [item.get("id") for item in recovered.items].count("rs_1") == 1


def test_target_is_prepared_for() -> None:
    """What is left goes by its rules."""
    refusal = ostinato.explain("The encrypted content gAAA... could not be verified.")
    shown = said("1") | {"status": "completed"}
    recovered = refusal.recover([USER, reasoning("1"), shown], target="openai")
    assert "status" not in recovered.items[1]


THINK = {"type": "thinking", "thinking": "a", "signature": "c2ln"}


def turn(*content: Item, role: str = "assistant") -> Item:
    """A message of Anthropic Messages."""
    return {"role": role, "content": list(content)}


TEXT = {"type": "text", "text": "Hi"}
MESSAGES = [
    turn(TEXT, role="user"),
    turn(THINK, TEXT),
    turn(TEXT, role="user"),
    turn(THINK | {"signature": "c2lnMg=="}, TEXT),
    turn(TEXT, role="user"),
    turn(THINK | {"signature": "c2lnMw=="}, TEXT),
]


def test_thinking_goes_from_the_beginning_to_the_named_block() -> None:
    """What is left is an unbroken run, which the check of newer models wants."""
    recovered = ostinato.explain("messages.3.content.0: Invalid `signature` in `thinking` block").recover(MESSAGES)
    assert [len(message["content"]) for message in recovered.items] == [1, 1, 1, 1, 1, 2]
    assert recovered.items[5] is MESSAGES[5]


def test_changed_prefix_costs_all_thinking() -> None:
    """Every block after the change would be refused."""
    recovered = ostinato.explain("The block is bound to a different conversation").recover(MESSAGES)
    assert "thinking" not in json.dumps(recovered.items)
    assert len(recovered.items) == len(MESSAGES)


def test_converse_is_recovered_from_the_words_of_claude() -> None:
    """Bedrock hands them on in an exception of its own."""
    block = {"reasoningContent": {"reasoningText": {"text": "a", "signature": "c2ln"}}}
    messages = [turn({"text": "q"}, role="user"), turn(block, {"text": "Hi"})]
    words = "The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block"
    recovered = ostinato.explain(words).recover(messages, "bedrock-converse")
    assert recovered.items[1]["content"] == [{"text": "Hi"}]


def test_signature_that_is_no_base64_goes_with_its_content_alone() -> None:
    """The other contents keep theirs."""
    call = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"}
    answer = {"functionResponse": {"name": "f", "response": {}}}
    contents: list[Item] = []
    for _ in range(2):
        contents += [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [dict(call)]}]
        contents += [{"role": "user", "parts": [answer]}, {"role": "model", "parts": [{"text": "Hi"}]}]
    words = "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed"
    recovered = ostinato.explain(words).recover(contents)
    assert json.dumps(recovered.items).count("thoughtSignature") == 1
    assert json.dumps(recovered.items).count("functionCall") == 2


def test_missing_reasoning_field_is_added_for_the_server_that_wants_it() -> None:
    """The refusal tells which server it is."""
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [USER, {"role": "assistant", "content": "", "tool_calls": [call]}]
    messages.append({"role": "tool", "tool_call_id": "call_1", "content": "1"})
    refusal = ostinato.explain("The `reasoning_content` in the thinking mode must be passed back to the API.")
    assert refusal.profile == "deepseek"
    assert refusal.recover(messages).items[1]["reasoning_content"] == ""


@pytest.mark.parametrize(
    ("words", "items"),
    [
        ("thinking.block_binding: Extra inputs are not permitted", MESSAGES),
        ("The encrypted content gAAA... could not be verified.", [USER, said("1")]),
        ("Duplicate item found with id msg_7.", [USER]),
    ],
)
def test_what_would_not_help_is_an_error(words: str, items: list[Item]) -> None:
    """The same request is never given back as if it were another one."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.explain(words).recover(items)
    assert caught.value.code == "not_recoverable"


def test_wire_must_be_known() -> None:
    """Words that several wires use do not tell it."""
    refusal = ostinato.explain("Encrypted payloads can only be replayed to the endpoint that created them")
    for wire in (None, "nonsense"):
        with pytest.raises(ostinato.ReplayError) as caught:
            refusal.recover(TURNS, wire)
        assert caught.value.code == "unknown_wire"
    assert refusal.recover(TURNS, "openai-responses").report.counts["state_stripped"] == 2


@pytest.mark.parametrize("items", ["text", [1], [USER, None]])
def test_what_is_no_item_is_refused(items: Any) -> None:
    """By name, as everywhere."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.explain("The block is bound to a different conversation").recover(items)
    assert caught.value.code == "type_mismatch"


def test_items_are_not_changed() -> None:
    """They are the caller's history."""
    before = copy.deepcopy(TURNS)
    ostinato.explain("The encrypted content for item rs_1 could not be verified.").recover(TURNS)
    assert before == TURNS
