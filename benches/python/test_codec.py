"""Every operation by every implementation under pytest-benchmark, for a look at one of them alone.

These are plain wall-clock times: to compare two implementations use the paired ratios of run.py.
A library that is not installed is skipped.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import peers
import pytest
import rows

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

IMPLEMENTATIONS = ("ostinato", *peers.CODECS)
TEXT_ROWS = [(row, size) for row in rows.ROWS if row.feed != "batch" for size in row.sizes]
BATCH_ROWS = [row for row in rows.ROWS if row.feed == "batch"]


def implementation(name: str) -> peers.Peer:
    """The implementation, or a skip where its library is missing."""
    try:
        return peers.load(name)
    except ModuleNotFoundError as missing:
        pytest.skip(f"not installed: {missing.name}")


def measure(benchmark: BenchmarkFixture, row: rows.Row, name: str, feed: rows.Feed) -> None:
    """Time whole passes over the inputs, built anew where they must be."""
    side = implementation(name)
    call = (row.ours if name == "ostinato" else row.peer)(side)
    benchmark.group = f"{row.name} {feed.size} {feed.charset} {feed.kind}"
    gc.disable()
    try:
        done = benchmark.pedantic(
            lambda inputs: [call(value) for value in inputs],
            setup=lambda: ((feed.make(),), {}),
            rounds=20,
            warmup_rounds=2,
        )
    finally:
        gc.enable()
    assert None not in done


@pytest.mark.parametrize("charset", ["ascii", "non_ascii"])
@pytest.mark.parametrize(("row", "size"), TEXT_ROWS, ids=[f"{row.name}-{size}" for row, size in TEXT_ROWS])
@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_one(benchmark: BenchmarkFixture, row: rows.Row, size: str, charset: str, name: str) -> None:
    """Times one operation on single envelopes of one size."""
    measure(benchmark, row, name, rows.feed(row, size, charset, "dict" if row.feed == "item" else "str"))


@pytest.mark.parametrize("row", BATCH_ROWS, ids=[row.name for row in BATCH_ROWS])
@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_batch(benchmark: BenchmarkFixture, row: rows.Row, name: str) -> None:
    """Times one operation on the 150 envelopes of a long history."""
    measure(benchmark, row, name, rows.feed(row, "150", "mixed", "str"))
