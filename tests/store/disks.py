"""Disks that fail: the seam of the store with faults in it."""

import errno
import os
import signal
from collections.abc import Callable

from ostinato.store.disk import Disk


class Quick(Disk):
    """Does not wait for the drive, for tests that write thousands of files."""

    def sync(self, fd: int) -> None:
        """Nothing is waited for."""


class Short(Quick):
    """Takes a few bytes at a time."""

    def __init__(self, most: int = 7) -> None:
        self.most = most

    def write(self, fd: int, data: memoryview) -> int:
        """Some of the bytes."""
        return super().write(fd, data[: self.most])


class Full(Quick):
    """Has room for so many bytes, and none for more, until some are given free."""

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, fd: int, data: memoryview) -> int:
        """What fits."""
        if self.room == 0:
            raise OSError(errno.ENOSPC, "no room")
        written = super().write(fd, data[: self.room])
        self.room -= written
        return written


class Broken(Quick):
    """Fails in some of its calls, by name, after so many that went well."""

    def __init__(self, *calls: str, after: int = 0, code: int = errno.EIO) -> None:
        self.calls = calls
        self.after = after
        self.code = code
        self.made: list[str] = []

    def _may(self, call: str) -> None:
        self.made.append(call)
        if call in self.calls:
            if self.after == 0:
                raise OSError(self.code, "broken")
            self.after -= 1

    def read(self, fd: int, size: int, offset: int) -> bytes:
        """Bytes, or a fault."""
        self._may("read")
        return super().read(fd, size, offset)

    def write(self, fd: int, data: memoryview) -> int:
        """Half of the bytes, and then a fault."""
        if "write" in self.calls and self.after == 0 and len(data) > 1:
            super().write(fd, data[: len(data) // 2])
        self._may("write")
        return super().write(fd, data)

    def sync(self, fd: int) -> None:
        """A fault, or nothing."""
        self._may("sync")
        super().sync(fd)

    def truncate(self, fd: int, size: int) -> None:
        """A cut, or a fault."""
        self._may("truncate")
        super().truncate(fd, size)

    def rename(self, name: str, new: str, folder: int) -> None:
        """Another name, or a fault."""
        self._may("rename")
        super().rename(name, new, folder)

    def remove(self, name: str, folder: int) -> None:
        """One file less, or a fault."""
        self._may("remove")
        super().remove(name, folder)


class Deadly(Disk):
    """Kills its own process at a given step; a step lies before and after every call, and in the middle of a write."""

    def __init__(self, step: int) -> None:
        self.left = step

    def _step(self) -> None:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1

    def _between(self, call: Callable[[], object]) -> None:
        self._step()
        call()
        self._step()

    def write(self, fd: int, data: memoryview) -> int:
        """Some of the bytes: a write has many steps."""
        self._step()
        return super().write(fd, data[:97])

    def sync(self, fd: int) -> None:
        """Waits for the drive."""
        self._between(lambda: super(Deadly, self).sync(fd))

    def rename(self, name: str, new: str, folder: int) -> None:
        """Another name."""
        self._between(lambda: super(Deadly, self).rename(name, new, folder))


class Counting(Disk):
    """Counts the bytes that are read."""

    def __init__(self) -> None:
        self.bytes = 0

    def read(self, fd: int, size: int, offset: int) -> bytes:
        """Bytes, counted."""
        found = super().read(fd, size, offset)
        self.bytes += len(found)
        return found
