"""What was decided about an item on its way to a provider, in words that are on a closed list."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from ostinato.errors import PrepareError
from ostinato.names import printable
from ostinato.telemetry import ReplayTelemetry

__all__ = ["ACTIONS", "DECISION_CODES", "Action", "Decision", "Log", "ReplayReport"]

Action = Literal["kept", "changed", "left_out", "added", "refused"]
ACTIONS: Final[tuple[Action, ...]] = ("kept", "changed", "left_out", "added", "refused")

Fact = str | int | bool | tuple[str, ...]

DECISION_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # One line per code, in the order of the alphabet: what it means; what to do next. Codes are never renamed.
        "blank_result": "A tool result without text, which the target refuses. A stand-in text goes in its place.",
        "blank_text": "A text of nothing but white space, which the target refuses. It is left out.",
        "bytes_as_text": "A signature in bytes. It goes out as base64, the form that JSON has for it.",
        "ciphertext_shared": "The same state stands earlier under another id. Both are sent.",
        "cut_moved": "A cut would have torn reasoning from what it led to. It is made at the nearest safe border.",
        "empty_message": "Nothing is left of the message that the target would take. It is left out.",
        "exact_duplicate": "The same item stands earlier in the request. It goes out once.",
        "fields_omitted": "Nulls, empty lists and an answer's status are no input. The item goes out without.",
        "foreign_redacted": "A redacted block of another issuer stands in for state. It is left out; nothing to do.",
        "foreign_state": "State was made elsewhere; the target cannot read it. Resume where it was made to keep it.",
        "fragments_merged": "Fragments of one block of reasoning, as a stream brings them. They go out as one block.",
        "held_by_provider": "The provider has these items, so only what came after them is sent.",
        "id_ciphertext_conflict": "Another state stands under the same id. Find out which one the provider gave.",
        "id_missing": "Reasoning without the id that its provider gives. None is made up.",
        "id_omitted": "The item goes out without its id, which the target would refuse. Nothing to do.",
        "incomplete_item": "An item that was cut, by its stream or by its response. The action says what became of it.",
        "incomplete_response": "The response ended early. What was complete is kept; raise the limit, or ask again.",
        "missing_reasoning_field": "A turn with calls lacks a field that the target wants. Send it, or an empty one.",
        "missing_signature": "A call has no signature where the target looks for one. Send what came, or a stand-in.",
        "not_replayable": "An item whose state is missing or could be none. Ask for encrypted reasoning next time.",
        "orphan_call": "A call without its result, which is refused. Send a result, also of a call that was cut off.",
        "orphan_output": "What this output answers is gone, so it would be refused.",
        "orphan_reasoning": "What followed this reasoning is gone, so it would be refused. Keep both or neither.",
        "orphan_result": "A result without its call, or a second one for it, which is refused. It is left out.",
        "orphan_thinking": "Thinking at the end of a message, which is refused: a turn that was cut while thinking.",
        "other_answer": "A second answer to the same request. One is captured, and a history has room for one.",
        "placeholder_present": "A documented stand-in, where a signature would be. It is a constant and no state.",
        "placeholder_used": "The provider's documented stand-in for a signature that is not there.",
        "prefix_changed": "What stands before thinking has changed since it was made. Only add to a conversation.",
        "provider_allowed_mismatch": "The provider showed the model thinking that no longer fits what is before it.",
        "provider_dropped_state": "The provider left it out of the last request. Keep the history as it is.",
        "re_encrypted": "The provider encrypted the state of one item twice. One of the two is kept.",
        "reasoning_field_added": "A field that the target wants to be there: empty, or with the other one's text.",
        "reasoning_field_renamed": "The target reads reasoning under another name. The text goes out under that one.",
        "relocated_field": "A signature stood inside of its call. It goes out where it belongs, beside the call.",
        "request_setting_needed": "Without this setting the target ignores what it is sent. Set it in the request.",
        "setting_not_repeated": "The provider left out thinking under a setting that is missing now. Send it always.",
        "setting_without_beta": "A setting is refused without the beta it belongs to. Send both, or neither.",
        "sibling_placeholder": "A stand-in on a parallel call, of which only the first is signed. It is left out.",
        "split_batch": "Parallel calls, or their results, stood in several places. They go out in one.",
        "state_omitted": "The target takes one form of this reasoning and not the other, which is left out.",
        "state_stripped": "Opaque state was taken out on request; the visible turns stay.",
        "summary_added": "Reasoning without a summary goes out with an empty one, which every server asks for.",
        "text_restored": "A signed block had lost its empty text, without which it is refused. It is there again.",
        "thinking_chain_broken": "Thinking before it is missing or moved, so a model that checks refuses what follows.",
        "thinking_run_broken": "It stands in one run with thinking that cannot go, and a run goes whole or not at all.",
        "turns_joined": "The target wants the roles to alternate. Messages of one role side by side are one.",
        "unknown_field_dropped": "Fields that are not part of the item. The item goes out without them.",
        "unknown_provenance": "Signed thinking without text: never shown, or lost on disk. Only a digest can tell.",
        "unreadable_event": "An event of a shape that its wire does not have. Pass raw events, each as a mapping.",
        "unsigned_thinking": "Thinking without a signature. A target that needs one is not sent it.",
        "unsound_arguments": "The arguments of a call are no JSON object, so the call cannot go back. Ask again.",
        "unsound_item": "An item that no JSON can hold: half of a surrogate pair, NaN, too deep. It is left out.",
        "unsound_state": "State that the codec refuses, for the reason given. It would be refused by the provider too.",
    }
)
"""Every code of a `Decision`, with what it means and what to do next."""


class Decision(NamedTuple):
    """One thing that was decided about one place. Holds no content: ids, counts, names of fields and digests only."""

    code: str
    """Why, a key of `DECISION_CODES`."""
    path: str
    """Where in the input: `items/3`, `messages/3/content/0`; empty for the request as a whole."""
    action: Action = "left_out"
    reason: str | None = None
    """Which of several reasons of one code, such as `account` for `foreign_state`."""
    facts: tuple[tuple[str, Fact], ...] = ()
    """Figures and names that belong to it, such as `(("chars", 416),)`."""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types, without what is not set."""
        named = {"code": self.code, "path": self.path, "action": self.action, "reason": self.reason, **dict(self.facts)}
        return {
            name: list(fact) if isinstance(fact, tuple) else fact for name, fact in named.items() if fact is not None
        }

    def __str__(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        facts = "".join(f", {name} {fact}" for name, fact in self.facts)
        return printable(f"{self.action} {self.path or 'request'}: {self.code}{reason}{facts}")


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What was decided about a request, and what it replays. Safe in any log."""

    decisions: tuple[Decision, ...] = ()
    telemetry: ReplayTelemetry = field(default_factory=ReplayTelemetry)
    """The counters of what goes out."""
    unknown_origin: int = 0
    """Replay items of which nobody said where they were made. They are taken as the target's own."""

    @property
    def counts(self) -> dict[str, int]:
        """Decisions by code."""
        return dict(Counter(decision.code for decision in self.decisions))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {
            "decisions": [decision.to_dict() for decision in self.decisions],
            "counts": self.counts,
            "telemetry": self.telemetry.to_dict(),
            "unknown_origin": self.unknown_origin,
        }

    def __str__(self) -> str:
        counters = self.telemetry
        replayed = (
            f"{counters.reasoning_replay_item_count} replay items, {counters.reasoning_replay_encrypted_bytes} bytes"
        )
        return "\n".join([replayed, *(f"  {decision}" for decision in self.decisions)])


class Log:
    """Where the rules of a wire say what they decide, while one request is prepared."""

    def __init__(self) -> None:
        self.decisions: list[Decision] = []
        self.unknown_origin = 0

    def say(self, code: str, path: str, action: Action, reason: str | None = None, **facts: Fact) -> Decision:
        """Write down a decision, and give it back for whoever has to raise it."""
        if code not in DECISION_CODES:
            raise KeyError(code)
        decision = Decision(code, path, action, reason, tuple(facts.items()))
        self.decisions.append(decision)
        return decision

    def left_out(self, code: str, path: str, reason: str | None = None, **facts: Fact) -> None:
        """An item, or a part of one, does not go out."""
        self.say(code, path, "left_out", reason, **facts)

    def changed(self, code: str, path: str, reason: str | None = None, **facts: Fact) -> None:
        """An item goes out in another form."""
        self.say(code, path, "changed", reason, **facts)

    def kept(self, code: str, path: str, reason: str | None = None, **facts: Fact) -> None:
        """An item goes out as it is, and there is something to know about it."""
        self.say(code, path, "kept", reason, **facts)

    def refuse(self, code: str, path: str, reason: str | None = None, **facts: Fact) -> PrepareError:
        """The error for a request that would be refused, to be raised."""
        decision = self.say(code, path, "refused", reason, **facts)
        return PrepareError(decision, self.report(ReplayTelemetry()), DECISION_CODES[code])

    def report(self, telemetry: ReplayTelemetry) -> ReplayReport:
        """The report of the whole, in the order in which things were decided."""
        return ReplayReport(tuple(self.decisions), telemetry, self.unknown_origin)
