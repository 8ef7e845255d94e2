"""What generateContent takes back: each signature on its own part, parallel calls in one content.

Source of the rules, unless a profile names another: ai.google.dev thought-signatures and its counterpart of Google
Cloud (read 2026-11). A *step* is one answer of the model: contents of the model side by side are one step, since
clients that stream keep each chunk as a content of its own. A *turn* begins with a content of the user that holds more
than results of calls.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, NamedTuple

from ostinato.errors import ReplayError
from ostinato.policy.decision import Log
from ostinato.policy.gemini_contents import Content, Part, is_call, is_result, is_thought, parts_of, read_contents
from ostinato.policy.gemini_signatures import (
    KEYS,
    SIGNATURE,
    is_placeholder,
    relocated,
    signature_fault,
    signature_of,
    standard_signature,
    unsigned,
)
from ostinato.policy.google import foreign_to_google
from ostinato.policy.profiles.gemini_generate_content import GeminiProfile
from ostinato.policy.rules import Items, Marks, Rules
from ostinato.policy.target import OriginOf, Target
from ostinato.replay import Origin

__all__ = ["RULES", "takes_unsigned", "with_placeholder"]

Json = dict[str, Any]

_BLANK: Final = frozenset({"text", "thought"})


def takes_unsigned(profile: GeminiProfile, model: str | None) -> bool:
    """Whether a model takes calls without a signature."""
    return model is not None and any(name in model.lower() for name in profile.unsigned_models.value)


def with_placeholder(part: Part, placeholder: str) -> Json:
    """A call with the stand-in for its signature: the constant as it is, not its base64."""
    return {**unsigned(part), SIGNATURE: placeholder}


class _Request(NamedTuple):
    """What the rules of one request need to know."""

    target: Target
    rules: GeminiProfile
    log: Log


def _prepare(items: Sequence[Any], target: Target, origin_of: OriginOf, log: Log) -> Items:
    if not isinstance(target.profile, GeminiProfile):
        raise ReplayError("unknown_profile")
    request = _Request(target, target.profile, log)
    contents = read_contents(items)
    for index, content in enumerate(contents):
        _own_state(content, origin_of(index, content.whole), request)
    contents = _without_orphans([content for content in contents if content.parts or not content.changed], request)
    contents = _whole_batches(contents, request)
    _sign(contents, request)
    return [content.written() for content in contents]


# State: the target's own and sound, or not there.


def _own_state(content: Content, origin: Origin | None, request: _Request) -> None:
    """Leave out what is another's or no signature at all, and put what stands inside of a call in its place."""
    foreign = foreign_to_google(origin, request.target)
    parts: list[tuple[str, Part]] = []
    for path, part in content.parts:
        kept = _own_part(part, path, foreign, request)
        if kept is not None:
            parts.append((path, kept))
            if origin is None and _holds_state(kept):
                request.log.unknown_origin += 1
    content.update(parts)


def _own_part(part: Part, path: str, foreign: str | None, request: _Request) -> Part | None:
    rules, log = request.rules, request.log
    moved = relocated(part)
    if moved is not None:
        part = moved.part
        log.changed("relocated_field", path, **{"from": moved.source, "to": moved.to})
    signature = signature_of(part)
    if isinstance(signature, bytes):  # as google-genai has it in Python; no JSON can hold it (adk-python#4043, 2025-12)
        log.changed("bytes_as_text", path)
        signature = standard_signature(signature)
        part = {name: signature if name in KEYS and value else value for name, value in part.items()}
    if signature is None:
        return part
    if is_placeholder(signature):
        log.kept("placeholder_present", path)
        return part
    if foreign is not None and rules.foreign.value == "keep":
        log.kept("foreign_state", path, foreign)
    elif foreign is not None:
        return _left_out("foreign_state", path, foreign, part, request)
    both = all(part.get(key) is not None for key in KEYS)
    fault = "fields_conflict" if both else signature_fault(signature)
    return part if fault is None else _left_out("unsound_state", path, fault, part, request)


def _left_out(code: str, path: str, reason: str, part: Part, request: _Request) -> Part | None:
    """A part without its signature; nothing of it where the signature is all that it was there for."""
    rules, log = request.rules, request.log
    if (rules.foreign if code == "foreign_state" else rules.unsound).value == "raise":
        raise log.refuse(code, path, reason)
    bare = _bare(part)
    log.say(code, path, "left_out" if bare is None else "changed", reason)
    return bare


