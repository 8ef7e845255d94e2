"""The request body around the messages, and its headers."""

from typing import Any, Final

from ostinato.messages import UniConfig
from ostinato.wires._settings import Settings
from ostinato.wires._wire import Groups, Json
from ostinato.wires.anthropic_messages.dialects import Dialect
from ostinato.wires.claude import write_thinking

__all__ = ["write_body", "write_headers"]

MAX_TOKENS: Final = 64_000
"""The API wants a limit; this one stands where the caller names none."""

_CHOICES: Final = {"auto": "auto", "none": "none", "required": "any"}
_LIFETIMES: Final = {"enable": "5m", "enhance": "1h"}
_FAST_BETA: Final = "fast-mode-2026-02-01"


def write_body(dialect: Dialect, client: str, model: str, groups: Groups, config: UniConfig) -> Json:
    """The whole request."""
    settings = Settings(client, config)
    if dialect.temperature == "one":
        settings.refuse_unless("temperature", 1.0)
    lifetime = _cache_lifetime(dialect, settings)
    messages = [message for group in groups for message in group]
    body: Json = {"model": model, "stream": True} if dialect.names_model else _version(dialect, model)
    limit = settings.get("max_tokens")
    body |= {"max_tokens": MAX_TOKENS if limit is None else limit}
    body |= {"messages": _marked(messages, lifetime) if dialect.caching == "marker" else messages}
    optional = {
        "system": settings.get("system_prompt"),
        "temperature": settings.get("temperature") if dialect.temperature == "any" else None,
        **write_thinking(dialect.levels, model, settings),
        "tools": _tools(settings),
        "tool_choice": _tool_choice(dialect, model, settings),
        "speed": _speed(dialect, model, settings),
        "cache_control": _field(lifetime) if dialect.caching == "field" else None,
    }
    return body | {name: value for name, value in optional.items() if value is not None}


def write_headers(dialect: Dialect, config: UniConfig) -> dict[str, str]:
    """The API's version, and the name of the beta that fast mode is."""
    return {**dialect.headers, **({"anthropic-beta": _FAST_BETA} if config.get("fast_mode") else {})}


def _version(dialect: Dialect, model: str) -> Json:
    return {"anthropic_version": next(version for part, version in dialect.body_versions if part in model)}


def _cache_lifetime(dialect: Dialect, settings: Settings) -> str | None:
    if dialect.caching == "never":
        settings.refuse_unless("prompt_caching", "enable")
        return None
    settings.refuse_unless("prompt_caching", "enable", "disable", "enhance")
    return _LIFETIMES.get(settings.get("prompt_caching") or "enable")


def _field(lifetime: str | None) -> Json | None:
    if lifetime is None:
        return None
    return {"type": "ephemeral"} | ({} if lifetime == _LIFETIMES["enable"] else {"ttl": lifetime})


def _marked(messages: list[Any], lifetime: str | None) -> list[Any]:
    """The messages with a breakpoint at the end of the last one of the user; those given stay as they are."""
    place = next((n for n in range(len(messages) - 1, -1, -1) if messages[n]["role"] == "user"), None)
    if lifetime is None or place is None:
        return messages
    *before, last = messages[place]["content"]
    marked = last | {"cache_control": {"type": "ephemeral", "ttl": lifetime}}
    return [*messages[:place], messages[place] | {"content": [*before, marked]}, *messages[place + 1 :]]


def _tools(settings: Settings) -> list[Json] | None:
    tools = settings.get("tools")
    if tools is None:
        return None
    return [{"input_schema" if key == "parameters" else key: value for key, value in tool.items()} for tool in tools]


def _tool_choice(dialect: Dialect, model: str, settings: Settings) -> Json | None:
    choice = settings.get("tool_choice")
    names = settings.tool_names()
    if names is None:
        settings.refuse_unless("tool_choice", *_CHOICES)
    if (names or choice == "required") and any(part in model for part in dialect.never_forced):
        settings.refuse("tool_choice")
    if names:
        if len(names) > 1:
            settings.refuse("tool_choice")
        return {"type": "tool", "name": names[0]}
    return None if choice is None else {"type": _CHOICES[choice]}


def _speed(dialect: Dialect, model: str, settings: Settings) -> str | None:
    if not settings.get("fast_mode"):
        return None
    if any(part in model for part in dialect.never_fast):
        settings.refuse("fast_mode")
    return "fast"
