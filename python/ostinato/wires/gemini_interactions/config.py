"""The request body around the input steps."""

from typing import Any, Final

from ostinato.messages import UniConfig
from ostinato.wires._settings import Settings
from ostinato.wires._wire import Groups, Json
from ostinato.wires.gemini import newest_script, speaks, spoken_turns, thinking_level, voices

__all__ = ["write_body"]

_CHOICES: Final = {"auto": "auto", "none": "none", "required": "any"}


def write_body(client: str, model: str, groups: Groups, config: UniConfig) -> Json:
    """The whole request. Nothing is stored there: the history travels in every request."""
    settings = Settings(client, config)
    settings.refuse_unless("temperature")
    settings.refuse_unless("prompt_caching", "enable")
    optional = _speech(client, model, groups, settings) if speaks(model) else _answer(model, groups, settings)
    optional["service_tier"] = "priority" if settings.get("fast_mode") else None
    body: Json = {"model": model, "stream": True, "store": False}
    return body | {name: value for name, value in optional.items() if value is not None}


def _answer(model: str, groups: Groups, settings: Settings) -> Json:
    tools, image = settings.get("tools"), settings.get("image_config")
    return {
        "input": [step for group in groups for step in group],
        "system_instruction": settings.get("system_prompt"),
        "tools": None if tools is None else [{"type": "function", **tool} for tool in tools],
        # An image alone would suppress the text beside it.
        "response_format": None if image is None else [{"type": "text"}, {"type": "image", **image}],
        "generation_config": _generation(model, settings, with_tools=tools is not None) or None,
    }


def _generation(model: str, settings: Settings, *, with_tools: bool) -> Json:
    summary = settings.get("thinking_summary")
    wanted = {
        "max_output_tokens": settings.get("max_tokens"),
        "thinking_level": thinking_level(settings, model),
        "thinking_summaries": None if summary is None else "auto" if summary else "none",
        "tool_choice": _tool_choice(settings) if with_tools else None,
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _tool_choice(settings: Settings) -> Any:  # noqa: ANN401 - a word or an object
    names = settings.tool_names()
    if names is not None:
        return {"allowed_tools": {"mode": "any", "tools": names}}
    settings.refuse_unless("tool_choice", *_CHOICES)
    choice = settings.get("tool_choice")
    return None if choice is None else _CHOICES[choice]


def _speech(client: str, model: str, groups: Groups, settings: Settings) -> Json:
    """A request for speech: the newest text and the voices. Such a model refuses anything else."""
    speakers = voices(settings)
    turns = spoken_turns(client, model, newest_script(client, groups), [speaker for speaker, _ in speakers])
    content = [
        {"type": "text", "text": text}
        | ({"annotations": [{"type": "speech_metadata", "speaker": speaker}]} if speaker else {})
        for speaker, text in turns
    ]
    named = [({"speaker": speaker} if len(speakers) > 1 else {}) | {"voice": voice} for speaker, voice in speakers]
    limit = settings.get("max_tokens")
    return {
        "input": [{"type": "user_input", "content": content}] if content else [],
        "response_format": {"type": "audio"},
        "generation_config": ({} if limit is None else {"max_output_tokens": limit}) | {"speech_config": named},
    }
