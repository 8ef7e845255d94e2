"""The wires: how each provider's messages are written and its streams are read.

`wire(client_type, model)` binds one; `_wire.py` is the seam they all fit, and one module or package each holds a wire
and the table of its dialects.
"""

from collections.abc import Callable, Mapping
from typing import Final

from ostinato.errors import RoutingError
from ostinato.wires import (
    anthropic_messages,
    bedrock_converse,
    gemini_embedding,
    gemini_generate_content,
    gemini_interactions,
    mmsp,
    openai_chat,
    openai_embedding,
    openai_responses,
)
from ostinato.wires._wire import Decision, Encoded, Wire

__all__ = ["CLIENT_TYPES", "Decision", "Encoded", "Wire", "wire"]

Bind = Callable[[str, str, str | None], Wire]

# One line per wire; a dialect is a row in its wire's own table.
_WIRES: Final = (
    openai_responses,
    openai_chat,
    openai_embedding,
    anthropic_messages,
    gemini_generate_content,
    gemini_interactions,
    bedrock_converse,
    mmsp,
)

_BIND: Final[Mapping[str, Bind]] = {name: module.bind for module in _WIRES for name in module.DIALECTS}

_ALIASES: Final = {
    "openai": "openai-chat",
    "gemini-official": "google-official",
    "gemini-generate-content": "google-genai",
}

# Models that embed speak a wire of their own: client type -> part of their ids, and that wire.
_EMBEDS: Final[Mapping[str, tuple[str, Bind]]] = {
    "openai-official": ("text-embedding-", openai_embedding.bind),
    "google-official": ("embedding", gemini_embedding.bind),
    "google-genai": ("embedding", gemini_embedding.bind),
}

CLIENT_TYPES: Final = tuple(_BIND)
"""The names of all dialects."""


def wire(client_type: str, model: str, *, endpoint: str | None = None) -> Wire:
    """The wire of one dialect, bound to a model.

    Args:
        client_type: a name of `CLIENT_TYPES`, in any case, or one of MMSP's aliases.
        model: the model's id.
        endpoint: the base URL requests go to, where it is not the dialect's own. Some details depend on it, and it is
            part of where state is said to be made.

    Raises:
        RoutingError: no wire has this name.
    """
    name = client_type.lower()
    name = _ALIASES.get(name, name)
    if name not in _BIND:
        raise RoutingError(model, client_type)
    part, embeds = _EMBEDS.get(name, ("", _BIND[name]))
    bind = embeds if part in model.lower() else _BIND[name]
    return bind(name, model, endpoint)
