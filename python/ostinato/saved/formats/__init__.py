"""The layouts of saved histories: one file each, and one line in `FORMATS`."""

from typing import Final

from ostinato.saved.format import Format
from ostinato.saved.formats.claude_code import CLAUDE_CODE
from ostinato.saved.formats.codex import CODEX
from ostinato.saved.formats.copilot_cli import COPILOT_CLI
from ostinato.saved.formats.fast_agent import FAST_AGENT
from ostinato.saved.formats.gemini_cli import GEMINI_CLI
from ostinato.saved.formats.grok_cli import GROK_CLI
from ostinato.saved.formats.inspect_eval import INSPECT_EVAL
from ostinato.saved.formats.langchain import LANGCHAIN
from ostinato.saved.formats.mmsp import MMSP
from ostinato.saved.formats.openai_agents import OPENAI_AGENTS
from ostinato.saved.formats.opencode import OPENCODE
from ostinato.saved.formats.ostinato_export import OSTINATO_EXPORT
from ostinato.saved.formats.ostinato_session import OSTINATO_SESSION
from ostinato.saved.formats.pi import PI
from ostinato.saved.formats.pydantic_ai import PYDANTIC_AI
from ostinato.saved.formats.responses_log import RESPONSES_LOG
from ostinato.saved.formats.vercel_ai import VERCEL_AI

__all__ = ["FORMATS"]

FORMATS: Final[tuple[Format, ...]] = (
    OSTINATO_EXPORT,
    OSTINATO_SESSION,
    OPENAI_AGENTS,
    INSPECT_EVAL,
    CODEX,
    CLAUDE_CODE,
    PI,
    COPILOT_CLI,
    GROK_CLI,
    GEMINI_CLI,
    OPENCODE,
    FAST_AGENT,
    MMSP,
    PYDANTIC_AI,
    LANGCHAIN,
    VERCEL_AI,
    RESPONSES_LOG,
)
"""In the order in which they are tried: the ones that are surest to tell come first."""
