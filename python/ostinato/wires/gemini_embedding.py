"""Gemini models that embed: one vector per message, in one request.

They are neither served by Interactions nor by generateContent, so both client types come here for them.
"""

import base64
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from ostinato.errors import UnsupportedContentError
from ostinato.messages import UniConfig
from ostinato.stream import Stream
from ostinato.wires._settings import Settings
from ostinato.wires._wire import Carry, Groups, Json, Notes, Turn, Wire
from ostinato.wires.gemini import media_of

__all__ = ["NAME", "bind"]

NAME: Final = "gemini-embedding"

_ENDPOINT: Final = "https://generativelanguage.googleapis.com"
_ROLES: Final = {"user": "user", "assistant": "model"}


def bind(client_type: str, model: str, endpoint: str | None = None) -> Wire:
    """The wire of one client type and model."""
    return Wire(
        name=NAME,
        client_type=client_type,
        model=model,
        endpoint=endpoint,
        default_endpoint=_ENDPOINT,
        path=f"/v1/models/{model}:batchEmbedContents",
        items_key=None,
        inlines_images=True,
        write_message=_write_message,
        write_body=partial(_write_body, client_type, model),
        make_parser=lambda: _read,
    )


def _write_message(turn: Turn, carry: Carry, notes: Notes) -> tuple[list[Json], Carry]:
    parts = [_part(place, item, notes) for place, item in turn.items]
    return [{"role": _ROLES[turn.role], "parts": parts}], carry


def _part(place: int, item: Json, notes: Notes) -> Json:
    match item["type"]:
        case "text.done":
            return {"text": item["text"]}
        case "image_url.done" | "inline_data.done":
            data, mime_type = media_of(item, place, notes)
            return {"inlineData": {"mimeType": mime_type, "data": base64.urlsafe_b64encode(data).decode()}}
        case other:
            raise notes.refuse("this model embeds texts and media", place, other, UnsupportedContentError)


def _write_body(client: str, model: str, groups: Groups, config: UniConfig) -> Json:
    dimensions = (Settings(client, config).get("embedding_config") or {}).get("dimensions")
    settings: Json = {} if dimensions is None else {"outputDimensionality": dimensions}
    contents = [content for group in groups for content in group]
    return {"requests": [{"model": f"models/{model}", "content": content} | settings for content in contents]}


def _read(response: Mapping[str, Any], stream: Stream) -> None:
    """The one event: the whole response."""
    embeddings = response["embeddings"]
    for place, embedding in enumerate(embeddings):
        stream.item(place, "embedding", list(embedding.get("values") or ()))
    counted = [(embedding.get("statistics") or {}).get("tokenCount") for embedding in embeddings]
    known = [int(count) for count in counted if count is not None]
    usage = (response.get("usageMetadata") or {}).get("promptTokenCount")
    stream.report_usage(prompt_tokens=usage if usage is not None or not known else sum(known))
    stream.report_finish("stop")
