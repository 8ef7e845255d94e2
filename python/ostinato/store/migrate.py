"""From one version of the schema to the next: by an explicit command, never in the request path."""

from collections.abc import Callable, Mapping
from typing import Final

from ostinato.errors import SessionFormatError
from ostinato.store.folder import Folder
from ostinato.store.frame import VERSION, FaultError, open_seal

__all__ = ["MIGRATIONS", "Step", "migrated", "replace", "version_of"]

Step = Callable[[bytes], bytes]

MIGRATIONS: Final[Mapping[int, Step]] = {}
"""The version that a step leads from -> the whole file in, the whole file of the next version out. One line per step;
a step whose input is damaged keeps the damage and what is around it. There is one version so far, and no step."""


def version_of(data: bytes) -> int | None:
    """The version that a file says it is of; None where its header cannot be read."""
    try:
        head, _, _ = open_seal(data.partition(b"\n")[0])
    except FaultError:
        return None
    version = head.get("version")
    return version if type(version) is int else None


def migrated(data: bytes, *, steps: Mapping[int, Step] = MIGRATIONS, to: int = VERSION, path: object = "") -> bytes:
    """A session file in the present version; the same bytes where it is that already.

    Args:
        data: the whole file.
        steps: see `MIGRATIONS`.
        to: the version that is wanted.
        path: of the file, for the error.

    Raises:
        SessionFormatError: `header_unreadable`; `version_unknown`: it is newer; `migration_missing`.
    """
    version = version_of(data)
    if version is None:
        raise SessionFormatError("header_unreadable", path)
    if version > to:
        raise SessionFormatError("version_unknown", path)
    for step in range(version, to):
        if step not in steps:
            raise SessionFormatError("migration_missing", path)
        data = steps[step](data)
    return data


def replace(folder: Folder, name: str, old: bytes, new: bytes, *, keep: str) -> None:
    """Put a file's new content in the place of its old, which stays in the folder under another name.

    At every moment the name leads to one of the two, whole.

    Raises:
        OSError: it could not be written; the old content is in its place.
    """
    draft = f".{name}.new"
    # Where a migration was stopped, what it left under the two names goes: the old content is still in its place.
    folder.write(keep, old)
    folder.write(draft, new)
    folder.disk.rename(draft, name, folder.fd)
    folder.disk.sync(folder.fd)
