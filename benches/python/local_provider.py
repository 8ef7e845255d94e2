"""A provider on 127.0.0.1 in a process of its own, so that its work is not counted: answers Responses requests.

The number of text deltas of an answer is the first part of the path: `http://127.0.0.1:PORT/2000/v1/responses`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = "word and "


def response(deltas: int) -> bytes:
    """The HTTP response, one chunk per event."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return head + b"".join(_chunk(event) for event in events(deltas)) + b"0\r\n\r\n"


def _chunk(event: dict[str, Any]) -> bytes:
    data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def events(deltas: int) -> Iterator[dict[str, Any]]:
    """The events of a response that says its text in so many pieces."""
    numbers = iter(range(1_000_000))
    answer = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-6", "tools": [], "output": []}
    answer |= {"parallel_tool_calls": True, "tool_choice": "auto", "status": "in_progress"}
    place = {"output_index": 0, "item_id": "msg_1", "content_index": 0}
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    part = {"type": "output_text", "text": "", "annotations": []}

    def event(kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": f"response.{kind}", "sequence_number": next(numbers), **fields}

    yield event("created", response=answer)
    yield event("in_progress", response=answer)
    yield event("output_item.added", output_index=0, item=item)
    yield event("content_part.added", **place, part=part)
    for _ in range(deltas):
        yield event("output_text.delta", **place, delta=PIECE, logprobs=[])
    text = PIECE * deltas
    yield event("output_text.done", **place, text=text, logprobs=[])
    yield event("content_part.done", **place, part={**part, "text": text})
    done = {**item, "status": "completed", "content": [{**part, "text": text}]}
    yield event("output_item.done", output_index=0, item=done)
    usage = {"input_tokens": 20, "output_tokens": 30, "total_tokens": 50}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    yield event("completed", response={**answer, "status": "completed", "output": [done], "usage": usage})


async def _serve() -> None:
    answers: dict[str, bytes] = {}

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            length = next(int(line[15:]) for line in head.lower().split("\r\n") if line.startswith("content-length:"))
            await reader.readexactly(length)
            deltas = head.split("/", 2)[1]
            if deltas not in answers:
                answers[deltas] = response(int(deltas))
            writer.write(answers[deltas])
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _head(reader: asyncio.StreamReader) -> str:
    try:
        return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return ""


@contextmanager
def provider() -> Iterator[str]:
    """The address of a provider that lives as long as the block."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    asyncio.run(_serve())
