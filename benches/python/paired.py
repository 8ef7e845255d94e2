"""Paired timing: A B, B A blocks of CPU time of this thread, and the median of the pairs' ratios.

The speed of a shared core changes from one second to the next by nearly two. Two blocks of 0.6 ms side
by side meet the same core, so only their ratio is kept; other processes do not count in a thread's CPU
time; the order of the two alternates and the contests are shuffled.
"""

from __future__ import annotations

import gc
import random
import statistics
from dataclasses import dataclass, field
from time import thread_time_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

BLOCK_NS = 600_000
PASS_NS = 60_000  # below this, several passes are timed together so that the clock itself stays unseen


@dataclass
class Side:
    """One implementation and the objects it is fed with."""

    call: Callable[[Any], object]
    make: Callable[[], Sequence[object]]
    fresh: bool  # build the objects anew before each pass: a str caches its UTF-8 form
    _passes: int = 0
    _kept: Sequence[object] = ()

    def prepare(self) -> None:
        """Warm up and find how many passes make a timing."""
        self._kept = self.make()
        _spend(self.call, self._kept, 1)
        spent = max(1, _spend(self.call, self._kept, 1))
        self._passes = 1 if self.fresh else max(1, PASS_NS // spent)

    def block(self) -> float:
        """Nanoseconds per call over one block."""
        spent = calls = 0
        while spent < BLOCK_NS:
            inputs = self.make() if self.fresh else self._kept
            spent += _spend(self.call, inputs, self._passes)
            calls += len(inputs) * self._passes
        return spent / calls


def _spend(call: Callable[[Any], object], inputs: Sequence[object], passes: int) -> int:
    repeated = range(passes)
    begin = thread_time_ns()
    for _ in repeated:
        for value in inputs:
            call(value)
    return thread_time_ns() - begin


@dataclass
class Contest:
    """Ours against one peer on one row; `key` says which."""

    key: dict[str, str]
    ours: Side
    peer: Side
    pairs: list[tuple[float, float]] = field(default_factory=list)

    def meet(self, *, ours_first: bool) -> None:
        """One pair of blocks."""
        if ours_first:
            mine = self.ours.block()
            theirs = self.peer.block()
        else:
            theirs = self.peer.block()
            mine = self.ours.block()
        self.pairs.append((mine, theirs))

    def result(self) -> dict[str, object]:
        """The median ratio with its 10-90 % range, and the peer's time as the state of the core."""
        return {**self.key, **ratio_of(self.pairs), "unit": "ns"}


def ratio_of(pairs: Sequence[tuple[float, float]], *, digits: int = 1) -> dict[str, float]:
    """Median and 10-90 % range of theirs / mine."""
    ratios = sorted(theirs / mine for mine, theirs in pairs)
    low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
    return {
        "ratio": round(statistics.median(ratios), 3),
        "p10": round(low, 3),
        "p90": round(high, 3),
        "ours": round(statistics.median(mine for mine, _ in pairs), digits),
        "peer_time": round(statistics.median(theirs for _, theirs in pairs), digits),
        "pairs": len(pairs),
    }


def run(contests: Iterable[Contest], *, rounds: int = 50, seed: int = 1) -> list[dict[str, object]]:
    """All contests, `rounds` pairs each, the collector off."""
    field_ = list(contests)
    rng = random.Random(seed)
    gc.collect()
    gc.disable()
    try:
        for contest in field_:
            contest.ours.prepare()
            contest.peer.prepare()
        order = list(field_)
        for number in range(rounds):
            rng.shuffle(order)
            for contest in order:
                contest.meet(ours_first=number % 2 == 0)
    finally:
        gc.enable()
    return [contest.result() for contest in field_]
