"""Measure saved histories: what they hold, what they cost to send again, what in them needs attention.

The work is done in Rust, in parallel and in flat memory; nothing here sees a record.
"""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from ostinato import _core

__all__ = ["MOST_THREADS", "Measurement", "Progress", "measure"]

MOST_THREADS: Final = 256
"""More than a machine has cores to give to a scan; thousands would only stand in each other's way."""

Figures = dict[str, Any]
"""Plain data of the schema `ostinato.measure`, see docs/measure.md."""


@dataclass(frozen=True)
class Progress:
    """How far a measurement is. Bytes are bytes on disk."""

    files_done: int
    files: int
    bytes_done: int
    bytes: int


@dataclass(frozen=True)
class Measurement:
    """What was measured. Counts, lengths, names and paths only: no text of a history is in it."""

    _data: Figures = field(repr=False)

    @property
    def total(self) -> Figures:
        """All files together."""
        total: Figures = self._data["total"]
        return total

    @property
    def files(self) -> list[Figures]:
        """Each file of a known format, in the order of their paths."""
        files: list[Figures] = self._data["files"]
        return files

    @property
    def folders(self) -> list[Figures]:
        """The folders of those files, with their modes."""
        folders: list[Figures] = self._data["folders"]
        return folders

    @property
    def skipped(self) -> list[Figures]:
        """Files of no known format: `path`, `code` and what each looks like."""
        skipped: list[Figures] = self._data["skipped"]
        return skipped

    @property
    def errors(self) -> list[Figures]:
        """Paths that could not be read, or not to their end: `path` and `code`."""
        errors: list[Figures] = self._data["errors"]
        return errors

    def to_dict(self) -> Figures:
        """The same as `ostinato measure --json` prints: schema `ostinato.measure`, version 1."""
        return self._data


def measure(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    threads: int | None = None,
    timing: bool = True,
    max_record_bytes: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Measurement:
    """Measure saved histories in files and folders, whatever their names: fast-agent, Codex, Claude Code.

    Formats and packing (gzip, zstd) are told by content. A file of another format is named in `skipped`, a path that
    cannot be read in `errors`; neither raises.

    Args:
        paths: one path or several; folders are searched.
        threads: how many to use, 256 at most; one per core unless given.
        timing: whether to time the three forms of the payload comparison on a sample of the items.
        max_record_bytes: a larger record is counted under `too_large` and not looked into; 64 MiB unless given.
        progress: called about twenty times a second. What it raises stops the measurement, as Ctrl-C does.

    Returns:
        The measurement.
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    watch = None if progress is None else (lambda *figures: progress(Progress(*figures)))
    text = _core.measure(
        [os.fspath(path) for path in paths],
        threads=min(threads or 0, MOST_THREADS),
        timing=timing,
        max_record_bytes=max_record_bytes,
        progress=watch,
    )
    return Measurement(json.loads(text))
