"""What the Interactions API takes back: thoughts as whole steps, unchanged, with the steps of its own tools.

Source of the rules, unless a profile names another: ai.google.dev thinking (snapshot 2026-09-16). Without stored
interactions all thoughts are sent again exactly as they came. Signatures stand on thoughts and on the calls and results
of built-in tools. An interaction that the server holds (`previous_interaction_id`) needs nothing but what is new.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, Literal, NamedTuple

from ostinato.errors import ReplayError
from ostinato.policy.decision import Log
from ostinato.policy.gemini_signatures import is_placeholder
from ostinato.policy.google import foreign_to_google
from ostinato.policy.profiles.gemini_interactions import InteractionsProfile
from ostinato.policy.rules import Items, Rules
from ostinato.policy.target import OriginOf, Target
from ostinato.replay import Origin, canonicalize_completed_reasoning_output_item

__all__ = ["RULES", "needs_placeholder", "only_thoughts", "placeholder_step", "step_fault"]

Json = dict[str, Any]
Step = Mapping[str, Any]

_SIGNATURE: Final = "signature"
_ASKED: Final = ("user_input", "function_result")
"""What the caller adds. Everything else is the model's, or its tools'."""
_CLIENT_CALLS: Final = ("function_call", "function_result")


def only_thoughts(steps: Sequence[Step]) -> bool:
    """Whether steps are thoughts and nothing that they led to."""
    return bool(steps) and all(step.get("type") == "thought" for step in steps)


def needs_placeholder(steps: Sequence[Step]) -> bool:
    """Whether a turn of the model has thoughts and opens with none, or speaks without a signed one.

    As mmsp 0.5.6 has it: the API refuses such a turn.
    """
    thoughts = [step for step in steps if step.get("type") == "thought"]
    if thoughts and steps[0].get("type") != "thought":
        return True
    speaks = any(step.get("type") in ("model_output", "function_call") for step in steps)
    return speaks and not any(step.get(_SIGNATURE) for step in thoughts)


def placeholder_step(placeholder: str) -> Json:
    """The thought that stands in for one that is not there."""
    return {"type": "thought", _SIGNATURE: placeholder}


def step_fault(signature: Any) -> str | None:  # noqa: ANN401 - what a history holds
    """Why a signature cannot be sent, by the codec's code; None where it is sound. It is a text and passes as it is."""
    if isinstance(signature, bytes):
        return "type_mismatch"  # the codec would spell them, and this step goes out as it is
    try:
        canonicalize_completed_reasoning_output_item(
            {"type": "thought", _SIGNATURE: signature}, wire="gemini-interactions"
        )
    except ReplayError as error:
        return error.code
    return None


class _Placed(NamedTuple):
    """A step, where it stood, and where it was made."""

    path: str
    step: Step
    origin: Origin | None


class _Request(NamedTuple):
    """What the rules of one request need to know."""

    target: Target
    rules: InteractionsProfile
    log: Log


def _prepare(items: Sequence[Any], target: Target, origin_of: OriginOf, log: Log) -> Items:
    if not isinstance(target.profile, InteractionsProfile):
        raise ReplayError("unknown_profile")
    request = _Request(target, target.profile, log)
    first = 0 if target.mode == "stateless" else _first_new(items, target.held)
    if first:
        log.left_out("held_by_provider", "", steps=first)
    placed = [
        _Placed(f"steps/{index}", step, origin_of(index, step)) for index, step in enumerate(items) if index >= first
    ]
    kept = _own_steps(placed, request)
    current = _current(kept)
    # First the turns of the older form: where nothing is left of one, the steps around it are one turn.
    kept = [
        one for place, turn in enumerate(kept) for one in _settled(turn, is_current=place > current, request=request)
    ]
    current, place = _current(kept), 0
    sendable: Items = []
    for kind, run in groupby(kept, key=lambda one: _kind(one.step)):
        turn = list(run)
        place += len(turn)
        if kind == "model":
            sendable += _turn(turn, is_current=place > current, request=request)
        else:
            sendable += [_given(one) for one in turn]
    return sendable


