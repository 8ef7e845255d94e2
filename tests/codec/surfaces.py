"""The forms in which the same item may be given: text of two types, and decoded values of four kinds."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

Surface = Callable[[Any], Any]


class Model:
    """What an SDK object looks like to us: a dump, and attributes that must not be looked at."""

    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"looked at {name}")

    def model_dump(self, *, by_alias: bool, exclude_unset: bool, warnings: bool) -> dict[str, Any]:
        """The fields as the provider sent them."""
        assert (by_alias, exclude_unset, warnings) == (True, True, False)
        return self._fields


def as_models(value: Any) -> Any:
    """Every object an SDK model, every list a list of them."""
    return _rebuild(value, lambda fields: Model(**fields), list)


def as_attributes(value: Any) -> Any:
    """Every object an object with attributes, every list a tuple."""
    return _rebuild(value, lambda fields: types.SimpleNamespace(**fields), tuple)


def as_mappings(value: Any) -> Any:
    """Every object a read-only mapping, every list an iterator that can be read once."""
    return _rebuild(value, types.MappingProxyType, iter)


def _rebuild(value: Any, make_object: Callable[[dict[str, Any]], Any], make_list: Callable[[list[Any]], Any]) -> Any:
    if isinstance(value, Mapping):
        return make_object({key: _rebuild(inner, make_object, make_list) for key, inner in value.items()})
    if isinstance(value, list):
        return make_list([_rebuild(inner, make_object, make_list) for inner in value])
    return value


TEXTS: dict[str, Surface] = {
    "bytes": bytes,
    "str": bytes.decode,
}
VALUES: dict[str, Surface] = {
    "dict": lambda value: value,
    "models": as_models,
    "attributes": as_attributes,
    "mappings": as_mappings,
}
