"""The dialects of Chat Completions: one row each, and nothing but data.

Rows of what depends on the model are tried in order: the first whose part is in the lower-cased model id counts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

__all__ = ["BOTH_FIELDS", "DIALECTS", "Dialect", "PerModel", "pick"]

Fragment = Mapping[str, Any]
"""A piece of a request body."""
T = TypeVar("T")
PerModel = tuple[tuple[str, T], ...]

BOTH_FIELDS: Final = ("reasoning_content", "reasoning")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What varies from one server of this wire to the next."""

    endpoint: str | None
    """The base URL, where the dialect has one."""
    provider: str
    """Whose state it is: the issuer that recorded messages name."""
    per_endpoint: bool = False
    """Whether the provider is whoever answers at the endpoint."""

    # Thinking.

    fields: tuple[str, ...] = BOTH_FIELDS
    """Where the text of thinking goes whose field is not known: to every name a server of this dialect might read."""
    keeps_field: bool = False
    """Whether a turn that calls tools and thought nothing has the field empty, once the conversation has had it."""
    details: Literal["none", "beside_text", "hold_text"] = "none"
    """`reasoning_details`: not of this dialect; sent beside the text; or sent in place of a text that they hold."""
    seals: bool = False
    """Whether a message may carry its reasoning sealed, as `encrypted_content`."""
    keeps_call_extras: bool = False
    """Whether a call may carry state of its own, as `extra_content` (Gemini's route for this wire)."""
    calls_by_name: bool = False
    """Whether a call that comes without an id goes by its name."""

    # Images.

    inlines_images: bool = False
    """Whether the server takes no image by URL."""
    detail_for: str | None = None
    """A part of the model ids to which very large images must be marked."""
    images_for: str | None = None
    """A part of the lower-cased ids of the only models that take images; None where all may."""

    # Settings.

    always: Fragment
    """What every request has."""
    max_tokens: str = "max_completion_tokens"
    temperature: Literal["any", "one"] = "any"
    levels: PerModel[Mapping[str, Fragment]] = ()
    """What each thinking level adds to the body. Without a row the setting means nothing."""
    summary: PerModel[Fragment] = ()
    """What asking for a summary adds."""
    choices: PerModel[tuple[str, ...]] = (("", ("auto", "required", "none")),)
    """The tool choices that are words."""
    name_choice: Callable[[list[str]], Any] | None = None
    """How a tool choice by names is written; None comes back where it cannot be."""
    caching: PerModel[Mapping[str, Fragment]] = (("", {"enable": {}}),)
    """What each setting of prompt caching adds."""
    fast: Fragment | None = None
    """What fast mode adds; None where there is none."""
    trace: PerModel[str] = ()
    """The field that takes the trace id."""


def pick(rows: PerModel[T], model: str) -> T | None:
    """The row for a model."""
    return next((value for part, value in rows if part in model.lower()), None)


def _levels(*fragments: Fragment) -> Mapping[str, Fragment]:
    return dict(zip(("none", "low", "medium", "high", "xhigh", "max"), fragments, strict=True))


def _template(**arguments: object) -> Fragment:
    return {"chat_template_kwargs": arguments}


def _function(name: str) -> Fragment:
    return {"type": "function", "function": {"name": name}}


