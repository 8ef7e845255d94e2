"""What would happen if a saved conversation were resumed now, and what to do about it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from ostinato.discretion import discreet
from ostinato.errors import PrepareError, ReplayError
from ostinato.policy import PROFILES, Decision, Profile, Target
from ostinato.policy.prepare import replay_items
from ostinato.saved import Conversation

__all__ = ["SYMPTOMS", "VERDICTS", "Diagnosis", "Symptom", "SymptomKind", "default_target", "diagnose"]

Verdict = Literal["resumable", "lossy", "refused", "stateless", "unreadable"]

VERDICTS: Final[Mapping[Verdict, str]] = MappingProxyType(
    {
        "resumable": "All state in it would be taken back.",
        "lossy": "It goes on, but not all of its state would be taken back.",
        "refused": "The provider would refuse the request, and leaving state out would not do.",
        "stateless": "It holds no state that could be sent back; the model begins without its reasoning.",
        "unreadable": "No conversation could be read.",
    }
)
"""Every verdict, from good to bad, with what it means."""


class SymptomKind(NamedTuple):
    """What a symptom means, and what to do."""

    meaning: str
    advice: str
    needs_attention: bool = True


SYMPTOMS: Final[Mapping[str, SymptomKind]] = MappingProxyType(
    {
        "absent": SymptomKind(
            "The model answered, and none of its state was saved.",
            "Ask for the state in every request (for OpenAI: encrypted reasoning), and save items whole.",
            needs_attention=False,
        ),
        "conflict": SymptomKind(
            "One id stands for two different states.",
            "Keep both copies, and look for what edits histories; OpenAI takes one of them in a request.",
        ),
        "damaged": SymptomKind(
            "State that was changed, cut or put out of its place since it was made.",
            "`ostinato rescue` writes a copy without it. Look for what edits, trims or re-encodes histories.",
        ),
        "duplicate": SymptomKind(
            "The same state several times.",
            "It goes out once; nothing to do for this session. Look for what appends a history to itself.",
        ),
        "foreign": SymptomKind(
            "State of another provider, endpoint, account or model than the target.",
            "Resume where it was made to keep it, or go on without it.",
        ),
        "husk": SymptomKind(
            "Reasoning items without their state.",
            "`ostinato rescue` writes a copy without them. Ask for encrypted reasoning from now on.",
        ),
        "legacy": SymptomKind(
            "Records of older versions of a program, which are not replayed.",
            "The visible turns go on. Newer versions of the program save state that can be replayed.",
        ),
        "orphan": SymptomKind(
            "One half of a pair: reasoning without what followed it, a call without its result, a turn that was cut.",
            "`ostinato rescue` writes a copy without it. Trim with `ostinato.trim`.",
        ),
        "permissive_mode": SymptomKind(
            "Others on this machine may read the file or enter its folder.",
            "chmod 600 FILE, chmod 700 FOLDER.",
        ),
        "poison": SymptomKind(
            "Records that cannot be read, and that may stop other programs from reading the rest.",
            "`ostinato rescue` writes a copy without them.",
        ),
        "redacted": SymptomKind(
            "A redacted export: its state was taken out on purpose.",
            "It cannot be resumed. Resume the session it was made from.",
        ),
        "refused": SymptomKind(
            "The request as a whole would be refused.",
            "The reason says what is missing; see `ostinato doctor --json`.",
        ),
        "unsigned": SymptomKind(
            "Calls without a signature where the target looks for one.",
            "Send what came with them; for calls of another model the provider documents a stand-in (docs/policy.md).",
        ),
        "unused": SymptomKind(
            "State that is there and would not be sent: the target does not take it in this form.",
            "Nothing is refused. The reason in `--json` says what would make the target take it.",
        ),
    }
)
"""Every symptom. Codes are never renamed."""

# Which symptom a decision of `prepare` is. Those that are in no row say nothing of a session's health.
_OF_DECISION: Final[Mapping[str, str]] = {
    "exact_duplicate": "duplicate",
    "foreign_redacted": "foreign",
    "foreign_state": "foreign",
    "id_ciphertext_conflict": "conflict",
    "incomplete_item": "orphan",
    "missing_signature": "unsigned",
    "not_replayable": "husk",
    "orphan_call": "orphan",
    "orphan_output": "orphan",
    "orphan_reasoning": "orphan",
    "orphan_result": "orphan",
    "orphan_thinking": "orphan",
    "prefix_changed": "damaged",
    "split_batch": "damaged",
    "state_omitted": "unused",
    "text_restored": "damaged",
    "thinking_chain_broken": "damaged",
    "thinking_run_broken": "damaged",
    "unsigned_thinking": "unused",
    "unsound_arguments": "poison",
    "unsound_item": "poison",
    "unsound_state": "damaged",
}
_HEALTHY_DECISIONS: Final = frozenset(
    {
        "blank_result",
        "blank_text",
        "bytes_as_text",
        "ciphertext_shared",
        "cut_moved",
        "empty_message",
        "fields_omitted",
        "fragments_merged",
        "held_by_provider",
        "id_missing",
        "id_omitted",
        "incomplete_response",
        "missing_reasoning_field",
        "other_answer",
        "placeholder_present",
        "placeholder_used",
        "provider_allowed_mismatch",
        "provider_dropped_state",
        "re_encrypted",
        "reasoning_field_added",
        "reasoning_field_renamed",
        "relocated_field",
        "request_setting_needed",
        "setting_not_repeated",
        "setting_without_beta",
        "sibling_placeholder",
        "state_stripped",
        "summary_added",
        "turns_joined",
        "unknown_field_dropped",
        "unknown_provenance",
        "unreadable_event",
    }
)
"""The others, by name, so that a new code must be put into one of the two."""

# And which a finding of `load` is. Of state that the codec refuses, `prepare` has more to say.
_OF_FINDING: Final[Mapping[str, str]] = {
    "damaged_database": "poison",
    "duplicate_key": "poison",
    "incomplete_stream": "orphan",
    "legacy_record": "legacy",
    "lone_surrogate": "poison",
    "missing_attachment": "poison",
    "not_finite": "poison",
    "not_utf8": "poison",
    "packed_file_is_cut": "poison",
    "session_finding": "damaged",
    "too_deep": "poison",
    "truncated_line": "poison",
    "unreadable_line": "poison",
    "unsound_record": "damaged",
    "uuid_conflict": "conflict",
}
_HEALTHY_FINDINGS: Final = frozenset(
    {
        "arguments_rebuilt",
        "arguments_unreadable",
        "compacted_away",
        "compaction_rebuilt",
        "display_copy",
        "edited_export",
        "empty_message",
        "instructions_moved",
        "missing_parent",
        "not_a_record",
        "not_rebuilt",
        "not_sent",
        "not_taken",
        "order_unknown",
        "other_branch",
        "other_wire",
        "output_not_sent_back",
        "relocated_field",
        "repeated_record",
        "retracted",
        "signature_respelled",
        "summary_boundaries_unknown",
        "unknown_field_dropped",
        "unknown_item_type",
        "unknown_part",
        "unknown_provenance",
        "unknown_record",
        "unknown_version",
        "unsound_state",
        "wire_assumed",
    }
)


@dataclass(frozen=True, slots=True)
class Symptom:
    """One kind of trouble in one session. Holds no content."""

    code: str
    """A key of `SYMPTOMS`."""
    count: int
    """How many items or records have it."""
    reasons: tuple[str, ...] = ()
    """The codes and reasons that it was told from: `foreign_state/account`."""
    where: str = ""
    """The place of the first: a path into the items, or a line of the file."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What would happen to one session. Holds no content."""

    verdict: Verdict
    state_items: int = 0
    """Replay items in the conversation."""
    state_sent: int = 0
    """Those that would be sent."""
    turns: int = 0
    symptoms: tuple[Symptom, ...] = ()

    @property
    def needs_attention(self) -> bool:
        """Whether anything in it should be looked at."""
        return self.verdict in ("refused", "unreadable") or any(
            SYMPTOMS[symptom.code].needs_attention for symptom in self.symptoms
        )

    def with_symptoms(self, more: Iterable[Symptom]) -> "Diagnosis":
        """The same with what was seen beside the conversation."""
        together = tuple(sorted((*self.symptoms, *more), key=lambda symptom: symptom.code))
        return Diagnosis(self.verdict, self.state_items, self.state_sent, self.turns, together)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {
            "verdict": self.verdict,
            "needs_attention": self.needs_attention,
            "turns": self.turns,
            "state_items": self.state_items,
            "state_sent": self.state_sent,
            "symptoms": [asdict(symptom) | {"reasons": list(symptom.reasons)} for symptom in self.symptoms],
        }


