"""Examine saved sessions in files and folders: what would happen if each were resumed now."""

import os
import pathlib
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ostinato.diagnosis import Diagnosis, Symptom, default_target, diagnose
from ostinato.discretion import discreet
from ostinato.errors import ReplayError
from ostinato.policy import Target
from ostinato.policy.target import as_target
from ostinato.saved import Conversation, load_all

__all__ = ["Examined", "doctor"]

Progress = Callable[[int, int, int, int], object]
"""Files done, files, bytes done, bytes."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One session, and what would happen to it."""

    path: str
    format: str | None
    """None where the file is of no known format, or cannot be read."""
    session: str | None
    diagnosis: Diagnosis
    error: str | None = None
    """Why nothing was read: an error code, or the system's word for it."""
    target: str | None = None
    """The destination it was examined for: the one that was asked for, or where it came from."""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        named = {"path": self.path, "format": self.format, "session": self.session, "error": self.error}
        return named | {"target": self.target} | self.diagnosis.to_dict()


@discreet
def doctor(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    target: Target | str | None = None,
    progress: Progress | None = None,
) -> Iterator[Examined]:
    """Examine every session of files and folders, in the order of their paths. Nothing is ever written.

    A file in a folder that is of no known format is passed over; one that is named, or cannot be read, is reported.

    Args:
        paths: one path or several; folders are searched, links in them are not followed.
        target: where the sessions would be resumed; None for where each came from. Sessions of another wire than the
            target's are examined for where they came from: `Examined.target` says for what.
        progress: called after each file.

    Raises:
        ReplayError: `unknown_profile`.
    """
    goal = None if target is None else as_target(target)
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    files = [(path, named) for name in given for path, named in _files(pathlib.Path(name))]
    sizes = [_size(path) for path, _named in files]
    total, done = sum(sizes), 0
    for count, ((path, named), size) in enumerate(zip(files, sizes, strict=True), 1):
        yield from _examined(path, goal, named=named)
        done += size
        if progress is not None:
            progress(count, len(files), done, total)


def _examined(path: pathlib.Path, target: Target | None, *, named: bool) -> Iterator[Examined]:
    try:
        conversations = load_all(path)
    except ReplayError as error:
        if named or error.code != "unknown_format":
            symptoms = [Symptom("redacted", 1)] if error.code == "redacted_export" else []
            yield Examined(str(path), None, None, Diagnosis("unreadable").with_symptoms(symptoms), error.code)
        return
    except OSError as error:
        yield Examined(str(path), None, None, Diagnosis("unreadable"), error.strerror or type(error).__name__)
        return
    except MemoryError:
        yield Examined(str(path), None, None, Diagnosis("unreadable"), "not enough memory")
        return
    modes = _unsafe(path)
    for conversation in conversations:
        try:
            goal = _fitting(target, conversation)
            found = diagnose(conversation, goal).with_symptoms(modes)
        except ReplayError as error:
            found = Diagnosis("unreadable", turns=len(conversation.turns))
            yield Examined(str(path), conversation.format, conversation.session, found, error.code)
            continue
        yield Examined(str(path), conversation.format, conversation.session, found, target=goal.profile.name)


def _fitting(target: Target | None, conversation: Conversation) -> Target:
    """The target, if it speaks the wire of the conversation; else where that came from."""
    return target if target is not None and target.wire == conversation.wire else default_target(conversation)


def _unsafe(path: pathlib.Path) -> list[Symptom]:
    """What others may do with the file or its folder, where the system has modes."""
    if os.name != "posix":
        return []
    found = [
        f"permissive_mode/{kind} {stat.S_IMODE(mode):04o}"
        for kind, mode in (("file", path.stat().st_mode), ("dir", path.parent.stat().st_mode))
        if mode & 0o077
    ]
    return [Symptom("permissive_mode", len(found), tuple(found), "")] if found else []


def _files(path: pathlib.Path) -> Iterator[tuple[pathlib.Path, bool]]:
    """The files of a path, with whether it was named itself."""
    if not path.is_dir():
        yield path, True
        return
    closed: list[OSError] = []
    for folder, folders, names in os.walk(path, onerror=closed.append):
        folders.sort()
        for name in sorted(names):
            inside = pathlib.Path(folder) / name
            if inside.is_file() and not inside.is_symlink():
                yield inside, False
    for error in closed:  # a folder that cannot be searched is reported as a file that cannot be read
        yield pathlib.Path(error.filename), True


def _size(path: pathlib.Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # it is reported when it is read
        return 0
