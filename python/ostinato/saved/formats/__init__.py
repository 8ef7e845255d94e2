"""The layouts of saved histories: one file each, and one line in `FORMATS`."""

from typing import Final

from ostinato.saved.format import Format
from ostinato.saved.formats.claude_code import CLAUDE_CODE
from ostinato.saved.formats.codex import CODEX

__all__ = ["FORMATS"]

FORMATS: Final[tuple[Format, ...]] = (CODEX, CLAUDE_CODE)
"""In the order in which they are tried: the ones that are surest to tell come first."""
