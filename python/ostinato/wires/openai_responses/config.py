"""The request body around the input items."""

from typing import Any

from ostinato.messages import UniConfig
from ostinato.wires._settings import Settings
from ostinato.wires._wire import Groups, Json
from ostinato.wires.openai_responses.dialects import Dialect

__all__ = ["write_body"]


def write_body(dialect: Dialect, client: str, model: str, groups: Groups, config: UniConfig) -> Json:
    """The whole request."""
    settings = Settings(client, config)
    for part, name, value in dialect.refuses:
        if part in model.lower() and settings.get(name) == value:
            settings.refuse(name)
    settings.refuse_unless("prompt_caching", "enable")
    optional = {
        "include": list(dialect.includes) or None,
        "instructions": settings.get("system_prompt") or None,
        "max_output_tokens": settings.get("max_tokens"),
        "temperature": _temperature(dialect, settings),
        "reasoning": _reasoning(dialect, model, settings) or None,
        "tools": [{"type": "function", **tool} for tool in settings.get("tools") or ()] or None,
        "tool_choice": _tool_choice(dialect, settings),
        "service_tier": "priority" if settings.get("fast_mode") else None,
    }
    body: Json = {"model": model, "stream": True, "store": False, "input": [item for group in groups for item in group]}
    return body | {name: value for name, value in optional.items() if value is not None}


def _temperature(dialect: Dialect, settings: Settings) -> float | None:
    value: float | None = settings.get("temperature")
    if dialect.temperature == "one":
        settings.refuse_unless("temperature", 1.0)
        return None
    if dialect.temperature == "unit" and value is not None and not 0 <= value <= 1:
        settings.refuse("temperature")
    return value


def _reasoning(dialect: Dialect, model: str, settings: Settings) -> Json:
    table = next(table for part, table in dialect.levels if part in model.lower())
    effort = settings.level(table)
    wants_summary = settings.get("thinking_summary") and (
        dialect.summary == "alone" or (dialect.summary == "beside_level" and effort)
    )
    return ({"effort": effort} if effort else {}) | ({"summary": "concise"} if wants_summary else {})


def _tool_choice(dialect: Dialect, settings: Settings) -> Any:  # noqa: ANN401 - a word or an object
    choice = settings.get("tool_choice")
    names = settings.tool_names()
    if names is None:
        settings.refuse_unless("tool_choice", *dialect.choices)
        return choice
    if not dialect.names_choices:
        settings.refuse("tool_choice")
    tools = [{"type": "function", "name": name} for name in names]
    return {"type": "allowed_tools", "mode": "required", "tools": tools}
