"""The request body around the contents."""

from typing import Any, Final

from ostinato.messages import UniConfig
from ostinato.wires._settings import Settings
from ostinato.wires._wire import Groups, Json
from ostinato.wires.gemini import newest_script, speaks, spoken_turns, thinking_level, voices
from ostinato.wires.gemini_generate_content.schemas import write_declaration

__all__ = ["write_body"]

_MODES: Final = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
_IMAGE_KEYS: Final = {"aspect_ratio": "aspectRatio", "image_size": "imageSize"}


def write_body(client: str, model: str, groups: Groups, config: UniConfig) -> Json:
    """The whole request."""
    settings = Settings(client, config)
    settings.refuse_unless("temperature")
    if settings.get("fast_mode"):
        settings.refuse("fast_mode")
    settings.refuse_unless("prompt_caching", "enable")
    if speaks(model):
        return _speech(client, model, groups, settings)
    system = settings.get("system_prompt")
    tools = settings.get("tools")
    optional = {
        "systemInstruction": None if system is None else {"role": "user", "parts": [{"text": system}]},
        "tools": None if tools is None else [{"functionDeclarations": [write_declaration(tool) for tool in tools]}],
        "toolConfig": _tool_config(settings) if tools is not None else None,
        "generationConfig": _limits(settings) | _thinking(model, settings) | _image(settings),
    }
    body: Json = {"contents": [content for group in groups for content in group]}
    return body | {name: value for name, value in optional.items() if value}


def _limits(settings: Settings) -> Json:
    limit = settings.get("max_tokens")
    return {} if limit is None else {"maxOutputTokens": limit}


def _thinking(model: str, settings: Settings) -> Json:
    level, summary = thinking_level(settings, model), settings.get("thinking_summary")
    wanted = ({} if summary is None else {"includeThoughts": summary}) | (
        {} if level is None else {"thinkingLevel": level.upper()}
    )
    return {"thinkingConfig": wanted} if wanted else {}


def _image(settings: Settings) -> Json:
    image = settings.get("image_config")
    if image is None:
        return {}
    return {"imageConfig": {_IMAGE_KEYS.get(name, name): value for name, value in image.items()}}


def _tool_config(settings: Settings) -> Json | None:
    names = settings.tool_names()
    if names is not None:
        return {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": names}}
    settings.refuse_unless("tool_choice", *_MODES)
    choice = settings.get("tool_choice")
    return None if choice is None else {"functionCallingConfig": {"mode": _MODES[choice]}}


def _speech(client: str, model: str, groups: Groups, settings: Settings) -> Json:
    """A request for speech: the newest text and the voices. Such a model refuses anything else."""
    speakers = voices(settings)
    turns = spoken_turns(client, model, newest_script(client, groups), [speaker for speaker, _ in speakers])
    parts: list[Any] = [
        {"text": text, **({"speechMetadata": {"speaker": speaker}} if speaker else {})} for speaker, text in turns
    ]
    return {
        "contents": [{"role": "user", "parts": parts}] if parts else [],
        "generationConfig": _limits(settings)
        | {"responseModalities": ["AUDIO"], "speechConfig": _speech_config(speakers)},
    }


def _speech_config(speakers: list[tuple[str | None, str]]) -> Json:
    configs = [
        ({"speaker": speaker}, {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": voice}}})
        for speaker, voice in speakers
    ]
    if len(configs) == 1:
        return configs[0][1]
    return {"multiSpeakerVoiceConfig": {"speakerVoiceConfigs": [name | voice for name, voice in configs]}}
