"""From the raw events of a response to native items that may be kept: what was complete, and nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from ostinato._core import providers
from ostinato.capture import (
    anthropic_messages,
    bedrock_converse,
    gemini_generate_content,
    gemini_interactions,
    openai_chat,
    openai_responses,
)
from ostinato.capture.catch import Catch, Contract, Reader
from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.policy.decision import ReplayReport
from ostinato.policy.profile import Profile
from ostinato.policy.profiles import profile as row
from ostinato.policy.profiles.responses import ResponsesProfile
from ostinato.replay import ReasoningItem
from ostinato.telemetry import ReplayTelemetry

__all__ = ["Capture", "Captured"]

READERS: Final[Mapping[str, Callable[[Catch], Reader]]] = {
    "openai-responses": openai_responses.Reader,
    "openai-chat": openai_chat.Reader,
    "anthropic-messages": anthropic_messages.Reader,
    "gemini-generate-content": gemini_generate_content.Reader,
    "gemini-interactions": gemini_interactions.Reader,
    "bedrock-converse": bedrock_converse.Reader,
}
"""One line per wire."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What a response left behind."""

    items: list[dict[str, Any]] = field(repr=False)
    """Native items, to be appended to the history: output items of Responses, steps of Interactions, or one message or
    content. Empty where nothing was complete."""
    state: tuple[ReasoningItem, ...]
    """The replay items among them in canonical form, in order: what envelopes store."""
    arguments: Mapping[str, str] = field(repr=False)
    """By call id the text of the arguments as the model wrote it, on wires whose calls hold an object."""
    complete: bool
    """Whether the response said that it was whole, and the stream was not cut."""
    report: ReplayReport
    """What was left out, and what there is to know of what was kept."""


class Capture:
    """One response being received: raw events in, and at the end the items that may be kept.

    Events are plain mappings, as they are in the stream; of SDK objects take the raw JSON (`to_dict()`,
    `model_dump(mode="json", by_alias=True, exclude_unset=True)`). `ostinato.SseParser` makes them of bytes.

    An item is taken when its wire says that it is complete, and never from pieces alone. What the stream was cut in is
    reported as `incomplete_item`. Nothing that a provider sends raises: what cannot be read is in the report too.

    Args:
        wire: whose events they are.
        profile: the destination that sends them, a row or its name: some differ in what they keep.

    Raises:
        ReplayError: `unknown_wire`, `unknown_profile`, `target_of_other_wire`.
    """

    def __init__(self, wire: str, profile: Profile | str | None = None) -> None:
        sender = row(profile) if isinstance(profile, str) else profile
        if wire not in READERS:
            raise ReplayError("unknown_wire")
        if sender is not None and sender.wire != wire:
            raise ReplayError("target_of_other_wire", "profile")
        self._catch = Catch(_contract(wire, sender))
        self._reader = READERS[wire](self._catch)
        self._count = 0
        self._captured: Captured | None = None

    def __repr__(self) -> str:
        return f"<Capture of {self._catch.contract.wire}: {self._count} events>"

    @discreet
    def feed(self, event: Mapping[str, Any]) -> None:
        """Read one event.

        Raises:
            RuntimeError: after `finish`.
        """
        if self._captured is not None:
            raise RuntimeError("the capture is finished; make one for each response")
        try:
            self._reader.feed(event)
        except Exception:  # noqa: BLE001 - an event of a shape that no reader expects, or of a class of its own
            # It says nothing, and is not quoted.
            self._catch.log.left_out("unreadable_event", f"events/{self._count}")
        self._count += 1

    @discreet
    def finish(self, ended_by: str | None = None) -> Captured:
        """What was complete. Further calls give the same.

        Args:
            ended_by: why the stream ended, where it did not end by itself: `abort`, `error`, `timeout`. What may have
                gone on is not kept then.
        """
        if self._captured is None:
            items, complete = self._reader.finish(cut=ended_by is not None)
            catch = self._catch
            report = catch.log.report(ReplayTelemetry.from_items(catch.state))
            arguments = MappingProxyType(dict(catch.arguments))
            self._captured = Captured(items, tuple(catch.state), arguments, complete, report)
        return self._captured


_CODEC: Final = {(name, wire) for name, wire, _policy in providers()}


def _contract(wire: str, sender: Profile | None) -> Contract:
    if sender is None:
        return Contract(wire, without_id="codex" if wire == "openai-responses" else None)
    known = (sender.provider, wire) in _CODEC
    if not isinstance(sender, ResponsesProfile):
        return Contract(wire, sender.provider if known else None)
    return Contract(
        wire,
        sender.provider if known else sender.contract,
        without_id=sender.contract,
        says_missing_id=sender.missing_id.value != "allow",
        keeps="final" if sender.captured.value == "final" else "done",
        incomplete="keep" if sender.incomplete.value == "keep" else "drop",
    )
