"""What may go out of messages whose thinking stands in blocks: the rules of Anthropic Messages and Bedrock Converse.

Sources are in the cells of `ostinato.policy.profiles`. In short: a block of state goes back as it came or not at all,
consecutive blocks go all or none, and a message does not end with thinking.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from ostinato.errors import ReplayError
from ostinato.policy.controls import check_settings, say_drops
from ostinato.policy.decision import Action, Fact, Log
from ostinato.policy.models import model_name
from ostinato.policy.profiles.thinking import ThinkingProfile
from ostinato.policy.rules import Items, Rules
from ostinato.policy.shape import Block, Contents, Shape, contents
from ostinato.policy.target import OriginOf, Target, foreign_reason
from ostinato.policy.turns import Turn, orphans, turns, units
from ostinato.replay import Origin, canonicalize_completed_reasoning_output_item

__all__ = ["Fate", "judge_message", "rules_of"]


class Fate(NamedTuple):
    """What becomes of one block."""

    block: Block | None
    """What goes out; None where nothing does."""
    code: str | None = None
    """Why it does not go out as it is; None where it does, and there is nothing to say."""
    reason: str | None = None
    facts: tuple[tuple[str, Fact], ...] = ()
    refused: bool = False
    """Whether the request is."""

    @property
    def action(self) -> Action:
        """What was done, where there is a code."""
        if self.refused or self.block is None:
            return "refused" if self.refused else "left_out"
        return _ACTIONS.get(self.code or "", "changed")


_ACTIONS: Final[Mapping[str, Action]] = {"blank_result": "added", "foreign_state": "kept"}
"""Of what goes out; anything else was changed."""


class _Draft(NamedTuple):
    """A conversation on its way."""

    messages: Sequence[Any]
    blocks: Contents
    fates: list[list[Fate]]
    """Of every block."""


def rules_of(shape: Shape) -> Rules:
    """The rules of one wire."""
    return Rules(
        prepare=partial(_prepare, shape),
        units=partial(units, shape),
        strip=partial(_strip, shape),
        state=partial(_state, shape),
    )


def judge_message(
    shape: Shape, profile: ThinkingProfile, content: Sequence[Block], *, model: str | None = None
) -> list[Fate]:
    """What becomes of the blocks of one message that stands alone, whose state is the target's own.

    Calls and results are not paired: that takes the messages around it.
    """
    fates = _Judge(shape, profile, None, shape.takes_unsigned(profile, model)).message(content, [None] * len(content))
    message = {"role": "", "content": content}
    _cut_end(shape, profile, Turn("", range(1)), _Draft([message], [content], [fates]))
    return fates


def _foreign(target: Target) -> Callable[[Origin | None], str | None]:
    """Which part of an origin makes its state unreadable at the target; None where nothing does.

    Models are compared by name: the same model has other ids on other platforms and in other regions. Another platform
    of the same models is told by the account first, since that is what its models check.
    """
    profile = target.profile
    if not isinstance(profile, ThinkingProfile):
        raise ReplayError("unknown_profile")
    own = {target.provider, *profile.kin.value} if "provider" in profile.same_origin.value else set()
    goal = _by_name(target.model)
    reads = {model for reader, model in profile.reads.value if reader in ("*", goal)}
    readable = (*map(model_name, profile.readable_models.value), *reads)
    named = replace(target, model=goal, profile=profile.but(readable_models=readable))

    def reason(origin: Origin | None) -> str | None:
        if origin is None:
            return None
        if own and origin.provider is not None and origin.provider not in own:
            return "provider"
        return foreign_reason(origin._replace(model=_by_name(origin.model)), named)

    return reason


def _by_name(model: str | None) -> str | None:
    return None if model is None else model_name(model)


def _judge_state(shape: Shape, block: Block, extra_fields: str) -> Fate:
    """What becomes of a block with state, wherever it was made.

    It goes out itself, or without what the wire does not define, or not at all where it could not go back
    (`unsound_state`). Its text and its state are never changed.
    """
    whole = shape.completed(block)
    try:
        state = canonicalize_completed_reasoning_output_item(whole, wire=shape.wire)
    except ReplayError as error:
        return Fate(None, "unsound_state", error.code)
    sent = shape.respelled(state.to_dict(), whole)
    if extra_fields == "keep" or sent == whole:
        return Fate(whole) if whole is block else Fate(whole, "text_restored")
    gone = sorted({*state.dropped_fields, *(str(name) for name in whole if name not in sent)})
    return Fate(sent, "unknown_field_dropped", facts=(("fields", tuple(name[:64] for name in gone)),))


def _ends_with(is_thinking: Sequence[bool]) -> int:
    """How many blocks at the end of a message are thinking, which may not stand there."""
    return next((place for place, thinking in enumerate(reversed(is_thinking)) if not thinking), len(is_thinking))


def _prepare(shape: Shape, messages: Sequence[Any], target: Target, origin: OriginOf, log: Log) -> Items:
    reason_of, profile = _foreign(target), target.profile
    if not isinstance(profile, ThinkingProfile):
        raise ReplayError("unknown_profile")
    draft = _Draft(messages, contents(shape, messages), [])
    check_settings(target, log)
    say_drops(target, log)
    found = turns(messages)
    lost = {} if profile.orphans.value == "keep" else orphans(shape, found, draft.blocks)
    unsigned = shape.takes_unsigned(profile, target.model)
    for place, content in enumerate(draft.blocks):
        made = origin(place, messages[place])
        own = [lost.get((place, at)) for at in range(len(content))]
        draft.fates.append(_Judge(shape, profile, reason_of(made), unsigned).message(content, own))
        log.unknown_origin += sum(shape.thinking(block) in ("signed", "sealed") for block in content if made is None)
    for turn in found:
        _cut_end(shape, profile, turn, draft)
    _say(draft.fates, log)
    _say_hollow(shape, draft.fates, log)
    sent = _written(draft, log, refuses_empty=profile.empty_messages.value == "raise")
    return _joined(sent, log) if profile.alternate.value else [message for _place, message in sent]


class _Judge(NamedTuple):
    """What is known about one message before its blocks are looked at."""

    shape: Shape
    profile: ThinkingProfile
    foreign: str | None
    takes_unsigned: bool

    def message(self, content: Sequence[Block], lost: Sequence[str | None]) -> list[Fate]:
        """The fate of every block, its neighbours considered."""
        fates = [self._block(block, orphan) for block, orphan in zip(content, lost, strict=True)]
        if self.foreign in ("provider", "endpoint") and self.profile.foreign.value != "keep":
            self._drop_opaque(content, fates)
        if self.profile.whole_runs.value:
            self._make_whole(content, fates)
        return fates

    def _block(self, block: Block, lost: str | None) -> Fate:
        shape, profile = self.shape, self.profile
        kind = shape.thinking(block)
        if lost is not None:
            return Fate(
                None, "orphan_call" if lost == "call" else "orphan_result", lost, (), profile.orphans.value == "raise"
            )
        if kind == "unsigned":
            return self._unsigned(block)
        if kind is not None:
            return self._state(block)
        if profile.blank_text.value == "drop" and shape.is_blank(block):
            return Fate(None, "blank_text")
        if profile.blank_result.value is not None:
            answered = shape.answered(block, profile.blank_result.value)
            return Fate(block) if answered is block else Fate(answered, "blank_result")
        return Fate(block)

    def _unsigned(self, block: Block) -> Fate:
        """Thinking without a signature. Where it is taken, it is text like any other, and has no origin."""
        if not self.takes_unsigned:
            return Fate(None, "unsigned_thinking")
        return Fate(None, "unsigned_thinking", "no_text") if self.shape.is_hollow(block) else Fate(block)

    def _state(self, block: Block) -> Fate:
        judged = _judge_state(self.shape, block, self.profile.extra_fields.value)
        if judged.block is None:
            return judged._replace(refused=self.profile.unsound.value == "raise")
        if self.foreign is None:
            return judged
        policy = self.profile.foreign.value
        if policy == "keep":
            return judged if judged.code else judged._replace(code="foreign_state", reason=self.foreign)
        return Fate(None, "foreign_state", self.foreign, (), policy == "raise")

    def _drop_opaque(self, content: Sequence[Block], fates: list[Fate]) -> None:
        """Other state of another provider: a server's results go with the call that they answer."""
        opaque = [self.shape.is_opaque(block) for block in content]
        answered = {self.shape.server_call(block)[1] for block, is_so in zip(content, opaque, strict=True) if is_so}
        for place, block in enumerate(content):
            call = self.shape.server_call(block)[0]
            if opaque[place] or (call is not None and call in answered):
                fates[place] = Fate(None, "foreign_state", self.foreign, (), self.profile.foreign.value == "raise")

    def _make_whole(self, content: Sequence[Block], fates: list[Fate]) -> None:
        """Leave out the rest of a run of which a block is left out: the provider takes the whole run or none of it."""
        for run in _runs([self.shape.thinking(block) is not None for block in content]):
            if any(fates[place].block is None for place in run):
                for place in run:
                    if fates[place].block is not None:
                        fates[place] = Fate(None, "thinking_run_broken")


