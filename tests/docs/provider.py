"""The provider that the examples of the pages talk to: the environment of the tests points every client at it.

It answers as OpenAI and Anthropic do: with a call where the request has a tool that was not called yet, else with text.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.rfc.exchanges import messages, response

Json = dict[str, Any]
SAID = "Seven is prime."


def answer(path: str, body: Json) -> Iterator[Json]:
    """The events of an answer."""
    calls = bool(body.get("tools")) and "call_1" not in json.dumps(body)
    return _responses(body, calls=calls) if path.endswith("/responses") else _messages(body, calls=calls)


def _responses(body: Json, *, calls: bool) -> Iterator[Json]:
    number = len(body["input"])
    thought = {
        "type": "reasoning",
        "id": f"rs_{number}",
        "summary": [{"type": "summary_text", "text": "Only 1 and 7 divide it."}],
        "encrypted_content": f"gAAAAAB-{number}",
    }
    called = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": _tool(body), "arguments": '{"n": 7}'}
    content = [{"type": "output_text", "text": SAID, "annotations": []}]
    said = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
    return response(thought, called if calls else said)


def _messages(body: Json, *, calls: bool) -> Iterator[Json]:
    signed = {"type": "signature_delta", "signature": "c2lnbmF0dXJl"}
    thought = {"type": "thinking_delta", "thinking": "Only 1 and 7 divide it."}
    blocks: list[tuple[Json, list[Json]]] = [({"type": "thinking", "thinking": "", "signature": ""}, [thought, signed])]
    if calls:
        start = {"type": "tool_use", "id": "call_1", "name": _tool(body), "input": {}}
        blocks.append((start, [{"type": "input_json_delta", "partial_json": '{"n": 7}'}]))
    else:
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": SAID}]))
    return messages(*blocks, stop="tool_use" if calls else "end_turn")


def _tool(body: Json) -> str:
    return next((tool["name"] for tool in body.get("tools") or ()), "")


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in answer(self.path, body):
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def provider() -> Iterator[dict[str, str]]:
    """The environment that points at it, as long as the block lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield {
            "OPENAI_API_KEY": "test-key",
            "OPENAI_BASE_URL": f"{url}/v1",
            "ANTHROPIC_API_KEY": "test-key",
            "ANTHROPIC_BASE_URL": url,
        }
    finally:
        server.shutdown()
        server.server_close()
