"""Gemini Interactions, stateless: the whole history travels in every request.

What a turn needs back: every thought step with its signature, in its place. See `docs/wires/gemini-interactions.md`.
"""

from functools import partial
from types import MappingProxyType

from ostinato.wires._wire import Wire
from ostinato.wires.gemini import speaks, write_script
from ostinato.wires.gemini_interactions.config import write_body
from ostinato.wires.gemini_interactions.decode import Reader
from ostinato.wires.gemini_interactions.dialects import DIALECTS
from ostinato.wires.gemini_interactions.encode import NAME, write_message

__all__ = ["DIALECTS", "bind"]


def bind(client_type: str, model: str, endpoint: str | None = None) -> Wire:
    """The wire of one dialect and model."""
    dialect = DIALECTS[client_type]
    return Wire(
        name=NAME,
        client_type=client_type,
        model=model,
        endpoint=endpoint,
        default_endpoint=dialect.endpoint,
        provider=dialect.provider,
        path="/v1/interactions",
        items_key=None if speaks(model) else "input",
        inlines_images=True,
        start=MappingProxyType({}),
        write_message=write_script if speaks(model) else write_message,
        write_body=partial(write_body, client_type, model),
        make_parser=partial(Reader, dialect),
    )
