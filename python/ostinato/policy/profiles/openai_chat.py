"""Destinations of Chat Completions."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final

from ostinato.policy.profile import Cell, Profile

__all__ = ["PROFILES", "ChatProfile", "Setting"]

BOTH: Final = ("reasoning_content", "reasoning")


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of the request without which a server ignores what it is sent."""

    name: str
    """Where it stands in the body: `thinking.keep`."""
    value: str | bool
    models: tuple[str, ...] = ()
    """Parts of the ids of the models that it is for; none: all."""
    unless_endpoint: str = ""
    """A part of the base URLs where it is the default."""
    field: str = ""
    """The field of a message that calls for it; none: any reasoning."""

    def __str__(self) -> str:
        value = str(self.value).lower() if isinstance(self.value, bool) else self.value
        return f"{self.name}={value}" + (f" ({', '.join(self.models)})" if self.models else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatProfile(Profile):
    """What varies where messages go, and what a caller may choose."""

    fields: Cell[tuple[str, ...]] = Cell(
        BOTH, "vllm#27755 (2025-10): servers renamed the field, so it goes back under the name it came in", "2026-11"
    )
    """The names under which the server reads reasoning. Text under another name is moved to the first."""
    field_name: Cell[str] = Cell(
        "recorded",
        "hermes-agent#20577, vllm#27755: the name as recorded; MMSP-RFC-0004 sends both where it is not known",
        "2026-11",
    )
    """`recorded`; or `both`, where a history does not say which name its text had."""
    missing_field: Cell[str] = Cell("keep", "no server of this row is known to require the field", "2026-11")
    """A message with calls that lacks the field: `keep`, `empty` (an empty text is added) or `raise`."""
    call_signature: Cell[str] = Cell("ignore", "signatures of calls are Gemini's alone", "2026-11")
    """A first call of the current turn without a signature: `ignore`, `report`, `placeholder` or `raise`."""
    settings: Cell[tuple[Setting, ...]] = Cell((), "none is documented", "2026-11")
    """What the request must say for the server to read what it is sent. Reported, never set."""
    vendor_in_model: Cell[bool] = Cell(value=False, source="a server of one vendor's models", seen="2026-11")
    """Whether models are named `vendor/model`, so that another vendor's state is foreign."""
    unsound: Cell[str] = Cell(
        "raise",
        "state that the codec refuses is refused or misread by the server too: req_llm#300 (2025-12)",
        "2026-11",
    )
    """`raise`, or `drop` it."""
    orphans: Cell[str] = Cell(
        "drop",
        "error texts of OpenAI and DeepSeek: a tool message follows a message with its call; content or calls must be "
        "there. Servers that anyone runs may take both",
        "2026-11",
        certain=False,
    )
    """Reasoning alone in a message, and results of no call: `drop`, `keep` or `raise`."""

    choices: ClassVar[Mapping[str, tuple[Any, ...]]] = MappingProxyType(
        {
            **Profile.choices,
            "field_name": ("recorded", "both"),
            "missing_field": ("keep", "empty", "raise"),
            "call_signature": ("ignore", "report", "placeholder", "raise"),
            "vendor_in_model": (True, False),
            "unsound": ("raise", "drop"),
            "orphans": ("drop", "keep", "raise"),
        }
    )


_WIRE = "openai-chat"
_PROVIDER: Final[Cell[tuple[str, ...]]] = Cell(
    ("provider",), "reasoning is read by who made it: MMSP-RFC-0004 section 5; pydantic-ai#3446", "2026-11"
)
_ENDPOINT: Final[Cell[tuple[str, ...]]] = Cell(
    ("provider", "endpoint"), "anyone runs such a server, so each endpoint is an issuer of its own", "2026-11"
)


_TEMPLATE: Final[Cell[tuple[Setting, ...]]] = Cell(
    (Setting("chat_template_kwargs.preserve_thinking", value=True, models=("qwen3.6", "qwen3.7", "qwen3.8")),),
    "oh-my-pi#3549 (2026-06), Qwen3.8#131 (2026-04): the template drops earlier reasoning as soon as the user speaks "
    "again, and the server's prefix with it. Templates of other models were not read",
    "2026-11",
    certain=False,
)


_SERVICES: Final[Cell[tuple[str, ...]]] = Cell(
    ("provider", "endpoint"),
    "pydantic-ai 2.68.0, models/google.py (2026-10-27) for generateContent: the Gemini API and Google Cloud "
    "refuse each other's signatures",
    "2026-11",
)
_CALL_SIGNATURE: Final = Cell(
    "report",
    "any-llm#1149 (2026-06), cherry-studio#12729: tool_calls[].extra_content.google.thought_signature; the "
    "check of generateContent applies to this route too",
    "2026-11",
)


def _content(source: str, *, certain: bool = True) -> Cell[tuple[str, ...]]:
    return Cell(("reasoning_content",), source, "2026-11", certain=certain)


_ROWS: Final = (
    ChatProfile(
        name="openai-chat",
        provider="openai-chat",
        wire=_WIRE,
        same_origin=_ENDPOINT,
    ),
    ChatProfile(
        name="gemini-openai-compatible",
        provider="gemini",
        wire=_WIRE,
        endpoint="generativelanguage.googleapis.com",
        same_origin=_SERVICES,
        call_signature=_CALL_SIGNATURE,
    ),
    ChatProfile(
        name="vertex-gemini-openai-compatible",
        provider="vertex",
        wire=_WIRE,
        endpoint="aiplatform.googleapis.com",
        same_origin=_SERVICES,
        call_signature=_CALL_SIGNATURE,
    ),
    ChatProfile(
        name="deepseek",
        provider="deepseek",
        wire=_WIRE,
        endpoint="api.deepseek.com",
        same_origin=_PROVIDER,
        fields=_content("api-docs.deepseek.com thinking_mode"),
        missing_field=Cell(
            "empty",
            "api-docs.deepseek.com thinking_mode: with tools the field must be passed back, else 400; in 2026-04 of "
            "turns with calls alone, in 2026-09 of all turns. deepseek-harness#739: an empty text where there was none",
            "2026-11",
            certain=False,
        ),
    ),
    ChatProfile(
        name="moonshot",
        provider="moonshot",
        wire=_WIRE,
        endpoint="api.moonshot.cn",
        same_origin=_PROVIDER,
        fields=_content("platform.kimi.ai use-kimi-k2-thinking-model"),
        missing_field=Cell(
            "raise",
            'error text: "thinking is enabled but reasoning_content is missing in assistant tool call message"; '
            "adapters send an empty text (deer-flow#3043, obsidian-yolo#243)",
            "2026-11",
        ),
        settings=Cell(
            (Setting("thinking.keep", "all", ("k2.6", "k2-6")),),
            "platform.kimi.ai, quoted in oh-my-pi#1839 (2026-06): without it kimi-k2.6 ignores earlier reasoning; "
            "later models always keep it, kimi-k2.5 never",
            "2026-11",
        ),
    ),
    ChatProfile(
        name="zai",
        provider="zai",
        wire=_WIRE,
        endpoint="api.z.ai",
        same_origin=_PROVIDER,
        fields=_content("docs.z.ai thinking-mode"),
        settings=Cell(
            (Setting("thinking.clear_thinking", value=False, unless_endpoint="/coding/"),),
            "docs.z.ai thinking-mode: preserved thinking is off on the standard endpoint, on for the Coding Plan; "
            "opencrabs#1348 (2026-09)",
            "2026-11",
        ),
    ),
    ChatProfile(
        name="minimax",
        provider="minimax",
        wire=_WIRE,
        endpoint="api.minimax.io",
        same_origin=_PROVIDER,
        settings=Cell(
            (Setting("reasoning_split", value=True, field="reasoning_details"),),
            "platform.minimax.io text-m2-function-call: with reasoning_split thinking comes and goes back in "
            "reasoning_details, without it inside of content; nothing says that details are ignored without it",
            "2026-11",
            certain=False,
        ),
    ),
    ChatProfile(
        name="qwen",
        provider="qwen",
        wire=_WIRE,
        endpoint="dashscope-intl.aliyuncs.com",
        same_origin=_PROVIDER,
        fields=_content("alibabacloud.com Model Studio deep-thinking"),
        settings=Cell(
            (Setting("preserve_thinking", value=True, models=("qwen3.6", "qwen3.7", "qwen3.8", "qwen4", "max")),),
            "alibabacloud.com Model Studio deep-thinking: listed models alone; for qwen4-max help.aliyun.com "
            "cot-summary (2026-11-16). Model cards advise against earlier thinking in a history",
            "2026-11",
            certain=False,
        ),
    ),
    ChatProfile(
        name="openrouter",
        provider="openrouter",
        wire=_WIRE,
        endpoint="openrouter.ai",
        same_origin=_PROVIDER,
        fields=Cell(
            ("reasoning", "reasoning_content"),
            "openrouter.ai reasoning-tokens: reasoning, or reasoning_details for what is encrypted",
            "2026-11",
        ),
        vendor_in_model=Cell(
            value=True, source="openrouter.ai: reasoning goes to the upstream, which is the vendor's", seen="2026-11"
        ),
    ),
    ChatProfile(
        name="vllm",
        provider="vllm",
        wire=_WIRE,
        same_origin=_ENDPOINT,
        fields=Cell(
            BOTH,
            "vllm#27755: reasoning_content became reasoning, the old name was removed after 0.15.1 (2026-01)",
            "2026-11",
        ),
        settings=_TEMPLATE,
    ),
    ChatProfile(
        name="llama-cpp",
        provider="llama.cpp",
        wire=_WIRE,
        same_origin=_ENDPOINT,
        fields=_content(
            "Crow#60 (2026-08): the server keeps its prefix where reasoning_content comes back", certain=False
        ),
        settings=_TEMPLATE,
    ),
    ChatProfile(
        name="litellm",
        provider="litellm",
        wire=_WIRE,
        same_origin=_ENDPOINT,
        fields=_content("docs.litellm.ai reasoning_content: it normalises every provider's field to this one"),
        vendor_in_model=Cell(value=True, source="docs.litellm.ai: models are named provider/model", seen="2026-11"),
    ),
    ChatProfile(
        name="groq",
        provider="groq",
        wire=_WIRE,
        endpoint="api.groq.com",
        same_origin=_PROVIDER,
        fields=Cell(
            ("reasoning",),
            "recorded answers of Groq; nothing says whether it reads the field",
            "2026-11",
            certain=False,
        ),
    ),
    ChatProfile(
        name="xai-chat",
        provider="xai",
        wire=_WIRE,
        endpoint="api.x.ai",
        same_origin=_PROVIDER,
        fields=_content("recorded answers of xAI; docs.x.ai calls this wire deprecated", certain=False),
    ),
)

PROFILES: Final[Mapping[str, Profile]] = {row.name: row for row in _ROWS}
