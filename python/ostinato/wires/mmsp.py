"""MMSP itself as a wire: a server that speaks to the providers in our place.

Messages go out as they are, with their fidelity, since the server's own client needs it; so nothing is foreign here.
What comes in are events of the public stream. They are read like any other provider's, and given out again only if they
keep the grammar.
"""

import base64
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from ostinato.arguments import write_arguments
from ostinato.errors import UpstreamError
from ostinato.messages import UniConfig, value_fault
from ostinato.stream import Stream, token_count
from ostinato.telemetry import ReplayTelemetry
from ostinato.wires._settings import Settings
from ostinato.wires._wire import REDACTED, Carry, Groups, Json, Notes, Turn, Wire

__all__ = ["DIALECTS", "bind"]

DIALECTS: Final[Mapping[str, str]] = {"mmsp": "http://127.0.0.1:25752/v1"}
"""Client type -> base URL: MMSP's server on this machine."""

_GROWS: Final = {
    "text": "text",
    "thinking": "thinking",
    "tool_call": "arguments",
    "inline_data": "data",
    "inline_thinking": "data",
    "embedding": "embedding",
}
_HEADER: Final = ("name", "tool_call_id", "mime_type")
_STATE: Final = ("encrypted_content", "signature", "thought_signature")
"""The names under which fidelity holds opaque state (RFC section 4)."""
_COUNTS: Final = ("cached_tokens", "prompt_tokens", "thoughts_tokens", "response_tokens")


def bind(client_type: str, model: str, endpoint: str | None = None) -> Wire:
    """The wire to one model of a server. Who makes the state behind it is not known."""
    return Wire(
        name="mmsp",
        client_type=client_type,
        model=model,
        endpoint=endpoint,
        default_endpoint=DIALECTS[client_type],
        path="/stream",
        items_key="messages",
        takes_redacted=True,
        write_message=_write_message,
        write_body=partial(_write_body, client_type, model),
        make_parser=Relay,
        count_items=_count,
    )


def _write_message(turn: Turn, carry: Carry, notes: Notes) -> tuple[list[Any], Carry]:
    fault = value_fault(turn.message)  # other wires send the items of a message, and those are known to be sound
    if fault is not None:
        raise notes.refuse(fault)
    return [_as_json(turn.message)], carry


def _write_body(client: str, model: str, groups: Groups, config: UniConfig) -> Json:
    for name, value in config.items():
        if value_fault(value) is not None:
            Settings(client, config).refuse(name)
    messages = [message for group in groups for message in group]
    return {"model": model, "messages": messages, "config": _as_json(config)}


def _count(_wire: str, messages: Iterable[Any]) -> ReplayTelemetry:
    """The counters of messages as they are relayed: what their fidelity holds, and the text beside it."""
    total = ReplayTelemetry()
    for item in (item for message in messages for item in message["content_items"]):
        kept = item.get("fidelity") or {}
        state = [len(kept[name].encode()) for name in _STATE if isinstance(kept.get(name), str) and kept[name]]
        if not state:
            continue
        text = item.get("thinking")
        size = len(text.encode()) if isinstance(text, str) and text != REDACTED else 0
        channel = "summary" if kept.get("channel") == "summary" else "content"
        counted = {f"reasoning_replay_{channel}_parts": 1, f"reasoning_replay_{channel}_bytes": size} if size else {}
        total += ReplayTelemetry(reasoning_replay_item_count=1, reasoning_replay_encrypted_bytes=sum(state), **counted)
    return total


def _as_json(value: Any) -> Any:  # noqa: ANN401 - any value of a message
    """A copy in which bytes are base64."""
    if isinstance(value, Mapping):
        return {name: _as_json(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(part) for part in value]
    return base64.b64encode(value).decode() if isinstance(value, (bytes, bytearray, memoryview)) else value


class Relay:
    """The parser of one response."""

    def __init__(self) -> None:
        self._number = 0
        self._kind: str | None = None
        """Of the item that is arriving. Items follow each other, so there is one at a time."""

    def __call__(self, event: Mapping[str, Any], stream: Stream) -> None:
        """Read one event."""
        if "error" in event:
            raise _upstream_error(event["error"], stream.client)
        kind = event.get("event_type")
        if kind not in ("delta", "stop"):
            stream.unknown(str(kind or event.get("type")))
            return
        for item in event["content_items"]:
            self._item(item, stream)
        if kind == "stop":
            usage = event.get("usage_metadata") or {}
            stream.report_usage(**{name: token_count(usage.get(name)) for name in _COUNTS})
            stream.report_finish(event.get("finish_reason"))

    def _item(self, item: Mapping[str, Any], stream: Stream) -> None:
        kind, _, phase = str(item["type"]).partition(".")
        if kind not in _GROWS or phase not in ("delta", "done"):
            stream.unknown(f"{kind}.{phase}")
            return
        if self._kind not in (None, kind):
            self._number += 1  # the item before it never got its done event
        self._kind = kind
        if phase == "delta":
            self._add(kind, _value(kind, item), item.get("fidelity"), item, stream)
        else:
            self._done(kind, item, stream)

    def _add(self, kind: str, value: object, kept: Json | None, item: Mapping[str, Any], stream: Stream) -> None:
        header = {name: item[name] for name in _HEADER if name in item}
        begins = not stream.is_open(self._number)
        if begins and _GROWS[kind] == "data" and not isinstance(header.get("mime_type"), str):
            raise stream.contradiction("an inline item does not say what it is")
        stream.add(self._number, kind, value, kept, **header)

    def _done(self, kind: str, item: Mapping[str, Any], stream: Stream) -> None:
        kept = dict(item.get("fidelity") or {})
        whole = _value(kind, item)
        if kind == "tool_call":
            raw = kept.pop("arguments", None)  # the stream finds out by itself what it must keep of them
            whole = raw if isinstance(raw, str) else write_arguments(whole)
        if not stream.is_open(self._number):
            self._add(kind, whole, kept, item, stream)
        elif isinstance(whole, str):
            stream.reconcile(self._number, whole)
        elif whole != stream.streamed(self._number):
            raise stream.contradiction(f"a completed {kind} differs from what was streamed of it")
        if kept:
            stream.keep(self._number, kept)
        stream.close(self._number)
        self._number, self._kind = self._number + 1, None


def _value(kind: str, item: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of the type that the kind grows by
    value = item[_GROWS[kind]]
    return base64.b64decode(value, validate=True) if _GROWS[kind] == "data" and isinstance(value, str) else value


def _upstream_error(error: Any, client: str) -> UpstreamError:  # noqa: ANN401 - a server's value
    """The error of the server's own client. The status is the one that the provider behind it answered with."""
    fields: Mapping[str, Any] = error if isinstance(error, Mapping) else {"message": str(error)}
    message = str(fields.get("message") or "unknown error")
    return UpstreamError(
        client, message, status=fields.get("status"), error_type=fields.get("type"), error=_as_json(fields)
    )
