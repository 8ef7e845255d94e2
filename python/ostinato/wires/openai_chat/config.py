"""The request body around the messages."""

from collections.abc import Mapping
from typing import Any

from ostinato.messages import UniConfig
from ostinato.wires._settings import Settings
from ostinato.wires._wire import Groups, Json
from ostinato.wires.openai_chat.dialects import Dialect, PerModel, pick

__all__ = ["write_body"]


def write_body(dialect: Dialect, client: str, model: str, groups: Groups, config: UniConfig) -> Json:
    """The whole request."""
    settings = Settings(client, config)
    if dialect.temperature == "one":
        settings.refuse_unless("temperature", 1.0)
    if settings.get("fast_mode") and dialect.fast is None:
        settings.refuse("fast_mode")
    system = settings.get("system_prompt")
    trace = pick(dialect.trace, model)
    optional = {
        dialect.max_tokens: settings.get("max_tokens"),
        "temperature": settings.get("temperature") if dialect.temperature == "any" else None,
        "tools": [{"type": "function", "function": dict(tool)} for tool in settings.get("tools") or ()] or None,
        "tool_choice": _tool_choice(dialect, model, settings),
        **({trace: settings.get("trace_id")} if trace else {}),
    }
    body: Json = {
        "model": model,
        "stream": True,
        "messages": [
            *([{"role": "system", "content": system}] if system else ()),
            *(message for group in groups for message in group),
        ],
        **{name: value for name, value in optional.items() if value is not None},
    }
    for fragment in _fragments(dialect, model, settings):
        _merge(body, fragment)
    return body


def _tool_choice(dialect: Dialect, model: str, settings: Settings) -> Any:  # noqa: ANN401 - a word or an object
    names = settings.tool_names()
    if names is None:
        settings.refuse_unless("tool_choice", *(pick(dialect.choices, model) or ()))
        return settings.get("tool_choice")
    written = dialect.name_choice(names) if dialect.name_choice else None
    return written or settings.refuse("tool_choice")


def _fragments(dialect: Dialect, model: str, settings: Settings) -> list[Mapping[str, Any]]:
    """What the row adds to the body for these settings."""
    found: list[Mapping[str, Any]] = [dialect.always]
    if dialect.levels:
        level: Mapping[str, Any] | None = settings.level(pick(dialect.levels, model))
        found.append(level or {})
    if settings.get("thinking_summary"):
        found.append(pick(dialect.summary, model) or {})
    found.append(_caching(dialect.caching, model, settings))
    if settings.get("fast_mode"):
        found.append(dialect.fast or {})
    return found


def _caching(rows: PerModel[Mapping[str, Any]], model: str, settings: Settings) -> Mapping[str, Any]:
    known: Mapping[str, Any] = pick(rows, model) or {}
    settings.refuse_unless("prompt_caching", *known)
    added: Mapping[str, Any] = known.get(settings.get("prompt_caching") or "", {})
    return added


def _merge(body: Json, fragment: Mapping[str, Any]) -> None:
    """Add a piece; two pieces may speak about one object of the body. Rows are shared, so nothing of them goes in."""
    for name, value in fragment.items():
        if isinstance(value, Mapping):
            body[name] = {**body.get(name, {}), **value}
        else:
            body[name] = value