def _current(placed: list[_Placed]) -> int:
    """Where the current turn begins; -1 where nobody spoke."""
    return max((place for place, one in enumerate(placed) if _opens_turn(one.step)), default=-1)


def _given(one: _Placed) -> Any:  # noqa: ANN401 - the caller's own object
    return one.step


def _kind(step: Step) -> Literal["asked", "nested", "model"]:
    """What the caller adds; a turn of the model in the older form, `{role, content: [...]}`; or a step of the model."""
    if _is_asked(step):
        return "asked"
    return "nested" if isinstance(step.get("content"), list | tuple) and step.get("role") == "model" else "model"


def _settled(one: _Placed, *, is_current: bool, request: _Request) -> list[_Placed]:
    """A turn of the older form by the same rules as the steps of a turn; nothing where nothing is left of it."""
    if _kind(one.step) != "nested":
        return [one]
    inner = _own_steps(list(_inner(one)), request)
    steps = _turn(inner, is_current=is_current, request=request) if inner else []
    if [id(step) for step in steps] == [id(step) for step in one.step["content"]]:
        return [one]
    return [one._replace(step={**one.step, "content": steps})] if steps else []


def _inner(one: _Placed) -> Iterator[_Placed]:
    for place, step in enumerate(one.step["content"]):
        path = f"{one.path}/content/{place}"
        if not isinstance(step, Mapping):
            raise ReplayError("type_mismatch", path)
        yield _Placed(path, step, one.origin)


def _opens_turn(step: Step) -> bool:
    return step.get("type") == "user_input" or step.get("role") == "user"


def _is_asked(step: Step) -> bool:
    return step.get("type") in _ASKED or step.get("role") == "user"


def _first_new(items: Sequence[Any], held: tuple[str, ...] | None) -> int:
    """Where what is new begins: after the last step that the provider holds."""
    if held is None:
        return max((place + 1 for place, step in enumerate(items) if not _is_asked(step)), default=0)
    names = set(held)
    return max((place + 1 for place, step in enumerate(items) if _text(step.get("id")) in names), default=0)


def _text(value: Any) -> str | None:  # noqa: ANN401 - what a history holds
    return value if isinstance(value, str) else None


# State: the target's own and sound, or not there.


def _own_steps(placed: list[_Placed], request: _Request) -> list[_Placed]:
    """Leave out whole steps that are another's or unsound; a call of a built-in tool goes with its result."""
    left_out = {}
    for place, one in enumerate(placed):
        signature = one.step.get(_SIGNATURE)
        if not signature:
            continue
        if is_placeholder(signature):
            request.log.kept("placeholder_present", one.path)
            continue
        found = _refused(one, signature, request)
        if found is not None:
            left_out[place] = found
        elif one.origin is None:
            request.log.unknown_origin += 1
    partners = {pair: why for place, pair in _pairs(placed) if (why := left_out.get(place)) and pair not in left_out}
    kept: list[_Placed] = []
    for place, one in enumerate(placed):
        code, reason = left_out.get(place) or partners.get(place) or (None, None)
        if code is None:
            kept.append(one)
        elif one.step.get("type") in _CLIENT_CALLS:  # the call is a visible turn; google-genai 1.75.0 signed it
            bare = {name: value for name, value in one.step.items() if name != _SIGNATURE}
            request.log.changed(code, one.path, reason)
            kept.append(one._replace(step=bare))
        else:
            request.log.left_out(code, one.path, reason)
    return kept


def _refused(one: _Placed, signature: Any, request: _Request) -> tuple[str, str] | None:  # noqa: ANN401 - of a history
    rules, log = request.rules, request.log
    foreign = foreign_to_google(one.origin, request.target)
    if foreign is not None:
        if rules.foreign.value == "raise":
            raise log.refuse("foreign_state", one.path, foreign)
        if rules.foreign.value != "keep":
            return "foreign_state", foreign
        log.kept("foreign_state", one.path, foreign)
    fault = step_fault(signature)
    if fault is None:
        return None
    if rules.unsound.value == "raise":
        raise log.refuse("unsound_state", one.path, fault)
    return "unsound_state", fault


