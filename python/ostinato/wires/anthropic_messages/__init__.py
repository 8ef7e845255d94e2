"""Anthropic Messages: Anthropic's API, the same models on Bedrock, and other servers that speak the wire.

What a turn needs back: every block in its place. A thinking block with its signature, a redacted one with its data, and
blocks of kinds not known here word for word. See `docs/wires/anthropic-messages.md`.
"""

from functools import partial

from ostinato.wires._wire import Wire
from ostinato.wires.anthropic_messages.config import write_body, write_headers
from ostinato.wires.anthropic_messages.decode import Reader
from ostinato.wires.anthropic_messages.dialects import BEDROCK, DIALECTS
from ostinato.wires.anthropic_messages.encode import NAME, write_message
from ostinato.wires.bedrock import SCHEME, model_path

__all__ = ["DIALECTS", "bind"]


def bind(client_type: str, model: str, endpoint: str | None = None) -> Wire:
    """The wire of one dialect and model."""
    dialect = DIALECTS[client_type]
    if client_type == "anthropic-official" and (endpoint or "").startswith(SCHEME):
        dialect = BEDROCK
    return Wire(
        name=NAME,
        client_type=client_type,
        model=model,
        endpoint=endpoint,
        default_endpoint=dialect.endpoint,
        provider=dialect.provider,
        state_per_endpoint=dialect.per_endpoint,
        path=dialect.path.format(model=model_path(model)),
        items_key=None if dialect.caching == "marker" else "messages",
        takes_redacted=True,
        inlines_images=dialect.inlines_images,
        write_message=partial(write_message, dialect),
        write_body=partial(write_body, dialect, client_type, model),
        make_parser=partial(Reader, dialect),
        write_headers=partial(write_headers, dialect),
    )
