"""Where in a record of a saved history the state of a native item stands, in layouts that tell only messages apart."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

__all__ = ["STATE", "Around", "at", "id_places", "state_places", "texts"]

Around = Literal["element", "object", "field"]
"""What goes with a state: the element of the list it stands in, the object around it, or its field alone."""

STATE: Final = frozenset(
    {
        "signature",
        "thoughtSignature",
        "thought_signature",
        "encrypted_content",
        "data",
        "redactedContent",
        "fingerprint",
    }
)
"""The fields of native items that hold opaque state."""
_TOLD: Final = frozenset({"text", "thinking", "reasoning", "reasoning_content"})
"""Those that hold reasoning which has no state."""
_IDS: Final = frozenset({"call_id", "id", "tool_call_id", "tool_use_id", "toolUseId"})
_LEAST: Final = 8
"""Characters of a state that is looked for inside of other texts, such as an envelope."""

_Steps = tuple[str, ...]


def state_places(record: Any, path: str, native: Any, around: Around) -> tuple[str, ...]:  # noqa: ANN401 - any JSON
    """The paths in a record of whatever holds the state of an item; empty where it is not found.

    Args:
        record: a decoded record.
        path: where in it the message is that the item came from.
        native: the item, or the part of one.
        around: what goes with the state.
    """
    wanted = set(texts(native, STATE)) or set(texts(native, _IDS)) or set(texts(native, _TOLD))
    root = tuple(filter(None, path.split("/")))
    found = dict.fromkeys(
        "/".join(_around(steps, lists, len(root), around))
        for steps, lists, text in _leaves(at(record, root), root)
        if any(text == one or (len(one) >= _LEAST and one in text) for one in wanted)
    )
    return tuple(found)


def id_places(record: Any, path: str, own: str) -> tuple[str, ...]:  # noqa: ANN401 - any JSON value
    """The paths of the fields in a record that hold an id."""
    root = tuple(filter(None, path.split("/")))
    return tuple(
        "/".join(steps)
        for steps, lists, text in _leaves(at(record, root), root)
        if text == own and len(steps) not in lists and steps[-1].lower().endswith("id")
    )


def at(value: Any, steps: Iterable[str]) -> Any:  # noqa: ANN401 - any JSON value
    """What stands at the end of a path; None where it leads nowhere."""
    for step in steps:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def texts(value: object, names: frozenset[str]) -> Iterator[str]:
    """The texts that stand under some names anywhere in a value."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            yield from (text for name, text in part.items() if name in names and isinstance(text, str) and text)
            waiting += part.values()
        elif isinstance(part, list | tuple):
            waiting += part


def _around(steps: _Steps, lists: frozenset[int], root: int, around: Around) -> _Steps:
    """What goes: an element of the nearest list, or the nearest object with a name; but never the message itself."""
    if around == "element":
        nearest = max((depth for depth in lists if depth > root), default=None)
        if nearest is not None:
            return steps[:nearest]
    if around != "field" and len(steps) - 1 > root:
        return steps[:-1]
    return steps


def _leaves(value: Any, steps: _Steps) -> Iterator[tuple[_Steps, frozenset[int], str]]:  # noqa: ANN401 - any JSON
    """Every text below a place: the steps to it, how many of them lead to elements of lists, and the text."""
    waiting: list[tuple[Any, _Steps, frozenset[int]]] = [(value, steps, frozenset())]
    while waiting:
        part, here, lists = waiting.pop()
        if isinstance(part, str):
            yield here, lists, part
        elif isinstance(part, Mapping):
            waiting += [(inner, (*here, name), lists) for name, inner in part.items()]
        elif isinstance(part, list):
            below = lists | {len(here) + 1}
            waiting += [(inner, (*here, str(place)), below) for place, inner in enumerate(part)]
