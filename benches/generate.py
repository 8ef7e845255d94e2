"""Write a synthetic corpus of saved agent histories, the same bytes for the same seed.

    python benches/generate.py --out DIR --size 200MB
    python benches/generate.py --out DIR --one-file 1GB --format codex

Prints what it wrote as JSON: files, bytes, records by kind, quantiles, so that a reader can be checked.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from layouts import LAYOUTS, Unit
from synthetic import Source, compact

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_BYTES = 1_053_000  # mean size of one history file
UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}


@dataclass
class Manifest:
    """What was written, counted by the writer."""

    files: int = 0
    bytes: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    ciphertext_bytes: int = 0
    envelope_lengths: list[int] = field(default_factory=list)
    ciphertext_lengths: list[int] = field(default_factory=list)
    non_ascii_envelopes: int = 0

    def count(self, unit: Unit) -> None:
        """Take the records of one message or line into account."""
        for kind, item, text in unit[1]:
            self.kinds[kind] += 1
            secret = str(item.get("encrypted_content") or item["signature"])
            self.ciphertext_bytes += len(secret)
            self.ciphertext_lengths.append(len(secret))
            if text:
                self.envelope_lengths.append(len(text.encode()))
                self.non_ascii_envelopes += not text.isascii()

    def as_dict(self) -> dict[str, object]:
        """Plain data, lists reduced to quantiles."""
        records = sum(self.kinds.values())
        return {
            "files": self.files,
            "bytes": self.bytes,
            "records": records,
            "kinds": dict(sorted(self.kinds.items())),
            "ciphertext_bytes": self.ciphertext_bytes,
            "ciphertext_share": round(self.ciphertext_bytes / max(1, self.bytes), 3),
            "ciphertext_chars": _quantiles(self.ciphertext_lengths),
            "envelope_bytes": _quantiles(self.envelope_lengths),
            "non_ascii_envelopes": self.non_ascii_envelopes,
        }


def _quantiles(values: list[int]) -> dict[str, int]:
    if not values:
        return {}
    ordered = sorted(values)
    at = {name: ordered[int(share * (len(ordered) - 1))] for name, share in (("p50", 0.5), ("p99", 0.99))}
    return {**at, "max": ordered[-1], "mean": sum(ordered) // len(ordered)}


def parse_size(text: str) -> int:
    """Bytes from text such as 200MB."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(B|KB|MB|GB)", text.upper())
    if match is None:
        message = f"not a size such as 200MB: {text!r}"
        raise argparse.ArgumentTypeError(message)
    return int(float(match[1]) * UNITS[match[2]])


def _document(units: Iterator[Unit], limit: int, *, indent: bool) -> Iterator[tuple[str, Unit | None]]:
    """One JSON document with all messages, compact or with two spaces of indent."""
    opening, joint, closing = (
        ('{\n  "messages": [\n    ', ",\n    ", "\n  ]\n}") if indent else ('{"messages":[', ",", "]}")
    )
    written = 0
    for unit in units:
        text = json.dumps(unit[0], ensure_ascii=False, indent=2).replace("\n", "\n    ") if indent else compact(unit[0])
        yield (joint if written else opening) + text, unit
        written += len(text)
        # A session can stop after any message, but one that stops after a tool call reads oddly.
        if written >= limit and unit[0]["role"] == "assistant":
            break
    yield closing, None


def _lines(units: Iterator[Unit], limit: int) -> Iterator[tuple[str, Unit | None]]:
    """One compact JSON value per line."""
    written = 0
    for unit in units:
        text = compact(unit[0]) + "\n"
        yield text, unit
        written += len(text)
        if written >= limit:
            return


def write_file(path: Path, source: Source, layout: str, limit: int, manifest: Manifest, *, indent: bool) -> None:
    """One history of about `limit` bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    units = LAYOUTS[layout](source)
    pieces = _document(units, limit, indent=indent) if layout == "fast_agent" else _lines(units, limit)
    with path.open("wb") as out:
        for text, unit in pieces:
            manifest.bytes += out.write(text.encode())
            if unit is not None:
                manifest.count(unit)
    manifest.files += 1


def path_for(layout: str, source: Source, number: int) -> str:
    """Where an agent of this layout keeps its history number `number`."""
    if layout == "fast_agent":
        return f"sessions/26113007{number % 60:02d}-{source.rng.getrandbits(24):06x}/history_coder.json"
    if layout == "codex":
        return f"sessions/2026/11/{number % 30 + 1:02d}/rollout-2026-11-30T07-40-00-{source.uuid()}.jsonl"
    return f"projects/-srv-demo-agent/{source.uuid()}.jsonl"


def write_corpus(out: Path, size: int, layout: str, seed: int) -> Manifest:
    """Many histories, half of them compact and half indented where the layout has both."""
    source, manifest = Source(seed), Manifest()
    while manifest.bytes < size:
        # Sizes differ from file to file, as they do in life; the mean stays at FILE_BYTES.
        limit = min(int(FILE_BYTES * source.rng.uniform(0.3, 1.7)), max(size - manifest.bytes, 20_000))
        path = out / path_for(layout, source, manifest.files)
        write_file(path, source, layout, limit, manifest, indent=manifest.files % 2 == 1)
    return manifest


def main() -> int:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="directory to write into")
    parser.add_argument("--size", type=parse_size, default=parse_size("200MB"), help="size of the corpus")
    parser.add_argument("--one-file", type=parse_size, help="write one single file of this size instead")
    parser.add_argument("--format", choices=sorted(LAYOUTS), default="fast_agent", help="layout of the files")
    parser.add_argument("--indent", action="store_true", help="with --one-file: indent a fast-agent history")
    parser.add_argument("--seed", type=int, default=20261130, help="same seed, same bytes")
    args = parser.parse_args()
    if args.one_file is None:
        manifest = write_corpus(args.out, args.size, args.format, args.seed)
    else:
        source, manifest = Source(args.seed), Manifest()
        path = args.out / path_for(args.format, source, 0)
        write_file(path, source, args.format, args.one_file, manifest, indent=args.indent)
    json.dump(manifest.as_dict(), sys.stdout, indent=2)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
