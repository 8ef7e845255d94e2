"""Where a Chat Completions message holds reasoning and opaque state, and what it is without.

Servers and gateways keep it in many places: text in a field of its own; OpenRouter's and MiniMax's details; Qwen's
ciphertext; Anthropic's blocks as LiteLLM hands them on; Gemini's signatures on a call, or inside of its id.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ostinato.policy.gemini_signatures import is_placeholder

__all__ = [
    "SEPARATOR",
    "TEXTS",
    "SignedBlocks",
    "bare_id",
    "call_signature",
    "calls_of",
    "has_text",
    "is_reasoning_alone",
    "is_sealed",
    "says_something",
    "signed_blocks",
    "text_elsewhere",
    "with_call_signature",
    "without_state",
]

Json = dict[str, Any]
Message = Mapping[str, Any]

TEXTS: Final = ("reasoning_content", "reasoning")
"""The fields of plain reasoning."""
SEPARATOR: Final = "__thought__"
"""Behind it LiteLLM keeps a signature inside of a call's id (litellm 1.110.2, prompt_templates/factory.py)."""
_SEALED: Final = ("reasoning_details", "encrypted_content", "thinking_blocks")
_EXTRA: Final = ("thinking_blocks", "thought_signatures", "reasoning_details", "encrypted_content")
_EXTRAS: Final = "provider_specific_fields"
_SAID: Final = ("content", "tool_calls", "function_call", "refusal", "audio")
_BLOCKS: Final = ("thinking", "redacted_thinking")


def has_text(message: Message) -> bool:
    """Whether a message has plain reasoning, be it empty."""
    return any(isinstance(message.get(name), str) for name in TEXTS)


def calls_of(message: Message) -> list[Mapping[str, Any]]:
    """The calls of a message."""
    calls = message.get("tool_calls")
    return [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list | tuple) else []


def says_something(message: Message) -> bool:
    """Whether a message has anything beside reasoning."""
    return any(message.get(name) for name in _SAID)


def is_reasoning_alone(message: Message) -> bool:
    """Whether a message has reasoning, and nothing that it led to."""
    return not says_something(message) and any(message.get(name) for name in (*TEXTS, *_SEALED))


def is_sealed(message: Message) -> bool:
    """Whether opaque state is in a message, wherever it is."""
    return without_state(message, text=False)[1] != ()


def without_state(message: Message, *, text: bool) -> tuple[Message, tuple[str, ...]]:
    """A message without its opaque state, and the fields that it was in; the same object where there was none.

    Args:
        message: an assistant message.
        text: also without plain reasoning. Text beside opaque state goes with it in any case: it is a summary of it.
    """
    sealed = [name for name in _SEALED if _is_opaque(message.get(name), name, text=text)]
    bare = {name: value for name, value in message.items() if name not in sealed}
    extras = _without_extras(message.get(_EXTRAS), text=text)
    if extras is not message.get(_EXTRAS):
        sealed.append(_EXTRAS)
        bare = _with(bare, _EXTRAS, extras)
    content = message.get("content")
    if isinstance(content, list | tuple) and any(_is_signed_block(part) for part in content):
        sealed.append("content")
        bare["content"] = [part for part in content if not _is_signed_block(part)]
    of_message = bool(sealed)
    calls = message.get("tool_calls")
    if isinstance(calls, list | tuple):
        bare_calls = [_bare_call(call) for call in calls]
        if any(new is not old for new, old in zip(bare_calls, calls, strict=True)):
            sealed.append("tool_calls")
            bare["tool_calls"] = bare_calls
    if text or of_message:
        texts = [name for name in TEXTS if message.get(name)]
        sealed += texts
        bare = {name: value for name, value in bare.items() if name not in texts}
    return (bare, tuple(sealed)) if sealed else (message, ())


def _is_opaque(value: Any, name: str, *, text: bool) -> bool:  # noqa: ANN401 - what a history holds
    """Whether a field holds state: ciphertext, or entries with data or a signature. Else its entries are plain text."""
    if not value:
        return False
    if name == "encrypted_content" or text or not isinstance(value, list | tuple):
        return True
    return any(not isinstance(entry, Mapping) or entry.get("data") or entry.get("signature") for entry in value)


def _is_signed_block(part: Any) -> bool:  # noqa: ANN401 - what a history holds
    return (
        isinstance(part, Mapping)
        and part.get("type") in ("thinking", "redacted_thinking")
        and bool(part.get("signature") or part.get("data"))
    )


def _without_extras(extras: Any, *, text: bool) -> Any:  # noqa: ANN401 - what a history holds
    """What a gateway adds, without the state in it."""
    names = (*_EXTRA, *TEXTS) if text else _EXTRA
    if not isinstance(extras, Mapping) or not any(extras.get(name) for name in names):
        return extras
    return {name: value for name, value in extras.items() if name not in (*_EXTRA, *TEXTS)}


def _with(whole: Json, name: str, value: Any) -> Json:  # noqa: ANN401 - what a history holds
    """A mapping with a field in its place; without it where nothing is left of it."""
    if value:
        return {**whole, name: value}
    return {key: other for key, other in whole.items() if key != name}


class TextElsewhere(NamedTuple):
    """Plain reasoning that stands in none of the fields that servers of this wire have for it."""

    text: str
    field: str
    """Where it stands: `thinking_blocks`."""
    rest: Json
    """The message without it."""


