"""Bedrock Converse: models of many makers behind one wire of Amazon.

What a turn needs back: a reasoning block with its signature, or its sealed bytes, in its place, to a model of the same
maker. See `docs/wires/bedrock-converse.md`.
"""

from functools import partial

from ostinato.wires._wire import Wire
from ostinato.wires.bedrock import model_path
from ostinato.wires.bedrock_converse.config import write_body
from ostinato.wires.bedrock_converse.decode import Reader
from ostinato.wires.bedrock_converse.dialects import DIALECTS, maker_of
from ostinato.wires.bedrock_converse.encode import NAME, write_message

__all__ = ["DIALECTS", "bind"]


def bind(client_type: str, model: str, endpoint: str | None = None) -> Wire:
    """The wire of one dialect and model."""
    dialect, maker = DIALECTS[client_type], maker_of(model)
    return Wire(
        name=NAME,
        client_type=client_type,
        model=model,
        endpoint=endpoint,
        provider=dialect.provider,
        path=dialect.path.format(model=model_path(model)),
        items_key=None,
        takes_redacted=True,
        inlines_images=True,
        write_message=partial(write_message, model),
        write_body=partial(write_body, maker, client_type, model),
        make_parser=partial(Reader, dialect),
    )
