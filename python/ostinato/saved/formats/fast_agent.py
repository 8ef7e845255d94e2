"""Histories of fast-agent: one document `{"messages": [...]}`, state as JSON text in channels of the messages.

The items are those that fast-agent 0.10.48 would send, in its order: within a message reasoning first, then what calls
gave, then what was said, then calls. What it wrote before it had an envelope (0.10.4 to 0.10.11) is never sent.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from ostinato.errors import ReplayError
from ostinato.replay import Origin, parse_reasoning_replay_envelope
from ostinato.saved import fields
from ostinato.saved.conversation import Conversation
from ostinato.saved.draft import Draft, identifier, label, source, usage_of
from ostinato.saved.fast_agent_content import anthropic_blocks, responses_parts
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.json_text import Value, parse
from ostinato.saved.responses_items import WIRE as RESPONSES
from ostinato.saved.responses_items import role_of

__all__ = ["FAST_AGENT"]

Json = dict[str, Any]

_ANTHROPIC: Final = "anthropic-messages"
_RAW: Final = "anthropic-assistant-raw-content"
_THINKING: Final = "anthropic-thinking-raw"
_SERVER_TOOLS: Final = "anthropic-server-tools"
_REASONING: Final = "openai-reasoning-encrypted"
_COMPACTION: Final = "openai-compaction-items"
_SAID: Final = "openai-assistant-message-items"
_TOOLS: Final = "openai-mcp-list-tools-items"
_STATE: Final = {_RAW: _ANTHROPIC, _THINKING: _ANTHROPIC, _REASONING: RESPONSES, _COMPACTION: RESPONSES}
"""Channels of opaque state, and whose."""
_DISPLAY: Final = frozenset({"reasoning", "anthropic-citations"})
_READ: Final = frozenset({*_STATE, _SAID, _TOOLS, _SERVER_TOOLS})
_COMPACTED: Final = "fast-agent-compaction"
_PROVIDERS: Final[Mapping[str, Origin]] = {
    "anthropic-vertex": Origin("vertex"),
    "codexresponses": Origin("openai", "chatgpt.com"),
    "google": Origin("gemini"),
    "openresponses": Origin("open-responses"),
    "responses": Origin("openai"),
}
"""fast-agent's routes under other names than ours."""
_PHASES: Final = ("commentary", "final_answer")
_LEGACY: Final = frozenset({"legacy_minimal", "legacy_snapshot"})


