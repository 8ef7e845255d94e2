"""The chunks of a Chat Completions stream, of every server that speaks it.

A message is complete when the stream ends, or says why it ended. Reasoning stays in the field it came in; calls are
told apart by their index; details that come before their call are kept as they come (field reports R178 to R183).
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from ostinato.capture.calls import Calls
from ostinato.capture.catch import Catch, Event, Json
from ostinato.capture.fragments import fold, join, text
from ostinato.policy.chat_state import is_reasoning_alone
from ostinato.policy.reasoning_details import KNOWN, Details

__all__ = ["Reader"]

_TEXTS: Final = ("content", "reasoning_content", "reasoning", "refusal", "encrypted_content")
"""Fields that come in pieces of text, in the order of a message."""
_THOUGHTS: Final = ("reasoning_content", "reasoning")
_CALL: Final = ("index", "id", "type", "function")


@dataclass(slots=True)
class _Call:
    """A call that is arriving."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    extra: Json = field(default_factory=dict)
    """What stands beside its function, such as `extra_content` with a signature (Gemini's route for this wire)."""

    def add(self, piece: Event) -> None:
        """One piece."""
        function = piece.get("function") or {}
        self.id, self.name = self.id or text(piece.get("id") or ""), self.name or text(function.get("name") or "")
        self.arguments.append(text(function.get("arguments") or ""))
        for name, value in piece.items():
            if name not in _CALL and value is not None:
                self.extra.setdefault(name, value)

    def whole(self) -> Json:
        """The call as it is without a stream."""
        function = {"name": self.name, "arguments": join(self.arguments)}
        return ({"id": self.id} if self.id else {}) | {"type": "function", "function": function} | self.extra


class Reader:
    """One response of Chat Completions."""

    def __init__(self, catch: Catch) -> None:
        self._catch = catch
        self._texts: defaultdict[str, list[str]] = defaultdict(list)
        self._parts: list[Json] = []
        """The content, where it is a list of parts."""
        self._details = Details()
        self._blocks: list[Json] = []
        """Thinking blocks, as LiteLLM hands on those of Anthropic."""
        self._calls = Calls[_Call]()
        self._others: Json = {}
        self._finished = False
        self._listed = {
            "content": self._part,
            "reasoning_details": self._detail,
            "thinking_blocks": self._block,
            "tool_calls": self._call,
        }

    def feed(self, event: Event) -> None:
        """Read one chunk."""
        choices = event.get("choices") or ()
        answers = [choice for choice in choices if not choice.get("index")]
        if len(answers) < len(choices):
            self._catch.once("other_answer", "choices")
        for choice in answers[:1]:
            self._delta(choice.get("delta") or choice.get("message") or {})
            self._finished = self._finished or bool(choice.get("finish_reason"))

    def finish(self, *, cut: bool) -> tuple[list[Json], bool]:
        """The message."""
        message = self._message()
        if cut and not self._finished:
            for name, value in message.items():
                many = len(value) if isinstance(value, list) else None
                for path in [name] if many is None else [f"{name}/{number}" for number in range(many)]:
                    self._catch.cut(path)
            return [], False
        self._seal(message)
        if is_reasoning_alone(message):
            self._catch.alone("message")
        plain = self._catch.plain({"role": "assistant"} | message, "message") if message else None
        return ([] if plain is None else [plain]), self._finished and not cut

    # Pieces.

    def _delta(self, delta: Event) -> None:
        for name, value in delta.items():
            if value is None or name == "role":
                continue
            if name in self._listed and not isinstance(value, str):
                for piece in value:
                    self._listed[name](piece)
            elif name in _TEXTS:
                self._texts[name].append(text(value))
            else:
                fold(self._others, {name: value})

    def _detail(self, fragment: Event) -> None:
        if not self._details.add(fragment):
            self._catch.log.left_out("exact_duplicate", "reasoning_details", "reasoning.encrypted")

    def _part(self, part: Event) -> None:
        """Content in parts (Mistral)."""
        last = self._parts[-1] if self._parts else {}
        if part.get("type") == last.get("type") and part.keys() == last.keys():
            fold(last, part)
        else:
            self._parts.append(dict(part))

    def _block(self, fragment: Event) -> None:
        """A signature ends its block."""
        last = self._blocks[-1] if self._blocks else {}
        if last.get("type") != "thinking" or fragment.get("type") != "thinking" or last.get("signature"):
            self._blocks.append(dict(fragment))
        else:
            fold(last, fragment)

    def _call(self, piece: Event) -> None:
        self._calls.of(piece, _Call).add(piece)

    # The whole.

    def _message(self) -> Json:
        texts = {name: join(self._texts[name]) for name in _TEXTS if name in self._texts}
        if self._parts:
            said = texts.pop("content", "")
            self._parts += [{"type": "text", "text": said}] if said else []
        parts = {"content": self._parts} if self._parts else {}
        details, calls = self._details.whole(), [call.whole() for call in self._calls]
        blocks = [{name: value for name, value in block.items() if value is not None} for block in self._blocks]
        lists = {"reasoning_details": details, "thinking_blocks": blocks, "tool_calls": calls}
        # An empty field of reasoning means something beside a call alone (DeepSeek; field report R164).
        texts = {name: said for name, said in texts.items() if said or (calls and name in _THOUGHTS)}
        return parts | texts | {name: value for name, value in lists.items() if value} | self._others

    def _seal(self, message: Json) -> None:
        """What is state goes by the codec's rules; where it breaks them, it is left out."""
        kept = []
        for number, block in enumerate(message.get("reasoning_details") or ()):
            path = f"reasoning_details/{number}"
            if block.get("type") in KNOWN:
                state = self._catch.seal(block, path)
                kept += [] if state is None else [state.to_dict()]
            else:  # leaving out a block of a kind not known yet would tear the run apart
                kept.append(block)
        if kept:
            message["reasoning_details"] = kept
        else:
            message.pop("reasoning_details", None)
        # The text beside details says the same again.
        for name in ("encrypted_content",) if kept else ("encrypted_content", *_THOUGHTS):
            if message.get(name) and self._catch.seal({name: message[name]}, name) is None:
                del message[name]
