"""OpenAI's embeddings: one vector per message, in one request and one response.

A message is embedded from itself alone, so there is no state, and nothing to say about where a vector was made.
"""

import base64
import struct
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from ostinato.errors import UnsupportedContentError
from ostinato.messages import UniConfig
from ostinato.stream import Stream, token_count
from ostinato.wires._settings import Settings
from ostinato.wires._wire import Carry, Groups, Json, Notes, Turn, Wire

__all__ = ["DIALECTS", "bind"]

DIALECTS: Final[Mapping[str, str]] = {"openai-embedding": "https://api.openai.com/v1"}
"""Client type -> base URL."""


def bind(client_type: str, model: str, endpoint: str | None = None) -> Wire:
    """The wire of one client type and model. `openai-official` comes here too, for models that embed."""
    return Wire(
        name="openai-embedding",
        client_type=client_type,
        model=model,
        endpoint=endpoint,
        default_endpoint=DIALECTS.get(client_type, DIALECTS["openai-embedding"]),
        path="/embeddings",
        items_key="input",
        takes_redacted=True,  # it is refused like any other thinking
        write_message=_write_message,
        write_body=partial(_write_body, client_type, model),
        make_parser=lambda: _read,
    )


def _write_message(turn: Turn, carry: Carry, notes: Notes) -> tuple[list[str], Carry]:
    for place, item in turn.items:
        if item["type"] != "text.done":
            raise notes.refuse("this client embeds texts only", place, item["type"], UnsupportedContentError)
    return ["".join(item["text"] for _, item in turn.items)], carry


def _write_body(client: str, model: str, groups: Groups, config: UniConfig) -> Json:
    dimensions = (Settings(client, config).get("embedding_config") or {}).get("dimensions")
    texts = [text for group in groups for text in group]
    body: Json = {"model": model, "input": texts, "encoding_format": "base64"}
    return body if dimensions is None else body | {"dimensions": dimensions}


def _read(response: Mapping[str, Any], stream: Stream) -> None:
    """The one event: the whole response."""
    error = response.get("error")
    if error:
        stream.fail(error.get("code") or error.get("type"), str(error.get("message") or "no message"))
    for place, entry in enumerate(sorted(response["data"], key=lambda entry: entry.get("index") or 0)):
        stream.item(place, "embedding", _vector(entry["embedding"]))
    stream.report_usage(prompt_tokens=token_count((response.get("usage") or {}).get("prompt_tokens")))
    stream.report_finish("stop")


def _vector(embedding: Any) -> list[float]:  # noqa: ANN401 - numbers, or little-endian floats as base64
    if not isinstance(embedding, str):
        return list(embedding)
    try:
        return [number for (number,) in struct.iter_unpack("<f", base64.b64decode(embedding, validate=True))]
    except struct.error:
        raise ValueError from None
