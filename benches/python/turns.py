"""A stateful turn of a long conversation, ostinato beside mmsp: same SDK, same provider on 127.0.0.1, one run.

    python benches/python/turns.py                  a few minutes
    python benches/python/turns.py --quick          in one
    python benches/python/turns.py --record PATH    and write what was measured

Needs an environment with `mmsp==0.5.6`, `openai` and ostinato in it. What is counted is the CPU time of the thread that
runs the event loop: the client, the SDK and its HTTP library, and no provider.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import gc
import json
import platform
import sys
import tracemalloc
from importlib.metadata import version
from pathlib import Path
from time import thread_time_ns
from typing import TYPE_CHECKING, Any

import mmsp
from local_provider import events, provider
from paired import ratio_of

import ostinato

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = {"api_key": "bench", "client_type": "openai-official"}
CLIENTS = {"ostinato": ostinato.AutoLLMClient, "mmsp": mmsp.AutoLLMClient}
SIZES = (100, 1_000, 4_000)
DELTAS = 2_000
WORDS = "the quick brown fox jumps over the lazy dog; "


def conversation(messages: int) -> list[Any]:
    """Texts of 400 bytes, user and assistant in turn."""
    return [
        {
            "role": ("user", "assistant")[number % 2],
            "content_items": [{"type": "text.done", "text": (f"{number}: " + WORDS * 9)[:400]}],
            "created_at": 1,
        }
        for number in range(messages)
    ]


def question() -> Any:
    """The newest message."""
    return {"role": "user", "content_items": [{"type": "text.done", "text": "And then?"}], "created_at": 1}


def client(name: str, url: str, messages: int, deltas: int) -> Any:
    """A client in the middle of a conversation."""
    made = CLIENTS[name]("gpt-6", base_url=f"{url}/{deltas}/v1", **KEY)
    made.set_history(conversation(messages))
    return made


async def turn(talking: Any) -> int:
    """One stateful turn; nanoseconds of CPU time."""
    begin = thread_time_ns()
    async for _ in talking.streaming_response_stateful(question(), {}):
        pass
    return thread_time_ns() - begin


async def contest(url: str, messages: int, deltas: int, pairs: int) -> list[tuple[float, float]]:
    """Turns of both clients side by side, the order alternating; the first turn of each is not counted."""
    both = {name: client(name, url, messages, deltas) for name in CLIENTS}
    for talking in both.values():
        await turn(talking)
    found = []
    gc.collect()
    gc.disable()
    for number in range(pairs):
        spent = {name: await turn(both[name]) for name in sorted(both, reverse=number % 2 == 0)}
        found.append((float(spent["ostinato"]), float(spent["mmsp"])))
    gc.enable()
    await both["ostinato"].close()
    return found


def row(operation: str, size: str, pairs: list[tuple[float, float]], share: float = 1.0) -> dict[str, Any]:
    """One line of the result, in microseconds per `share`th part of a turn."""
    scaled = [(mine / 1_000 / share, theirs / 1_000 / share) for mine, theirs in pairs]
    return {"operation": operation, "size": size, "peer": "mmsp", **ratio_of(scaled, digits=2), "unit": "us"}


class Silent:
    """A transport that sends nothing and answers at once: what is left is the client's own cost."""

    def __init__(self, events: list[Any]) -> None:
        self._events = events

    async def events(self, _request: Any) -> Any:
        """The same answer every time."""
        for event in self._events:
            yield event

    async def close(self) -> None:
        """There is nothing to close."""


async def own(messages: int, turns: int = 200) -> float:
    """The median cost of a turn without what sends it, in microseconds."""
    talking = ostinato.LLMClient(ostinato.wire("openai-official", "gpt-6"), lambda: Silent(list(events(1))))
    talking.set_history(conversation(messages))
    await turn(talking)
    gc.collect()
    gc.disable()
    spent = sorted([await turn(talking) for _ in range(turns)])
    gc.enable()
    return spent[len(spent) // 2] / 1_000


async def memory(name: str, url: str, messages: int) -> tuple[float, float]:
    """Bytes that a history holds per message after a turn, and the most that a turn needs beside it, in MB."""
    history = conversation(messages)
    talking = CLIENTS[name]("gpt-6", base_url=f"{url}/1/v1", **KEY)
    await turn(talking)
    talking.clear_history()
    gc.collect()
    tracemalloc.start()
    talking.set_history(history)
    await turn(talking)
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    await turn(talking)
    peak = tracemalloc.get_traced_memory()[1] - held
    tracemalloc.stop()
    if name == "ostinato":
        await talking.close()
    return held / messages, peak / 1e6


async def measure(url: str, *, quick: bool) -> list[dict[str, Any]]:
    """All rows."""
    found = []
    for messages, pairs in zip(SIZES, (7, 3, 2) if quick else (31, 15, 7), strict=True):
        found.append(row("turn", str(messages), await contest(url, messages, 1, pairs)))
    streamed = await contest(url, 2, DELTAS, 3 if quick else 15)
    found.append(row("delta", str(DELTAS), streamed, DELTAS))
    for messages in SIZES:
        cost = await own(messages)
        found.append({"operation": "own", "size": str(messages), "ours": round(cost, 1), "unit": "us"})
    for messages in SIZES[1:2] if quick else SIZES[1:]:
        for name in CLIENTS:
            held, peak = await memory(name, url, messages)
            figures = {"held_per_message": round(held), "peak_of_a_turn_mb": round(peak, 1)}
            found.append({"operation": "memory", "size": str(messages), "client": name, **figures, "unit": "bytes"})
    return found


def verdicts(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The goals, and what was measured."""
    found = {(row["operation"], row["size"]): row for row in rows if "client" not in row}
    growth = found["own", "4000"]["ours"] / found["own", "100"]["ours"]
    yield f"own cost of a turn, 4,000 messages against 100: {growth:.2f} times; goal below 2"
    for operation, size, goal, stretch in (("turn", "1000", 30, 60), ("delta", str(DELTAS), 1, 2)):
        row = found[operation, size]
        yield f"{operation} {size}: {row['ratio']:.1f} times cheaper than mmsp; goal {goal}, stretch {stretch}"


def main() -> int:
    """Measure, print, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few turns, in a minute")
    parser.add_argument("--record", type=Path, help="where to write what was measured")
    options = parser.parse_args()
    with provider() as url:
        rows = asyncio.run(measure(url, quick=options.quick))
    print("\n".join((*map(json.dumps, rows), *verdicts(rows))))
    if options.record:
        versions = {name: version(name) for name in ("ostinato", "mmsp", "openai", "httpx2")}
        machine = {"python": platform.python_version(), "architecture": platform.machine(), "packages": versions}
        today = dt.datetime.now(tz=dt.UTC).date().isoformat()
        record = {"date": today, "machine": machine, "verdicts": list(verdicts(rows)), "rows": rows}
        options.record.parent.mkdir(parents=True, exist_ok=True)
        options.record.write_text(json.dumps(record, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
