"""What wires share in reading a `UniConfig`: a setting is taken, or refused by name. None means not set."""

from collections.abc import Mapping
from typing import Any, NoReturn

from ostinato.errors import UnsupportedParameterError
from ostinato.messages import UniConfig

__all__ = ["LEVELS", "Settings"]

LEVELS = ("none", "low", "medium", "high", "xhigh", "max")


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
