"""Many threads at once: the same results as one, from functions that share nothing."""

from __future__ import annotations

import pathlib
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ostinato

THREADS = 8


def work(number: int) -> list[Any]:
    """Everything the codec does, over items of its own."""
    item = {
        "type": "reasoning",
        "id": f"rs_{number}",
        "summary": [{"type": "summary_text", "text": "é\n" * number}],
        "encrypted_content": f"state {number}",
    }
    results: list[Any] = []
    for _ in range(50):
        captured = ostinato.canonicalize_completed_reasoning_output_item(item)
        stored = ostinato.serialize_reasoning_replay_envelope(captured)
        parsed = ostinato.parse_reasoning_replay_envelope(stored)
        results += [
            captured == parsed,
            hash(captured) == hash(parsed),
            stored,
            repr(parsed),
            ostinato.reasoning_replay_item_to_provider_input(parsed),
            ostinato.reasoning_replay_dedupe_key(parsed),
            ostinato.dedupe([captured, parsed], provider="openai").report.counts,
        ]
    return results


def test_own_items() -> None:
    """Eight threads, each with items of its own, come to what one thread comes to."""
    expected = [work(number) for number in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as threads:
        assert list(threads.map(work, range(THREADS))) == expected


def test_one_item() -> None:
    """Eight threads that read one item at the same time all read the same."""
    item = ostinato.canonicalize_completed_reasoning_output_item(
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x" * 100_000}
    )
    start = threading.Barrier(THREADS)

    def read(_number: int) -> Any:
        start.wait()
        return [
            (item.id, item.encrypted_content, item.to_dict(), hash(item), repr(item), item == item)  # noqa: PLR0124
            for _ in range(50)
        ]

    with ThreadPoolExecutor(THREADS) as threads:
        first, *others = threads.map(read, range(THREADS))
    assert others == [first] * (THREADS - 1)


def test_measuring_leaves_the_interpreter_free(tmp_path: pathlib.Path) -> None:
    """While a large file is measured, other threads run."""
    line = '{"type":"response_item","payload":{"type":"reasoning","summary":[],"encrypted_content":"%s"}}\n' % (
        "x" * 2000
    )
    path = tmp_path / "rollout.jsonl"
    path.write_text('{"type":"session_meta","payload":{"id":"a"}}\n' + line * 20_000, encoding="utf-8")
    measuring = threading.Thread(target=ostinato.measure, args=(path,), kwargs={"timing": False})
    turns = 0
    measuring.start()
    while measuring.is_alive():
        turns += 1
        measuring.join(timeout=0.001)
    assert turns > 1  # a measurement that held the interpreter would let this thread run once
