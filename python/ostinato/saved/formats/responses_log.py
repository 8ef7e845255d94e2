"""Logs of OpenAI Responses traffic: requests, responses, pairs of them, lists of items, and streams of events.

In a log each request repeats all that came before it, so new state is in the responses alone. The conversation is the
last request of its kind with its response; what a response gave and the next request did not repeat is a finding.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from ostinato.capture import Capture
from ostinato.policy import PROFILES
from ostinato.policy.target import host
from ostinato.replay import Origin
from ostinato.saved import fields
from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft, identifier, label, source, usage_of
from ostinato.saved.file import SavedFile
from ostinato.saved.format import Format
from ostinato.saved.json_text import Value, parse
from ostinato.saved.responses_items import REPLAYED, WIRE, is_item, native, role_of

__all__ = ["RESPONSES_LOG"]

Json = dict[str, Any]

_CONTRACT: Final = "open-responses"
"""The most open contract: logs are of any server, and reasoning may be plain text."""
_DATA: Final = re.compile(rb"^data:[ \t]?(\{.*)$", re.MULTILINE)
_SSE: Final = re.compile(rb"\s*(?:event:[^\n]*\n)?data:[ \t]?\{.*\"type\":[ ]?\"response\.")
_PROVIDERS: Final = {row.endpoint: row.provider for row in PROFILES.values() if row.wire == WIRE and row.endpoint}


class _Listed(NamedTuple):
    item: Json
    source: Source
    value: Value


@dataclass(slots=True)
class _Exchange:
    """A request with its response, or one of both."""

    asked: list[_Listed] = field(default_factory=list)
    given: list[_Listed] = field(default_factory=list)
    request: Json = field(default_factory=dict)
    response: Json = field(default_factory=dict)
    endpoint: str | None = None

    @property
    def follows(self) -> str | None:
        """The response whose conversation the provider was told to go on with."""
        return fields.text(self.request, "previous_response_id")

    @property
    def origin(self) -> Origin | None:
        """Where the response was made, as far as the log says."""
        model = identifier(self.response.get("model")) or identifier(self.request.get("model"))
        known = Origin(_PROVIDERS.get(self.endpoint or ""), self.endpoint, None, model)
        return known if model or self.endpoint else None


@dataclass(slots=True)
class _Chain:
    """Exchanges of one conversation."""

    exchanges: list[_Exchange] = field(default_factory=list)
    input: bytes = b""
    """What the newest request that has input sent, as a digest."""


class _Log:
    """One file while it is read."""

    def __init__(self) -> None:
        self.draft = Draft(RESPONSES_LOG.name, WIRE)
        self.chains: list[_Chain] = []
        self._by_input: dict[bytes, _Chain] = {}
        self._by_name: dict[str, _Chain] = {}
        self._events: list[Value] = []

    def take(self, value: Value) -> None:
        """Read one value."""
        if isinstance(value.value, list):
            self._list(value)
        elif not self.draft.damaged(value):
            self._record(value, value.value, "")

    def _list(self, value: Value) -> None:
        """A list of entries, or of items."""
        if any(isinstance(item, dict) and is_item(item) for item in value.value):
            self.draft.used += 1
            self._add(_Exchange(asked=self._listed(value, value.value, "")))
            return
        for place, entry in enumerate(value.value):
            element = value._replace(value=entry)
            if not self.draft.damaged(element):
                self._record(element, entry, str(place))

    def _record(self, value: Value, record: Json, path: str) -> None:
        if _is_event(record):
            self._events.append(value)
            return
        exchange = self._exchange(value, record, path)
        if exchange is None:
            self.draft.leave_out("unknown_record", value.line, type=label(record.get("type")))
        else:
            self.draft.used += 1
            self._add(exchange)

    def _exchange(self, value: Value, record: Json, path: str) -> _Exchange | None:
        exchange = _Exchange(endpoint=_endpoint(record))
        for name, body, where in _bodies(record, path):
            if name == "request":
                exchange.request = body
                exchange.asked = self._listed(value, body["input"], _join(where, "input"))
            else:
                exchange.response = body
                exchange.given = self._listed(value, body["output"], _join(where, "output"))
        return exchange if exchange.request or exchange.response else None

    def _listed(self, value: Value, items: Any, path: str) -> list[_Listed]:  # noqa: ANN401 - any JSON value
        """The items of a list; a text stands for what a user says."""
        if isinstance(items, str):
            said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": items}]}
            return [_Listed(said, source(value, path), value)]
        found = []
        for place, item in enumerate(items):
            where = _join(path, str(place))
            if isinstance(item, dict):
                found.append(_Listed(item, source(value, where), value))
            else:
                self.draft.count("not_a_record", value.line, where)
        return found

    def _add(self, exchange: _Exchange) -> None:
        """Join the conversation it goes on with: by the response it names, or by the input it repeats.

        Inputs are told by digests of what they begin with, so a log of many conversations costs no more than its size.
        """
        beginnings = list(_beginnings(exchange.asked))
        known = self._by_name.get(exchange.follows or "")
        for beginning in reversed(beginnings):
            known = known or self._by_input.get(beginning)
        chain = known or _Chain()
        if known is None:
            self.chains.append(chain)
        self._by_input.pop(chain.input, None)
        chain.exchanges.append(exchange)
        if beginnings:
            chain.input = beginnings[-1]
            self._by_input[chain.input] = chain
        name = fields.text(exchange.response, "id")
        if name:
            self._by_name[name] = chain

    def _captured(self) -> None:
        """The responses of a stream of events: what was complete when it ended."""
        for events in _responses(self._events):
            capture = Capture(WIRE)
            for value in events:
                capture.feed(value.value)
            captured, first, last = capture.finish(), events[0], events[-1]
            place = Source(first.start, last.stop, first.line)
            told = (fields.mapping(value.value, "response") for value in reversed(events))
            response: Json = next(filter(None, told), {})
            self.draft.used += len(events)
            for decision in captured.report.decisions:
                self.draft.count("incomplete_stream", first.line, decision.path, reason=decision.code)
            given = [_Listed(item, place, first) for item in captured.items]
            named = {"previous_response_id": response.get("previous_response_id")}
            self._add(_Exchange(given=given, request=named, response=response))

    def conversations(self) -> list[Conversation]:
        """One for each chain of exchanges."""
        self._captured()
        whole = self.draft.conversation()
        made = [_conversation(chain.exchanges).conversation() for chain in self.chains] or [
            Draft(RESPONSES_LOG.name, WIRE).conversation()
        ]
        return [replace(made[0], report=whole.report + made[0].report), *made[1:]]


class _Current(NamedTuple):
    """An item of the conversation as it stands."""

    listed: _Listed
    origin: Origin | None = None
    response: Json | None = None
    """The response it came in; None for what was asked."""


def _conversation(chain: Sequence[_Exchange]) -> Draft:
    draft = Draft(RESPONSES_LOG.name, WIRE)
    current: list[_Current] = []
    made: dict[tuple[str, str], Origin | None] = {}
    for exchange in chain:
        if exchange.follows is None or not current:
            _say_what_was_lost(current, exchange, draft)
            current = []
        for listed in exchange.asked:
            known = next((made[key] for key in _keys(listed.item) if key in made), None)
            current.append(_Current(listed, known))
        for listed in exchange.given:
            made |= dict.fromkeys(_keys(listed.item), exchange.origin)
            current.append(_Current(listed, exchange.origin, exchange.response))
        draft.system = fields.text(exchange.request, "instructions") or draft.system
        draft.session = identifier(exchange.response.get("id")) or draft.session
    for one in current:
        _write(one, draft)
    return draft


def _write(one: _Current, draft: Draft) -> None:
    value, place = one.listed.value, one.listed.source
    item = native(one.listed.item, draft, value.line, place.path, _CONTRACT)
    role = role_of(item)
    if role == "assistant":
        response = one.response or {}
        name, usage = identifier(response.get("id")), usage_of(response.get("usage"))
        draft.add(item, role, place, origin=one.origin, id=name, usage=usage)
    else:
        draft.add(item, role, place)
    if not _is_item(item):
        draft.count("unknown_item_type", place.line, place.path, type=label(item.get("type")))


def _say_what_was_lost(current: Sequence[_Current], exchange: _Exchange, draft: Draft) -> None:
    """State that a response gave and the next request did not repeat. Ids may go, as some clients leave them out."""
    asked = {key for listed in exchange.asked for key in _keys(listed.item)}
    for one in current:
        item = one.listed.item
        if one.response is not None and fields.text(item, "type") in REPLAYED and asked.isdisjoint(_keys(item)):
            draft.count("output_not_sent_back", one.listed.source.line, one.listed.source.path)


def _keys(item: Json) -> list[tuple[str, str]]:
    """What tells an item of a response in a later request."""
    return [(name, text) for name in ("id", "encrypted_content", "call_id") if (text := fields.text(item, name))]


def _beginnings(asked: Sequence[_Listed]) -> Iterator[bytes]:
    """A digest of the first item, of the first two, and so on."""
    seen = hashlib.sha256()
    for listed in asked:
        seen.update(json.dumps(listed.item, sort_keys=True).encode() + b"\n")
        yield seen.digest()


def _responses(events: Sequence[Value]) -> Iterator[list[Value]]:
    """The events of each response, in the order of the file."""
    current: list[Value] = []
    for value in events:
        if fields.text(value.value, "type") == "response.created" and current:
            yield current
            current = []
        current.append(value)
    if current:
        yield current


def _bodies(record: Json, path: str) -> Iterator[tuple[str, Json, str]]:
    """Requests and responses in a record: itself, or what it has under their names, as object or as JSON text."""
    if _is_request(record):
        yield "request", record, path
    elif _is_response(record):
        yield "response", record, path
    for name, right in (("request", _is_request), ("response", _is_response)):
        for where in ((name,), (name, "body"), (f"{name}_body",)):
            body: Any = record
            for step in where:
                body = body.get(step) if isinstance(body, dict) else None
            body = parse(body).value if isinstance(body, str) else body
            if isinstance(body, dict) and right(body):
                yield name, body, _join(path, "/".join(where))


def _join(path: str, step: str) -> str:
    return f"{path}/{step}" if path else step


def _endpoint(record: Json) -> str | None:
    """The host that was asked, where a log names it."""
    for part in (record, fields.mapping(record, "request")):
        found = identifier(fields.text(part, "url", "uri", "endpoint", "base_url"))
        if found is not None and "." in found:
            return host(found)
    return None


def _is_item(item: Json) -> bool:
    easy = "type" not in item and "role" in item and isinstance(item.get("content"), str | list)
    return easy or is_item(item)


def _is_request(body: Json) -> bool:
    given = body.get("input")
    if isinstance(given, list):
        return any(isinstance(item, dict) and _is_item(item) for item in given)
    return isinstance(given, str) and not body.keys().isdisjoint({"instructions", "reasoning", "store", "include"})


def _is_response(body: Json) -> bool:
    output = body.get("output")
    if not isinstance(output, list):
        return False
    return body.get("object") == "response" or any(isinstance(item, dict) and _is_item(item) for item in output)


def _is_event(record: Json) -> bool:
    kind = fields.text(record, "type")
    return kind is not None and kind.startswith("response.")


def _events_of(data: bytes) -> Iterator[Value]:
    """The events in server-sent text."""
    line, seen = 1, 0
    for found in _DATA.finditer(data):
        line += data.count(b"\n", seen, found.start())
        seen = found.start()
        read = parse(found[1].decode("utf-8", "surrogateescape"))
        fault = read.fault if found.end() < len(data) or read.fault is None else "truncated_line"
        yield Value(line, read.value, fault, found.start(1), found.end(1))


def _is_sse(data: bytes) -> bool:
    return _SSE.match(data[:4096]) is not None


def _sniff(file: SavedFile) -> bool:
    if _is_sse(file.data):
        return True
    first = file.head[0].value if file.head else None
    if isinstance(first, list):
        return any(isinstance(one, dict) and (is_item(one) or any(_bodies(one, ""))) for one in first)
    return isinstance(first, dict) and (_is_event(first) or any(_bodies(first, "")))


def _read(file: SavedFile) -> list[Conversation]:
    log = _Log()
    for value in _events_of(file.data) if _is_sse(file.data) else file.values():
        log.take(value)
    return log.conversations()


RESPONSES_LOG: Final = Format("openai-responses", _sniff, _read)