def _bare(part: Part) -> Json | None:
    """A part without its state; None for thoughts, and for what would be a husk."""
    bare = unsigned(part)
    if is_thought(bare) or (_BLANK.issuperset(bare) and not bare.get("text")):
        return None
    return bare


def _holds_state(part: Part) -> bool:
    signature = signature_of(part)
    return signature is not None and not is_placeholder(signature)


# Batches: parallel calls in one content, their results in the next.


def _whole_batches(contents: list[Content], request: _Request) -> list[Content]:
    """Join parallel calls that stand in several contents of one step, and so their results.

    Contents of a step belong together where a later one opens with a call that is not signed: the model signs the first
    call of a step and no other. A call with a signature of its own stays where it is.
    """
    if request.rules.split_batches.value == "keep":
        return contents
    joined: list[Content] = []
    for is_model, run in groupby(contents, key=lambda content: content.is_model):
        step = list(run)
        joined += _joined_calls(step, request) if is_model else _joined_results(joined, step, request)
    return _joined_across(joined, request) if request.rules.split_batches.value == "across" else joined


def _joined_across(contents: list[Content], request: _Request) -> list[Content]:
    """Join parallel calls that some stores keep each with its result: FC1, FR1, FC2, FR2 (pipecat#3420, 2026-01).

    An answer of the model begins with a signed call, so calls alone without a signature, right behind the results of a
    signed batch, came with that batch, or their signature was lost. Nobody can tell, so this is the caller's choice.
    Where a signature was taken out here, they are another's.
    """
    joined: list[Content] = []
    for content in contents:
        batch, results = joined[-2:] if len(joined) > 1 else (None, None)
        signed = batch is not None and bool(batch.calls) and _holds_state(batch.parts[batch.calls[0]][1])
        if batch is None or results is None or not signed or not results.is_results:
            joined.append(content)
        elif content.is_model and not content.changed and _are_unsigned_calls(content):
            _join(batch, content, request, "calls")
        elif len(results.parts) < len(batch.calls) and _are_one(results, content):
            _join(results, content, request, "results")
        else:
            joined.append(content)
    return joined


def _are_unsigned_calls(content: Content) -> bool:
    return bool(content.parts) and all(is_call(part) and signature_of(part) is None for _path, part in content.parts)


def _joined_calls(step: list[Content], request: _Request) -> list[Content]:
    joined: list[Content] = []
    for content in step:
        opener = next((one for one in reversed(range(len(joined))) if joined[one].calls), None)
        calls = content.calls
        if opener is None or not calls or _holds_state(content.parts[calls[0]][1]):
            joined.append(content)
            continue
        for between in joined[opener + 1 :]:
            joined[opener].absorb(between)
        del joined[opener + 1 :]
        _join(joined[opener], content, request, "calls")
    return joined


def _joined_results(before: list[Content], contents: list[Content], request: _Request) -> list[Content]:
    wanted = 0
    for content in reversed(before):
        if not content.is_model:
            break
        wanted += len(content.calls)
    joined: list[Content] = []
    for content in contents:
        first = joined[0] if joined else None
        if first is not None and len(joined) == 1 and len(first.parts) < wanted and _are_one(first, content):
            _join(first, content, request, "results")
        else:
            joined.append(content)
    return joined


def _are_one(content: Content, other: Content) -> bool:
    return content.is_results and other.is_results and content.whole.get("role") == other.whole.get("role")


def _join(content: Content, other: Content, request: _Request, what: str) -> None:
    if request.rules.split_batches.value == "raise":
        raise request.log.refuse("split_batch", other.path, what)
    request.log.changed("split_batch", other.path, what, into=content.path)
    content.absorb(other)


# Orphans: thoughts that led to nothing, results of no call.


def _without_orphans(contents: list[Content], request: _Request) -> list[Content]:
    if request.rules.orphans.value == "keep":
        return contents
    # With explicit caching the calls may stand in the cache.
    cached = any(request.target.settings.get(name) for name in ("cachedContent", "cached_content"))
    kept: list[Content] = []
    called = cached
    for is_model, run in groupby(contents, key=lambda content: content.is_model):
        step = list(run)
        if not is_model:
            for content in step:
                kept += _answering(content, request, called=called)
                called = called and content.is_results
        elif _led_to_something(step, request):
            called = any(content.calls for content in step)
            kept += step
    return kept


