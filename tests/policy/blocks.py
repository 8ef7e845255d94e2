"""Messages of Anthropic Messages and Bedrock Converse, spelled the same for both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ostinato

Json = dict[str, Any]


@dataclass(frozen=True)
class Spelling:
    """How a wire spells blocks."""

    wire: str
    profile: str

    @property
    def is_messages(self) -> bool:
        """Whether it is Anthropic Messages."""
        return self.wire == "anthropic-messages"

    def target(self, **fields: Any) -> ostinato.Target:
        """A target of the wire."""
        return ostinato.Target(profile=ostinato.PROFILES[self.profile], **fields)

    def thinking(self, text: str, signature: str | None = "sig-example") -> Json:
        """A block of thinking."""
        signed = {} if signature is None else {"signature": signature}
        if self.is_messages:
            return {"type": "thinking", "thinking": text, **signed}
        return {"reasoningContent": {"reasoningText": {"text": text, **signed}}}

    def sealed(self, data: str = "QUJD") -> Json:
        """A redacted block."""
        if self.is_messages:
            return {"type": "redacted_thinking", "data": data}
        return {"reasoningContent": {"redactedContent": data}}

    def husk(self) -> Json:
        """A redacted block whose data is gone."""
        return {"type": "redacted_thinking"} if self.is_messages else {"reasoningContent": {}}

    def text(self, text: str) -> Json:
        """A text."""
        return {"type": "text", "text": text} if self.is_messages else {"text": text}

    def call(self, call_id: str) -> Json:
        """A call of a tool."""
        if self.is_messages:
            return {"type": "tool_use", "id": call_id, "name": "lookup", "input": {"q": 1}}
        return {"toolUse": {"toolUseId": call_id, "name": "lookup", "input": {"q": 1}}}

    def result(self, call_id: str, text: str = "1") -> Json:
        """What a tool gave."""
        if self.is_messages:
            return {"type": "tool_result", "tool_use_id": call_id, "content": [self.text(text)]}
        return {"toolResult": {"toolUseId": call_id, "content": [self.text(text)]}}

    def unknown(self) -> Json:
        """A block of a kind that came after this was written."""
        return {"type": "portal", "field": {"a": [1]}} if self.is_messages else {"portal": {"field": {"a": [1]}}}

    def user(self, *blocks: Json) -> Json:
        """A message of the user."""
        return {"role": "user", "content": list(blocks)}

    def assistant(self, *blocks: Json) -> Json:
        """A message of the model."""
        return {"role": "assistant", "content": list(blocks)}


MESSAGES = Spelling("anthropic-messages", "anthropic")
CONVERSE = Spelling("bedrock-converse", "bedrock-converse")
BOTH = (MESSAGES, CONVERSE)


def said(report: ostinato.ReplayReport) -> list[tuple[str, str, str | None]]:
    """Code, path and reason of every decision."""
    return [(decision.code, decision.path, decision.reason) for decision in report.decisions]
