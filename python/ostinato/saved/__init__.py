"""Saved histories of many agents, as native items that can be sent again."""

import os
import pathlib
from dataclasses import replace
from typing import Final

from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.saved.conversation import FINDING_CODES, Conversation, Finding, LoadReport, SavedTurn, Source
from ostinato.saved.export_mark import EXPORT_MARK, export_mark, is_redacted_export
from ostinato.saved.file import SavedFile
from ostinato.saved.formats import FORMATS
from ostinato.saved.on_disk import read_file

__all__ = [
    "EXPORT_MARK",
    "FINDING_CODES",
    "FORMATS",
    "Conversation",
    "Finding",
    "LoadReport",
    "SavedTurn",
    "Source",
    "export_mark",
    "is_redacted_export",
    "load",
    "load_all",
]

_CUT: Final = LoadReport((Finding("packed_file_is_cut"),))


@discreet
def load(
    source: str | os.PathLike[str] | bytes,
    *,
    format: str | None = None,
    session: str | None = None,
) -> Conversation:
    """One saved conversation. What cannot be read is in its report; the rest is loaded.

    Args:
        source: a path, or the bytes of a file.
        format: the name of a layout; None to tell it from the content.
        session: which one, in a file that holds several (SQLite stores, evaluation logs).

    Raises:
        ReplayError: `unknown_format` (nobody's layout, or no layout of this name), `no_conversation`,
            `several_sessions` (`load_all` gives them all), `unknown_session`.
        OSError: the file cannot be read.
    """
    found = load_all(source, format=format)
    if session is not None:
        found = [conversation for conversation in found if conversation.session == session]
        if not found:
            raise ReplayError("unknown_session")
    if not found:
        raise ReplayError("no_conversation")
    roots = [conversation for conversation in found if conversation.parent is None] or found
    if len(roots) > 1:
        raise ReplayError("several_sessions")
    return roots[0]


@discreet
def load_all(source: str | os.PathLike[str] | bytes, *, format: str | None = None) -> list[Conversation]:
    """All conversations of a file, in the file's order; a subagent's (`parent` is set) follows what started it.

    The report of the first one also says what could not be read of the file, and told to belong to none.

    Args:
        source: a path, or the bytes of a file. It may be packed with gzip or zstd.
        format: the name of a layout; None to tell it from the content.

    Raises:
        ReplayError: `unknown_format`; `redacted_export` (the file is a redacted export, which has no state that could
            be sent); `too_large` (a packed file of more than 4 GiB); `zstd_unavailable`; `file_changing` (a
            database whose log was begun anew each time it was read).
        OSError: the file cannot be read.
    """
    if isinstance(source, bytes):
        file = SavedFile(source)
    else:
        path = pathlib.Path(source)
        try:
            data = read_file(path)
        except ReplayError:  # which is a ValueError, too
            raise
        except ValueError:  # a NUL in the path
            raise ReplayError("type_mismatch", "source") from None
        file = SavedFile(data, path)
    if any(map(is_redacted_export, file.records)):
        raise ReplayError("redacted_export")
    for known in FORMATS:
        if known.name == format or (format is None and known.sniff(file)):
            found = known.read(file)
            if file.cut and found:
                found[0] = replace(found[0], report=_CUT + found[0].report)
            return found
    raise ReplayError("unknown_format")
