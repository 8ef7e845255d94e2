"""The seam between `Capture` and the wires: what a reader is told, and what it hands over."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from ostinato.arguments import parse_arguments
from ostinato.capture.fragments import without_bytes
from ostinato.errors import ReplayError
from ostinato.messages import value_fault
from ostinato.policy.decision import Fact, Log
from ostinato.replay import ReasoningItem, canonicalize_completed_reasoning_output_item

__all__ = ["Catch", "Contract", "Event", "Json", "Reader", "place"]

Event = Mapping[str, Any]
Json = dict[str, Any]

_MANY = 1_000_000


@dataclass(frozen=True, slots=True)
class Contract:
    """By whose rules a stream is read."""

    wire: str
    provider: str | None = None
    """The codec's; None for the first one of the wire."""
    without_id: str | None = None
    """The codec's provider by whose rules an item is taken that lacks the id it should have."""
    says_missing_id: bool = True
    keeps: Literal["done", "final"] = "done"
    """Of an item that comes in its done event and again in the final response: which one."""
    incomplete: Literal["drop", "keep"] = "drop"
    """What becomes of an item whose status says that it was cut short."""


class Reader(Protocol):
    """One response being received. What it catches goes to its `Catch`."""

    def feed(self, event: Event) -> None:
        """Read one event."""

    def finish(self, *, cut: bool) -> tuple[list[Json], bool]:
        """The native items, and whether the response itself said that it was whole.

        Args:
            cut: the stream did not end by itself.
        """


@dataclass(slots=True)
class Catch:
    """What is caught while a response comes in, and what was decided about it."""

    contract: Contract
    log: Log = field(default_factory=Log)
    state: list[ReasoningItem] = field(default_factory=list)
    arguments: dict[str, str] = field(default_factory=dict)
    """By call id the text a model wrote, where the wire has it as an object."""

    def seal(
        self, item: Json, path: str, *, response_status: str | None = None, stays_whole: bool = False
    ) -> ReasoningItem | None:
        """A completed replay item in canonical form; None, and a decision, where it is no state that could go back.

        Args:
            item: the item as it came.
            path: its place.
            response_status: of the response it stands in, where that is where it was taken from.
            stays_whole: whether it goes into the history as it came, so that nothing of it is dropped.
        """
        state = self._canonical(item, path, response_status, self.contract)
        if state is None:
            return None
        for name in () if stays_whole else state.dropped_fields:
            self.log.left_out("unknown_field_dropped", f"{path}/{name[:64]}")
        self.state.append(state)
        return state

    def _canonical(
        self, item: Json, path: str, response_status: str | None, contract: Contract
    ) -> ReasoningItem | None:
        wire, provider = contract.wire, contract.provider
        try:
            return canonicalize_completed_reasoning_output_item(
                item, wire=wire, provider=provider, response_status=response_status
            )
        except ReplayError as error:
            fault, place = error.code, error.path
        if fault == "missing_field" and place == "id" and contract.without_id not in (None, provider):
            # OpenAI promises an id, and responses that are not stored were seen without one (inspect_ai 0.3.285).
            if contract.says_missing_id:
                self.log.kept("id_missing", path)
            lenient = replace(contract, provider=contract.without_id, without_id=None)
            return self._canonical(item, path, response_status, lenient)
        if fault in ("not_completed", "response_incomplete"):
            self.log.left_out("incomplete_item", path)
        else:
            self.log.left_out("unsound_state", f"{path}/{place}" if place else path, fault)
        return None

    def plain(self, item: Event, path: str, *, keeps_bytes: bool = False) -> Json | None:
        """An item that is no state, as JSON of its own; None, and a decision, where it is none."""
        if value_fault(item) is not None:
            self.log.left_out("unsound_item", path)
            return None
        return copy.deepcopy(dict(item)) if keeps_bytes else dict(without_bytes(item))

    def restart(self, *, anything: bool) -> None:
        """The response begins anew (a client that tried again): what came before belongs to one that never ended."""
        if anything:
            self.log.left_out("incomplete_response", "", "restarted")
        self.state.clear()
        self.arguments.clear()

    def parsed(self, text: str, call_id: object, path: str) -> Json | None:
        """The object that a text of arguments says; None, and a decision, where it says none."""
        try:
            arguments = parse_arguments(text)
        except ValueError:
            self.log.left_out("unsound_arguments", path)
            return None
        if isinstance(call_id, str):
            self.arguments[call_id] = text
        return arguments

    def once(self, code: str, path: str) -> None:
        """Something that many events of a stream show, said once."""
        if not any((said.code, said.path) == (code, path) for said in self.log.decisions):
            self.log.left_out(code, path)

    def cut(self, path: str, **facts: Fact) -> None:
        """An item had begun and did not end."""
        self.log.left_out("incomplete_item", path, None, **facts)

    def alone(self, path: str) -> None:
        """The response is thinking and nothing else, which no provider takes back (claude-code#13709, 2025-12)."""
        self.log.kept("orphan_thinking", path)


def place(index: object) -> int:
    """An index of the provider.

    Raises:
        TypeError: it is none.
    """
    if type(index) is not int or not 0 <= index < _MANY:
        raise TypeError
    return index
