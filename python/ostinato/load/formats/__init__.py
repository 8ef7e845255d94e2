"""The layouts of saved histories: one file each, and one line in `FORMATS`."""

from typing import Final

from ostinato.load.format import Format

__all__ = ["FORMATS"]

FORMATS: Final[tuple[Format, ...]] = ()
"""In the order in which they are tried: the ones that are surest to tell come first."""
