"""OpenAI Responses, and the servers that speak its wire.

What a turn needs back: a reasoning item's ciphertext with its id, its summary as the parts it came in, a gateway's
`signature` and `format`, and the phase of each assistant message. Items of messages and calls go back without ids, so
that no item depends on another being there. See `docs/wires/openai-responses.md`.
"""

from functools import partial

from ostinato.wires._wire import Wire
from ostinato.wires.openai_responses.config import write_body
from ostinato.wires.openai_responses.decode import Reader
from ostinato.wires.openai_responses.dialects import DIALECTS
from ostinato.wires.openai_responses.encode import Target, write_message

__all__ = ["DIALECTS", "bind"]


def bind(client_type: str, model: str, endpoint: str | None = None) -> Wire:
    """The wire of one dialect and model."""
    dialect = DIALECTS[client_type]
    return Wire(
        name="openai-responses",
        client_type=client_type,
        model=model,
        endpoint=endpoint,
        default_endpoint=dialect.endpoint,
        provider=dialect.provider,
        state_per_endpoint=dialect.per_endpoint,
        path="/responses",
        items_key="input",
        start=frozenset(),
        write_message=partial(write_message, Target(dialect, model)),
        write_body=partial(write_body, dialect, client_type, model),
        make_parser=partial(Reader, dialect),
    )
