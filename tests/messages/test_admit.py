"""Every message is checked once, where it enters, and refused by name and place."""

import pickle
from typing import Any

import pytest

from ostinato.errors import InvalidMessageError
from ostinato.messages import MAX_DEPTH, admit, admit_all, value_fault

CANARY = "canary-4f1d"
HI: dict[str, Any] = {"type": "text.done", "text": "Hi"}
CALL: dict[str, Any] = {"type": "tool_call.done", "name": "f", "arguments": {}, "tool_call_id": "c"}


def message(*items: Any, role: str = "user") -> Any:
    """A message of these items."""
    return {"role": role, "content_items": list(items)}


def nested(depth: int) -> Any:
    """Lists in lists."""
    value: Any = CANARY
    for _ in range(depth):
        value = [value]
    return value


REFUSED = {
    "no mapping": (CANARY, None, None),
    "no role": ({"content_items": [HI]}, None, None),
    "unknown role": (message(HI, role="system"), None, None),
    "no items": ({"role": "user"}, None, None),
    "items are text": ({"role": "user", "content_items": CANARY}, None, None),
    "empty list": (message(), None, None),
    "origin is no object": ({**message(HI), "origin": CANARY}, None, None),
    "item is no mapping": (message(CANARY), 0, None),
    "item without type": (message(HI, {"text": CANARY}), 1, None),
    "unknown kind": (message({"type": "hologram.done", "text": CANARY}), 0, "hologram.done"),
    "a fragment": (message({"type": "text.delta", "text": CANARY}), 0, "text.delta"),
    "text missing": (message({"type": "text.done"}), 0, "text"),
    "text is null": (message({"type": "text.done", "text": None}), 0, "text"),
    "result without id": (message({"type": "tool_result.done", "text": CANARY}), 0, "tool_result"),
    "result with null id": (message({"type": "tool_result.done", "text": "x", "tool_call_id": None}), 0, "tool_result"),
    "result with empty id": (message({"type": "tool_result.done", "text": "x", "tool_call_id": ""}), 0, "tool_result"),
    "call without name": (message({**CALL, "name": ""}), 0, "tool_call"),
    "call with empty id": (message({**CALL, "tool_call_id": ""}), 0, "tool_call"),
    "arguments are text": (message({**CALL, "arguments": CANARY}), 0, "tool_call"),
    "images are text": (
        message({"type": "tool_result.done", "text": "x", "tool_call_id": "c", "images": CANARY}),
        0,
        "tool_result",
    ),
    "fidelity is a list": (message({**HI, "fidelity": [CANARY]}), 0, "text"),
    "half a surrogate pair": (message({"type": "text.done", "text": CANARY + "\ud83d"}), 0, "text"),
    "half a pair in a key": (message({**CALL, "arguments": {CANARY + "\udc00": 1}}), 0, "tool_call"),
    "half a pair in the fidelity": (message({**HI, "fidelity": {"phase": "\ud83d"}}), 0, "text"),
    "bytes in arguments": (message({**CALL, "arguments": {CANARY: [b"canary"]}}), 0, "tool_call"),
    "NaN": (message({**CALL, "arguments": {CANARY: float("nan")}}), 0, "tool_call"),
    "infinity": (message({"type": "embedding.done", "embedding": [float("inf")]}), 0, "embedding"),
    "too deep": (message({**CALL, "arguments": {"x": nested(5000)}}), 0, "tool_call"),
    "an integer no writer writes": (message({**CALL, "arguments": {"x": 10**5000}}), 0, "tool_call"),
    "an object": (message({**CALL, "arguments": {"x": object()}}), 0, "tool_call"),
    "thinking alone": (message({"type": "thinking.done", "thinking": CANARY}, role="assistant"), None, None),
    "an empty text alone": (message({"type": "text.done", "text": ""}), None, None),
    "thinking and an empty text": (
        message({"type": "thinking.done", "thinking": CANARY}, {"type": "text.done", "text": ""}, role="assistant"),
        None,
        None,
    ),
    "partial calls alone": (message({"type": "partial_tool_call", "arguments": CANARY}), None, None),
}


@pytest.mark.parametrize(("given", "item_index", "item_type"), REFUSED.values(), ids=REFUSED)
def test_refuses_by_place_and_quotes_nothing(given: Any, item_index: int | None, item_type: str | None) -> None:
    """The error names message and item; neither its text, its repr nor its fields hold content."""
    with pytest.raises(InvalidMessageError) as caught:
        admit_all([message(HI), given], client="openai-official")
    error = caught.value
    assert (error.client, error.message_index, error.item_index) == ("openai-official", 1, item_index)
    assert error.item_type == item_type
    assert CANARY not in f"{error} {error!r} {error.__dict__}"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own object
    assert (str(again), again.__dict__) == (str(error), error.__dict__)


@pytest.mark.parametrize(
    "given",
    [
        message(HI),
        message({"type": "text.done", "text": ""}, {"type": "image_url.done", "image_url": "https://x.test/a.png"}),
        message({"type": "tool_result.done", "text": "", "tool_call_id": "c", "images": []}),
        message({"type": "inline_data.done", "data": b"\xff", "mime_type": "image/png"}),
        message({"type": "thinking.done", "thinking": "", "fidelity": {"signature": b"old"}}, CALL, role="assistant"),
        message({**HI, "fidelity": None}, role="assistant"),
        {**message(HI, role="assistant"), "usage_metadata": None, "anything": "else"},
    ],
)
def test_gives_back_the_same_message(given: Any) -> None:
    """What is sound is not copied, and not changed."""
    before = repr(given)
    assert admit(given) is given
    assert repr(given) == before


def test_items_of_the_old_protocol_become_todays() -> None:
    """A kind without `.done` is done, partial calls go; the caller's message stays as it was."""
    old = message(
        {"type": "thinking", "thinking": "Old.", "fidelity": {"x": 1}},
        {"type": "partial_tool_call", "arguments": ""},
        {**CALL, "type": "tool_call"},
        HI,
        role="assistant",
    )
    before = repr(old)
    kinds = [item["type"] for item in admit(old)["content_items"]]
    assert kinds == ["thinking.done", "tool_call.done", "text.done"]
    assert repr(old) == before


def test_depth_is_counted_up_to_the_limit() -> None:
    """The deepest allowed value passes, one level more does not."""
    assert value_fault(nested(MAX_DEPTH)) is None
    assert value_fault(nested(MAX_DEPTH + 1)) is not None