class _History:
    """One document while it is read."""

    def __init__(self, wire: str) -> None:
        self.draft = Draft(FAST_AGENT.name, wire)
        self.call_ids: dict[str, str] = {}
        """What a call of this name was given as `call_id`."""

    def take(self, value: Value, message: Json, path: str) -> None:
        """Read one message. Its path is where it stands in the document."""
        self.draft.used += 1
        whole, origin, usage = source(value, path), _origin(message), _usage(message)
        read = self._responses if self.draft.wire == RESPONSES else self._messages
        for item in read(value, message, path):
            role = role_of(item) if self.draft.wire == RESPONSES else _side(item)
            model = role == "assistant"
            self.draft.add(item, role, whole, origin=origin if model else None, usage=usage if model else None)
        self._other_channels(value, message, path)

    def _responses(self, value: Value, message: Json, path: str) -> Iterator[Json]:
        compactions = list(self._envelopes(value, message, path, _COMPACTION))
        yield from compactions
        if compactions and _COMPACTED in _channels(message):
            return  # the text beside it stands in for it where it cannot be read
        reasoning = list(self._envelopes(value, message, path, _REASONING))
        said = list(self._said(value, message, path)) if message.get("role") == "assistant" else []
        if len(reasoning) > 1 and said:
            self.draft.count("order_unknown", value.line, path)
        yield from reasoning
        yield from self._raw(value, message, path, _TOOLS, "mcp_list_tools")
        results = message.get("tool_results")
        for name, result in results.items() if isinstance(results, dict) else ():
            content = result.get("content") if isinstance(result, dict) else None
            parts = responses_parts(content, "tool", self._note(value, f"{path}/tool_results"))
            texts = all(part["type"] == "input_text" for part in parts)
            output = "\n".join(part["text"] for part in parts if part["text"]) if texts else parts
            call_id = self.call_ids.get(name) or _call_id(name)[1]
            yield {"type": "function_call_output", "call_id": call_id, "output": output}
        yield from said or self._built(value, message, path)
        for name, function, arguments in _calls(message):
            item_id, self.call_ids[name] = _call_id(name)
            self.draft.say("arguments_rebuilt", f"{path}/tool_calls", line=value.line, id=label(name))
            yield {
                "type": "function_call",
                "id": item_id,
                "call_id": self.call_ids[name],
                "name": function,
                "arguments": json.dumps(arguments),
            }

    def _said(self, value: Value, message: Json, path: str) -> Iterator[Json]:
        """Message items as they came. Their phase is sent where it is one that the API knows."""
        for item in self._raw(value, message, path, _SAID, "message"):
            phase = item.get("phase") or message.get("phase")
            kept = {name: part for name, part in item.items() if name != "phase"}
            yield {**kept, "role": "assistant", **({"phase": phase} if phase in _PHASES else {})}

    def _built(self, value: Value, message: Json, path: str) -> Iterator[Json]:
        role = message.get("role")
        parts = responses_parts(message.get("content"), role, self._note(value, f"{path}/content"))
        if parts:
            phase = message.get("phase") if role == "assistant" else None
            yield {"type": "message", "role": role, "content": parts, **({"phase": phase} if phase else {})}

    def _messages(self, value: Value, message: Json, path: str) -> Iterator[Json]:
        note = self._note(value, f"{path}/content")
        if message.get("role") != "assistant":
            blocks = list(self._results(value, message, path)) + anthropic_blocks(message.get("content"), note)
            if blocks:
                yield {"role": "user", "content": blocks}
            return
        blocks = [_without_nulls(block) for block in self._raw(value, message, path, _RAW)]
        if not blocks:
            thinking = [_without_nulls(block) for block in self._raw(value, message, path, _THINKING)]
            tools = list(self._raw(value, message, path, _SERVER_TOOLS))
            first = 1 if tools else len(thinking)
            text = [block for block in anthropic_blocks(message.get("content"), note) if block["type"] == "text"]
            calls = [
                {"type": "tool_use", "id": _tool_id(name), "name": function, "input": arguments}
                for name, function, arguments in _calls(message)
            ]
            blocks = [*thinking[:first], *tools, *thinking[first:], *text, *calls]
        if blocks:
            yield {"role": "assistant", "content": blocks}

    def _results(self, value: Value, message: Json, path: str) -> Iterator[Json]:
        results = message.get("tool_results")
        for name, result in results.items() if isinstance(results, dict) else ():
            given = result if isinstance(result, dict) else {}
            content = anthropic_blocks(given.get("content"), self._note(value, f"{path}/tool_results"))
            yield {
                "type": "tool_result",
                "tool_use_id": _tool_id(name),
                "content": content or [{"type": "text", "text": "[No content in tool result]"}],
                "is_error": given.get("isError") is True,
            }

    def _envelopes(self, value: Value, message: Json, path: str, channel: str) -> Iterator[Json]:
        """The state of a channel that the codec accepts. All else is named, and never sent."""
        for place, text in _texts(message, channel):
            where = f"{path}/channels/{channel}/{place}"
            try:
                state = parse_reasoning_replay_envelope(text)
            except ReplayError as error:
                code = "legacy_record" if error.code in _LEGACY else "unsound_record"
                self.draft.say(code, where, line=value.line, reason=error.code, at=error.path)
                continue
            if state.wire == RESPONSES:
                yield state.to_dict()
            else:
                self.draft.say("other_wire", where, line=value.line, wire=state.wire)

    def _raw(self, value: Value, message: Json, path: str, channel: str, kind: str | None = None) -> Iterator[Json]:
        """The items of a channel that are stored as they came."""
        for place, text in _texts(message, channel):
            found = parse(text)
            item = found.value
            if isinstance(item, dict) and isinstance(item.get("type"), str) and kind in {None, item["type"]}:
                yield item
            else:
                where = f"{path}/channels/{channel}/{place}"
                self.draft.say("unsound_record", where, line=value.line, reason=found.fault or "unknown_item_type")

    def _other_channels(self, value: Value, message: Json, path: str) -> None:
        """What is in channels that are not sent, and state of a wire that is not this conversation's."""
        for channel, blocks in _channels(message).items():
            where = f"{path}/channels/{label(channel)}"
            if _STATE.get(channel, self.draft.wire) != self.draft.wire:
                for _ in blocks if isinstance(blocks, list) else ():
                    self.draft.count("other_wire", value.line, where, type=channel)
            elif channel in _DISPLAY or (channel == _THINKING and _RAW in _channels(message)):
                self.draft.count("display_copy", value.line, where, type=channel)
            elif channel not in _READ:
                own = channel.startswith("fast-agent-")
                self.draft.count("not_sent" if own else "unknown_record", value.line, where, type=label(channel))

    def _note(self, value: Value, path: str) -> Callable[[str], None]:
        return lambda kind: self.draft.count("not_rebuilt", value.line, path, type=kind)


def _side(item: Json) -> str:
    blocks = item["content"]
    return "tool" if item["role"] == "user" and blocks[0]["type"] == "tool_result" else str(item["role"])


def _without_nulls(block: Json) -> Json:
    """A block without the fields that only the SDK's dump has: the API refuses `null` in most of them."""
    return {name: part for name, part in block.items() if part is not None}


def _channels(message: Json) -> Json:
    channels = message.get("channels")
    return channels if isinstance(channels, dict) else {}


