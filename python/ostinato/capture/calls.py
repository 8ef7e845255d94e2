"""The calls of a Chat Completions response while they arrive: which of them a piece belongs to.

By its index; but some servers number every call 0, and others number none (field reports R178 to R183).
"""

from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from ostinato.capture.catch import Event

__all__ = ["Call", "Calls"]


class Call(Protocol):
    """A call, as far as it is known: empty texts where it is not."""

    id: str
    name: str


CallT = TypeVar("CallT", bound=Call)


class Calls(Generic[CallT]):
    """The calls that have begun, in that order."""

    def __init__(self) -> None:
        self._calls: list[CallT] = []
        self._by_index: dict[int, CallT] = {}

    def __iter__(self) -> Iterator[CallT]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def of(self, piece: Event, begin: Callable[[], CallT]) -> CallT:
        """The call that a piece belongs to.

        Args:
            piece: an element of `tool_calls`.
            begin: makes a call, where the piece begins one.
        """
        index, name = piece.get("index"), (piece.get("function") or {}).get("name") or ""
        call = self._find(index, name, piece.get("id") or "")
        if call is None:
            call = begin()
            self._calls.append(call)
        if isinstance(index, int):
            self._by_index[index] = call
        return call

    def _find(self, index: object, name: str, call_id: str) -> CallT | None:
        if isinstance(index, int):
            call = self._by_index.get(index)
            return None if call is None or _is_another(call, name, call_id) else call
        same = [call for call in self._calls if call_id and call.id == call_id]
        if same:
            return same[-1]
        return None if name or not self._calls else self._calls[-1]


def _is_another(call: Call, name: str, call_id: str) -> bool:
    """Whether a piece under a known index begins a new call after all."""
    if not name:
        return False
    return call.id not in ("", call_id) if call_id else call.name not in ("", name)
