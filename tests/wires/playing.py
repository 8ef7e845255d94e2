"""Play the recorded MMSP vectors against a wire: no client, no network, the provider's events as plain mappings."""

import base64
import copy
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ostinato
from ostinato.errors import TurnError
from ostinato.wires import Wire
from ostinato.wires.images import inline_images, remote_images
from tests.wires.expectation import diff, judge

VECTORS = Path(__file__).parents[1] / "vectors"
# `make vectors DIR=...` plays another folder.
FOLDER = Path(os.environ.get("OSTINATO_MMSP_VECTORS", VECTORS / "mmsp"))
OWN = VECTORS / "wires"
"""Vectors made by hand, for wires that the reference does not speak."""
DIFFERENCES = json.loads((FOLDER / "differences.json").read_text())
RESPONSES = ("openai-official", "openai-responses", "deepseek-official", "minimax-official", "xai-responses")
GROWS = {
    "text": "text",
    "thinking": "thinking",
    "tool_call": "arguments",
    "inline_data": "data",
    "inline_thinking": "data",
}
# The paths of the base URLs that the vectors were recorded with.
PREFIX = {
    "openai-official": "/v1",
    "openai-responses": "/v1",
    "minimax-official": "/v1",
    "openai-chat": "/v1",
    "openai-chat-vllm-adapter": "/v1",
    "moonshot-official": "/v1",
    "zai-official": "/api/paas/v4",
    "mmsp": "/v1",
    "openai-embedding": "/v1",
}
ERROR_FIELDS = frozenset(
    {
        "client",
        "item_type",
        "message_index",
        "parameter",
        "missing",
        "finish_reason",
        "usage_metadata",
        "tool_name",
        "tool_call_id",
        "raw_arguments_length",
        "raw_arguments_preview",
        "code",
        "status",
        "error_type",
        "error",
        "operation",
    }
)


@dataclass
class Case:
    """One vector of one client."""

    client: str
    vector: dict[str, Any]
    is_config: bool
    ok: dict[str, Any] | None
    clock: float

    @property
    def id(self) -> str:
        """Its name in the table of differences."""
        name = self.vector["name"]
        return f"config/{self.client}/{name}@{self.vector['model']}" if self.is_config else f"{self.client}/{name}"


def cases(client: str) -> Iterator[Case]:
    """All vectors of a client."""
    for path in (FOLDER / f"{client}.json", FOLDER / "config" / f"{client}.json", OWN / f"{client}.json"):
        if path.exists():
            data = json.loads(path.read_text())
            for vector in data["vectors"]:
                yield Case(
                    client, vector, path.parent.name == "config", data.get("ok_response"), data.get("clock", 0.0)
                )


def encode_json(value: Any) -> Any:
    """A Python value in the vectors' JSON form."""
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {name: encode_json(part) for name, part in value.items()}
    return [encode_json(part) for part in value] if isinstance(value, (list, tuple)) else value


def decode_json(value: Any) -> Any:
    """A value of a vector as Python has it."""
    if isinstance(value, dict):
        if set(value) == {"$bytes"}:
            return base64.b64decode(value["$bytes"])
        if set(value) == {"$float"}:
            return float(value["$float"])
        return {name: decode_json(part) for name, part in value.items()}
    return [decode_json(part) for part in value] if isinstance(value, list) else value


def without_times(value: Any) -> Any:
    """The value without `created_at`."""
    if isinstance(value, dict):
        return {name: without_times(part) for name, part in value.items() if name != "created_at"}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def ids_in(value: Any) -> set[str]:
    """Every id that a provider streamed."""
    if isinstance(value, dict):
        own = {part for name, part in value.items() if name in ("id", "item_id") and isinstance(part, str)}
        return own.union(*(ids_in(part) for part in value.values()))
    return set().union(*(ids_in(part) for part in value)) if isinstance(value, list) else set()


