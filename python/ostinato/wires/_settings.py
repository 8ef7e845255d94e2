"""What wires share in reading a `UniConfig`: a setting is taken, or refused by name. None means not set."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

from ostinato.errors import UnsupportedParameterError
from ostinato.messages import UniConfig

__all__ = ["LEVELS", "Settings", "check_types"]

LEVELS = ("none", "low", "medium", "high", "xhigh", "max")


def _mappings(value: Any) -> bool:  # noqa: ANN401 - this is where a type is established
    return isinstance(value, (list, tuple)) and all(isinstance(part, Mapping) for part in value)


# What a setting must be for any wire to make something of it.
_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "max_tokens": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "temperature": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "tools": lambda value: _mappings(value) and all(isinstance(tool.get("name"), str) for tool in value),
    "image_config": lambda value: isinstance(value, Mapping),
    "tts_config": _mappings,
    "embedding_config": lambda value: isinstance(value, Mapping),
}


def check_types(client: str, config: UniConfig) -> UniConfig:
    """The config, whose settings are of the types that wires expect.

    Raises:
        UnsupportedParameterError: one of them is not.
    """
    for name, fits in _TYPES.items():
        value = config.get(name)
        if value is not None and not fits(value):
            raise UnsupportedParameterError(client, name)
    return config


class Settings:
    """A config being read for one client. A view: it changes nothing."""

    def __init__(self, client: str, config: UniConfig) -> None:
        self._client = client
        self._config: Mapping[str, Any] = config

    def get(self, name: str) -> Any:  # noqa: ANN401 - a setting has the type its name says
        return self._config.get(name)

    def refuse(self, name: str) -> NoReturn:
        raise UnsupportedParameterError(self._client, name)

    def refuse_unless(self, name: str, *allowed: object) -> None:
        """Refuse a setting that is given and has none of the allowed values."""
        value = self.get(name)
        if value is not None and value not in allowed:
            self.refuse(name)

    def level(self, table: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - whatever the table holds
        """The thinking level in the provider's words; without a table, as it is called here."""
        level = self.get("thinking_level")
        if level is None:
            return None
        if not isinstance(level, str) or level not in LEVELS:
            self.refuse("thinking_level")
        return level if table is None else table[level]

    def tool_names(self) -> list[str] | None:
        """The names of a tool choice that is a list; None for another choice. An empty list is refused."""
        choice = self.get("tool_choice")
        if not isinstance(choice, (list, tuple)):
            return None
        if not choice or not all(isinstance(name, str) for name in choice):
            self.refuse("tool_choice")
        return list(choice)
