"""The chunks of a Gemini generateContent stream.

A part comes whole, and a signature belongs to the very part it came on, be its text empty. Text without a signature is
in pieces, which may be put together; a signed part is put together with nothing (ai.google.dev, thought signatures;
field reports R148 to R153).
"""

from typing import Final

from ostinato.capture.catch import Catch, Event, Json
from ostinato.capture.fragments import join
from ostinato.policy.gemini_signatures import KEYS

__all__ = ["Reader"]

_MERGED: Final = ({"text"}, {"text", "thought"})
"""The fields of parts that are pieces of text."""


class Reader:
    """One response of generateContent."""

    def __init__(self, catch: Catch) -> None:
        self._catch = catch
        self._parts: list[Json] = []
        self._pieces: list[str] = []
        """Of the last part, while it grows."""
        self._role = "model"
        self._finished = False

    def feed(self, event: Event) -> None:
        """Read one chunk."""
        candidates = event.get("candidates") or ()
        answers = [answer for answer in candidates if not answer.get("index")]
        if len(answers) < len(candidates):
            self._catch.once("other_answer", "candidates")
        for answer in answers[:1]:
            content = answer.get("content") or {}
            self._role = str(content.get("role") or self._role)
            for part in content.get("parts") or ():
                self._part(part)
            self._finished = self._finished or bool(answer.get("finishReason") or answer.get("finish_reason"))

    def finish(self, *, cut: bool) -> tuple[list[Json], bool]:
        """The content."""
        if self._pieces and cut and not self._finished:
            self._pieces = []
            self._parts.pop()
            self._catch.cut(f"parts/{len(self._parts)}")
        self._end_text()
        content = {"role": self._role, "parts": self._parts}
        return ([content] if self._parts else []), self._finished and not cut

    def _part(self, part: Event) -> None:
        given = {name: value for name, value in part.items() if value is not None}
        path = f"parts/{len(self._parts)}"
        if given.keys() in _MERGED and isinstance(given["text"], str):
            self._text(given)
            return
        self._end_text()
        call = given.get("functionCall") or given.get("function_call") or {}
        if call.get("partialArgs") or call.get("willContinue"):
            self._catch.cut(path)  # a call in pieces, which only who asks for it gets
            return
        plain = self._catch.plain(given, path)
        if plain is not None:
            self._check(plain, path)
            self._parts.append(plain)

    def _check(self, part: Json, path: str) -> None:
        """The part stays as it is. A signature that is none does not: it would be refused."""
        for name in KEYS:
            if name not in part:
                continue
            state = {**part, "thoughtSignature": part[name]}
            state.pop("thought_signature", None)
            if self._catch.seal(state, path, stays_whole=True) is None:
                del part[name]

    def _text(self, part: Json) -> None:
        last = self._parts[-1] if self._parts and self._pieces else None
        if last is not None and last.get("thought") == part.get("thought"):
            self._pieces.append(part["text"])
        elif part["text"]:
            self._end_text()
            self._parts.append(dict(part))
            self._pieces = [part["text"]]

    def _end_text(self) -> None:
        if not self._pieces:
            return
        grown, self._pieces = self._parts.pop() | {"text": join(self._pieces)}, []
        plain = self._catch.plain(grown, f"parts/{len(self._parts)}")
        self._parts += [] if plain is None else [plain]
