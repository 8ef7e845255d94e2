"""A provider on 127.0.0.1: plays recorded responses, and keeps the requests."""

import json
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Framing:
    """How events travel in a stream."""

    content_type: str
    write: Callable[[Json], bytes]
    filler: bytes
    """What says nothing; sent to find out whether the client is still there."""


def _sse(event: Json) -> bytes:
    return f"event: {event.get('type')}\ndata: {json.dumps(event)}\n\n".encode()


def aws_frame(payload: bytes, **headers: str) -> bytes:
    """One message of an AWS event stream."""
    head = b""
    for name, value in headers.items():
        key = b":" + name.replace("_", "-").encode()
        head += bytes([len(key)]) + key + b"\x07" + struct.pack(">H", len(value)) + value.encode()
    prelude = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + head + payload
    return message + struct.pack(">I", zlib.crc32(message))


def _aws(event: Json) -> bytes:
    name, held = next(iter(event.items()))
    kind = "exception" if name.endswith("Exception") else "event"
    return aws_frame(json.dumps(held).encode(), **{f"{kind}_type": name, "message_type": kind})


SSE = Framing("text/event-stream", _sse, b": still here\n\n")
AWS = Framing(
    "application/vnd.amazon.eventstream",
    _aws,
    aws_frame(b"{}", event_type="initial-response", message_type="event"),
)


@dataclass
class Answer:
    """One HTTP response: events as a stream, or a status and a body."""

    events: list[Json] = field(default_factory=list)
    status: int = 200
    body: Json | str | None = None
    framing: Framing = SSE
    tail: bytes = b""
    """What comes after the events, outside of them."""
    break_off: bool = False
    """Close the connection before the response is complete."""
    wait_after: int | None = None
    """Hold the stream open after so many events, until the connection closes or the provider is told to go on."""


@dataclass
class Provider:
    """What was asked, and what will be answered, in order."""

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    """The requests as they came; those that are no JSON are here only."""
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)
    holding: threading.Event = field(default_factory=threading.Event)
    """A stream is being held open."""
    closed: threading.Event = field(default_factory=threading.Event)
    """A client went away in the middle of a stream."""
    clients: list[Any] = field(default_factory=list)
    """The clients that a test made, to be closed with it."""

    def play(self, *answers: list[Json] | Answer) -> None:
        """Answer the next requests with these."""
        self.answers += [answer if isinstance(answer, Answer) else Answer(answer) for answer in answers]


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - a class that closes over its state
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = self.rfile.read(length)
            provider.bodies.append(body)
            provider.paths.append(self.path)
            if "json" in self.headers.get("content-type", ""):
                provider.requests.append(json.loads(body))
            provider.headers.append({name.lower(): value for name, value in self.headers.items()})
            answer = provider.answers.pop(0)
            if answer.body is not None:
                text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
                self._send(answer.status, text.encode())
            else:
                self._stream(answer)

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, answer: Answer) -> None:
            self.send_response(answer.status)
            self.send_header("content-type", answer.framing.content_type)
            self.send_header("transfer-encoding", "chunked")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                for index, event in enumerate(answer.events):
                    if index == answer.wait_after:
                        self._hold(answer.framing)
                    self._chunk(answer.framing.write(event))
                if answer.tail:
                    self._chunk(answer.tail)
                if not answer.break_off:
                    self._chunk(b"")
            except OSError:
                provider.closed.set()

        def _hold(self, framing: Framing) -> None:
            """Say nothing until the client goes away or the test says so."""
            provider.holding.set()
            while not provider.go_on.wait(0.02):
                self._chunk(framing.filler)

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider that lives as long as the block."""
    state = Provider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(state))
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.go_on.set()
        server.shutdown()
        server.server_close()


def responses(*items: Json, output: str = "ok", usage: bool = True) -> list[Json]:
    """The events of one OpenAI response: reasoning items and calls as given, then a message that says `output`."""
    events: list[Json] = [{"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}]
    for index, item in enumerate(items):
        added = {**item, "status": "in_progress"}
        events += [
            {"type": "response.output_item.added", "output_index": index, "item": added},
            {"type": "response.output_item.done", "output_index": index, "item": item},
        ]
    place = len(items)
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    events.append({"type": "response.output_item.added", "output_index": place, "item": message})
    for piece in (output[: len(output) // 2], output[len(output) // 2 :]):
        events.append(
            {
                "type": "response.output_text.delta",
                "output_index": place,
                "item_id": "msg_1",
                "content_index": 0,
                "delta": piece,
            }
        )
    done = {**message, "status": "completed", "content": [{"type": "output_text", "text": output, "annotations": []}]}
    events.append({"type": "response.output_item.done", "output_index": place, "item": done})
    counts = {
        "input_tokens": 20,
        "output_tokens": 30,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens_details": {"reasoning_tokens": 10},
    }
    end = {"id": "resp_1", "status": "completed", "output": [], "usage": counts if usage else None}
    events.append({"type": "response.completed", "response": end})
    return events


def reasoning(number: int, *summary: str) -> Json:
    """A completed reasoning item with its state and the parts of its summary."""
    return {
        "id": f"rs_{number}",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": text} for text in summary],
        "encrypted_content": f"gAAAAAB-state-{number}",
    }
