"""The events of an Interactions stream: steps, each known by its index and complete at its stop event.

The signature comes as a delta of the thought step itself, last before its stop (google-genai 3.6.1; field report R157).
Older streams name the same events `content.*`, and their steps are contents.
"""

from dataclasses import dataclass, field
from typing import Final

from ostinato.capture.catch import Catch, Event, Json, place
from ostinato.capture.fragments import fold, join

__all__ = ["Reader"]

_SUMMARY: Final = ("text", "image")
_PARTS: Final = {"thought": "summary", "model_output": "content"}
"""Step -> the field that is a list of parts."""
_WHOLE: Final = ("completed", "requires_action")


@dataclass(slots=True)
class _Step:
    """A step that has begun and not stopped."""

    start: Json
    arguments: list[str] = field(default_factory=list)
    """As text."""
    parts: list[Json] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    """Of the last part, while it is text that grows."""

    @property
    def kind(self) -> str:
        """Its type."""
        return str(self.start.get("type"))

    def add(self, delta: Event) -> None:
        """One delta."""
        kind = str(delta.get("type"))
        if kind == "thought_signature":
            self.start["signature"] = delta.get("signature") or self.start.get("signature")
        elif kind == "arguments_delta":
            self.arguments.append(delta["arguments"])
        elif kind == "thought_summary":
            self.part(delta.get("content") or {})
        elif self.kind == "model_output" and kind != "text_annotation":
            self.part(delta)
        elif self.kind == "model_output" and self.parts:
            fold(self.parts[-1], delta)
        elif kind == self.kind == "function_call":
            self.start |= delta
        else:
            fold(self.start, delta)

    def part(self, part: Event) -> None:
        """A part, or a piece of a text."""
        is_text = part.keys() == {"type", "text"} and part["type"] == "text"
        if not is_text:
            self._end_text()
            self.parts.append(dict(part))
        elif self.pieces:
            self.pieces.append(part["text"])
        else:
            self.parts.append(dict(part))
            self.pieces = [part["text"]]

    def _end_text(self) -> None:
        if self.pieces:
            self.parts[-1]["text"] = join(self.pieces)
            self.pieces = []

    def whole(self) -> Json:
        """The step as it is without a stream; the text of its arguments is still apart."""
        self._end_text()
        step = {name: value for name, value in self.start.items() if value is not None}
        if step.get("signature") == "":
            del step["signature"]
        listed = _PARTS.get(self.kind)
        if listed and self.parts:
            step[listed] = self.parts
        return step


class Reader:
    """One response of Interactions."""

    def __init__(self, catch: Catch) -> None:
        self._catch = catch
        self._open: dict[int, _Step] = {}
        self._begun = False
        self._steps: list[Json] = []
        self._complete = False

    def feed(self, event: Event) -> None:
        """Read one event."""
        kind = event.get("event_type")
        if kind in ("step.start", "content.start"):
            self._start(place(event["index"]), event["step" if kind == "step.start" else "content"])
        elif kind in ("step.delta", "content.delta"):
            self._delta(place(event["index"]), event)
        elif kind in ("step.stop", "content.stop"):
            self._stop(place(event["index"]))
        elif kind in ("interaction.completed", "interaction.complete"):
            self._end(event["interaction"])

    def finish(self, *, cut: bool) -> tuple[list[Json], bool]:
        """The steps."""
        for index in list(self._open):
            self._abandon(index)
        return self._steps, self._complete and not cut

    def _start(self, index: int, start: Event) -> None:
        self._abandon(index)  # no two steps of one index are open
        self._begun = True
        step = _Step(dict(start))
        for part in step.start.pop(_PARTS.get(step.kind, ""), None) or ():
            step.part(part)
        self._open[index] = step

    def _delta(self, index: int, event: Event) -> None:
        try:
            self._open[index].add(event["delta"])
        except (LookupError, TypeError, AttributeError, ValueError):
            self._abandon(index)  # a step without one of its pieces is not what the model made
            raise

    def _stop(self, index: int) -> None:
        step = self._open.pop(index, None)
        if step is not None:
            self._commit(step, f"steps/{index}")

    def _abandon(self, index: int) -> None:
        if self._open.pop(index, None) is not None:
            self._catch.cut(f"steps/{index}")

    def _commit(self, step: _Step, path: str) -> None:
        whole = step.whole()
        if step.kind == "thought" and "signature" in whole:
            self._steps += self._thought(whole, path)
            return
        if step.kind == "thought":
            self._catch.log.kept("unsigned_thinking", path)
        if "".join(step.arguments):
            parsed = self._catch.parsed("".join(step.arguments), whole.get("id"), path)
            if parsed is None:
                return
            whole["arguments"] = parsed
        plain = self._catch.plain(whole, path)
        self._steps += [] if plain is None else [plain]

    def _thought(self, whole: Json, path: str) -> list[Json]:
        if all(part.get("type") in _SUMMARY for part in whole.get("summary") or ()):
            state = self._catch.seal(whole, path)
            return [] if state is None else [state.to_dict()]
        # For parts of a new type envelopes have no place. The step goes back as it came.
        bare = {name: whole[name] for name in ("type", "signature")}
        plain = self._catch.plain(whole, path)
        return [] if plain is None or self._catch.seal(bare, path) is None else [plain]

    def _end(self, interaction: Event) -> None:
        self._complete = interaction.get("status") in _WHOLE
        for index in [index for index, step in self._open.items() if step.kind != "thought"]:
            self._stop(index)
        steps = () if self._begun else interaction.get("steps") or interaction.get("outputs") or ()
        for index, step in enumerate(steps):
            self._start(index, step)
            self._stop(index)
