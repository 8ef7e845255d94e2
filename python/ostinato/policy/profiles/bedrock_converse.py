"""The destination that speaks Bedrock Converse, which serves models of many makers."""

from dataclasses import dataclass
from typing import Final

from ostinato.policy.profile import Cell
from ostinato.policy.profiles.thinking import BINDING_BETA, ThinkingProfile

__all__ = ["PROFILES", "ConverseProfile"]

_MODEL: Final = "botocore 1.44.8 service model, tried with it"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConverseProfile(ThinkingProfile):
    """Converse, where a rule depends on the maker of the model."""

    unsigned_makers: Cell[tuple[str, ...]] = Cell(
        ("amazon", "minimax"),
        "public reports of inspect_ai, bifrost and pi for these two; that DeepSeek, Qwen and others give no signature"
        " is recorded, whether they take their text back is not",
        "2026-11",
        certain=False,
    )
    """Makers whose models take reasoning without a signature, whatever `unsigned` says."""


_ROWS: Final = (
    ConverseProfile(
        name="bedrock-converse",
        provider="bedrock",
        wire="bedrock-converse",
        same_origin=Cell(
            ("account", "provider", "model"),
            "AWS user guide, claude-messages-thinking-block-binding: model, prefix and organisation are checked",
            "2026-11",
        ),
        kin=Cell(("anthropic", "bedrock", "vertex"), "extended-thinking: the platforms of Claude", "2026-11"),
        reads=Cell(
            (("claude-fable-5-1", "claude-opus-5"), ("*", "claude-haiku-5-5")),
            "AWS user guide, claude-messages-thinking-block-binding; preserved-thinking page",
            "2026-11",
            certain=False,
        ),
        extra_fields=Cell("drop", _MODEL + ": unknown fields are refused before the request", "2026-11"),
        blank_text=Cell("drop", "public reports of hermes-agent and bedrock-chat: blank text is refused", "2026-11"),
        blank_result=Cell("(empty)", "public reports of hermes-agent: a blank result is refused", "2026-11"),
        alternate=Cell(True, "public reports of bedrock-chat: roles must alternate", "2026-11"),
        betas=Cell(
            (("thinking.block_binding", BINDING_BETA),),
            "AWS user guide, claude-messages-thinking-block-binding; in additionalModelRequestFields",
            "2026-11",
        ),
    ),
)

PROFILES: Final = {row.name: row for row in _ROWS}
"""Every row by its name."""
