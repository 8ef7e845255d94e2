"""Destinations that speak Anthropic Messages: Claude on three platforms, and servers of others."""

from dataclasses import replace
from typing import Final

from ostinato.policy.profile import Cell
from ostinato.policy.profiles.thinking import BINDING_BETA, ThinkingProfile

__all__ = ["PROFILES"]

WIRE: Final = "anthropic-messages"

_SAME_ORIGIN: Final[Cell[tuple[str, ...]]] = Cell(
    ("account", "provider", "model"),
    "AWS user guide, claude-messages-thinking-block-binding; anthropic 2.14.0 thinking_dropped reasons; field reports"
    " R092, R112. The extended-thinking page calls signatures compatible between platforms, and preserved-thinking says"
    " to send all and let the API drop",
    "2026-11",
    certain=False,
)

CLAUDE: Final = ThinkingProfile(
    name="anthropic",
    provider="anthropic",
    wire=WIRE,
    endpoint="api.anthropic.com",
    same_origin=_SAME_ORIGIN,
    kin=Cell(("anthropic", "bedrock", "vertex"), "extended-thinking: the platforms of Claude", "2026-11"),
    reads=Cell(
        (("claude-fable-5-1", "claude-opus-5"), ("claude-fable-5-1", "claude-opus-5-5")),
        "preserved-thinking page; the list differs by its date",
        "2026-11",
        certain=False,
    ),
    betas=Cell((("thinking.block_binding", BINDING_BETA),), "preserved-thinking page; field report R124", "2026-11"),
)

_OTHER: Final = replace(
    CLAUDE,
    name="ant-messages",
    provider="ant-messages",
    endpoint=None,
    same_origin=Cell(
        ("provider", "endpoint"),
        "signatures are the server's own: hermes-agent PR 16149; that they are checked is said of DeepSeek alone",
        "2026-11",
        certain=False,
    ),
    kin=Cell((), "each server is its own", "2026-11"),
    reads=Cell((), "no others are documented", "2026-11"),
    unsigned=Cell(
        "keep",
        "most of these servers sign nothing: field report R119, oh-my-pi PR 908, hermes-agent PR 17510",
        "2026-11",
    ),
    whole_runs=Cell(False, "no such rule is documented; hermes-agent PR 17510 sends a part", "2026-11", certain=False),
    extra_fields=Cell("keep", "what a server adds may be its own state", "2026-11", certain=False),
    may_end=Cell(True, "mmsp 0.5.6 sends it", "2026-11", certain=False),
    betas=Cell((), "these servers know no betas", "2026-11"),
)

_ROWS: Final = (
    CLAUDE,
    replace(
        CLAUDE,
        name="bedrock-messages",
        provider="bedrock",
        endpoint=None,
        reads=Cell(
            (("claude-fable-5-1", "claude-opus-5"), ("*", "claude-haiku-5-5")),
            "AWS user guide, claude-messages-thinking-block-binding; preserved-thinking page",
            "2026-11",
            certain=False,
        ),
    ),
    replace(
        CLAUDE,
        name="vertex-messages",
        provider="vertex",
        endpoint=None,
        reads=Cell(
            (("claude-fable-5-1", "claude-opus-5"),),
            "preserved-thinking page; what it says of this platform is little",
            "2026-11",
            certain=False,
        ),
    ),
    _OTHER,
    replace(_OTHER, name="deepseek-messages", provider="deepseek", endpoint="api.deepseek.com"),
    replace(
        _OTHER,
        name="moonshot-messages",
        provider="moonshot",
        endpoint="api.moonshot.ai",
        unsigned=Cell(
            "keep",
            "hermes-agent keeps it on the coding endpoint; opencode PR 44713 sends it with an empty signature",
            "2026-11",
            certain=False,
        ),
    ),
    replace(
        _OTHER,
        name="minimax-messages",
        provider="minimax",
        endpoint="api.minimax.io",
        unsigned=Cell("keep", "platform.minimax.io text-m2-function-call: append the full content list", "2026-11"),
    ),
    replace(
        _OTHER,
        name="zai-messages",
        provider="zai",
        endpoint="api.z.ai",
        unsigned=Cell(
            "keep", "oh-my-pi PR 908: does not sign; docs.z.ai thinking-mode: return it unmodified", "2026-11"
        ),
    ),
    replace(
        _OTHER,
        name="litellm-messages",
        provider="litellm",
        same_origin=Cell(
            ("endpoint", "account"),
            "a gateway hands state on to whom it routes, which only its operator knows",
            "2026-11",
            certain=False,
        ),
        unsigned=Cell("keep", "what is behind the gateway decides: field reports R100, R117", "2026-11", certain=False),
        betas=Cell(
            (("thinking.block_binding", BINDING_BETA),), "docs.litellm.ai anthropic_preserved_thinking", "2026-11"
        ),
    ),
)

PROFILES: Final = {row.name: row for row in _ROWS}
"""Every row by its name."""