class Player:
    """One vector, played and judged."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.entry = copy.deepcopy(DIFFERENCES["vectors"].get(case.id))
        self.vector = copy.deepcopy(case.vector)
        changed_input = self.entry.get("input") if isinstance(self.entry, dict) else None
        self.vector["input"] |= changed_input or {}
        extra = self.entry.get("fidelity_extra_keys", []) if isinstance(self.entry, dict) else []
        self.extra = {*DIFFERENCES["fidelity_extra_keys"], *extra}
        self.input = self.vector["input"]
        self.ids = ids_in([turn["response"].get("sse") for turn in self.input.get("turns", [])])
        self.wire = self._wire(case.client, case.vector["model"], self.input.get("base_url"))
        self.seen: dict[str, Any] = {"error": None, "requests_sent": 0}

    @staticmethod
    def _wire(client: str, model: str, base_url: str | None = None) -> Wire:
        return ostinato.wire(client, model, endpoint=base_url)

    def run(self) -> str | None:
        """Why the wire does not do what the vector asks for; None if it does."""
        direction = self.vector["direction"]
        play = {"replay": self._replay, "cross": self._cross}.get(direction, self._turns)
        try:
            play()
        except TurnError as error:
            self.seen["error"] = self._error(error)
        self._derive()
        return judge(self.vector, self.entry, self._compare, self.seen)

    # Playing.

    def _replay(self) -> None:
        messages = decode_json(self.input["messages"])
        before = copy.deepcopy(messages)
        config = decode_json(self.input.get("config") or {})
        self.seen["request"] = self._request(self.wire, messages, config)
        self.seen["requests_sent"] = 1
        if "nan" not in repr(before):
            assert messages == before, "encode changed a message"
        if self.input.get("check") == "prefix":
            self._prefix(messages)

    def _prefix(self, messages: list[Any]) -> None:
        lengths, changed, previous = [], [], None
        for count in range(1, len(messages) + 1):
            body = self._request(self.wire, messages[:count], {})["body"]
            items = next(body[name] for name in ("input", "messages", "contents") if name in body)
            lengths.append(len(items))
            if previous is not None and items[: len(previous)] != previous:
                changed.append(count - 1)
            previous = items
        self.seen |= {"prefix_lengths": lengths, "wire_items_identical": not changed}
        if changed:
            self.seen["wire_items_changed_after_message"] = changed

    def _turns(self) -> None:
        history = [ostinato.messages.admit(m) for m in decode_json(self.input.get("history") or [])]
        config = decode_json(self.input.get("config") or {})
        self.seen |= {"turns": [], "history": without_times(encode_json(history))}
        for turn in self.input["turns"]:
            message = decode_json(turn["message"])
            self.seen["requests_sent"] = 0
            events: list[Any] = []
            seen: dict[str, Any] = {"request": None, "events": events}
            self.seen["turns"].append(seen)
            seen["request"] = self._request(self.wire, [*history, message], config)
            self.seen["requests_sent"] = 1
            answer = self._receive(self.wire, turn["response"], events)
            history = copy.deepcopy([*history, ostinato.messages.admit(message), answer])
            self.seen["history"] = without_times(encode_json(history))

    def _cross(self) -> None:
        source = self.input["source"]
        answer = self._receive(self._wire(source["client"], source["model"]), source["response"], [])
        messages = decode_json([source["message"], answer, self.input["message"]])
        events: list[Any] = []
        self.seen["turns"] = [
            {"request": self._request(self.wire, messages, decode_json(self.input["config"])), "events": events}
        ]
        self.seen["requests_sent"] = 1
        self._receive(self.wire, self.case.ok or {}, events)

    def _receive(self, wire: Wire, response: dict[str, Any], events: list[Any]) -> Any:
        decoder = wire.decoder(debug=bool((self.input.get("env") or {}).get("MMSP_DEBUG")))

        def give(new: list[Any]) -> None:
            events.extend(without_times(encode_json(new)))

        for event in response.get("sse", [{"data": response.get("json")}]):
            if isinstance(event.get("data"), dict):
                give(decoder.feed(copy.deepcopy(event["data"])))
        give(decoder.flush())
        give(decoder.finish())
        return decoder.message()

    def _request(self, wire: Wire, messages: list[Any], config: Any) -> dict[str, Any]:
        if wire.inlines_images:
            images = {url: decode_json(data) for url, data in self.input.get("http_images", {}).items()}
            missing = [url for message in messages for url in remote_images(message) if url not in images]
            if missing:
                raise NeedsClientError
            messages = [inline_images(message, images) for message in messages]
        if wire.client_type == "mmsp":  # the one wire that sends when a message was made; the client stamps it
            now = int(self.case.clock * 1000)
            messages = [m if m.get("created_at") is not None else m | {"created_at": now} for m in messages]
        body = wire.encode(messages, config)
        json.dumps(body)  # it can be sent
        return {"path": PREFIX.get(wire.client_type, "") + wire.path, "body": encode_json(body)}

    def _error(self, error: TurnError) -> dict[str, Any]:
        fields = {name: encode_json(getattr(error, name)) for name in ERROR_FIELDS if hasattr(error, name)}
        kinds = [kind.__name__ for kind in type(error).__mro__]
        return {"class": kinds[0], "classes": kinds, "package": True, "message": str(error), **fields}

    def _derive(self) -> None:
        for turn in self.seen.get("turns", []):
            items = [item for event in turn["events"] for item in event["content_items"]]
            turn["done"] = [self._strip(item) for item in items if item["type"].endswith(".done")]
            turn["bare"] = [{name: x for name, x in item.items() if name != "fidelity"} for item in turn["done"]]
            turn["stop"] = next((event for event in turn["events"] if event["event_type"] == "stop"), None)
        if "history" in self.seen:
            self.seen["history_length"] = len(self.seen["history"])

    # Comparing.

    def _strip(self, value: Any) -> Any:
        """The value without the fidelity keys that we add."""
        if isinstance(value, list):
            return [self._strip(part) for part in value]
        if not isinstance(value, dict):
            return value
        kept = {name: self._strip(part) for name, part in value.items() if name != "fidelity"}
        fidelity = {name: x for name, x in (value.get("fidelity") or {}).items() if name not in self.extra}
        return kept | ({"fidelity": fidelity} if fidelity else {})

    def _events(self, events: list[Any]) -> list[Any]:
        kept = []
        for event in events:
            item = self._strip(event["content_items"][0]) if event["content_items"] else None
            if item and item["type"].endswith(".delta") and "fidelity" not in item:
                grown = item[GROWS.get(item["type"].split(".")[0], "embedding")]
                if grown in ("", {"$bytes": ""}) and event["content_items"][0].get("fidelity") and not item.get("name"):
                    continue
            kept.append({**event, "content_items": [item] if item else []})
        return kept

    def _bodies(self, expected: Any, actual: Any) -> tuple[Any, Any]:
        """Both bodies without what may differ: ids the provider streamed, and reasoning OpenAI would refuse."""
        expected, actual = copy.deepcopy(expected), copy.deepcopy(actual)
        if self.case.is_config:
            for name in ("input", "messages", "contents"):
                if name not in expected:
                    actual.pop(name, None)
        if self.case.client in RESPONSES and "input" in expected:
            self._forgive_items(expected, actual)
        if self.case.client == "google-genai":
            expected, actual = _camel(expected), _camel(actual)
        if self.case.client == "mmsp":
            for message in actual.get("messages") or []:
                message.pop("origin", None)
            actual = self._strip(actual)
        return expected, actual

    def _forgive_items(self, expected: Any, actual: Any) -> None:
        if self.case.client == "openai-official":
            expected["input"] = [item for item in expected["input"] if not _bare_reasoning(item)]
        for one, other in zip(expected["input"], actual["input"], strict=False):
            if isinstance(one, dict) and "id" not in one and other.get("id") in self.ids:
                del other["id"]
        if self.vector["direction"] != "replay":
            expected["input"], actual["input"] = _joined(expected["input"]), _joined(actual["input"])

    def _same_request(self, expected: Any, actual: Any, path: str) -> str | None:
        if actual is None:
            return f"{path}: no request"
        if expected["path"] != actual["path"]:
            return f"{path}/path: expected {expected['path']}, got {actual['path']}"
        return diff(*self._bodies(expected["body"], actual["body"]), f"{path}/body")

    def _same_error(self, vector: dict[str, Any]) -> str | None:
        wanted, seen = vector.get("expected_error"), self.seen["error"]
        if wanted is None or seen is None:
            return None if wanted == seen else f"error: expected {wanted}, got {seen}"
        if wanted not in seen["classes"]:
            return f"error: expected {wanted}, got {seen}"
        for name, value in vector["expected_error_detail"].items():
            if name not in ERROR_FIELDS or (value is None and name in ("message_index", "item_type")):
                continue
            if name == "client" or (name == "missing" and seen[name] == [x for x in value if x != "usage_metadata"]):
                continue
            found = diff(value, seen.get(name), f"error/{name}")
            if found:
                return found
        sent = vector["expected_error_detail"].get("requests_sent", 1)
        return None if bool(sent) == bool(self.seen["requests_sent"]) else "error: a request was sent, or none was"

    def _compare(self, vector: dict[str, Any]) -> str | None:
        expected = vector.get("expected") or {}
        found = self._same_error(vector)
        if not found and "request" in expected:
            found = self._same_request(expected["request"], self.seen.get("request"), "request")
        for name in ("prefix_lengths", "wire_items_identical", "wire_items_changed_after_message"):
            if not found and name in expected and expected[name] != self.seen.get(name):
                found = f"{name}: expected {expected[name]}, got {self.seen.get(name)}"
        for place, turn in enumerate(expected.get("turns", [])):
            found = found or self._same_turn(place, turn, vector)
        if not found and "history" in expected:
            ours = [
                {name: x for name, x in message.items() if name != "origin"}
                for message in self._strip(self.seen["history"])
            ]
            found = diff(expected["history"], ours, "history")
        return found

    def _same_turn(self, place: int, expected: dict[str, Any], vector: dict[str, Any]) -> str | None:
        if place >= len(self.seen["turns"]):
            return f"turns/{place}: not reached"
        turn = self.seen["turns"][place]
        if expected.get("request"):
            found = self._same_request(expected["request"], turn["request"], f"turns/{place}/request")
            if found:
                return found
        wanted, ours = expected["events"], self._events(turn["events"])
        if vector.get("expected_error") and place == len(vector["expected"]["turns"]) - 1:
            wanted, ours = _unclosed(wanted), _unclosed(ours)
        return diff(wanted, ours, f"turns/{place}/events")


class NeedsClientError(Exception):
    """The vector is about what a client does, not a wire."""


def _bare_reasoning(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") == "reasoning" and not item.get("encrypted_content")


def _camel(value: Any, key: str = "") -> Any:
    """A body of generateContent in one spelling: keys in camel case, types in capitals, no empty settings.

    The recorded ones mix both spellings, which mean the same there.
    """
    if isinstance(value, list):
        return [_camel(part, key) for part in value]
    if not isinstance(value, dict) or key in ("args", "response"):
        return value
    out = {}
    for name, part in value.items():
        kept = key == "properties" or name.startswith("$")
        own = name if kept else re.sub(r"_([a-z])", lambda match: match[1].upper(), name)
        written = part.upper() if own == "type" and isinstance(part, str) else _camel(part, own)
        if written != {} or own not in ("generationConfig", "thinkingConfig"):
            out[own] = written
    return out


def _joined(items: list[Any]) -> list[Any]:
    """Adjacent assistant messages of one phase as one: a streamed turn may come back either way."""
    joined: list[Any] = []
    for item in items:
        last = joined[-1] if joined else None
        both = [
            x for x in (last, item) if isinstance(x, dict) and x.get("type") == "message" and x["role"] == "assistant"
        ]
        if len(both) == 2 and both[0].get("phase") == both[1].get("phase"):
            joined[-1] = {**both[0], "content": both[0]["content"] + both[1]["content"]}
        else:
            joined.append(item)
    return joined


def _unclosed(events: list[Any]) -> list[Any]:
    """The item that was open when a stream failed may be closed or not."""
    last = events[-1]["content_items"] if events else []
    return events[:-1] if last and last[0]["type"].endswith(".done") else events


def is_about_a_client(case: Case) -> bool:
    """Whether a vector shows what only a client does: HTTP failures, and images that cannot be fetched."""
    turns = case.vector["input"].get("turns", [])
    return any("status" in turn["response"] for turn in turns)
