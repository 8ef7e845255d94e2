"""Saved histories in `tests/data`, redacted: the state in them is gone, and everything else stays."""

import gzip
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest

import ostinato

DATA = pathlib.Path(__file__).parents[1] / "data"
FILES = sorted(path for path in DATA.rglob("*.json*") if path.name != "expected.json")
OPAQUE = {"encrypted_content", "signature", "data", "thoughtSignature", "thinkingSignature", "redactedContent"}
# Shorter values and placeholders of fixtures occur elsewhere, too.
TELLING = 100


def read(path: pathlib.Path) -> str:
    """The text of a file, unpacked."""
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode(errors="surrogateescape")


def documents(text: str) -> Iterator[Any]:
    """Every JSON value of a text: the whole of it, or its lines."""
    try:
        yield json.loads(text)
    except ValueError:
        for line in text.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue  # a line that was cut off; its state is not looked for here


def state(value: Any) -> Iterator[str]:
    """The opaque values in a value, JSON in strings included, by a way of looking of its own."""
    match value:
        case dict():
            for key, inner in value.items():
                if key in OPAQUE and isinstance(inner, str) and len(inner) >= TELLING:
                    yield inner
                else:
                    yield from state(inner)
        case list():
            for inner in value:
                yield from state(inner)
        case str() if value[:1] in {"{", "["}:
            for inner in documents(value):
                yield from state(inner)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DATA)))
def test_state_is_gone_and_json_stays_json(path: pathlib.Path) -> None:
    """No opaque value is left, and what was JSON is JSON with the same keys."""
    text = read(path)
    redacted = ostinato.redact(text).value
    for document in documents(text):
        for value in state(document):
            assert value not in redacted
    assert [shape(document) for document in documents(text)] == [shape(document) for document in documents(redacted)]
    assert ostinato.redact(redacted).value == redacted


def shape(value: Any) -> Any:
    """The outer keys of a value."""
    return list(value) if isinstance(value, dict) else type(value).__name__
