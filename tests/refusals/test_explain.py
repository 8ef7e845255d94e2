"""What providers say when they refuse a request is told apart by their own words, and never repeated."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato.refusals.patterns import ACTIONS, PATTERNS
from ostinato.refusals.recovery import DEFAULTS
from tests.refusals import page

ORPHAN = "Item 'rs_0a1b' of type 'reasoning' was provided without its required following item."
NOT_STORED = (
    "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. "
    "Try again with `store` set to true, or remove this item from your input."
)
BOUND = (
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. "
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". The `system` prompt '
    "differs from the one this block was created with."
)
MISSING_SIGNATURE = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:shell` , position 2."
)
EXPECTED_THINKING = (
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is "
    "enabled, a final `assistant` message must start with a thinking block."
)

# What was said; the decision that would have prevented it; its reason; what to do; what is named.
SAID: list[tuple[str, str, str | None, str, tuple[str, ...]]] = [
    (ORPHAN, "orphan_reasoning", None, "strip_named", ("rs_0a1b",)),
    (
        "Item 'fc_2' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
        "id_omitted",
        "pair",
        "strip_named",
        ("fc_2", "rs_1"),
    ),
    (
        "Item 'ws_2' of type 'web_search_call' was provided without its required 'reasoning' item: 'rs_1'.",
        "id_omitted",
        "pair",
        "strip_named",
        ("ws_2", "rs_1"),
    ),
    (
        "Item 'msg_3' was provided without its required 'reasoning' item 'rs_1'",
        "id_omitted",
        "pair",
        "strip_named",
        ("msg_3", "rs_1"),
    ),
    (NOT_STORED, "not_replayable", "no_encrypted_content", "strip_named", ("rs_1",)),
    ("Item 'rs_1' not found", "not_replayable", "no_encrypted_content", "strip_named", ("rs_1",)),
    ("The encrypted content gAAA...DQ== could not be verified.", "foreign_state", None, "strip_named", ()),
    (
        (
            "The encrypted content for item cmp_1 could not be verified. Reason: Encrypted content could not be "
            "decrypted or parsed."
        ),
        "foreign_state",
        None,
        "strip_named",
        ("cmp_1",),
    ),
    ("The encrypted content for item cmp_34....b7bd could not be verified.", "foreign_state", None, "strip_named", ()),
    ("Could not decrypt the provided encrypted_content.", "foreign_state", None, "strip_state", ()),
    ("reasoning `encrypted_content` was not issued to this caller", "foreign_state", "account", "strip_state", ()),
    (
        "Encrypted payloads can only be replayed to the endpoint that created them",
        "foreign_state",
        "endpoint",
        "strip_state",
        (),
    ),
    (
        "Encrypted content item_id did not match the target item id.",
        "id_ciphertext_conflict",
        "id_changed",
        "strip_state",
        (),
    ),
    (
        "Duplicate item found with id rs_9. Remove duplicate items from your input and try again.",
        "exact_duplicate",
        None,
        "prepare",
        ("rs_9",),
    ),
    (
        "Missing required parameter: 'input[3].encrypted_content'.",
        "not_replayable",
        "no_encrypted_content",
        "strip_named",
        ("items/3",),
    ),
    (
        (
            "Invalid 'input[2].id': string too long. Expected a string with maximum length 64, but got a string with "
            "length 416 instead."
        ),
        "id_omitted",
        "over_64_chars",
        "prepare",
        ("items/2",),
    ),
    (
        (
            "Invalid 'input[4].content': array too long. Expected an array with maximum length 0, but got an array "
            "with length 1 instead."
        ),
        "state_omitted",
        None,
        "prepare",
        ("items/4",),
    ),
    ("Unknown parameter: 'input[1].status'.", "fields_omitted", None, "prepare", ("items/1",)),
    ("Missing required parameter: 'input[1].summary'.", "summary_added", None, "prepare", ("items/1",)),
    ("Cannot determine type of 'item'", "summary_added", None, "prepare", ()),
    ("Could not decode the compaction blob", "summary_added", "changed_item", "prepare", ()),
    ("Invalid type for 'input[1].content': expected an array.", "fields_omitted", None, "prepare", ("items/1",)),
    ("Encrypted content is not supported.", "state_omitted", None, "prepare", ()),
    (
        "No tool call found for function call output with call_id call_7.",
        "orphan_output",
        None,
        "prepare",
        ("call_7",),
    ),
    ("invalid_payload", "id_missing", None, "prepare", ()),
    (BOUND, "prefix_changed", None, "strip_state", ("messages/1/content/0",)),
    ("The block is bound to a different conversation", "prefix_changed", None, "strip_state", ()),
    (
        "thinking.block_binding: Extra inputs are not permitted",
        "setting_without_beta",
        None,
        "change_request",
        (),
    ),
    (
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "foreign_state",
        "signature",
        "strip_named",
        ("messages/1/content/0",),
    ),
    (
        (
            "messages.43.content.7: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
            "modified. These blocks must remain as they were in the original response."
        ),
        "thinking_chain_broken",
        None,
        "strip_state",
        ("messages/43/content/7",),
    ),
    (
        "messages.1: The final block in an assistant message cannot be `thinking`.",
        "orphan_thinking",
        None,
        "prepare",
        ("messages/1",),
    ),
    (EXPECTED_THINKING, "thinking_chain_broken", "missing", "change_request", ("messages/1/content/0",)),
    (
        (
            "messages.51.content.0: If an assistant message contains any thinking blocks, the first block must be "
            "thinking or redacted_thinking. Found text."
        ),
        "thinking_chain_broken",
        "missing",
        "change_request",
        ("messages/51/content/0",),
    ),
    (
        "messages.1.content.0.thinking.thinking: Field required",
        "text_restored",
        None,
        "prepare",
        ("messages/1/content/0",),
    ),
    ("each thinking block must contain thinking", "text_restored", None, "prepare", ()),
    (
        "messages.1.content.0.thinking.signature: Field required",
        "unsigned_thinking",
        None,
        "prepare",
        ("messages/1/content/0",),
    ),
    (
        "The content[].thinking in the thinking mode must be passed back to the API.",
        "unsigned_thinking",
        "stripped",
        "change_request",
        (),
    ),
    (MISSING_SIGNATURE, "missing_signature", None, "prepare", ()),
    (
        "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"x\"",
        "unsound_state",
        "signature_not_base64",
        "strip_named",
        ("contents/1/parts/0",),
    ),
    ("Base64 decoding failed for thought_signature", "unsound_state", "signature_not_base64", "strip_named", ()),
    ("illegal base64 data at input byte 7", "unsound_state", "signature_not_base64", "strip_state", ()),
    (
        "Unknown name \"thoughtSignature\" at 'contents[1].parts[0].function_call': Cannot find field.",
        "relocated_field",
        None,
        "prepare",
        ("contents/1/parts/0",),
    ),
    ("Corrupted thought signature.", "fragments_merged", "signature", "strip_state", ()),
    (
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        "missing_reasoning_field",
        None,
        "prepare",
        (),
    ),
    (
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 3",
        "missing_reasoning_field",
        None,
        "prepare",
        ("messages/3",),
    ),
]


@pytest.mark.parametrize(("words", "code", "reason", "action", "named"), SAID)
def test_refusal_is_told_by_its_words(
    words: str, code: str, reason: str | None, action: str, named: tuple[str, ...]
) -> None:
    """The decision that would have prevented it, what to do, and what it names."""
    found = ostinato.explain(words)
    assert (found.code, found.reason, found.action, (*found.ids, *found.paths)) == (code, reason, action, named)
    assert found.known
    assert found.source


@pytest.mark.parametrize("words", [said[0] for said in SAID])
def test_refusal_is_told_however_it_is_packed(words: str) -> None:
    """Bodies of three vendors, a body in a body, and what a library prints of it."""
    direct = ostinato.explain(words)
    openai = {"error": {"message": words, "type": "invalid_request_error", "param": "input", "code": None}}
    anthropic = {"type": "error", "error": {"type": "invalid_request_error", "message": words}, "request_id": "req_1"}
    nested = {"error": {"code": 400, "message": json.dumps(anthropic), "status": "INVALID_ARGUMENT"}}
    for packed in (openai, anthropic, nested, [nested], json.dumps(openai), json.dumps(nested).encode()):
        found = ostinato.explain(packed)
        assert (found.code, found.ids, found.paths) == (direct.code, direct.ids, direct.paths)
    printed = ostinato.explain(f"Error code: 400 - {openai}")
    assert (printed.code, printed.ids, printed.paths) == (direct.code, direct.ids, direct.paths)
    assert ostinato.explain(nested).status == 400


def test_code_of_openai_is_enough() -> None:
    """The words may change; the code is part of the answer."""
    assert ostinato.explain({"error": {"code": "invalid_encrypted_content", "message": "?"}}).code == "foreign_state"


def test_changed_part_of_the_prefix_is_named() -> None:
    """Claude says which part of the request is not what it was."""
    assert ostinato.explain(BOUND).parts == ("system",)


@pytest.mark.parametrize(
    "error",
    [
        "",
        "Rate limit reached",
        {"error": {"message": "Your credit balance is too low", "code": 400}},
        {"choices": [{"message": {"content": ORPHAN}}]},
        {"output": [{"content": [{"text": NOT_STORED}]}], "status": "completed"},
        ValueError("no"),
        None,
        7,
        object(),
    ],
)
def test_other_errors_are_unknown(error: object) -> None:
    """Nothing is guessed; an answer that quotes a refusal in its content is none."""
    found = ostinato.explain(error)
    assert (found.code, found.action, found.known, found.ids, found.paths) == ("unknown", "none", False, (), ())
    with pytest.raises(ostinato.ReplayError) as caught:
        found.recover([], "openai-responses")
    assert caught.value.code == "unknown_refusal"


def test_words_are_never_repeated() -> None:
    """A provider's message may hold content; ids and places are all that is taken from it."""
    secret = "the launch code is 0000"  # noqa: S105 - the example's content
    found = ostinato.explain({"error": {"message": f"{ORPHAN} {secret} rs_ok", "secret": secret}})
    shown = f"{found}{found!r}{found.to_dict()}{found.advice}"
    assert secret not in shown
    assert "launch" not in shown
    assert found.ids == ("rs_0a1b", "rs_ok")


