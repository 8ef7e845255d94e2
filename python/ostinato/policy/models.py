"""Names of models as the platforms spell them."""

import re
from typing import Final

__all__ = ["model_name", "name_of_maker"]

_REGION: Final = re.compile(r"(us|us-gov|eu|apac|au|ca|jp|global)\.")
_VERSION: Final = re.compile(r"([-@]20\d{6})?(-v\d+(:\d+)?)?$")


def name_of_maker(model: str) -> str:
    """The maker in a model id of Bedrock, with or without a region, or at the end of an ARN."""
    return _REGION.sub("", model.rpartition("/")[2], count=1).partition(".")[0]


def model_name(model: str) -> str:
    """A model by its name alone: the same on every platform and in every region, without the date of its snapshot."""
    bare = _REGION.sub("", model.rpartition("/")[2], count=1)
    return _VERSION.sub("", bare.removeprefix("anthropic."), count=1)