def default_target(conversation: Conversation) -> Target:
    """Where a conversation came from: the profile of its newest answer's provider, else the first of its wire.

    Raises:
        ReplayError: `unknown_wire`: no destination speaks its wire.
    """
    of_wire = [profile for profile in PROFILES.values() if profile.wire == conversation.wire]
    if not of_wire:
        raise ReplayError("unknown_wire")
    known = [turn.origin for turn in conversation.turns if turn.origin is not None and turn.role == "assistant"]
    if not known:
        return Target(profile=of_wire[0])
    newest = known[-1]
    profile: Profile = next((row for row in of_wire if row.provider == newest.provider), of_wire[0])
    if newest.provider not in (None, profile.provider):
        return Target(profile=profile)
    return Target(profile=profile, endpoint=newest.endpoint, account=newest.account, model=newest.model)


@discreet
def diagnose(conversation: Conversation, target: Target | str | None = None) -> Diagnosis:
    """What would happen if a conversation were resumed at a target.

    Args:
        conversation: what `load` gave back.
        target: where; None for where its newest answer came from.

    Raises:
        ReplayError: `unknown_profile`, `unknown_wire`, `target_of_other_wire`.
    """
    goal = default_target(conversation) if target is None else target
    decisions: tuple[Decision, ...]
    try:
        prepared = conversation.prepare(goal)
    except PrepareError as refusal:
        decisions, sent, refused = refusal.report.decisions, 0, True
    else:
        decisions, refused = prepared.report.decisions, False
        sent = len(replay_items(conversation.wire, prepared.items))
    held = len(replay_items(conversation.wire, conversation.items))
    answers = sum(turn.role == "assistant" for turn in conversation.turns)
    symptoms = _symptoms(conversation, decisions)
    if answers and not held and not any(symptom.code in ("husk", "legacy") for symptom in symptoms):
        symptoms.append(Symptom("absent", answers))
    verdict: Verdict = "refused" if refused else "stateless" if not sent and not held else "resumable"
    if verdict == "resumable" and any(symptom.code in _LOSSES for symptom in symptoms):
        verdict = "lossy"
    return Diagnosis(verdict, held, sent, len(conversation.turns)).with_symptoms(symptoms)


