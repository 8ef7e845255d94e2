"""The one dialect of Converse, and a row for each maker of models, who differ in what they take back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["DIALECTS", "Dialect", "Maker", "maker_of", "name_of_maker"]


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

    takes_unsigned: bool = False
    """Whether reasoning without a signature is taken; others refuse it."""
    is_claude: bool = False
    """Whether thinking is asked for in the words of Claude, whose temperature is fixed."""
    lifetimes: Mapping[str, str | None]
    """How long a cache lives, by the setting, where the models have one: None is the shortest."""


_MAKERS: Final[Mapping[str, Maker]] = {
    "anthropic": Maker(is_claude=True, lifetimes={"enable": None, "enhance": "1h"}),
    "amazon": Maker(takes_unsigned=True, lifetimes={"enable": None}),
    "minimax": Maker(takes_unsigned=True, lifetimes={}),
}
_OTHERS: Final = Maker(lifetimes={})

_REGION: Final = re.compile(r"(us|us-gov|eu|apac|au|ca|jp|global)\.")


def name_of_maker(model: str) -> str:
    """The maker in a model id, with or without a region, or at the end of an ARN."""
    return _REGION.sub("", model.rpartition("/")[2], count=1).partition(".")[0]


def maker_of(model: str) -> Maker:
    """The row of a model's maker."""
    return _MAKERS.get(name_of_maker(model), _OTHERS)
