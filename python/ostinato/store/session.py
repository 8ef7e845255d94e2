"""A session that one writer has: turns go in one after the other, each in one piece, on the disk before it counts."""

import errno
import os
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, Self

from ostinato.discretion import discreet
from ostinato.errors import (
    SessionLockedError,
    SessionNameError,
    SessionNotFoundError,
    SessionWriteError,
    StoreError,
    UnsafePathError,
)
from ostinato.messages import UniMessage
from ostinato.prefix import Sent
from ostinato.store.findings import Findings, SessionFinding
from ostinato.store.folder import Folder, io_error
from ostinato.store.frame import SCHEMA, VERSION, FaultError, sealed
from ostinato.store.lock import Lock
from ostinato.store.reading import Binding, Header, Place, Resumed, SessionFile, resumed
from ostinato.store.record import write_message

__all__ = ["SUFFIX", "Session"]

Json = dict[str, Any]

SUFFIX: Final = ".jsonl"


class _Handles:
    """What a session has open, given back once, however it ends."""

    def __init__(self, folder: Folder, lock: Lock) -> None:
        self.folder = folder
        self.lock = lock
        self.file: int | None = None
        self.pid = os.getpid()
        self._open = True

    def close(self) -> None:
        if not self._open:
            return
        self._open = False
        try:
            self.lock.release()
        except OSError as error:
            raise io_error(error, self.folder.path) from None
        finally:
            if self.file is not None:
                os.close(self.file)
            self.folder.close()


