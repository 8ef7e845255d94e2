"""A marker that must not be seen, inputs that hold it, and everything that an error may show of itself."""

from __future__ import annotations

import copy
import json
import logging
import pathlib
import pickle
import traceback
from collections.abc import Collection, Iterator
from typing import Any

import ostinato
from tests.codec.vectors import Vector, load

MARKER = "canary7f3a"
# Long, and of the alphabet of ciphertext: what hides the marker hides any state.
STATE = f"gAAAAAB{MARKER}" + "x" * 64
# State that nothing but the name of its field gives away.
PLAIN = f"a word, then {MARKER}, then another"
NAMED = {
    *("encrypted_content", "signature", "data", "thoughtSignature", "redactedContent"),
    *("text", "thinking", "reasoning", "reasoning_content"),
}
SENSITIVE = NAMED | {"functionCall", "arguments", "result", "x", "inlineData"}
PACKAGE = str(pathlib.Path(ostinato.__file__).parent)


def marked(value: Any, state: str = STATE, names: Collection[str] = SENSITIVE) -> Any:
    """The value with the marker in every text under one of these names."""
    match value:
        case dict():
            return {
                key: _hide(inner, state)
                if key in names and not isinstance(inner, dict | list)
                else marked(inner, state, names)
                for key, inner in value.items()
            }
        case list():
            return [marked(inner, state, names) for inner in value]
        case _:
            return value


def _hide(value: Any, state: str) -> Any:
    """State in place of a text; what is wrong in another way stays wrong."""
    return state + value if isinstance(value, str) and value else value


def inputs() -> Iterator[tuple[str, Vector, Any]]:
    """Every decoded value of the vectors, sound and damaged, with the marker in it."""
    for kind in ("accept", "reject", "capture"):
        for vector in load(kind):
            if vector.is_value:
                yield kind, vector, marked(vector.value)


def named_inputs() -> Iterator[tuple[str, Vector, Any]]:
    """The same with a marker that only the names of its fields give away.

    The text of a part of Gemini and of a text block is what a user reads: it is no reasoning, and stays.
    """
    for kind, vector, _ in inputs():
        block = isinstance(vector.value, dict) and vector.value.get("type") == "text"
        names = NAMED - {"text"} if block or "gemini-generate" in vector.schema else NAMED
        yield kind, vector, marked(vector.value, PLAIN, names)


SCHEMA = "fast-agent.openai-responses.reasoning-replay"
ITEM = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": STATE}],
    "encrypted_content": STATE,
}
STORED = json.dumps({"schema": SCHEMA, "version": 1, "item": ITEM})


def cut_texts() -> Iterator[str]:
    """A stored text with the marker, cut off anywhere: in its head, in its state, in its tail."""
    yield from (STORED[:cut] for cut in range(len(STORED)))
    yield from (STORED[cut:] for cut in range(0, STORED.index(STATE), 7))


def damaged_texts() -> Iterator[str]:
    """A stored text with the marker, damaged in every way that a text can be."""
    yield from (STORED[:cut] for cut in range(0, len(STORED), 7))
    for bad in ("\x00", "\ud83d", "\\ud83d", '"', "\\", "{", "\ufeff", "\\x"):
        yield from (STORED[:cut] + bad + STORED[cut:] for cut in range(0, len(STORED), 31))
    yield STORED + STORED
    yield json.dumps(STORED)
    for name in (STATE, f"{MARKER} key", MARKER * 20):
        yield STORED.replace('"item"', json.dumps(name) + ': 1, "item"')
        yield STORED.replace('"id"', json.dumps(name) + ': 1, "id"')
    for field in ("schema", "type", "version", "status"):
        yield json.dumps({"schema": SCHEMA, "version": 1, "item": ITEM, field: STATE})
        yield json.dumps({"item": ITEM | {field: STATE}, "version": 1, "schema": SCHEMA})


def shown_of(error: BaseException) -> str:
    """All that an error may show: its texts, its pickle, a log line, its traceback with the locals of our frames."""
    record = logging.LogRecord("app", logging.ERROR, __file__, 1, "failed: %s", (error,), (type(error), error, None))
    shown = [
        str(error),
        repr(error),
        repr(error.args),
        repr(vars(error)),
        logging.Formatter().format(record),
        pickle.dumps(error).decode("latin-1"),
        repr(copy.copy(error)),
        *getattr(error, "__notes__", []),
    ]
    seen: BaseException | None = error
    while seen is not None:
        shown += _our_frames(seen)
        shown += [str(seen), repr(seen)]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(shown)


def _our_frames(error: BaseException) -> list[str]:
    """The locals of the frames of this package, which crash reporters show beside a traceback.

    The frames of the caller hold the caller's own values; what they show is not for us to say.
    """
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return [repr(frame.f_locals) for frame in frames if frame.f_code.co_filename.startswith(PACKAGE)]
