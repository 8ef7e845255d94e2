"""Files that commands write: private, over nothing that is there, and never where others could read a secret."""

import os
import pathlib
import stat
import sys
import tempfile

__all__ = ["UnsafeOutputError", "check_stdout", "write_private"]


class UnsafeOutputError(Exception):
    """The output would not be private, or would overwrite something. The text says what to do."""


def write_private(path: str | os.PathLike[str], data: bytes, *, force: bool = False) -> None:
    """A new file of mode 0600, whatever the umask; it has its name only when all of it is on the disk.

    Args:
        path: where.
        data: what.
        force: replace a file that is there (the new one is private all the same), in whatever folder.

    Raises:
        UnsafeOutputError: there is something of this name, or others may put files of their own into the folder.
        OSError: it cannot be written.
    """
    target = pathlib.Path(path)
    if not force:
        if os.path.lexists(target):
            raise UnsafeOutputError("it is there already; choose another name")
        mode = target.parent.stat().st_mode
        if mode & 0o022 and not mode & stat.S_ISVTX:
            raise UnsafeOutputError("others may write to its folder; choose another one")
    with _beside(target) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if force:
                pathlib.Path(file.name).replace(target)
            else:
                os.link(file.name, target)  # fails where somebody was faster
        except FileExistsError:
            raise UnsafeOutputError("it is there already; choose another name") from None
        finally:
            pathlib.Path(file.name).unlink(missing_ok=True)


def _beside(target: pathlib.Path) -> "tempfile._TemporaryFileWrapper[bytes]":
    """A new file of mode 0600 in the folder of another; an error is about the folder, not about a name nobody knows."""
    try:
        return tempfile.NamedTemporaryFile(dir=target.parent, prefix=".ostinato-", delete=False)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target.parent)) from None


def check_stdout(*, force: bool = False) -> None:
    """Refuse to put a secret on a terminal, or into a file that a shell made for others to read.

    Raises:
        UnsafeOutputError: it is one of the two.
    """
    if force:
        return
    if sys.stdout.isatty():
        raise UnsafeOutputError("the output is a terminal; give a file with -o")
    status = os.fstat(sys.stdout.fileno())
    if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
        raise UnsafeOutputError("others may read the file that the output goes to; use -o, or umask 077")
