"""The rows of the paired table: an operation, what feeds it, and how each implementation does it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from paired import Contest, Side
from synthetic import SIZES, Source, compact, envelope, sized_items

if TYPE_CHECKING:
    from peers import Peer

Call = Callable[[Any], object]
Build = Callable[[Any], Call]  # an implementation in, its way to do the operation out

# 128 envelopes, or fewer so that a set stays within 256 KB and so in the cache.
COUNTS = {"500B": 128, "2KB": 120, "8KB": 30, "50KB": 5}
BATCH = 150


def own(name: str) -> Build:
    """The method of that name, the implementation's own."""
    return lambda implementation: getattr(implementation, name)


def _key(implementation: Peer) -> Call:
    if hasattr(implementation, "key"):
        return implementation.key
    fields = implementation.fields

    def key(text: str | bytes) -> tuple[str, str, str]:
        ident, secret, _, _ = fields(text)
        return "openai", ident, sha256(secret.encode()).hexdigest()

    return key


def _redact(implementation: Peer) -> Call:
    if hasattr(implementation, "redact"):
        return implementation.redact
    fields = implementation.fields

    def redact(text: str | bytes) -> dict[str, object]:
        ident, secret, summary, content = fields(text)
        raw = secret.encode()
        return {
            "type": "reasoning",
            "id": {"bytes": len(ident.encode())},
            "encrypted_content": {"bytes": len(raw), "sha256": sha256(raw).hexdigest()},
            "summary": {"parts": len(summary), "bytes": sum(len(part.encode()) for part in summary)},
            "content": {"parts": len(content), "bytes": sum(len(part.encode()) for part in content)},
        }

    return redact


def _measure(implementation: Peer) -> Call:
    if hasattr(implementation, "measure"):
        return implementation.measure
    fields = implementation.fields

    def measure(texts: Sequence[str]) -> tuple[int, int, int, int]:
        items = secret_bytes = parts = part_bytes = 0
        for text in texts:
            found = fields(text)
            if found is None:
                continue
            items += 1
            secret_bytes += len(found[1])
            for part in (*found[2], *found[3]):
                parts += 1
                part_bytes += len(part.encode())
        return items, secret_bytes, parts, part_bytes

    return measure


def _each(single: Build) -> Build:
    """A batch operation: the implementation's own, or its single operation in a list."""

    def build(implementation: Peer) -> Call:
        call = single(implementation)
        return lambda texts: [call(text) for text in texts]

    return build


def _items(implementation: Peer) -> Call:
    return implementation.items if hasattr(implementation, "items") else _each(own("parse"))(implementation)


def _keys(implementation: Peer) -> Call:
    return implementation.keys if hasattr(implementation, "keys") else _each(_key)(implementation)


@dataclass(frozen=True)
class Row:
    """One operation. `peer` says what a peer does where that differs from what we do."""

    name: str
    ours: Build
    peer: Build
    feed: str  # "text", "item" or "batch"
    sizes: tuple[str, ...] = tuple(SIZES)


def _row(name: str, call: Build, feed: str, sizes: tuple[str, ...] = tuple(SIZES)) -> Row:
    return Row(name, call, call, feed, sizes)


ROWS = (
    _row("parse", own("parse"), "text"),
    _row("to_dict", own("to_dict"), "text"),
    _row("to_input", own("to_input"), "text"),
    # The goal for one item was set against peers that stop after parsing: harder than it need be.
    Row("to_input_vs_parse", own("to_input"), own("parse"), "text"),
    _row("store", own("store"), "item"),
    _row("store_bytes", own("store_bytes"), "item"),
    _row("key", _key, "text"),
    _row("redact", _redact, "text", sizes=("2KB",)),
    _row("measure_150", _measure, "batch"),
    _row("items_150", _items, "batch"),
    _row("inputs_150", own("inputs"), "batch"),
    _row("keys_150", _keys, "batch"),
)


def texts(size: str, charset: str) -> list[bytes]:
    """The envelopes of one size as bytes."""
    items = sized_items(size, COUNTS[size], ascii_only=charset == "ascii")
    return [compact(envelope(item)).encode() for item in items]


def history(count: int = BATCH) -> list[bytes]:
    """The envelopes of one long history: the mixture of the corpus, canonical ones only."""
    source = Source(7)
    return [compact(envelope(source.item())).encode() for _ in range(count)]


@dataclass(frozen=True)
class Feed:
    """What a row is fed with: `make` gives one pass of inputs, to be made anew where `fresh` says so."""

    size: str
    charset: str
    kind: str
    make: Callable[[], Sequence[Any]]
    fresh: bool


def feed(row: Row, size: str, charset: str, kind: str) -> Feed:
    """The inputs of a row. Text beyond ASCII is made anew, because a str keeps its UTF-8 form once made."""
    raw = history() if row.feed == "batch" else texts(size, charset)
    fresh = kind != "bytes" and charset != "ascii"
    if row.feed == "item":
        return Feed(size, charset, kind, lambda: [json.loads(text)["item"] for text in raw], fresh)
    made = (lambda: raw) if kind == "bytes" else (lambda: [text.decode() for text in raw])
    if row.feed == "batch":
        return Feed(size, charset, kind, lambda: [made()], fresh)
    return Feed(size, charset, kind, made, fresh)


def _feeds(row: Row, sizes: Sequence[str]) -> Iterator[Feed]:
    for kind in ("dict",) if row.feed == "item" else ("str", "bytes"):
        if row.feed == "batch":
            yield feed(row, "150", "mixed", kind)
            continue
        for size in row.sizes:
            if size in sizes:
                yield feed(row, size, "ascii", kind)
                yield feed(row, size, "non_ascii", kind)


def contests(
    ours: Peer, peers: Sequence[Peer], *, sizes: Sequence[str] = tuple(SIZES), names: Sequence[str] = ()
) -> Iterator[Contest]:
    """The rows of these names, or all, against every peer, for text and for bytes."""
    for row in ROWS:
        if names and row.name not in names:
            continue
        for fed in _feeds(row, sizes):
            for peer in peers:
                key = {"operation": row.name, "size": fed.size, "charset": fed.charset, "input": fed.kind}
                mine = Side(row.ours(ours), fed.make, fed.fresh)
                theirs = Side(row.peer(peer), fed.make, fed.fresh)
                yield Contest({**key, "peer": peer.name}, mine, theirs)
