"""The calls of the system that may fail while a session is written: the seam where tests make them fail."""

import contextlib
import fcntl
import os
from typing import Final

__all__ = ["Disk"]

_FULL_SYNC: Final[int | None] = getattr(fcntl, "F_FULLFSYNC", None)
"""macOS: `fsync` leaves data in the drive's own cache."""


class Disk:
    """The system. Every method raises `OSError`, and none does more than its name says."""

    def read(self, fd: int, size: int, offset: int) -> bytes:
        """Up to so many bytes from a place."""
        return os.pread(fd, size, offset)

    def write(self, fd: int, data: memoryview) -> int:
        """Append some of the bytes; how many."""
        return os.write(fd, data)

    def sync(self, fd: int) -> None:
        """Wait until the file or folder is on the disk."""
        if _FULL_SYNC is not None:
            with contextlib.suppress(OSError):  # file systems without it have `fsync`
                fcntl.fcntl(fd, _FULL_SYNC)
                return
        os.fsync(fd)

    def truncate(self, fd: int, size: int) -> None:
        """Cut the end off."""
        os.ftruncate(fd, size)

    def rename(self, name: str, new: str, folder: int) -> None:
        """Give a file of a folder another name."""
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=folder)

    def remove(self, name: str, folder: int) -> None:
        """Take a file out of a folder."""
        os.unlink(name, dir_fd=folder)

    def append(self, fd: int, data: bytes) -> None:
        """Append all bytes and wait until they are on the disk: one write, and more where the system takes less."""
        rest = memoryview(data)
        while rest:
            rest = rest[self.write(fd, rest) :]
        self.sync(fd)
