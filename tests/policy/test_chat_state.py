"""The blocks of a message that a gateway holds twice."""

from typing import Any

import pytest

from ostinato.policy.chat_state import signed_blocks

SIGNED = {"type": "thinking", "thinking": "t", "signature": "sig"}
UNSIGNED = {"type": "thinking", "thinking": "t", "signature": ""}


@pytest.mark.parametrize("first", [1, 0])
def test_signed_copy_is_the_state(first: int) -> None:
    """Wherever it stands, before or after the unsigned one."""
    one, other = (SIGNED, UNSIGNED) if first else (UNSIGNED, SIGNED)
    found = signed_blocks({"reasoning_details": [one], "thinking_blocks": [other]})
    assert found.blocks == [SIGNED]
    assert found.ignored == (("thinking_blocks/0",) if first else ("reasoning_details/0",))


def test_blocks_that_differ_are_all_kept() -> None:
    """Other text is another block, and redacted blocks are blocks; a copy that is signed too is none to speak of."""
    other, redacted = SIGNED | {"thinking": "u"}, {"type": "redacted_thinking", "data": "D"}
    found = signed_blocks({"thinking_blocks": [SIGNED, redacted, other], "content": [SIGNED]})
    assert found.blocks == [SIGNED, redacted, other]
    assert found.ignored == ()


@pytest.mark.parametrize("value", [None, 7, "t", [7], [{}], [{"type": "thinking", "thinking": 7}], {"a": 1}])
def test_anything_else_is_no_block(value: Any) -> None:
    """Whatever a history holds there gives an answer."""
    assert signed_blocks({"thinking_blocks": value, "provider_specific_fields": value}).blocks == []
