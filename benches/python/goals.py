"""What was asked for: the least ratio to each peer, row by row; and judging results by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# A median that reaches the goal may have unlucky pairs, down to this share of it.
LOW_SHARE = 0.85

PEERS = ("fast_agent", "orjson_tuned", "msgspec", "pydantic")


@dataclass(frozen=True)
class Goal:
    """A row of the table, and the ratios to fast-agent's codec, tuned orjson, msgspec and pydantic."""

    operation: str
    size: str
    charset: str
    ratios: tuple[float, float, float, float]
    note: str = ""


GOALS = (
    Goal("parse", "2KB", "ascii", (45, 14, 9, 22)),
    Goal("parse", "2KB", "non_ascii", (16, 8, 7.5, 12)),
    Goal("to_dict", "2KB", "ascii", (10, 3.2, 2.8, 3.8)),
    Goal("to_dict", "2KB", "non_ascii", (4.8, 2.4, 2.5, 3.2)),
    Goal("to_input_vs_parse", "2KB", "ascii", (32, 10, 6.5, 15), "peers stop after parsing"),
    Goal("to_input_vs_parse", "2KB", "non_ascii", (16, 8, 7.5, 12), "peers stop after parsing"),
    Goal("inputs_150", "150", "mixed", (18, 5, 5.5, 9)),
    Goal("store", "2KB", "ascii", (19, 1.3, 2.8, 7)),
    Goal("store", "2KB", "non_ascii", (8, 1.3, 2, 3.7)),
    Goal("store_bytes", "2KB", "ascii", (18, 0.85, 2.3, 6)),
    Goal("store_bytes", "2KB", "non_ascii", (14, 0.85, 1.7, 6)),
    Goal("key", "500B", "lower", (15, 6, 3.7, 10)),
    Goal("key", "2KB", "lower", (5.5, 2.5, 1.9, 3.5)),
    Goal("key", "8KB", "lower", (3, 1.7, 1.5, 1.9)),
    Goal("redact", "2KB", "lower", (5.5, 2.7, 2.1, 3.6)),
    Goal("measure_150", "150", "mixed", (14, 8.5, 7, 10)),
    Goal("items_150", "150", "mixed", (9.5, 5.5, 5, 7.5)),
    Goal("keys_150", "150", "mixed", (4.2, 2.9, 2.7, 3.5)),
    Goal("corpus_count", "200MB", "mixed", (12, 6, 5, 8.5), "1 thread, no dedupe or exact dedupe"),
    Goal("corpus_dedupe", "200MB", "mixed", (8, 4.5, 3.3, 6), "1 thread, SHA-256 of every ciphertext"),
)
# Against fast-agent's own loader and codec.
LOAD_JSON = {"corpus_count": 35, "corpus_dedupe": 22}


def judge(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry per goal and peer: the goal, what was measured, and whether it was reached."""
    found = {}
    for row in results:
        key = (row["operation"], row.get("size", "200MB"), row.get("charset", "mixed"), row["peer"], row.get("input"))
        found[key] = row
    verdicts = []
    for goal in GOALS:
        aims = dict(zip(PEERS, goal.ratios, strict=True))
        if goal.operation in LOAD_JSON:
            aims["load_json"] = LOAD_JSON[goal.operation]
        for kind in ("str", "bytes", "dict", None):
            for peer, aim in aims.items():
                row = _pick(found, goal, peer, kind)
                if row is not None:
                    verdicts.append(_verdict(goal, peer, kind, aim, row))
    return verdicts


def _pick(found: dict[tuple[Any, ...], dict[str, Any]], goal: Goal, peer: str, kind: str | None) -> Any:
    charsets = ("ascii", "non_ascii") if goal.charset == "lower" else (goal.charset,)
    rows = [found.get((goal.operation, goal.size, charset, peer, kind)) for charset in charsets]
    return min((row for row in rows if row is not None), key=lambda row: row["ratio"], default=None)


def _verdict(goal: Goal, peer: str, kind: str | None, aim: float, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "operation": goal.operation,
        "size": f"{row['bytes'] / 1e6:.0f}MB" if "bytes" in row else goal.size,
        "charset": goal.charset,
        "input": kind or "files",
        "peer": peer,
        "goal": aim,
        "ratio": row["ratio"],
        "p10": row["p10"],
        "reached": row["ratio"] >= aim and row["p10"] >= LOW_SHARE * aim,
    }