class Session:
    """One saved conversation, open for writing by this process alone. Made by `SessionStore.open`.

    Not for use from several threads at once. Close it, or use it in a `with` block.
    """

    def __init__(
        self, name: str, folder: Folder, lock: Lock, *, now: Callable[[], int], limit: int, seen: Findings
    ) -> None:
        self.name: Final = name
        self.path: Final = folder.of(name + SUFFIX)
        self._seen = seen
        self._now = now
        self._limit = limit
        self._handles = _Handles(folder, lock)
        self._closes = weakref.finalize(self, self._handles.close)
        self._place: Place | None = None
        """Behind the last unit; None as long as the file was not read."""
        self._end = 0
        self._binding = Binding()
        self._wire: str | None = None
        self._client: weakref.ref[object] | None = None
        self._failed = False
        try:
            self._open_file()
        except BaseException:
            self.close()
            raise

    # What is there.

    @property
    def findings(self) -> tuple[SessionFinding, ...]:
        """What was seen so far that is not simply there in the history: what is lost, or not as it should be."""
        return self._seen.all

    @property
    def header(self) -> Header | None:
        """The first line; None where there is none yet, or it is damaged."""
        self._refuse_unusable()
        source = self._source()
        return source.header(self.name, self._seen) if source else None

    @discreet
    def read(self) -> Resumed:
        """The conversation as it is on the disk, and what of it was sent.

        Raises:
            SessionFormatError: `header_unreadable`, `schema_unknown`, `version_unknown`.
            StoreError: `disk_error`; `file_changed` where somebody else wrote to it.
        """
        self._refuse_unusable()
        source = self._source()
        if source is None:
            self._place = Place()
            return Resumed()
        end = source.size
        if self._place is not None and end != self._end:
            raise StoreError("file_changed", self.path)
        found = resumed(source.turns(self.name, self._seen, end=end))
        self._place, self._end = found.place, end
        return found

    @property
    def messages(self) -> list[UniMessage]:
        """The conversation as it is on the disk."""
        return self.read().messages

    @discreet
    def attach(self, client: object, binding: Binding, wire: str | None = None) -> Resumed:
        """Give the session to a client, for as long as that lives.

        Args:
            client: whoever appends from now on.
            binding: the client type and the model that it talks to.
            wire: the wire it speaks, by name: which envelopes state of its own is kept in.

        Raises:
            SessionLockedError: `session_attached`.
            StoreError: as for `read`.
        """
        if self._client is not None and self._client() is not None:
            raise SessionLockedError("session_attached", self.path)
        found = self.read()
        self._client, self._binding, self._wire = weakref.ref(client), binding, wire
        return found

    # What comes to it.

    @discreet
    def check(self, messages: Iterable[UniMessage]) -> None:
        """Refuse what `append` would refuse, as long as nothing was sent.

        Raises:
            SessionWriteError: as for `append`.
        """
        self._refuse_unusable()
        self._lines(messages)

    @discreet
    def append(self, messages: Iterable[UniMessage], *, sent: Sent | None = None) -> int:
        """Add a turn, what was said and the answer; it is on the disk when this returns. Its number.

        Args:
            messages: what `ostinato.messages.admit` takes; they are not kept.
            sent: what its request sent, for the prefix guard.

        Raises:
            SessionWriteError: `message_not_storable`, `turn_too_large`, `turn_not_written` (it is not on the disk; the
                session goes on), `turn_unconfirmed` (it may be on the disk; the session takes no more until it is
                opened again), `session_broken`, `session_closed`, `session_forked`.
            StoreError: `file_changed`, or as for `read`, where the file was not read yet.
        """
        return self._add("turn", messages, sent)

    @discreet
    def restart(self, messages: Iterable[UniMessage] = ()) -> int:
        """Begin the conversation anew with some messages. What was before stays on the disk and is not replayed.

        Raises:
            SessionWriteError, StoreError: as for `append`; the conversation is what it was.
        """
        return self._add("history", messages, None)

    def close(self) -> None:
        """Give the session back. It is on the disk already."""
        self._closes()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Within.

    def _add(self, record: str, messages: Iterable[UniMessage], sent: Sent | None) -> int:
        self._refuse_unusable()
        lines = self._lines(messages)
        if self._place is None:
            self.read()
        before = self._place or Place()
        place = Place(before.number + 1, before.epoch + (record == "history"), self._now())
        unit = self._unit(record, place, lines, sent)
        if self._handles.file is None:
            self._create(self._header(place) + unit)
        else:
            self._write(self._handles.file, unit)
        self._place = place
        return place.number

    def _lines(self, messages: Iterable[UniMessage]) -> list[bytes]:
        lines = []
        for index, message in enumerate(messages):
            try:
                lines.append(write_message(message, self._wire))
            except FaultError as fault:
                place = f"messages/{index}" + (f"/{fault.path}" if fault.path else "")
                raise SessionWriteError(fault.code, self.path, place) from None
        if sum(map(len, lines)) + len(lines) > self._limit:
            raise SessionWriteError("turn_too_large", self.path)
        return lines

    def _unit(self, record: str, place: Place, lines: list[bytes], sent: Sent | None) -> bytes:
        head = {
            "record": record,
            "turn": place.number,
            "epoch": place.epoch,
            "at": place.at,
            "messages": len(lines),
            "client_type": self._binding.client_type,
            "model": self._binding.model,
            "sent": sent and {"head": dict(sent.head), "start": sent.start, "groups": list(sent.groups)},
        }
        return sealed(head, lines)

    def _header(self, place: Place) -> bytes:
        told = Header(self.name, place.at, self._binding.client_type, self._binding.model)._asdict()
        return sealed({"schema": SCHEMA, "version": VERSION, **told})

    def _open_file(self) -> None:
        folder, flags = self._handles.folder, os.O_RDWR | os.O_APPEND
        try:
            self._handles.file = folder.open(self.path.name, flags, self._seen)
        except FileNotFoundError:
            pass
        else:
            source = self._source()
            if source is not None:
                self._refuse_namesake(source.header(self.name, self._seen))
        if folder.exists(self._new_name):
            self._seen.say("creation_unfinished")

    def _refuse_namesake(self, header: Header | None) -> None:
        """Some file systems do not tell `a` from `A`: two sessions would share a file."""
        other = header and header.session
        if other and other != self.name and other.casefold() == self.name.casefold():
            raise SessionNameError("session_exists", self.path)

    @property
    def _new_name(self) -> str:
        return f".{self.name}.new"

    def _source(self) -> SessionFile | None:
        file, disk = self._handles.file, self._handles.folder.disk
        if file is None:
            return None
        return SessionFile(self.path, partial(disk.read, file), file, limit=self._limit)

    def _create(self, content: bytes) -> None:
        """Make the file with header and first turn. It has its name only when both are on the disk."""
        folder, new = self._handles.folder, self._new_name
        disk = folder.disk
        if folder.exists(self.path.name):
            raise StoreError("file_changed", self.path)
        try:
            if folder.exists(new):
                disk.remove(new, folder.fd)  # what a stopped writer left there; it was reported
            fd = folder.create(new)
        except OSError as error:
            raise self._not_written(error) from None
        try:
            disk.append(fd, content)
            disk.rename(new, self.path.name, folder.fd)
        except BaseException as error:
            os.close(fd)
            self._remove_new(new)
            if isinstance(error, OSError):
                raise self._not_written(error) from None
            raise
        self._handles.file, self._end = fd, len(content)
        try:
            disk.sync(folder.fd)
        except OSError as error:
            self._failed = True
            raise SessionWriteError("turn_unconfirmed", self.path, _name_of(error)) from None

    def _remove_new(self, new: str) -> None:
        folder = self._handles.folder
        try:
            folder.disk.remove(new, folder.fd)
        except OSError:
            # It is no session as long as it has this name. The next open finds it and says so.
            self._seen.say("creation_unfinished")

    def _write(self, file: int, unit: bytes) -> None:
        """Append a unit. Where that fails, cut off what is there of it, so that it is either whole or not there."""
        disk = self._handles.folder.disk
        start = self._checked_end(file)
        try:
            torn = start > 0 and disk.read(file, 1, start - 1) != b"\n"
        except OSError as error:
            raise self._not_written(error) from None
        content = b"\n" * torn + unit
        try:
            disk.append(file, content)
        except BaseException as error:
            self._take_back(file, start, len(content), error)
            if isinstance(error, OSError):
                raise self._not_written(error) from None
            raise
        self._end = start + len(content)

    def _checked_end(self, file: int) -> int:
        """Where the file ends, if that is where this session left it."""
        try:
            status = os.fstat(file)
        except OSError as error:
            raise io_error(error, self.path) from None
        if status.st_nlink != 1:
            if status.st_nlink:
                raise UnsafePathError("hard_link", self.path)
            raise SessionNotFoundError("session_missing", self.path)  # it was taken away
        if status.st_size != self._end or not self._is_named(status):
            raise StoreError("file_changed", self.path)
        return status.st_size

    def _is_named(self, status: os.stat_result) -> bool:
        """Whether the session's name still leads to the open file: else a turn would go where nobody looks for it."""
        try:
            return os.path.samestat(status, self._handles.folder.status(self.path.name))
        except FileNotFoundError:
            raise SessionNotFoundError("session_missing", self.path) from None
        except OSError as error:
            raise io_error(error, self.path) from None

    def _take_back(self, file: int, start: int, size: int, error: BaseException) -> None:
        disk = self._handles.folder.disk
        try:
            taken = start <= os.fstat(file).st_size <= start + size  # else somebody else wrote: that is not ours to cut
            if taken:
                disk.truncate(file, start)
                disk.sync(file)
        except OSError:
            taken = False
        if not taken:
            self._failed = True
            raise SessionWriteError("turn_unconfirmed", self.path, _name_of(error)) from None

    def _not_written(self, error: OSError) -> SessionWriteError:
        return SessionWriteError("turn_not_written", self.path, _name_of(error))

    def _refuse_unusable(self) -> None:
        code = None
        if not self._closes.alive:
            code = "session_closed"
        elif os.getpid() != self._handles.pid:
            code = "session_forked"
        elif self._failed:
            code = "session_broken"
        if code is not None:
            raise SessionWriteError(code, self.path)


def _name_of(error: BaseException) -> str:
    number = error.errno if isinstance(error, OSError) else None
    return errno.errorcode.get(number or 0, type(error).__name__)