def _pairs(placed: list[_Placed]) -> Iterator[tuple[int, int]]:
    """The calls of built-in tools with their results, both ways round. A server answers within its own turn."""
    calls: dict[tuple[str, str], int] = {}
    for place, one in enumerate(placed):
        if _is_asked(one.step):
            calls.clear()
        kind = _text(one.step.get("type")) or ""
        tool, _, half = kind.rpartition("_")
        name = _text(one.step.get("id" if half == "call" else "call_id"))
        if name is None or kind in _CLIENT_CALLS:
            continue
        if half == "call":
            calls[tool, name] = place
        elif half == "result" and (call := calls.get((tool, name))) is not None:
            yield call, place
            yield place, call


# Turns of the model.


def _turn(turn: list[_Placed], *, is_current: bool, request: _Request) -> Items:
    """One turn of the model; opened by the stand-in, or reported, where it calls and no signed thought is in it.

    The stand-in opens every turn that needs it, current or not: otherwise a turn would change when the next one begins.
    """
    rules, log = request.rules, request.log
    steps: list[Any] = [one.step for one in turn]
    if only_thoughts(steps) and rules.orphans.value != "keep":
        for one in turn:
            if rules.orphans.value == "raise":
                raise log.refuse("orphan_thinking", one.path)
            log.left_out("orphan_thinking", one.path)
        return []
    if rules.missing_signature.value == "placeholder":
        if needs_placeholder(steps):
            log.say("placeholder_used", turn[0].path, "added")
            steps.insert(0, placeholder_step(rules.placeholder.value))
        return steps
    call = next((place for place, step in enumerate(steps) if step.get("type") == "function_call"), None)
    if call is None or not is_current or any(step.get(_SIGNATURE) for step in steps[: call + 1]):
        return steps
    if rules.missing_signature.value == "raise":
        raise log.refuse("missing_signature", turn[call].path)
    log.kept("missing_signature", turn[call].path)
    return steps


# The rest of the record.


def _units(items: Sequence[Any]) -> list[range]:
    """A turn of the model and the results of its calls; any other step is a unit of its own."""
    starts = [place for place, step in enumerate(items) if place == 0 or not _continues(items[place - 1], step)]
    return [range(start, stop) for start, stop in pairwise([*starts, len(items)])]


def _continues(before: Step, step: Step) -> bool:
    if _is_asked(step):
        return step.get("type") == "function_result" and not _opens_turn(before)
    return not _is_asked(before)


def _strip(items: Sequence[Any], log: Log) -> Items:
    """Without thoughts that are signed, and without calls and results of built-in tools that are."""
    return _stripped([_Placed(f"steps/{place}", step, None) for place, step in enumerate(items)], log)


def _stripped(placed: list[_Placed], log: Log) -> Items:
    signed = {place for place, one in enumerate(placed) if one.step.get(_SIGNATURE)}
    gone = signed | {pair for place, pair in _pairs(placed) if place in signed}
    stripped: Items = []
    for place, one in enumerate(placed):
        whole: Any = one.step
        if _kind(whole) == "nested":
            inner = list(_inner(one))
            steps = _stripped(inner, log)
            if [id(step) for step in steps] != [id(step.step) for step in inner]:
                if steps:
                    stripped.append({**whole, "content": steps})
                continue
        if place not in gone:
            stripped.append(whole)
        elif whole.get("type") in _CLIENT_CALLS:
            log.changed("state_stripped", one.path)
            stripped.append({name: value for name, value in whole.items() if name != _SIGNATURE})
        else:
            log.left_out("state_stripped", one.path)
    return stripped


def _state(items: Sequence[Any]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for place, whole in enumerate(items):
        if not isinstance(whole, Mapping):
            continue  # a model that speaks takes texts
        one = _Placed(f"steps/{place}", whole, None)
        steps = _inner(one) if _kind(whole) == "nested" else [one]
        found += (
            (step.path, step.step)
            for step in steps
            if step.step.get("type") == "thought"
            and step.step.get(_SIGNATURE)
            and not is_placeholder(step.step[_SIGNATURE])
        )
    return found


RULES: Final = Rules(_prepare, _units, _strip, _state)
