"""From the chunks of a response to items.

A part has no name: texts of one kind that follow one another are pieces of one item, which ends with the piece that
brings a signature. Calls and images are whole.
"""

from collections.abc import Mapping
from typing import Any, Final

from ostinato.arguments import write_arguments
from ostinato.messages import FinishReason
from ostinato.policy.gemini_signatures import SIGNATURE, standard_signature
from ostinato.stream import Stream
from ostinato.wires._wire import Json
from ostinato.wires.completed_state import completed_state
from ostinato.wires.gemini import decode_base64
from ostinato.wires.gemini_generate_content.dialects import Dialect
from ostinato.wires.gemini_generate_content.encode import NAME
from ostinato.wires.verbatim import keep_verbatim

__all__ = ["Reader"]

Event = Mapping[str, Any]

_FINISH: Final[Mapping[str, FinishReason]] = {"STOP": "stop", "MAX_TOKENS": "length"}


class Reader:
    """The parser of one response."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._begun = 0
        self._growing: tuple[str, str | None] | None = None
        """Kind and MIME type of the item that the next piece may belong to."""
        self._says_something = False
        """Whether there is more than thinking."""

    def __call__(self, event: Event, stream: Stream) -> None:
        """Read one chunk."""
        error = event.get("error")
        if error:
            code = error.get("code")
            status = code if isinstance(code, int) else None
            stream.fail(error.get("status") or code, str(error.get("message") or "no message"), status=status)
        candidates = event.get("candidates") or ()
        for part in (candidates[0].get("content") or {}).get("parts") or () if candidates else ():
            self._part(part, stream)
        _counts(event.get("usageMetadata") or {}, stream)
        if candidates and candidates[0].get("finishReason"):
            self._finish(candidates[0], stream)
        blocked = (event.get("promptFeedback") or {}).get("blockReason")
        if blocked and not candidates:
            words = event["promptFeedback"].get("blockReasonMessage")
            stream.fail(blocked, str(words or "the prompt was blocked"))

    def _part(self, part: Event, stream: Stream) -> None:
        kept = self._kept(part, stream)
        thought = bool(part.get("thought"))
        if part.get("functionCall") is not None:
            self._call(part["functionCall"], kept, stream)
        elif part.get("inlineData") is not None:
            self._media(part["inlineData"], "inline_thinking" if thought else "inline_data", kept, stream)
        elif part.get("text") is not None:
            self._text(part["text"], "thinking" if thought else "text", kept, stream)
        else:
            self._unknown(part, stream, signed=bool(kept))

    def _call(self, call: Event, kept: Json, stream: Stream) -> None:
        """A call comes whole. Without an id, its name stands for it."""
        if call.get("partialArgs") or call.get("willContinue"):
            raise stream.contradiction("a call comes in pieces, which nobody asked for")
        name = call.get("name")
        header = {"name": name, "tool_call_id": call.get("id") or name}
        stream.item(self._next(None), "tool_call", write_arguments(call.get("args") or {}), kept, **header)
        self._says_something = True

    def _media(self, blob: Event, kind: str, kept: Json, stream: Stream) -> None:
        """An image is whole; sound comes in pieces."""
        mime_type = str(blob.get("mimeType") or "application/octet-stream")
        whole = kind == "inline_thinking" or mime_type.startswith("image/")
        data = decode_base64(blob.get("data") or "")
        if whole or self._growing != (kind, mime_type):
            self._next((kind, mime_type))
        stream.add(self._begun, kind, data, kept, mime_type=mime_type)
        self._says_something = self._says_something or kind == "inline_data"
        if whole or kept:
            self._growing = None

    def _text(self, text: str, kind: str, kept: Json, stream: Stream) -> None:
        if not text and not kept:
            return
        if self._growing != (kind, None):
            self._next((kind, None))
        stream.add(self._begun, kind, text, kept)
        self._says_something = self._says_something or (kind == "text" and bool(text))
        if kept:
            self._growing = None

    def _unknown(self, part: Event, stream: Stream, *, signed: bool) -> None:
        """A part of a kind not known here is counted. One with a signature is state, and kept whole."""
        stream.unknown(f"part:{'+'.join(sorted(part.keys() - {SIGNATURE, 'thought'}))}")
        whole = keep_verbatim(NAME, dict(part)) if signed else None
        if whole is not None:
            stream.item(self._next(None), "thinking", "", whole)
            self._says_something = True

    def _next(self, growing: tuple[str, str | None] | None) -> int:
        """The key of an item that begins."""
        self._begun += 1
        self._growing = growing
        return self._begun

    def _kept(self, part: Event, stream: Stream) -> Json:
        """The signature of a part, in one spelling."""
        signature = part.get(SIGNATURE)
        if not signature:
            return {}
        if completed_state({SIGNATURE: signature}, stream, wire=NAME, provider=self._dialect.provider) is None:
            return {}
        return {"signature": standard_signature(signature)}

    def _finish(self, candidate: Event, stream: Stream) -> None:
        reason, words = candidate["finishReason"], candidate.get("finishMessage")
        stream.report_finish(_FINISH.get(reason, "unknown"))
        if reason not in _FINISH and words and not self._says_something:
            stream.refuse(str(words))


def _counts(usage: Event, stream: Stream) -> None:
    """Some servers send a usage without counts with every chunk."""
    prompt, cached = usage.get("promptTokenCount"), usage.get("cachedContentTokenCount")
    if prompt is not None:
        stream.report_usage(
            cached_tokens=cached,
            prompt_tokens=prompt - (cached or 0),
            thoughts_tokens=usage.get("thoughtsTokenCount"),
            response_tokens=usage.get("candidatesTokenCount"),
        )
