"""Gemini generateContent: the Gemini API, Vertex AI, and gateways that speak the wire.

What a turn needs back: each part's signature on the part it came with, and the calls of one response side by side. See
`docs/wires/gemini-generate-content.md`.
"""

from functools import partial
from types import MappingProxyType

from ostinato.wires._wire import Wire
from ostinato.wires.gemini import speaks, write_script
from ostinato.wires.gemini_generate_content.config import write_body
from ostinato.wires.gemini_generate_content.decode import Reader
from ostinato.wires.gemini_generate_content.dialects import DIALECTS, VERTEX, VERTEX_HOST
from ostinato.wires.gemini_generate_content.encode import NAME, write_message

__all__ = ["DIALECTS", "bind"]


def bind(client_type: str, model: str, endpoint: str | None = None) -> Wire:
    """The wire of one dialect and model."""
    dialect = VERTEX if VERTEX_HOST in (endpoint or "") else DIALECTS[client_type]
    return Wire(
        name=NAME,
        client_type=client_type,
        model=model,
        endpoint=endpoint,
        default_endpoint=dialect.endpoint,
        provider=dialect.provider,
        path=f"{dialect.models}/{model}:streamGenerateContent?alt=sse",
        items_key=None if speaks(model) else "contents",
        inlines_images=True,
        start=MappingProxyType({}),
        write_message=write_script if speaks(model) else write_message,
        write_body=partial(write_body, client_type, model),
        make_parser=partial(Reader, dialect),
    )