def _texts(message: Json, channel: str) -> Iterator[tuple[int, str]]:
    """The texts of a channel, each with its place in it."""
    blocks = _channels(message).get(channel)
    for place, block in enumerate(blocks if isinstance(blocks, list) else ()):
        resource = block.get("resource") if isinstance(block, dict) else None
        text = (resource if isinstance(resource, dict) else block).get("text") if isinstance(block, dict) else None
        if isinstance(text, str) and text:
            yield place, text


def _calls(message: Json) -> Iterator[tuple[str, str, Json]]:
    """Name of the call, name of the function, and arguments."""
    calls = message.get("tool_calls")
    for name, call in calls.items() if isinstance(calls, dict) else ():
        params = call.get("params") if isinstance(call, dict) else None
        params = params if isinstance(params, dict) else {}
        arguments = params.get("arguments")
        function = params.get("name")
        yield (
            name,
            function if isinstance(function, str) and function else "tool",
            arguments if isinstance(arguments, dict) else {},
        )


def _call_id(name: str) -> tuple[str, str]:
    """What fast-agent makes of the name of a call: the id of the item, and the `call_id`."""
    if name.startswith("fc"):
        return name, f"call_{name.removeprefix('fc').removeprefix('_') or name}"
    if name.startswith("call_"):
        return f"fc_{name.removeprefix('call_') or name}", name
    return f"fc_{name}", f"call_{name}"


def _tool_id(name: str) -> str:
    """The id of a call on Anthropic's wire, which takes letters, digits, `_` and `-` only."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name) or "tool"


def _attempt(message: Json) -> Json:
    """What the provider said about the last attempt. Versions before 0.10 called it `turn`."""
    for _place, text in _texts(message, "fast-agent-usage"):
        found = parse(text).value
        if isinstance(found, dict):
            attempts = found.get("provider_attempts") or [found.get("turn")]
            last = attempts[-1] if isinstance(attempts, list) else None
            return last if isinstance(last, dict) else {}
    return {}


def _usage(message: Json) -> Mapping[str, int] | None:
    return usage_of(_attempt(message).get("raw_usage"))


def _origin(message: Json) -> Origin | None:
    attempt = _attempt(message)
    route, model = identifier(attempt.get("provider")), identifier(attempt.get("model"))
    for _place, text in _texts(message, "fast-agent-responses-cache-state"):
        state = parse(text).value
        model = model or identifier(state.get("model") if isinstance(state, dict) else None)
    known = _PROVIDERS.get(route or "", Origin(route))
    return known._replace(model=model) if route or model else None


def _is_message(message: object) -> bool:
    """Whether it looks like a message of fast-agent, and not of some other API with `role` and `content`."""
    return (
        isinstance(message, dict)
        and fields.text(message, "role") in {"user", "assistant"}
        and isinstance(message.get("content"), list)
        and not message.keys().isdisjoint({"channels", "is_template", "tool_results", "tool_calls"})
    )


def _sniff(file: SavedFile) -> bool:
    first = file.records[0] if file.records else {}
    messages = first.get("messages")
    if isinstance(messages, list):
        return any(map(_is_message, messages))
    if file.head and file.head[0].fault == "truncated_line":
        return any(_is_message(element.value) for element in file.elements("messages"))
    return _is_message(first) and "uuid" not in first


def _read(file: SavedFile) -> list[Conversation]:
    found: list[Conversation] = []
    loose: list[tuple[Value, str]] = []
    for value in file.values():
        messages = value.value.get("messages") if isinstance(value.value, dict) else None
        if isinstance(messages, list):
            whole = [(value._replace(value=message), f"messages/{place}") for place, message in enumerate(messages)]
            found.append(_conversation(whole))
        elif value.fault is not None and not found and not loose:
            # Not readable as a whole: the messages up to the damage.
            found.append(_conversation([(element, "") for element in file.elements("messages")]))
            break
        else:
            loose.append((value, ""))  # a message without a document around it
    return [*found, _conversation(loose)] if loose or not found else found


def _conversation(messages: Sequence[tuple[Value, str]]) -> Conversation:
    wires = [_STATE[channel] for value, _path in messages for channel in _state_channels(value.value)]
    routes = {
        fields.text(_attempt(value.value), "provider") for value, _path in messages if isinstance(value.value, dict)
    }
    wire = wires[-1] if wires else _ANTHROPIC if routes & {"anthropic", "anthropic-vertex"} else RESPONSES
    history = _History(wire)
    for value, path in messages:
        if not history.draft.damaged(value):
            history.take(value, value.value, path)
    if not wires and wire == RESPONSES and "responses" not in routes:
        history.draft.say("wire_assumed")
    return history.draft.conversation()


def _state_channels(message: object) -> list[str]:
    return [channel for channel in _channels(message) if channel in _STATE] if isinstance(message, dict) else []


FAST_AGENT: Final = Format("fast-agent", _sniff, _read)
