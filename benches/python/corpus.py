"""The whole corpus through each implementation: CPU seconds in pairs, answers compared, peak memory.

python benches/python/corpus.py DIR            pairs of ours against each peer
python benches/python/corpus.py DIR --only X   one pass of X in a process of its own; prints its peak memory
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Any

import peers
from paired import ratio_of
from peers import Peer

Scan = Callable[[Sequence[Path]], dict[str, int]]


def histories(folder: Path) -> list[Path]:
    """The history files of a corpus, in a fixed order."""
    return sorted(folder.rglob("history_*.json"))


def counting(peer: Peer) -> Scan:
    """Parse and validate every record; count them."""

    def scan(paths: Sequence[Path]) -> dict[str, int]:
        parse, secret = peer.parse, peer.secret
        valid = refused = 0
        for path in paths:
            for text in peer.records(path):
                item = parse(text)
                if item is None:
                    refused += 1
                else:
                    valid += bool(secret(item))
        return {"valid": valid, "refused": refused}

    return scan


def deduping(peer: Peer) -> Scan:
    """The same, and find repeats by the SHA-256 of every ciphertext."""

    def scan(paths: Sequence[Path]) -> dict[str, int]:
        parse, secret, ident = peer.parse, peer.secret, peer.ident
        valid = refused = repeats = 0
        seen: set[tuple[str, bytes]] = set()
        for path in paths:
            for text in peer.records(path):
                item = parse(text)
                if item is None:
                    refused += 1
                    continue
                valid += 1
                key = ident(item), sha256(secret(item).encode()).digest()
                repeats += key in seen
                seen.add(key)
        return {"valid": valid, "refused": refused, "repeats": repeats}

    return scan


WORK = {"count": counting, "dedupe": deduping}


def scanner(name: str, work: str) -> Scan:
    """How an implementation does a kind of work: its own scan, or the loop over its records."""
    peer = peers.load(name)
    return getattr(peer, "scan", None) or WORK[work](peer)


def _timed(scan: Scan, paths: Sequence[Path]) -> tuple[float, dict[str, int]]:
    gc.collect()
    begin = process_time()
    answer = scan(paths)
    return process_time() - begin, answer


def compare(ours: dict[str, Scan], names: Sequence[str], paths: Sequence[Path], rounds: int) -> list[dict[str, Any]]:
    """Ours against every peer, for each kind of work, in alternating pairs; refuses different answers."""
    contests = [(work, name, scanner(name, work)) for work in WORK for name in names]
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    rng = random.Random(1)
    for number in range(rounds):
        rng.shuffle(contests)
        for work, name, scan in contests:
            sides = [("ours", ours[work]), ("peer", scan)]
            took, answers = {}, {}
            for side, run in sides if number % 2 == 0 else reversed(sides):
                took[side], answers[side] = _timed(run, paths)
            if any(answers["ours"].get(name) != value for name, value in answers["peer"].items()):
                raise SystemExit(f"{work}: different answers: ours {answers['ours']}, {name} {answers['peer']}")
            pairs.setdefault((work, name), []).append((took["ours"], took["peer"]))
    size = sum(path.stat().st_size for path in paths)
    return [
        {"operation": f"corpus_{work}", "peer": name, "bytes": size, **ratio_of(found, digits=4), "unit": "s"}
        for (work, name), found in sorted(pairs.items())
    ]


def peak_memory(folder: Path, name: str) -> int:
    """Bytes a process of its own needed at most to count the corpus with `name`."""
    command = [sys.executable, __file__, str(folder), "--only", name]
    return int(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", help="one pass of this implementation")
    parser.add_argument("--ours", default="ostinato", help="who stands in for ours")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    paths = histories(options.folder)
    if options.only is not None:
        scanner(options.only, "count")(paths)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
        return 0
    ours = {work: scanner(options.ours, work) for work in WORK}
    for row in compare(ours, peers.SCANNERS, paths, options.rounds):
        print(json.dumps(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