def test_our_own_error_explains_itself() -> None:
    """A request that was not sent has its decision already."""
    decision = ostinato.Decision("orphan_reasoning", "items/1", "refused")
    found = ostinato.explain(ostinato.PrepareError(decision, ostinato.ReplayReport()))
    assert (found.code, found.paths, found.known) == ("orphan_reasoning", ("items/1",), True)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.words.pattern[:40])
def test_row_is_sound(pattern: Any) -> None:
    """Codes, actions, wires and profiles are of the closed lists, and a test says its words."""
    assert pattern.code in ostinato.DECISION_CODES
    assert pattern.action in ACTIONS
    assert pattern.wire is None or pattern.wire in DEFAULTS
    assert pattern.profile is None or ostinato.PROFILES[pattern.profile].wire == pattern.wire
    assert pattern.source
    assert any(ostinato.explain(said[0]).source == pattern.source for said in SAID)


def test_defaults_are_profiles_of_their_wire() -> None:
    """What is prepared without a target is prepared for the vendor of the wire."""
    for wire, name in DEFAULTS.items():
        assert ostinato.PROFILES[name].wire == wire


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.binary(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "code", "body", "detail", "status", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_body_gives_an_explanation(body: Any) -> None:
    """Whatever a proxy answers."""
    assert ostinato.explain(body).code == "unknown"
    assert ostinato.explain(json.dumps(body, default=repr)).action == "none"


class HostileError(Exception):
    """Raises at every look."""

    @property
    def body(self) -> object:
        """Not here."""
        raise RuntimeError

    @property
    def response(self) -> object:
        """An object that holds itself."""
        return self

    message = property(lambda _self: {"error": {"message": ORPHAN}})


def test_hostile_exceptions_give_an_explanation() -> None:
    """Properties that raise, causes in a circle, bodies without end."""
    error = HostileError(ORPHAN)
    error.__cause__ = error
    assert ostinato.explain(error).code == "orphan_reasoning"
    body: dict[str, Any] = {}
    body["error"] = body
    assert ostinato.explain(body).code == "unknown"
    deep: Any = ORPHAN
    for _ in range(10_000):
        deep = {"error": deep}
    assert ostinato.explain(deep).code == "unknown"
    assert ostinato.explain("[{" * 100_000).code == "unknown"
    assert ostinato.explain({"error": {"message": "\ud83d " * 50_000 + ORPHAN}}).code == "unknown"


def test_page_shows_the_table_as_it_is() -> None:
    """`python tests/refusals/page.py` writes it."""
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.TABLE.search(text)
    assert page.written(text) == text
