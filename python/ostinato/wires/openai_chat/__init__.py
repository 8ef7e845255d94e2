"""OpenAI Chat Completions, and the servers that speak its wire.

What a turn needs back: its thinking in the field it came in, a gateway's `reasoning_details` as the run of blocks they
were, sealed reasoning, and the state a call carries. See `docs/wires/openai-chat.md`.
"""

from functools import partial

from ostinato.wires._wire import Wire
from ostinato.wires.openai_chat.config import write_body
from ostinato.wires.openai_chat.decode import Reader
from ostinato.wires.openai_chat.dialects import DIALECTS
from ostinato.wires.openai_chat.encode import Target, write_message

__all__ = ["DIALECTS", "bind"]


def bind(client_type: str, model: str, endpoint: str | None = None) -> Wire:
    """The wire of one dialect and model."""
    dialect = DIALECTS[client_type]
    return Wire(
        name="openai-chat",
        client_type=client_type,
        model=model,
        endpoint=endpoint,
        default_endpoint=dialect.endpoint,
        provider=dialect.provider,
        state_per_endpoint=dialect.per_endpoint,
        path="/chat/completions",
        items_key="messages",
        inlines_images=dialect.inlines_images,
        start=frozenset(),
        write_message=partial(write_message, Target(dialect, model)),
        write_body=partial(write_body, dialect, client_type, model),
        make_parser=partial(Reader, dialect),
    )