def _allowed_tools(names: list[str]) -> Fragment:
    tools = [_function(name) for name in names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": tools}}


def _one_function(names: list[str]) -> Fragment | None:
    return _function(names[0]) if len(names) == 1 else None


_USAGE: Final = {"stream_options": {"include_usage": True}}
_PRIORITY: Final = {"service_tier": "priority"}

_VLLM_QWEN: Final = _levels(
    _template(enable_thinking=False),
    *(_template(reasoning_effort=word) for word in ("low", "medium", "xhigh", "xhigh", "xhigh")),
)
_VLLM_ANY: Final = _levels(_template(enable_thinking=False), *[_template(enable_thinking=True)] * 5)


def _vllm_deepseek(*efforts: str) -> Mapping[str, Fragment]:
    return _levels({}, *(_template(thinking=True, reasoning_effort=word) for word in efforts))


_KIMI_K3: Final = _levels(*({"reasoning_effort": word} for word in ("none", "low", "high", "high", "max", "max")))
_KIMI_K2: Final = _levels(
    {"thinking": {"type": "disabled"}},
    *[{"thinking": {"type": "enabled", "keep": "all"}}] * 5,  # without it the server ignores what was thought before
)


def _preserved(*efforts: str) -> tuple[Fragment, ...]:
    thinking = {"type": "enabled", "clear_thinking": False}
    return tuple({"thinking": thinking, "reasoning_effort": effort} for effort in efforts)


_GLM_5_3: Final = _levels(*_preserved("low", "low", "high", "high", "max", "max"))
_GLM: Final = _levels({"thinking": {"type": "disabled"}}, *_preserved("low", "medium", "high", "xhigh", "max"))

# Without preserve_thinking the server ignores what was thought before.
_QWEN_SWITCH: Final = _levels({"enable_thinking": False}, *[{"enable_thinking": True, "preserve_thinking": True}] * 5)

DIALECTS: Final[Mapping[str, Dialect]] = {
    "openai-chat": Dialect(
        endpoint=None,
        provider="openai-chat",
        per_endpoint=True,
        keeps_field=True,
        details="beside_text",  # the server may be a gateway that knows only one of the two
        keeps_call_extras=True,
        calls_by_name=True,
        inlines_images=True,
        detail_for="gpt-5.6",
        always=_USAGE,
        name_choice=_allowed_tools,
        fast=_PRIORITY,
    ),
    "openai-chat-vllm-adapter": Dialect(
        endpoint=None,
        provider="vllm",
        per_endpoint=True,
        keeps_field=True,
        details="beside_text",
        keeps_call_extras=True,
        calls_by_name=True,
        inlines_images=True,
        detail_for="gpt-5.6",
        always=_USAGE,
        levels=(
            ("qwen3.8-flash-next", _VLLM_QWEN),
            ("qwen3.8-27b", _VLLM_QWEN),
            ("deepseek-v4-flash-vision-exp", _vllm_deepseek("low", "high", "high", "high", "max")),
            ("deepseek-v4-pro", _vllm_deepseek("high", "high", "high", "high", "max")),
            ("deepseek-v4-flash", _vllm_deepseek("high", "high", "high", "high", "max")),
            ("", _VLLM_ANY),
        ),
        name_choice=_allowed_tools,
        fast=_PRIORITY,
    ),
    "moonshot-official": Dialect(
        endpoint="https://api.moonshot.cn/v1",
        provider="moonshot",
        inlines_images=True,
        always=_USAGE,
        temperature="one",
        levels=(("k2.", _KIMI_K2), ("", _KIMI_K3)),
        choices=(("k2.", ("auto", "none")), ("", ("auto", "none", "required"))),
        caching=(
            ("k2.", {"enable": {}}),
            ("", {"enable": {}, "enhance": {"prompt_cache_options": {"mode": "implicit", "ttl": "1h"}}}),
        ),
        trace=(("k2.", "prompt_cache_key"),),
    ),
    "zai-official": Dialect(
        endpoint="https://api.z.ai/api/paas/v4",
        provider="zai",
        images_for="glm-5.3-flash",
        always={"tool_stream": True},
        max_tokens="max_tokens",
        levels=(("glm-5.3", _GLM_5_3), ("", _GLM)),
        choices=(("", ("auto",)),),
    ),
    "openrouter": Dialect(
        endpoint="https://openrouter.ai/api/v1",
        provider="openrouter",
        fields=("reasoning",),
        details="hold_text",  # "either reasoning or reasoning_details"
        detail_for="gpt-5.6",
        always=_USAGE,
        levels=(
            ("", {word: {"reasoning": {"effort": word}} for word in ("none", "low", "medium", "high", "xhigh", "max")}),
        ),
        summary=(("", {"reasoning": {"summary": "concise"}}),),
        name_choice=_one_function,
        fast=_PRIORITY,
    ),
    "qwen": Dialect(
        endpoint="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        provider="qwen",
        fields=("reasoning_content",),
        seals=True,
        always=_USAGE,
        levels=(("", _QWEN_SWITCH),),
        choices=(("", ("auto", "none")),),
        name_choice=_one_function,
    ),
}