def _runs(flags: Sequence[bool]) -> list[range]:
    """Where flags are set side by side."""
    found: list[range] = []
    for place, flag in enumerate(flags):
        if flag and found and found[-1].stop == place:
            found[-1] = range(found[-1].start, place + 1)
        elif flag:
            found.append(range(place, place + 1))
    return found


def _cut_end(shape: Shape, profile: ThinkingProfile, turn: Turn, draft: _Draft) -> None:
    """Leave out thinking at the end of a turn, and a turn that would be thinking and nothing else."""
    left: list[tuple[int, int]] = []
    is_thinking: list[bool] = []
    for i in turn.messages:
        going = [j for j, fate in enumerate(draft.fates[i]) if fate.block is not None]
        left += [(i, j) for j in going]
        is_thinking += [shape.thinking(draft.blocks[i][j]) is not None for j in going]
        if _is_text(draft.messages[i]):
            left.append((i, 0))
            is_thinking.append(False)
    count = _ends_with(is_thinking)
    if profile.may_end.value and count < len(left):
        return
    for i, j in left[len(left) - count :]:
        draft.fates[i][j] = Fate(None, "orphan_thinking")


def _is_text(message: Any) -> bool:  # noqa: ANN401 - a message
    """Whether the content of a message is a text in place of blocks."""
    return isinstance(message["content"], str) and message["content"] != ""


