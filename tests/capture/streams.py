"""Streams for the tests of capture: recorded ones, whose texts and states were replaced, and how they are read."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

import ostinato

FOLDER = pathlib.Path(__file__).parents[1] / "data" / "streams"
RECORDED = {path.name: path for path in sorted(FOLDER.iterdir())}
"""By name; the name begins with the wire."""


def events(name: str) -> list[dict[str, Any]]:
    """The events of a recorded stream."""
    data = RECORDED[name].read_bytes()
    if name.endswith(".sse"):
        parser = ostinato.SseParser()
        return [*parser.feed(data), *parser.finish()]
    return [json.loads(line) for line in data.decode().splitlines() if line]


def wire(name: str) -> str:
    """The wire of a recorded stream."""
    return name.split(".", maxsplit=1)[0]


def capture(
    wire: str, stream: Iterable[Any], ended_by: str | None = None, profile: str | ostinato.Profile | None = None
) -> ostinato.Captured:
    """What a whole stream leaves behind."""
    capture = ostinato.Capture(wire, profile)
    for event in stream:
        capture.feed(event)
    return capture.finish(ended_by)


def said(captured: ostinato.Captured) -> list[tuple[str, str, str]]:
    """Code, place and action of every decision."""
    return [(made.code, made.path, made.action) for made in captured.report.decisions]


def delta(**fields: Any) -> Mapping[str, Any]:
    """A chunk of Chat Completions."""
    return {"choices": [{"index": 0, "delta": fields}]}
