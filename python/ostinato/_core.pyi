# The compiled core. Public names are re-exported by `ostinato`; import them from there.

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, Protocol, Self, TypeAlias, final, overload

from ostinato.errors import ReplayError
from ostinato.replay import DedupeKey, Limits

__all__ = [
    "BUILD_PROFILE",
    "ReasoningItem",
    "__version__",
    "canonicalize_completed_reasoning_output_item",
    "canonicalize_completed_reasoning_output_items",
    "dedupe",
    "error_codes",
    "measure",
    "meter",
    "parse_decoded_envelope",
    "parse_reasoning_replay_envelope",
    "parse_reasoning_replay_envelopes",
    "policies",
    "providers",
    "reasoning_replay_dedupe_key",
    "reasoning_replay_dedupe_keys",
    "reasoning_replay_item_to_provider_input",
    "reasoning_replay_items_to_provider_input",
    "serialize_reasoning_replay_envelope",
    "serialize_reasoning_replay_envelopes",
]
__version__: Final[str]
BUILD_PROFILE: Final[str]

class _OriginLike(Protocol):
    @property
    def provider(self) -> str | None: ...
    @property
    def endpoint(self) -> str | None: ...
    @property
    def account(self) -> str | None: ...
    @property
    def model(self) -> str | None: ...

_Origin: TypeAlias = _OriginLike | Mapping[str, str]
_Text: TypeAlias = str | bytes | bytearray | memoryview

@final
class ReasoningItem:
    @property
    def wire(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def provider(self) -> str | None: ...
    @property
    def dropped_fields(self) -> tuple[str, ...]: ...
    @property
    def completion(self) -> Literal["item_status", "response_status", "not_stated"] | None: ...
    @property
    def origin(self) -> dict[str, str] | None: ...
    @property
    def route(self) -> str | None: ...
    @property
    def type(self) -> str | None: ...
    @property
    def id(self) -> str | None: ...
    @property
    def encrypted_content(self) -> str | None: ...
    @property
    def summary(self) -> tuple[str, ...]: ...
    @property
    def content(self) -> tuple[str, ...]: ...
    def get(self, field: str) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...

def canonicalize_completed_reasoning_output_item(
    item: object,
    *,
    wire: str = "openai-responses",
    provider: str | None = None,
    response_status: str | None = None,
    limits: Limits | None = None,
) -> ReasoningItem: ...
@overload
def canonicalize_completed_reasoning_output_items(
    items: list[Any],
    *,
    wire: str = "openai-responses",
    provider: str | None = None,
    response_status: str | None = None,
    limits: Limits | None = None,
    errors: Literal["raise"] = "raise",
) -> list[ReasoningItem]: ...
@overload
def canonicalize_completed_reasoning_output_items(
    items: list[Any],
    *,
    wire: str = "openai-responses",
    provider: str | None = None,
    response_status: str | None = None,
    limits: Limits | None = None,
    errors: Literal["return"],
) -> list[ReasoningItem | ReplayError]: ...
def serialize_reasoning_replay_envelope(item: ReasoningItem, *, origin: _Origin | None = None) -> str: ...
@overload
def serialize_reasoning_replay_envelopes(
    items: list[ReasoningItem], *, origin: _Origin | None = None, errors: Literal["raise"] = "raise"
) -> list[str]: ...
@overload
def serialize_reasoning_replay_envelopes(
    items: list[ReasoningItem], *, origin: _Origin | None = None, errors: Literal["return"]
) -> list[str | ReplayError]: ...
def parse_reasoning_replay_envelope(text: _Text, *, limits: Limits | None = None) -> ReasoningItem: ...
@overload
def parse_reasoning_replay_envelopes(
    texts: list[Any], *, limits: Limits | None = None, errors: Literal["raise"] = "raise"
) -> list[ReasoningItem]: ...
@overload
def parse_reasoning_replay_envelopes(
    texts: list[Any], *, limits: Limits | None = None, errors: Literal["return"]
) -> list[ReasoningItem | ReplayError]: ...
def parse_decoded_envelope(record: object, *, limits: Limits | None = None) -> ReasoningItem: ...
@overload
def reasoning_replay_item_to_provider_input(
    item: ReasoningItem, *, as_json: Literal[False] = False
) -> dict[str, Any]: ...
@overload
def reasoning_replay_item_to_provider_input(item: ReasoningItem, *, as_json: Literal[True]) -> bytes: ...
@overload
def reasoning_replay_items_to_provider_input(
    items: list[ReasoningItem], *, as_json: Literal[False] = False
) -> list[dict[str, Any]]: ...
@overload
def reasoning_replay_items_to_provider_input(items: list[ReasoningItem], *, as_json: Literal[True]) -> bytes: ...
def reasoning_replay_dedupe_key(item: ReasoningItem, *, provider: str = "openai") -> DedupeKey: ...
def reasoning_replay_dedupe_keys(items: list[ReasoningItem], *, provider: str = "openai") -> list[DedupeKey]: ...
def dedupe(
    items: list[ReasoningItem], *, provider: str, policy: str | None = None
) -> list[tuple[str, bool, str | None, str]]: ...
def meter(items: list[ReasoningItem]) -> tuple[int, int, int, int, int]: ...
def providers() -> list[tuple[str, str, str]]: ...
def policies() -> list[tuple[str, list[tuple[str, str]]]]: ...
def error_codes() -> list[tuple[str, str]]: ...
def measure(
    paths: list[str],
    *,
    threads: int = 0,
    timing: bool = True,
    max_record_bytes: int | None = None,
    progress: Callable[[int, int, int, int], object] | None = None,
) -> str: ...