_LOSSES: Final = frozenset(
    {"conflict", "damaged", "foreign", "husk", "legacy", "orphan", "poison", "unsigned", "unused"}
)


def _symptoms(conversation: Conversation, decisions: Iterable[Decision]) -> list[Symptom]:
    """What was decided and what was found, as symptoms with their counts."""
    counts: Counter[str] = Counter()
    reasons: dict[str, dict[str, None]] = {}
    places: dict[str, str] = {}

    def note(symptom: str, code: str, reason: str | None, place: str, count: int) -> None:
        counts[symptom] += count
        reasons.setdefault(symptom, {})[f"{code}/{reason}" if reason else code] = None
        places.setdefault(symptom, place)

    for decision in decisions:
        symptom = "refused" if decision.action == "refused" else _OF_DECISION.get(decision.code)
        if symptom is not None:
            note(symptom, decision.code, decision.reason, decision.path, 1)
    for finding in conversation.report.findings:
        symptom = _OF_FINDING.get(finding.code)
        if symptom is not None:
            facts = dict(finding.facts)
            reason = facts.get("reason")
            count = facts.get("count", 1)
            place = finding.path if finding.line is None else f"line {finding.line}"
            many = max(1, finding.records, count if isinstance(count, int) else 1)
            note(symptom, finding.code, reason if isinstance(reason, str) else None, place, many)
    return [Symptom(code, counts[code], tuple(reasons[code]), places[code]) for code in sorted(counts)]
