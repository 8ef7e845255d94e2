"""Plain tables for people: on a terminal, in a mail, in an issue."""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from ostinato.names import printable

__all__ = ["WIDTH", "common_folder", "grid", "number", "several", "size", "terminal_width"]

WIDTH = 100
"""Columns of a table at most."""


def terminal_width() -> int:
    """Columns of the terminal, as far as a table uses them."""
    return min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)


def grid(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    width: int = WIDTH,
    left: tuple[int, ...] = (0,),
    shorten: int | None = None,
) -> str:
    """A titled table. The columns of `left` stand left, figures right; the column `shorten` gives way."""
    cells = [list(row) for row in rows]
    if not cells:
        return ""
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    if shorten is not None:
        spare = width - sum(widths) - 2 * (len(widths) - 1)
        widths[shorten] = max(12, widths[shorten] + min(0, spare))

    def cell(index: int, text: str) -> str:
        text = _shortened(printable(text), widths[index])
        return text.ljust(widths[index]) if index in left else text.rjust(widths[index])

    title = printable(title)
    lines = ["  ".join(cell(index, text) for index, text in enumerate(row)).rstrip() for row in [columns, *cells]]
    return "\n".join([title, "-" * len(title), *lines[0 if any(columns) else 1 :]])


def _shortened(text: str, width: int) -> str:
    """The end of a long text: of a path it says more than the beginning."""
    return text if len(text) <= width else "..." + text[-(width - 3) :]


def number(value: int) -> str:
    """1234567 as 1,234,567."""
    return f"{value:,}"


def several(count: int, noun: str) -> str:
    """1 session, 2 sessions."""
    return f"{number(count)} {noun}" + ("" if count == 1 else "s")


def size(value: int) -> str:
    """Bytes with a unit: 1,000 B are 1.0 kB."""
    if value < 1000:  # noqa: PLR2004 - the step between units
        return f"{value} B"
    amount = float(value)
    for unit in ("kB", "MB", "GB", "TB"):
        amount /= 1000
        if amount < 999.95:  # noqa: PLR2004 - what would be shown as 1000.0
            return f"{amount:.1f} {unit}"
    return f"{amount:.1f} PB"


def common_folder(paths: Sequence[str]) -> str:
    """The folder that all paths begin with, with a separator at its end; empty if there is none."""
    folders = {Path(path).parent for path in paths}
    if len(paths) == 1 or len({folder.is_absolute() for folder in folders}) != 1:
        return ""
    common = f"{os.path.commonpath(folders)}{os.sep}"
    return common if all(path.startswith(common) for path in paths) else ""
