"""Fields of decoded JSON, by the type they should have. Files are anyone's: nothing is taken for granted."""

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["each", "listing", "mapping", "messages", "text", "written"]

Json = dict[str, Any]


def text(value: Any, *names: str) -> str | None:  # noqa: ANN401 - any JSON value
    """The first of several fields that is a text; None if none is, or the value has no fields."""
    if not isinstance(value, Mapping):
        return None
    return next((found for name in names if isinstance(found := value.get(name), str)), None)


def mapping(value: Any, *path: str) -> Json:  # noqa: ANN401 - any JSON value
    """The object at a path of fields; an empty one if there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, dict) else {}


def listing(value: Any, name: str) -> list[Any]:  # noqa: ANN401 - any JSON value
    """The list in a field; an empty one if there is none."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []


def each(value: Any, name: str, path: str) -> list[tuple[str, Any]]:  # noqa: ANN401 - any JSON value
    """The members of the list in a field, each with its path. A text or an object stands for a list of one."""
    found = value.get(name) if isinstance(value, Mapping) else None
    where = f"{path}/{name}" if path else name
    if isinstance(found, str | Mapping):
        return [(where, found)]
    return [(f"{where}/{place}", one) for place, one in enumerate(found if isinstance(found, list) else ())]


def messages(value: Any) -> list[tuple[str, Json]]:  # noqa: ANN401 - any JSON value
    """The messages of a document, each with its path: a list, or one under `messages`; what is no object is empty."""
    under = ""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value, under = value["messages"], "messages/"
    if not isinstance(value, list):
        return []
    return [(f"{under}{place}", one if isinstance(one, dict) else {}) for place, one in enumerate(value)]


def written(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value as the text in which libraries send it: a text as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
