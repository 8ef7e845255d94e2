"""A marker that must not be seen, inputs that hold it, and everything that an error may show of itself."""

from __future__ import annotations

import copy
import json
import logging
import pathlib
import pickle
import traceback
from collections.abc import Iterator
from typing import Any

import ostinato
from tests.codec.vectors import Vector, load

MARKER = "canary7f3a"
# Long, and of the alphabet of ciphertext: what hides the marker hides any state.
STATE = f"gAAAAAB{MARKER}" + "x" * 64
SENSITIVE = {
    *("encrypted_content", "signature", "data", "thoughtSignature", "redactedContent"),
    *("text", "thinking", "reasoning", "reasoning_content", "functionCall", "arguments", "result", "x", "inlineData"),
}
PACKAGE = str(pathlib.Path(ostinato.__file__).parent)


def marked(value: Any) -> Any:
    """The value with the marker in every text that holds state or was written by a model."""
    match value:
        case dict():
            return {
                key: _hide(inner) if key in SENSITIVE and not isinstance(inner, dict | list) else marked(inner)
                for key, inner in value.items()
            }
        case list():
            return [marked(inner) for inner in value]
        case _:
            return value


def _hide(value: Any) -> Any:
    """State in place of a text; what is wrong in another way stays wrong."""
    return STATE + value if isinstance(value, str) and value else value


def inputs() -> Iterator[tuple[str, Vector, Any]]:
    """Every decoded value of the vectors, sound and damaged, with the marker in it."""
    for kind in ("accept", "reject", "capture"):
        for vector in load(kind):
            if vector.is_value:
                yield kind, vector, marked(vector.value)


def damaged_texts() -> Iterator[str]:
    """A stored text with the marker, damaged in every way that a text can be."""
    item = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": STATE}],
        "encrypted_content": STATE,
    }
    stored = json.dumps({"schema": "fast-agent.openai-responses.reasoning-replay", "version": 1, "item": item})
    yield from (stored[:cut] for cut in range(0, len(stored), 7))
    for bad in ("\x00", "\ud83d", "\\ud83d", '"', "\\", "{", "\ufeff", "\\x"):
        yield from (stored[:cut] + bad + stored[cut:] for cut in range(0, len(stored), 31))
    yield stored + stored
    yield json.dumps(stored)
    for name in (STATE, f"{MARKER} key", MARKER * 20):
        yield stored.replace('"item"', json.dumps(name) + ': 1, "item"')
        yield stored.replace('"id"', json.dumps(name) + ': 1, "id"')
    for field in ("schema", "type", "version", "status"):
        yield json.dumps(
            {"schema": "fast-agent.openai-responses.reasoning-replay", "version": 1, "item": item, field: STATE}
        )
        yield json.dumps(
            {"item": item | {field: STATE}, "version": 1, "schema": "fast-agent.openai-responses.reasoning-replay"}
        )


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
    """The frames of this package as a crash reporter shows them: with the values of their locals.

    The frames of the caller hold the caller's own values; what they show is not for us to say.
    """
    summary = traceback.TracebackException(type(error), error, error.__traceback__, capture_locals=True)
    return [repr(frame.locals) for frame in summary.stack if frame.filename.startswith(PACKAGE)]
