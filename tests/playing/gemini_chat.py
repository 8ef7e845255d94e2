"""Cases about requests to Gemini and to Chat Completions servers, and about what their stores hold."""

from __future__ import annotations

from typing import Any

import ostinato
from ostinato.policy.chat_state import signed_blocks
from ostinato.policy.gemini_signatures import relocated, signature_bytes, signature_of, standard_signature
from tests.playing.verdict import Case, absent, as_text, differ, refused, reported, unanswered, under_policy, with_bytes

# How a case names a destination -> the profile.
PROFILES = {
    "google": "gemini",
    "gemini": "gemini",
    "vertex": "vertex-gemini",
    "gemini-openai-compatible": "gemini-openai-compatible",
    "openai": "openai-chat",
    "llama.cpp": "llama-cpp",
    "xai": "xai-chat",
    "alibaba": "qwen",
    "dashscope": "qwen",
    "glm": "zai",
    "kimi": "moonshot",
    "z.ai": "zai",
    "zhipu": "zai",
}
ITEMS = {
    "contents": "gemini",
    "content": "gemini",
    "parts": "gemini",
    "part": "gemini",
    "steps": "gemini-interactions",
    "step": "gemini-interactions",
    "messages": "openai-chat",
    "message": "openai-chat",
}
"""What a case gives, and whose items these are where it does not say more."""
STORED = ("contents", "content", "steps")
OTHER_WIRES = ("responses", "anthropic", "bedrock", "converse")


def play(case: Case) -> list[str]:
    """What is wrong with the request, or with what is read."""
    given = case["given"]
    if case["when"] == "load" and _is_stored(given):
        return _load(case)
    items = next((name for name in ITEMS if name in given), None)
    wire = f"{case['wire']} {given.get('target', {}).get('wire', '')}"
    # What holds a history of this wire stores messages as they are, and what it sends again is what it stored.
    stores = case["when"] == "load" and (items in STORED or (items == "message" and "tool_calls" in given["message"]))
    if not (case["when"] == "replay" or stores) or items is None or any(name in wire for name in OTHER_WIRES):
        raise NotImplementedError("no request to Gemini or a Chat Completions server")
    return under_policy(case, target(case, items), lambda goal: _prepared(case, items, goal))


def _prepared(case: Case, items: str, goal: ostinato.Target) -> list[str]:
    given = case["given"]
    one = with_bytes(given[items])
    if items in ("part", "parts"):
        one = {"role": "model", "parts": one if items == "parts" else [one]}
    try:
        prepared = ostinato.prepare(one if isinstance(one, list) else [one], goal, origin=given.get("origin"))
    except (ostinato.PrepareError, ostinato.ReplayError) as error:
        return refused(case, error) + absent(case, error)
    if "error" in case["then"]:
        return ["nothing was refused"]
    return _written(case, items, prepared) + reported(case, prepared.report)


def _is_stored(given: dict[str, Any]) -> bool:
    """Whether signatures are given, a part, or a message that a gateway keeps blocks in."""
    message = given.get("message", {})
    gateways = {"reasoning_details", "thinking_blocks", "provider_specific_fields"}
    return (
        "signatures" in given
        or "part" in given
        or (message.get("role") == "assistant" and bool(gateways & message.keys()))
    )


def target(case: Case, items: str) -> ostinato.Target:
    """The target that a case names: a profile, and the rest as what it is or as a setting or rule of that name."""
    named = dict(case["given"].get("target", {}))
    wire = f"{named.pop('wire', '')} {case['wire']}"
    provider = named.pop("provider", None) or ("gemini-openai-compatible" if "compatible" in wire else "")
    provider = provider or _server(case["wire"])
    name = PROFILES.get(provider, provider) if provider else ITEMS[items]
    if "aiplatform" in str(named.get("endpoint")):
        name = "vertex-gemini"
    if items.startswith("message") and name in ("gemini", "vertex-gemini"):
        name += "-openai-compatible"
    if items.startswith("step"):
        name = name.replace("vertex-gemini", "vertex").removesuffix("gemini").rstrip("-")
        name = "vertex-gemini-interactions" if name == "vertex" else "gemini-interactions"
    if name not in ostinato.PROFILES:
        name = ITEMS[items]
    profile = ostinato.PROFILES[name]
    known = {key: named.pop(key) for key in ("endpoint", "account", "model", "mode", "held") if key in named}
    rules = {rule: named.pop(rule) for rule, _cell in profile.cells() if rule in named}
    settings = named.pop("request", {}) | named
    if isinstance(settings.get("thinking"), str):
        settings["thinking"] = {"type": settings["thinking"]}
    if case["given"].get("recorded_field", "") is None:
        rules["field_name"] = "both"
    return ostinato.Target(profile=profile, settings=settings, **known).but(**rules)


def _server(wire: str) -> str:
    """The server in a name such as `chat-deepseek` or `openrouter-chat`; empty without one."""
    server = wire.removeprefix("chat-").removesuffix("-chat")
    return server if server != wire else ""


def _written(case: Case, items: str, prepared: ostinato.Prepared) -> list[str]:
    given, wanted = case["given"], case["then"].get("output", {})
    misses = absent(case, prepared.items, prepared.report)
    if f"{items}_unchanged" in wanted:
        misses += differ(items, prepared.items, given[items])
    if items in wanted:
        many = isinstance(given[items], list) and items != "parts"
        found: Any = prepared.items if many else prepared.items[0]
        if items in ("part", "parts"):
            found = found["parts"] if items == "parts" else found["parts"][0]
        misses += differ(items, as_text(found), as_text(with_bytes(wanted[items])))
    elif items == "message":
        for name in wanted.keys() - {"message_unchanged", "messages_unchanged"}:
            misses += differ(name, prepared.items[0].get(name) if prepared.items else None, wanted[name])
    return misses


def _load(case: Case) -> list[str]:
    given, wanted = case["given"], case["then"].get("output", {})
    said: list[dict[str, Any]] = []
    output: dict[str, Any] = {}
    try:
        if "signatures" in given:
            output["signatures"] = [_standard(place, each) for place, each in enumerate(given["signatures"])]
            output["bytes_hex"] = "".join(dict.fromkeys(_hex(signature) for signature in given["signatures"]))
        elif "part" in given:
            moved = relocated(given["part"])
            sign = signature_of(given["part"] if moved is None else moved.part)
            if sign is not None:
                standard_signature(sign)
            output["part"] = given["part"] if moved is None else moved.part
            output["bytes_hex"] = _hex(signature_of(output["part"]))
            said = [] if moved is None else [{"code": "relocated_field", "from": moved.source, "to": moved.to}]
        else:
            found = signed_blocks(given["message"])
            output["blocks"] = found.blocks
            said = [{"code": "unsigned_copy_ignored", "path": path} for path in found.ignored]
    except ostinato.ReplayError as error:
        return refused(case, error)
    misses = [miss for name in wanted for miss in differ(name, output.get(name), wanted[name])]
    return misses + unanswered(case, said) + absent(case, output)


def _standard(place: int, signature: Any) -> str:
    try:
        return standard_signature(signature)
    except ostinato.ReplayError as error:
        raise ostinato.ReplayError(error.code, f"signatures/{place}") from None


def _hex(signature: Any) -> str:
    return (signature_bytes(signature) or b"").hex()