def _led_to_something(step: list[Content], request: _Request) -> bool:
    thoughts = [is_thought(part) for content in step for _path, part in content.parts]
    if not thoughts or not all(thoughts):
        return True
    for content in step:
        _orphan("orphan_thinking", content.path, request)
    return False


def _answering(content: Content, request: _Request, *, called: bool) -> list[Content]:
    """A content of the user without results of no call; nothing where it held nothing else."""
    if called or not any(is_result(part) for _path, part in content.parts):
        return [content]
    for path, part in content.parts:
        if is_result(part):
            _orphan("orphan_result", path, request)
    content.update([(path, part) for path, part in content.parts if not is_result(part)])
    return [content] if content.parts else []


def _orphan(code: str, path: str, request: _Request) -> None:
    if request.rules.orphans.value == "raise":
        raise request.log.refuse(code, path)
    request.log.left_out(code, path)


# Signatures: where the API looks for one, and nowhere else.


def _sign(contents: list[Content], request: _Request) -> None:
    """Say where a step's first call has no signature; or put the stand-in there, where the caller chose it.

    The API looks at the current turn alone, and so does the report. The stand-in goes on the first call of every step:
    otherwise a turn would change when the next one begins, and with it the prefix.
    """
    current = max((place for place, content in enumerate(contents) if _opens_turn(content)), default=-1)
    place = 0
    for is_model, run in groupby(contents, key=lambda content: content.is_model):
        step = list(run)
        place += len(step)
        if is_model:
            _sign_step(step, is_current=place > current, request=request)


def _opens_turn(content: Content) -> bool:
    return not content.is_model and any(not is_result(part) for _path, part in content.parts)


def _sign_step(step: list[Content], *, is_current: bool, request: _Request) -> None:
    rules, log = request.rules, request.log
    calls = [(content, place) for content in step for place in content.calls]
    if not calls:
        return
    for content, place in calls[1:]:
        path, part = content.parts[place]
        if is_placeholder(signature_of(part)) and rules.sibling_placeholder.value == "drop":
            log.changed("sibling_placeholder", path)
            content.replace(place, unsigned(part))
    content, place = calls[0]
    path, part = content.parts[place]
    if signature_of(part) is not None or takes_unsigned(rules, request.target.model):
        return
    choice = rules.missing_signature.value
    if choice == "placeholder":
        log.say("placeholder_used", path, "added")
        content.replace(place, with_placeholder(part, rules.placeholder.value))
    elif is_current and choice == "raise":
        raise log.refuse("missing_signature", path)
    elif is_current:
        log.kept("missing_signature", path)


# The rest of the record.


def _units(items: Sequence[Any]) -> list[range]:
    """A step and the results of its calls; any other content is a unit of its own."""
    contents = read_contents(items)
    starts = [
        place for place, content in enumerate(contents) if place == 0 or not _continues(contents[place - 1], content)
    ]
    return [range(start, stop) for start, stop in pairwise([*starts, len(contents)])]


def _continues(before: Content, content: Content) -> bool:
    if content.is_model:
        return before.is_model
    return content.is_results and (before.is_model or before.is_results)


def _strip(items: Sequence[Any], log: Log) -> Items:
    stripped: Items = []
    for content in read_contents(items):
        parts: list[tuple[str, Part]] = []
        for path, part in content.parts:
            moved = relocated(part)
            own = part if moved is None else moved.part
            bare = own if signature_of(own) is None else _bare(own)
            if bare is not part:
                log.say("state_stripped", path, "left_out" if bare is None else "changed")
            if bare is not None:
                parts.append((path, bare))
        content.update(parts)
        if content.parts or not content.changed:
            stripped.append(content.written())
    return stripped


def _state(items: Sequence[Any]) -> list[tuple[str, Any]]:
    # A model that speaks takes texts.
    contents = [(f"contents/{index}", item) for index, item in enumerate(items) if isinstance(item, Mapping)]
    return [found for path, content in contents for found in parts_of(content, path) if _holds_state(found[1])]


RULES: Final = Rules(_prepare, _units, _strip, _state, marks=Marks("contents", ("parts", "role"), ("content",)))
