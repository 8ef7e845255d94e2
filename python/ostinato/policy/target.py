"""Where a request goes, where state was made, and whether the one may read the other."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from ostinato.errors import ReplayError
from ostinato.policy.profile import Profile
from ostinato.policy.profiles import profile
from ostinato.replay import Origin
from ostinato.soundness import readable

__all__ = ["OriginGiven", "OriginOf", "Target", "as_origin", "as_target", "foreign_reason", "host", "origins"]

Json = Mapping[str, Any]
OriginOf = Callable[[int, Any], Origin | None]
"""The origin of the item, message or turn at an index; None where nobody knows."""
OriginGiven = (
    Origin | Mapping[str, Any] | Sequence[Origin | Mapping[str, Any] | None] | Callable[[int, Any], Any] | None
)
"""What a caller may pass: one origin for all, one per top-level item, a function, or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a request is about to be sent. What is None is not known, and no rule is made of it."""

    profile: Profile
    """The rules of the destination: a row of `PROFILES`, or the caller's own."""
    endpoint: str | None = None
    """The base URL or host; None for the profile's own."""
    account: str | None = None
    """The account, project or organisation, in the form in which origins name it (`Origin.account_digest`)."""
    model: str | None = None
    mode: Literal["stateless", "chained"] = "stateless"
    """`chained`: the provider holds what came before (`previous_response_id`, `previous_interaction_id`)."""
    held: tuple[str, ...] | None = None
    """In chained mode the ids of the items the provider holds; None: all up to its last answer."""
    settings: Json = field(default_factory=dict, repr=False)
    """The request without its items, as it will be sent (`thinking`, `tools`, `betas` ...): some rules depend on it."""
    last_response: Json | None = field(default=None, repr=False)
    """The answer before this request, where it says what the provider left out (`input_transformations`)."""

    @property
    def provider(self) -> str:
        """Whose state the target makes and takes."""
        return self.profile.provider

    @property
    def wire(self) -> str:
        """The wire it speaks."""
        return self.profile.wire

    @property
    def origin(self) -> Origin:
        """What state made at this target will have as its origin."""
        return Origin(self.provider, host(self.endpoint or self.profile.endpoint), self.account, self.model)

    def but(self, **rules: Any) -> Self:  # noqa: ANN401 - each rule has a type of its own
        """The same target under other rules: `target.but(orphans="raise")`."""
        return replace(self, profile=self.profile.but(**rules))


@readable
def as_target(given: Target | str) -> Target:
    """A target as a caller gives it: a target, or the name of a profile.

    Raises:
        ReplayError: `unknown_profile`, or `type_mismatch` at `target` where it is neither.
    """
    if isinstance(given, str):
        return Target(profile=profile(given))
    if not isinstance(given, Target):
        raise ReplayError("type_mismatch", "target")
    if not isinstance(given.profile, Profile):
        raise ReplayError("type_mismatch", "target/profile")
    return given


@readable
def as_origin(given: Origin | Mapping[str, Any] | None) -> Origin | None:
    """An origin as a caller or a recorded message gives it.

    Raises:
        ReplayError: `type_mismatch` at `origin/...` where a field is no text, `unknown_field` where it is no field.
    """
    if given is None or isinstance(given, Origin):
        return given
    if not isinstance(given, Mapping):
        raise ReplayError("type_mismatch", "origin")
    for name, value in given.items():
        if name not in Origin._fields:
            raise ReplayError("unknown_field", "origin")
        if value is not None and not isinstance(value, str):
            raise ReplayError("type_mismatch", f"origin/{name}")
    return Origin(**given)


def origins(given: OriginGiven, items: Sequence[Any]) -> OriginOf:
    """What a caller passed as origin, as a function of place and item. A caller's own function is asked here.

    Raises:
        ReplayError: as for `as_origin`, and `origins_differ`: a sequence that has not one for each item.
    """
    if isinstance(given, Origin | Mapping) or given is None:
        one = as_origin(given)
        return lambda _index, _item: one
    if not callable(given) and not isinstance(given, Sequence):
        raise ReplayError("type_mismatch", "origin")
    asked = [given(index, item) for index, item in enumerate(items)] if callable(given) else _members(given)
    each = [as_origin(origin) for origin in asked]
    if len(each) != len(items):  # what was lined up wrong would say of one item what is true of another
        raise ReplayError("origins_differ", "origin")
    return lambda index, _item: each[index]


@readable
def _members(given: Sequence[Any]) -> list[Any]:
    return list(given)


def foreign_reason(origin: Origin | None, target: Target) -> str | None:
    """Which part of an origin makes its state unreadable at the target, by the profile's same-origin rule; else None.

    A part that one of the two does not know is not compared.
    """
    if origin is None:
        return None
    own = target.origin
    for name in target.profile.same_origin.value:
        was, now = getattr(origin, name), getattr(own, name)
        if was is None or now is None:
            continue
        if name == "endpoint":
            was, now = host(was), host(now)
        if was != now and not (name == "model" and was in target.profile.readable_models.value):
            return name
    return None


def host(endpoint: str | None) -> str | None:
    """Host and port of an endpoint, whether it is given as a URL or bare; nothing that could be secret."""
    if endpoint is None:
        return None
    bare = re.sub(r"^[a-z][a-z0-9+.-]*://", "", endpoint.strip().lower())
    return re.split(r"[/?#]", bare, maxsplit=1)[0].rpartition("@")[2]