def _say(fates: list[list[Fate]], log: Log) -> None:
    for i, row in enumerate(fates):
        for j, fate in enumerate(row):
            if fate.code is None:
                continue
            path, facts = f"messages/{i}/content/{j}", dict(fate.facts)
            if fate.refused:
                raise log.refuse(fate.code, path, fate.reason, **facts)
            log.say(fate.code, path, fate.action, fate.reason, **facts)


def _say_hollow(shape: Shape, fates: list[list[Fate]], log: Log) -> None:
    """Say once that signed blocks without text go out: a model that shows nothing and a damaged file look the same."""
    hollow = [
        f"messages/{i}/content/{j}"
        for i, row in enumerate(fates)
        for j, fate in enumerate(row)
        if fate.block is not None and shape.thinking(fate.block) == "signed" and shape.is_hollow(fate.block)
    ]
    if hollow:
        log.kept("unknown_provenance", hollow[0], None, blocks=len(hollow))


def _written(draft: _Draft, log: Log, *, refuses_empty: bool = False) -> list[tuple[int, Any]]:
    """The messages with what is left of them, each with its place; one of which nothing is left is left out."""
    sent: list[tuple[int, Any]] = []
    for place, (message, content, row) in enumerate(zip(*draft, strict=True)):
        left = [fate.block for fate in row if fate.block is not None]
        if not left and not _is_text(message):
            if refuses_empty:
                raise log.refuse("empty_message", f"messages/{place}")
            log.left_out("empty_message", f"messages/{place}")
        elif len(left) == len(row) and all(block is given for block, given in zip(left, content, strict=True)):
            sent.append((place, message))
        else:
            sent.append((place, {**message, "content": left}))
    return sent


def _joined(sent: list[tuple[int, Any]], log: Log) -> Items:
    """The messages, those of one role side by side as one."""
    joined: Items = []
    for place, message in sent:
        if joined and joined[-1]["role"] == message["role"]:
            log.changed("turns_joined", f"messages/{place}", None)
            joined[-1] = {**joined[-1], "content": [*joined[-1]["content"], *message["content"]]}
        else:
            joined.append(message)
    return joined


def _strip(shape: Shape, messages: Sequence[Any], log: Log) -> Items:
    draft = _Draft(messages, contents(shape, messages), [])
    for content in draft.blocks:
        gone = [shape.thinking(block) is not None or shape.is_opaque(block) for block in content]
        answered = {shape.server_call(block)[1] for block, is_so in zip(content, gone, strict=True) if is_so}
        draft.fates.append([])
        for block, is_so in zip(content, gone, strict=True):
            call, bare = shape.server_call(block)[0], shape.bare(block)
            if is_so or (call is not None and call in answered):
                draft.fates[-1].append(Fate(None, "state_stripped"))
            else:
                draft.fates[-1].append(Fate(block) if bare is block else Fate(bare, "state_stripped"))
    _say(draft.fates, log)
    sent = _written(draft, log)
    return [message for _place, message in sent] if shape.text_content else _joined(sent, log)


def _state(shape: Shape, messages: Sequence[Any]) -> list[tuple[str, Any]]:
    return [
        (f"messages/{i}/content/{j}", block)
        for i, content in enumerate(contents(shape, messages))
        for j, block in enumerate(content)
        if shape.thinking(block) is not None
    ]
