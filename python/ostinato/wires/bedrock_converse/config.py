"""The request body around the messages. The model is in the path."""

from typing import Any, Final

from ostinato.messages import UniConfig
from ostinato.wires._settings import Settings
from ostinato.wires._wire import Groups, Json
from ostinato.wires.bedrock_converse.dialects import Maker
from ostinato.wires.claude import LEVELS, NEVER_FORCED, write_thinking

__all__ = ["write_body"]

_CHOICES: Final = {"auto": "auto", "required": "any"}
_EFFORTS: Final = {level: level for level in ("low", "medium", "high", "xhigh", "max")}


def write_body(maker: Maker, client: str, model: str, groups: Groups, config: UniConfig) -> Json:
    """The whole request."""
    settings = Settings(client, config)
    if settings.get("fast_mode"):
        settings.refuse("fast_mode")
    system = settings.get("system_prompt")
    optional = {
        "messages": _marked(_alternating(groups), _cache_point(maker, settings)),
        "system": [{"text": system}] if system else None,
        "inferenceConfig": _inference(maker, settings),
        "toolConfig": _tools(model, settings),
        **(_claude(model, settings) if maker.is_claude else _effort(settings)),
    }
    return {"messages": []} | {name: value for name, value in optional.items() if value}


def _alternating(groups: Groups) -> list[Json]:
    """The messages, those of one role side by side as one: the API wants the roles to alternate."""
    messages: list[Json] = []
    for message in (message for group in groups for message in group):
        if messages and messages[-1]["role"] == message["role"]:
            messages[-1] = message | {"content": messages[-1]["content"] + message["content"]}
        else:
            messages.append(message)
    return messages


def _cache_point(maker: Maker, settings: Settings) -> Json | None:
    settings.refuse_unless("prompt_caching", "enable", "disable", *maker.lifetimes)
    setting = settings.get("prompt_caching") or "enable"
    if setting not in maker.lifetimes:
        return None
    lifetime = maker.lifetimes[setting]
    return {"cachePoint": {"type": "default"} | ({"ttl": lifetime} if lifetime else {})}


def _marked(messages: list[Json], point: Json | None) -> list[Json]:
    """The messages with a cache point at the end of the last one of the user; those given stay as they are."""
    place = next((n for n in range(len(messages) - 1, -1, -1) if messages[n]["role"] == "user"), None)
    if point is None or place is None:
        return messages
    marked = messages[place] | {"content": [*messages[place]["content"], point]}
    return [*messages[:place], marked, *messages[place + 1 :]]


def _inference(maker: Maker, settings: Settings) -> Json:
    if maker.is_claude:
        settings.refuse_unless("temperature", 1.0)
    wanted = {
        "maxTokens": settings.get("max_tokens"),
        "temperature": None if maker.is_claude else settings.get("temperature"),
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _claude(model: str, settings: Settings) -> Json:
    fields = write_thinking(LEVELS, model, settings)
    return {"additionalModelRequestFields": fields}


def _effort(settings: Settings) -> Json:
    """The models of others know how hard to try, not how to be still."""
    level = settings.level()
    if level is not None and level not in _EFFORTS:
        settings.refuse("thinking_level")
    return {} if level is None else {"outputConfig": {"effort": level}}


def _tools(model: str, settings: Settings) -> Json | None:
    choice = _tool_choice(model, settings)
    tools = [{"toolSpec": _specification(tool)} for tool in settings.get("tools") or ()]
    return {"tools": tools} | ({"toolChoice": choice} if choice else {}) if tools else None


def _specification(tool: Json) -> Json:
    """A tool; the API wants a schema, and no description rather than an empty one."""
    described = {"description": tool["description"]} if tool.get("description") else {}
    schema: Any = tool.get("parameters") or {"type": "object", "properties": {}}
    return {"name": tool["name"], **described, "inputSchema": {"json": schema}}


def _tool_choice(model: str, settings: Settings) -> Json | None:
    choice = settings.get("tool_choice")
    names = settings.tool_names()
    if names is None:
        settings.refuse_unless("tool_choice", *_CHOICES)
    forced = names or choice == "required"
    if (forced and any(part in model for part in NEVER_FORCED)) or len(names or ()) > 1:
        settings.refuse("tool_choice")
    if names:
        return {"tool": {"name": names[0]}}
    return None if choice is None else {_CHOICES[choice]: {}}
