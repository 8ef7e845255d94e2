"""A private folder, and files in it that are opened without a race: never through a link, never another user's.

Files are opened relative to the folder's own descriptor and judged by what was opened, not by its name.
"""

import errno
import os
import re
import stat
from pathlib import Path
from typing import Final

from ostinato.errors import SessionNameError, StoreError, UnsafePathError
from ostinato.store.disk import Disk
from ostinato.store.findings import Findings

__all__ = ["Folder", "checked_name", "io_error"]

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
# O_NONBLOCK: opening a pipe that somebody put there must not wait for its other end.
_SAFE: Final = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_LINK_ERRNOS: Final = {errno.ELOOP, errno.EMLINK}
_KINDS: Final = {errno.EISDIR, errno.ENXIO, errno.ENODEV}


def checked_name(name: object) -> str:
    """A session's name, which is also that of its file.

    Raises:
        SessionNameError: `name_invalid`.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SessionNameError("name_invalid")
    return name


def io_error(error: OSError, path: object) -> StoreError:
    """What the system said, by name."""
    return StoreError("disk_error", path, errno.errorcode.get(error.errno or 0, type(error).__name__))


class Folder:
    """An open folder of mode 0700. Close it with `close`."""

    def __init__(self, path: "str | os.PathLike[str]", *, disk: Disk, mend: bool, create: bool, seen: Findings) -> None:
        """Open it, and make it where it is missing and may be made.

        Raises:
            StoreError: `not_a_folder`, `disk_error`.
            UnsafePathError: `symlink`, `foreign_owner`.
        """
        self.path: Final = Path(path).expanduser().absolute()
        self.disk: Final = disk
        self._mend = mend
        try:
            made = create and self._make(self.path)
            self.fd: Final = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | _SAFE)
        except OSError as error:
            if error.errno in _LINK_ERRNOS or (error.errno == errno.ENOTDIR and self.path.is_symlink()):
                raise UnsafePathError("symlink", self.path) from None
            if error.errno in (errno.ENOTDIR, errno.EEXIST):
                raise StoreError("not_a_folder", self.path) from None
            raise io_error(error, self.path) from None
        except ValueError:  # a null character
            raise StoreError("not_a_folder") from None
        try:
            self._judge(self.fd, self.path, FOLDER_MODE, seen, fresh=made)
        except BaseException:
            os.close(self.fd)
            raise

    def close(self) -> None:
        """Close it."""
        os.close(self.fd)

    def of(self, name: str) -> Path:
        """The path of a file, for messages."""
        return self.path / name

    def open(self, name: str, flags: int, seen: Findings) -> int:
        """A descriptor of a file that is there.

        Raises:
            FileNotFoundError: there is none.
            StoreError: `disk_error`.
            UnsafePathError: `symlink`, `hard_link`, `foreign_owner`, `not_a_regular_file`.
        """
        try:
            fd = os.open(name, flags | _SAFE, dir_fd=self.fd)
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno in _LINK_ERRNOS:
                raise UnsafePathError("symlink", self.of(name)) from None
            if error.errno in _KINDS:
                raise UnsafePathError("not_a_regular_file", self.of(name)) from None
            raise io_error(error, self.of(name)) from None
        try:
            self._judge(fd, self.of(name), FILE_MODE, seen)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def create(self, name: str) -> int:
        """A descriptor of a new file, private whatever the umask is.

        Raises:
            OSError: it is there, or cannot be made.
        """
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
        fd = os.open(name, flags | _SAFE, FILE_MODE, dir_fd=self.fd)
        try:
            os.fchmod(fd, FILE_MODE)  # the umask may have taken bits away
        except BaseException:
            os.close(fd)
            raise
        return fd

    def write(self, name: str, content: bytes) -> None:
        """A new private file of this content, in the place of what a stopped writer left under the name.

        Raises:
            OSError: it could not be written.
        """
        if self.exists(name):
            self.disk.remove(name, self.fd)
        fd = self.create(name)
        try:
            self.disk.append(fd, content)
        finally:
            os.close(fd)

    def exists(self, name: str) -> bool:
        """Whether anything has this name."""
        try:
            self.status(name)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise io_error(error, self.of(name)) from None
        return True

    def status(self, name: str) -> os.stat_result:
        """What the system says of a name, and not of what a link leads to.

        Raises:
            OSError: there is none, or it cannot be asked.
        """
        return os.stat(name, dir_fd=self.fd, follow_symlinks=False)

    def names(self) -> list[str]:
        """The names in it, in order."""
        try:
            return sorted(os.listdir(self.fd))  # noqa: PTH208 - of what was opened, whatever its path leads to now
        except OSError as error:
            raise io_error(error, self.path) from None

    def _make(self, path: Path) -> bool:
        """Make a folder and those above it, all of them private. Whether it was missing."""
        if os.path.lexists(path):
            return False
        self._make(path.parent)
        path.mkdir(mode=FOLDER_MODE)
        above = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self.disk.sync(above)
        finally:
            os.close(above)
        return True

    def _judge(self, fd: int, path: Path, wanted: int, seen: Findings, *, fresh: bool = False) -> None:
        status = os.fstat(fd)
        if wanted == FILE_MODE and not stat.S_ISREG(status.st_mode):
            raise UnsafePathError("not_a_regular_file", path)
        if status.st_uid != os.geteuid():
            raise UnsafePathError("foreign_owner", path)
        if wanted == FILE_MODE and status.st_nlink > 1:
            raise UnsafePathError("hard_link", path)
        mode = stat.S_IMODE(status.st_mode)
        if fresh and mode != wanted:  # the umask took bits away
            os.fchmod(fd, wanted)
        elif mode & ~wanted:
            seen.say("mode_open", path=path.name, reason=f"{mode:04o}" + (", mended" if self._mend else ""))
            if self._mend:
                os.fchmod(fd, wanted)
