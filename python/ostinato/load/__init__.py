"""Saved histories of many agents, as native items that can be sent again."""

import os
import pathlib
from typing import Final

from ostinato.errors import ReplayError
from ostinato.load.conversation import FINDING_CODES, Conversation, Finding, LoadReport, SavedTurn
from ostinato.load.formats import FORMATS

__all__ = ["FINDING_CODES", "FORMATS", "Conversation", "Finding", "LoadReport", "SavedTurn", "load", "load_all"]

_HEAD: Final = 256 * 1024


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
    if len(found) > 1:
        raise ReplayError("several_sessions")
    return found[0]


def load_all(source: str | os.PathLike[str] | bytes, *, format: str | None = None) -> list[Conversation]:
    """All conversations of a file, in the file's order.

    Raises:
        ReplayError: `unknown_format`.
        OSError: the file cannot be read.
    """
    data = source if isinstance(source, bytes) else pathlib.Path(source).read_bytes()
    for known in FORMATS:
        if known.name == format or (format is None and known.sniff(data[:_HEAD])):
            return known.read(data)
    raise ReplayError("unknown_format")
