"""Settings that decide what a provider does with thinking, and what it said it did."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.policy.decision import Decision, Log
from ostinato.policy.profiles.thinking import BINDING_BETA, ThinkingProfile
from ostinato.policy.target import Target
from ostinato.soundness import readable

__all__ = ["binding_settings", "check_settings", "provider_drops", "say_drops"]

_BINDING: Final = "thinking.block_binding"
_PATH: Final = re.compile(r"messages\.(\d{1,9})\.content\.(\d{1,9})")
_REASON: Final = re.compile(r"[a-z_]{1,64}")
_CODES: Final = {
    "thinking_dropped": "provider_dropped_state",
    "thinking_mismatch_allowed": "provider_allowed_mismatch",
}
"""What an entry of `input_transformations` says: anthropic 2.14.0 types, 2026-11."""
_NESTS: Final = ("additionalModelRequestFields", "extra_body")
"""Where the settings of a model stand in a request of Converse, and where SDKs take what they do not know."""


def binding_settings(behavior: str = "drop_block") -> dict[str, Any]:
    """What goes into every request of a conversation whose provider should leave out thinking that no longer fits.

    The setting and its beta go together, and with every later request: what the provider left out of one is still in
    the history, and would be refused in the next. Source: platform.claude.com preserved-thinking, 2026-11.

    Args:
        behavior: `drop_block`, or `error` for a request that is refused.

    Returns:
        `thinking` (to be merged into the request's own) and `betas`.
    """
    return {"thinking": {"block_binding": {"prefix_mismatch_behavior": behavior}}, "betas": [BINDING_BETA]}


@discreet
@readable
def provider_drops(response: Mapping[str, Any]) -> tuple[Decision, ...]:
    """What a provider left out of the last request, as `input_transformations` of its response lists it.

    Keep it beside the history, and the history as it is: leaving the blocks out of the next request would change the
    prefix again.

    Raises:
        ReplayError: `type_mismatch` where the list, or an entry of it, is none.
    """
    changes = response.get("input_transformations")
    if changes is None:
        return ()
    if not isinstance(changes, list | tuple):
        raise ReplayError("type_mismatch", "input_transformations")
    return tuple(_drops(changes))


def _drops(changes: Any) -> Iterator[Decision]:  # noqa: ANN401 - a provider's list
    for place, change in enumerate(changes):
        if not isinstance(change, Mapping):
            raise ReplayError("type_mismatch", f"input_transformations/{place}")
        kind, path, reason = change.get("type"), change.get("path"), change.get("reason")
        code = _CODES.get(kind) if isinstance(kind, str) else None
        if code is None:
            continue  # what it did to images, say
        found = _PATH.fullmatch(path) if isinstance(path, str) else None
        known = reason if isinstance(reason, str) and _REASON.fullmatch(reason) else None
        yield Decision(code, f"messages/{found[1]}/content/{found[2]}" if found else "", "kept", known)


def say_drops(target: Target, log: Log) -> None:
    """Report what the provider left out last time, and a setting that should have gone on."""
    if target.last_response is None:
        return
    drops = provider_drops(target.last_response)
    log.decisions.extend(drops)
    dropped = any(d.code == "provider_dropped_state" and d.reason == "prefix_binding_mismatch" for d in drops)
    if dropped and target.settings and not any(_at(settings, _BINDING) for settings in _places(target.settings)):
        log.kept("setting_not_repeated", "", None, setting=_BINDING)


def check_settings(target: Target, log: Log) -> None:
    """Refuse settings that the provider would refuse.

    Raises:
        PrepareError: `setting_without_beta`.
    """
    profile = target.profile
    if not isinstance(profile, ThinkingProfile):
        return
    places = list(_places(target.settings))
    named = {beta for settings in places for beta in _betas(settings)}
    for setting, beta in profile.betas.value:
        if beta in named or all(_at(settings, setting) is None for settings in places):
            continue
        if profile.missing_beta.value == "raise":
            raise log.refuse("setting_without_beta", "", None, setting=setting, beta=beta)
        log.kept("setting_without_beta", "", None, setting=setting, beta=beta)


def _places(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The settings, and what is nested in them."""
    yield settings
    for name in _NESTS:
        nested = settings.get(name)
        if isinstance(nested, Mapping):
            yield nested


def _at(settings: Any, path: str) -> Any:  # noqa: ANN401 - any JSON value
    for step in path.split("."):
        settings = settings.get(step) if isinstance(settings, Mapping) else None
    return settings


def _betas(settings: Mapping[str, Any]) -> Iterator[str]:
    """The betas that a request names: as the SDKs take them, as the body of Bedrock holds them, or in a header."""
    for name in ("betas", "anthropic_beta", "anthropic-beta"):
        yield from _names(settings.get(name))
    for name in ("headers", "extra_headers", "default_headers"):
        headers = settings.get(name)
        if isinstance(headers, Mapping):
            for header, value in headers.items():
                if isinstance(header, str) and header.lower() == "anthropic-beta":
                    yield from _names(value)


def _names(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        yield from (name.strip() for name in value.split(","))
    elif isinstance(value, list | tuple):
        yield from (name for name in value if isinstance(name, str))
