"""The one dialect of Converse, and a row for each maker of models, who differ in their settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ostinato.policy.models import name_of_maker

__all__ = ["DIALECTS", "Dialect", "Maker", "maker_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What varies from one server of this wire to the next."""

    path: str
    """Of a request, under the base URL."""
    provider: str
    """Whose platform it is: the issuer that recorded messages name, and the codec's provider."""


DIALECTS: Final[Mapping[str, Dialect]] = {
    "bedrock-converse": Dialect(path="/model/{model}/converse-stream", provider="bedrock"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """What varies from one maker of models to the next."""

    is_claude: bool = False
    """Whether thinking is asked for in the words of Claude, whose temperature is fixed."""
    lifetimes: Mapping[str, str | None]
    """How long a cache lives, by the setting, where the models have one: None is the shortest."""


_MAKERS: Final[Mapping[str, Maker]] = {
    "anthropic": Maker(is_claude=True, lifetimes={"enable": None, "enhance": "1h"}),
    "amazon": Maker(lifetimes={"enable": None}),
    "minimax": Maker(lifetimes={}),
}
_OTHERS: Final = Maker(lifetimes={})


def maker_of(model: str) -> Maker:
    """The row of a model's maker."""
    return _MAKERS.get(name_of_maker(model), _OTHERS)
