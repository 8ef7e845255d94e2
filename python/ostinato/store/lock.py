"""One writer per session, across processes: a lock of the kernel, and beside it who has it.

The kernel drops the lock when its process ends, however it ends. The file stays: taking a lock file away lets two
processes hold two files of one name.
"""

import errno
import fcntl
import json
import os
import socket
from pathlib import Path
from typing import Any, NamedTuple

from ostinato.errors import SessionLockedError, UnsafePathError
from ostinato.names import printable
from ostinato.store.findings import Findings
from ostinato.store.folder import Folder, io_error

__all__ = ["Lock", "Owner", "this_process"]

_MOST = 4096
"""Bytes that are read of a lock file."""


class Owner(NamedTuple):
    """A process that has a session, or had it."""

    pid: int
    host: str
    started: str
    """What tells it from an earlier process of its number: the kernel's time of its start; empty where unknown."""
    at: int
    """When it took the session: milliseconds since the epoch."""

    def __str__(self) -> str:
        return printable(f"process {self.pid} on {self.host}")


def this_process(now: int) -> Owner:
    """The owner that this process is."""
    return Owner(os.getpid(), socket.gethostname(), _started(), now)


def _started() -> str:
    try:
        fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:  # no Linux
        return ""
    return "".join(map(bytes.decode, fields[19:20]))  # field 22 of proc(5): clock ticks since the boot


class Lock:
    """A session's lock, held until `release`."""

    def __init__(self, folder: Folder, name: str, owner: Owner, *, take_over: bool, seen: Findings) -> None:
        """Take it.

        Raises:
            SessionLockedError: `session_locked`, `locked_elsewhere`, `lock_unsupported`.
            StoreError: `disk_error`.
            UnsafePathError: somebody else made the lock file.
        """
        self._pid = owner.pid
        self.fd = _taken(folder, f"{name}.lock", seen)
        try:
            before = _owner_in(self.fd)
            if before is not None:
                _judge(before, owner, folder.of(f"{name}.lock"), take_over=take_over)
                seen.say("lock_was_stale", reason=str(before))
            _write(self.fd, json.dumps(owner._asdict()).encode())
        except OSError as error:
            os.close(self.fd)
            raise io_error(error, folder.of(f"{name}.lock")) from None
        except BaseException:
            os.close(self.fd)
            raise

    def release(self) -> None:
        """Give it back. In a process that was forked off, only let go of it: it is the parent's."""
        try:
            if os.getpid() == self._pid:
                os.ftruncate(self.fd, 0)
        finally:
            os.close(self.fd)


def _judge(before: Owner, owner: Owner, path: Path, *, take_over: bool) -> None:
    """Whether one who did not give the lock back is gone: of this host the kernel has told so, of others it cannot."""
    if before.host not in (owner.host, "") and not take_over:
        raise SessionLockedError("locked_elsewhere", path, str(before), before)


def _taken(folder: Folder, name: str, seen: Findings) -> int:
    """The descriptor of the lock file, locked."""
    while True:
        try:
            fd = folder.open(name, os.O_RDWR, seen)
        except FileNotFoundError:
            try:
                fd = folder.create(name)
            except FileExistsError:
                continue  # another process was quicker
            except OSError as error:
                raise io_error(error, folder.of(name)) from None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still(folder, name, fd):
                return fd
        except OSError as error:
            owner = _owner_in(fd)
            os.close(fd)
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise SessionLockedError("session_locked", folder.of(name), owner and str(owner), owner) from None
            reason = errno.errorcode.get(error.errno or 0)
            raise SessionLockedError("lock_unsupported", folder.of(name), reason) from None
        os.close(fd)  # the session was purged in between, and its lock file with it


def _is_still(folder: Folder, name: str, fd: int) -> bool:
    own = os.fstat(fd)
    try:
        named = folder.status(name)
    except FileNotFoundError:
        return False
    if os.path.samestat(named, own):
        return True
    if own.st_nlink:  # it was moved away, and something else was put in its place
        raise UnsafePathError("not_a_regular_file", folder.of(name))
    return False


def _owner_in(fd: int) -> Owner | None:
    """Who wrote itself into a lock file; None where nobody did."""
    written = os.pread(fd, _MOST, 0)
    if not written:
        return None
    try:
        fields: dict[str, Any] = json.loads(written)
        owner = Owner(**fields)
    except (ValueError, TypeError, RecursionError):
        return Owner(0, "", "", 0)
    sound = (
        tuple(type(field) for field in owner) == (int, str, str, int) and f"{owner.host}{owner.started}".isprintable()
    )
    return owner if sound else Owner(0, "", "", 0)


def _write(fd: int, text: bytes) -> None:
    os.ftruncate(fd, 0)
    os.pwrite(fd, text, 0)