def text_elsewhere(message: Message) -> TextElsewhere | None:
    """Plain reasoning where LiteLLM keeps it: in its own extras, or in Anthropic's blocks (litellm#27946, 2026-05).

    Signed blocks are state and no plain text; a message that has any is left alone.
    """
    extras = message.get(_EXTRAS)
    text = extras.get(TEXTS[0]) if isinstance(extras, Mapping) else None
    if isinstance(text, str) and isinstance(extras, Mapping):
        rest = {name: value for name, value in extras.items() if name != TEXTS[0]}
        return TextElsewhere(text, f"{_EXTRAS}/{TEXTS[0]}", _with(dict(message), _EXTRAS, rest))
    blocks = message.get("thinking_blocks")
    if not isinstance(blocks, list | tuple) or not blocks:
        return None
    texts = [block.get("thinking") for block in blocks if isinstance(block, Mapping) and not block.get("signature")]
    spoken = [one for one in texts if isinstance(one, str)]
    if len(spoken) < len(blocks):
        return None
    return TextElsewhere("".join(spoken), "thinking_blocks", _with(dict(message), "thinking_blocks", None))


# Signatures of calls.


def bare_id(name: Any) -> Any:  # noqa: ANN401 - what a history holds
    """The id of a call without the signature inside of it."""
    return name.partition(SEPARATOR)[0] if isinstance(name, str) and SEPARATOR in name else name


def call_signature(call: Mapping[str, Any]) -> Any:  # noqa: ANN401 - what a history holds
    """The signature of a call, wherever it is; None without one."""
    google = _google(call)
    if google and google.get("thought_signature"):
        return google["thought_signature"]
    for holder in (call, call.get("function")):
        extras = holder.get(_EXTRAS) if isinstance(holder, Mapping) else None
        if isinstance(extras, Mapping) and extras.get("thought_signature"):
            return extras["thought_signature"]
    name = call.get("id")
    return (name.partition(SEPARATOR)[2] or None) if isinstance(name, str) else None


def with_call_signature(call: Mapping[str, Any], signature: str) -> Json:
    """A call with a signature where Google's route of this wire has it."""
    extra = call.get("extra_content")
    google = {**(_google(call) or {}), "thought_signature": signature}
    return {**call, "extra_content": {**(extra if isinstance(extra, Mapping) else {}), "google": google}}


def _google(call: Mapping[str, Any]) -> Mapping[str, Any] | None:
    extra = call.get("extra_content")
    google = extra.get("google") if isinstance(extra, Mapping) else None
    return google if isinstance(google, Mapping) else None


def _bare_call(call: Any) -> Any:  # noqa: ANN401 - what a history holds
    """A call without a signature; the same object where it has none."""
    signature = call_signature(call) if isinstance(call, Mapping) else None
    if signature is None or is_placeholder(signature):
        return call
    bare: Json = {**call, "id": bare_id(call["id"])} if "id" in call else {**call}
    google = _google(call)
    if google is not None:
        rest = {name: value for name, value in google.items() if name != "thought_signature"}
        bare = _with(bare, "extra_content", _with({**call["extra_content"]}, "google", rest))
    bare = _without_call_extras(bare)
    if isinstance(bare.get("function"), Mapping):
        bare["function"] = _without_call_extras(bare["function"])
    return bare


def _without_call_extras(holder: Mapping[str, Any]) -> Json:
    extras = holder.get(_EXTRAS)
    if not isinstance(extras, Mapping):
        return dict(holder)
    return _with(dict(holder), _EXTRAS, {name: value for name, value in extras.items() if name != "thought_signature"})


# Copies.


class SignedBlocks(NamedTuple):
    """The blocks of a message that holds some of them twice."""

    blocks: list[Mapping[str, Any]]
    """Each once, in the order in which they were met; the signed one of two copies."""
    ignored: tuple[str, ...]
    """Where the unsigned copies are: `reasoning_details/0`."""


def signed_blocks(message: Message) -> SignedBlocks:
    """Anthropic's thinking blocks of a message, wherever a gateway put them (open-webui#27467).

    Two copies of one block say the same; the signed one is the state.
    """
    chosen: dict[tuple[Any, Any], tuple[str, Mapping[str, Any]]] = {}
    ignored: list[str] = []
    for path, block in _blocks(message):
        said = block.get("thinking") if block["type"] == "thinking" else block.get("data")
        if not isinstance(said, str):
            continue
        key = (block["type"], said)
        before = chosen.get(key)
        if before is None:
            chosen[key] = (path, block)
        elif block.get("signature") and not before[1].get("signature"):
            chosen[key] = (path, block)
            ignored.append(before[0])
        elif before[1].get("signature") and not block.get("signature"):
            ignored.append(path)
    return SignedBlocks([block for _path, block in chosen.values()], tuple(ignored))


def _blocks(message: Message) -> Iterator[tuple[str, Mapping[str, Any]]]:
    extras = message.get(_EXTRAS)
    places = (
        ("content", message.get("content")),
        ("reasoning_details", message.get("reasoning_details")),
        ("thinking_blocks", message.get("thinking_blocks")),
        (f"{_EXTRAS}/thinking_blocks", extras.get("thinking_blocks") if isinstance(extras, Mapping) else None),
    )
    for path, blocks in places:
        for place, block in enumerate(blocks if isinstance(blocks, list | tuple) else ()):
            if isinstance(block, Mapping) and block.get("type") in _BLOCKS:
                yield f"{path}/{place}", block
