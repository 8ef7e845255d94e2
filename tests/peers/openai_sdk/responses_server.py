"""A server on the loopback that answers like the Responses API and keeps the bodies it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Exchange:
    """What the next answers say, and what the requests said."""

    url: str = ""
    output: list[dict[str, Any]] = field(default_factory=list)
    status: str = "completed"
    bodies: list[bytes] = field(default_factory=list)

    def response(self) -> dict[str, Any]:
        """The response resource with this output."""
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": "made-up",
            "status": self.status,
            "output": self.output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }

    def events(self) -> Iterator[dict[str, Any]]:
        """The events of a stream: each item when it is done, then the whole response."""
        for index, item in enumerate(self.output):
            yield {"type": "response.output_item.done", "output_index": index, "sequence_number": index, "item": item}
        terminal = "response.completed" if self.status == "completed" else "response.incomplete"
        yield {"type": terminal, "sequence_number": len(self.output), "response": self.response()}


@contextmanager
def serving() -> Iterator[Exchange]:
    """A server that runs as long as the block does."""
    exchange = Exchange()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            exchange.bodies.append(body)
            if json.loads(body).get("stream"):
                frames = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in exchange.events()]
                self._answer("text/event-stream", "".join(frames))
            else:
                self._answer("application/json", json.dumps(exchange.response()))

        def _answer(self, content_type: str, text: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing: a log of requests is the last thing these tests need."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    exchange.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield exchange
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
