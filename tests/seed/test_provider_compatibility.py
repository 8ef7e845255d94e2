"""The seed's list "Provider compatibility tests".

The bytes that each SDK sends are tested with the SDK itself (`tests/peers/openai_sdk`); what SSE and WebSocket requests
have in common, with real servers (`tests/rfc/test_end_to_end.py`). Here is what holds whichever SDK sends it.
"""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

import ostinato
from tests.seed.items import ALLOWED, captured, item, replayed, without

ABSENT = object()


def test_unknown_future_output_fields_never_appear_on_provider_input() -> None:
    """Beside the fields that are known, and inside of their parts."""
    future = item(future={"deep": [1]}, summary=[{"type": "summary_text", "text": "A", "logprobs": []}])
    (sent,) = replayed(future)
    assert list(sent) == ALLOWED
    assert sent["summary"] == [{"type": "summary_text", "text": "A"}]


@pytest.mark.parametrize(
    ("content", "status"), list(itertools.product([ABSENT, None, []], [ABSENT, None, "completed"]))
)
def test_null_versus_omitted_optional_field_matrix(content: Any, status: Any) -> None:
    """Nine ways to say nothing are one item, and no null is ever sent."""
    given = {name: value for name, value in (("content", content), ("status", status)) if value is not ABSENT}
    assert captured(item(1, "A", **given)) == captured(item(1, "A"))
    assert "null" not in json.dumps(replayed(item(1, "A", **given)))


@pytest.mark.parametrize("name", ["id", "encrypted_content"])
def test_null_in_a_required_field_is_the_same_as_its_absence(name: str) -> None:
    """Both are refused, with the same words."""
    refusals = []
    for given in (item(**{name: None}), without(item(), name)):
        with pytest.raises(ostinato.ReplayError) as caught:
            captured(given)
        refusals.append(str(caught.value))
    assert refusals[0] == refusals[1]
