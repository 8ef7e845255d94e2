"""A folder of sessions."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, Self

from ostinato import clock
from ostinato.discretion import discreet
from ostinato.errors import SessionFormatError, SessionNameError, SessionNotFoundError, StoreError
from ostinato.messages import UniMessage
from ostinato.store.disk import Disk
from ostinato.store.findings import Findings, SessionFinding
from ostinato.store.folder import Folder, checked_name, io_error
from ostinato.store.frame import VERSION
from ostinato.store.lock import Lock, this_process
from ostinato.store.migrate import MIGRATIONS, Step, migrated, replace, version_of
from ostinato.store.reading import Header, Resumed, SessionFile, StoredTurn, resumed
from ostinato.store.session import SUFFIX, Session

__all__ = ["SessionInfo", "SessionStore", "StoredSession", "StoredTurns"]

MAX_TURN_BYTES: Final = 256 * 1024 * 1024


class StoredTurns:
    """The turns of a session, each read when it is asked for."""

    def __init__(self, turns: Iterator[StoredTurn], seen: Findings) -> None:
        self._turns = turns
        self._seen = seen

    @property
    def findings(self) -> tuple[SessionFinding, ...]:
        """What was seen so far that is not among the turns."""
        return self._seen.all

    def __iter__(self) -> Self:
        return self

    @discreet
    def __next__(self) -> StoredTurn:
        return next(self._turns)


class SessionInfo(NamedTuple):
    """What a listing tells of a session: its header and its size."""

    name: str
    created: int | None
    """Milliseconds since the epoch; None where the header does not say."""
    client_type: str | None
    model: str | None
    size: int
    """Bytes."""
    code: str | None = None
    """Why it cannot be opened, or its header not be read; None if all is well."""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        return self._asdict()


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session that was read."""

    name: str
    header: Header | None
    turns: int
    """Units that are whole, whether they are replayed or not."""
    conversation: Resumed
    findings: tuple[SessionFinding, ...]

    @property
    def messages(self) -> list[UniMessage]:
        """The conversation."""
        return self.conversation.messages


class SessionStore:
    """Sessions in a folder of mode 0700, one file of mode 0600 each."""

    def __init__(
        self,
        directory: "str | os.PathLike[str]",
        *,
        mend: bool = False,
        now: Callable[[], int] = clock.now,
        max_turn_bytes: int = MAX_TURN_BYTES,
        disk: Disk | None = None,
    ) -> None:
        """A store. Nothing is made or opened yet.

        Args:
            directory: the folder; it is made, with those above it, when the first session is opened.
            mend: change modes of the folder and its files that let others in, instead of only reporting them.
            now: the clock, in milliseconds since the epoch.
            max_turn_bytes: what is too much for one turn, at writing and at reading.
            disk: the calls of the system; another one is for tests.
        """
        self.directory: Final = directory
        self._mend = mend
        self._now = now
        self._limit = max_turn_bytes
        self._disk = disk or Disk()

    @discreet
    def open(self, name: str, *, take_over: bool = False) -> Session:
        """A session to write to, new or not. A new one is on the disk from its first turn on.

        Args:
            name: 1 to 100 of `A-Z a-z 0-9 _ . -`, the first of them no dot or dash.
            take_over: go on where a process on another host had the session and did not give it back. This host cannot
                know whether that process lives.

        Raises:
            SessionNameError: `name_invalid`.
            SessionLockedError: `session_locked`, `locked_elsewhere`, `lock_unsupported`.
            SessionFormatError: `schema_unknown`, `version_unknown`.
            UnsafePathError: the folder or a file is a link, or not this user's.
            StoreError: `disk_error`, `not_a_folder`.
        """
        checked_name(name)
        seen = Findings()
        folder = self._folder(seen, create=True)
        try:
            lock = Lock(folder, name, this_process(self._now()), take_over=take_over, seen=seen)
        except BaseException:
            folder.close()
            raise
        return Session(name, folder, lock, now=self._now, limit=self._limit, seen=seen)

    @discreet
    def read(self, name: str) -> StoredSession:
        """A session to read, also while another process writes to it.

        Raises:
            SessionNotFoundError: `session_missing`.
            SessionFormatError: `header_unreadable`, `schema_unknown`, `version_unknown`.
            SessionNameError, UnsafePathError, StoreError: as for `open`.
        """
        seen = Findings()
        with self._source(name, seen) as source:
            end = source.size
            header = source.header(name, seen)
            conversation = resumed(source.turns(name, seen, end=end))
            return StoredSession(name, header, conversation.units, conversation, seen.all)

    @discreet
    def turns(self, name: str) -> StoredTurns:
        """The turns of a session that can be replayed, of every epoch; nothing is read before it is asked for.

        Raises:
            SessionNotFoundError, SessionFormatError, SessionNameError, UnsafePathError, StoreError: as for `read`.
        """
        checked_name(name)
        seen = Findings()
        return StoredTurns(self._turns(name, seen), seen)

    def _turns(self, name: str, seen: Findings) -> Iterator[StoredTurn]:
        with self._source(name, seen) as source:
            for _, turn in source.turns(name, seen):
                if turn is not None:
                    yield turn

    @discreet
    def sessions(self) -> list[SessionInfo]:
        """All sessions, by name. Reads their headers alone.

        Raises:
            StoreError: `disk_error`, `not_a_folder`. A store whose folder is not made yet has no sessions.
            UnsafePathError: the folder is a link, or not this user's.
        """
        try:
            folder = self._folder(Findings(), create=False)
        except SessionNotFoundError:
            return []
        try:
            names = [name.removesuffix(SUFFIX) for name in folder.names() if name.endswith(SUFFIX)]
        finally:
            folder.close()
        return [self._info(name) for name in names if not name.startswith(".")]

    @discreet
    def purge(self, name: str) -> None:
        """Take a session off the disk, with its lock. What the disk itself keeps of it is out of reach.

        Raises:
            SessionNotFoundError: `session_missing`.
            SessionLockedError: somebody writes to it.
            SessionNameError, UnsafePathError, StoreError: as for `open`.
        """
        checked_name(name)
        seen = Findings()
        with closing(self._folder(seen, create=False)) as folder:
            if not (folder.exists(name + SUFFIX) or folder.exists(f".{name}.new")):
                raise SessionNotFoundError("session_missing", folder.of(name + SUFFIX))
            with self._locked(folder, name, seen):
                for file in (name + SUFFIX, f".{name}.new", f"{name}.lock"):
                    if folder.exists(file):
                        self._disk.remove(file, folder.fd)
                self._disk.sync(folder.fd)

    @discreet
    def contents(self, name: str) -> bytes:
        """The file of a session, byte for byte: all of its state, so keep it private.

        Raises:
            SessionNotFoundError, SessionNameError, UnsafePathError, StoreError: as for `read`.
        """
        with self._source(name, Findings()) as source:
            return source.everything()

    @discreet
    def restore(self, name: str, data: bytes) -> None:
        """Put a session back, from the bytes that `contents` gave; on the disk when this returns.

        Raises:
            SessionNameError: `name_invalid`; `session_exists`: there is a session of this name already.
            SessionFormatError: `header_unreadable`, `version_unknown`: the bytes are no session of this version.
            SessionLockedError, UnsafePathError, StoreError: as for `open`.
        """
        checked_name(name)
        seen, file, draft = Findings(), name + SUFFIX, f".{name}.new"
        with closing(self._folder(seen, create=True)) as folder:
            version = version_of(data)
            if version != VERSION:
                raise SessionFormatError("header_unreadable" if version is None else "version_unknown", folder.of(file))
            with self._locked(folder, name, seen):
                if folder.exists(file):
                    raise SessionNameError("session_exists", folder.of(file))
                folder.write(draft, data)
                self._disk.rename(draft, file, folder.fd)
                self._disk.sync(folder.fd)

    @discreet
    def migrate(self, name: str, *, steps: Mapping[int, Step] = MIGRATIONS, to: int = VERSION) -> int:
        """Bring a session to the present version; the version it had. The old file stays, as `NAME.v1` and so on.

        Raises:
            SessionFormatError: `header_unreadable`; `version_unknown`: it is newer; `migration_missing`.
            SessionNotFoundError, SessionLockedError, SessionNameError, UnsafePathError, StoreError: as for `purge`.
        """
        checked_name(name)
        seen, file = Findings(), name + SUFFIX
        with closing(self._folder(seen, create=False)) as folder, self._locked(folder, name, seen):
            with self._source(name, seen) as source:
                data = source.everything()
            new = migrated(data, steps=steps, to=to, path=folder.of(file))
            version = version_of(data) or to
            if version != to:
                replace(folder, file, data, new, keep=f"{name}.v{version}")
        return version

    @contextmanager
    def _locked(self, folder: Folder, name: str, seen: Findings) -> Iterator[None]:
        """While nobody else writes to a session. What the system says of its files is told of the session."""
        lock = Lock(folder, name, this_process(self._now()), take_over=False, seen=seen)
        try:
            yield
        except OSError as error:
            raise io_error(error, folder.of(name + SUFFIX)) from None
        finally:
            lock.release()

    def _folder(self, seen: Findings, *, create: bool) -> Folder:
        try:
            return Folder(self.directory, disk=self._disk, mend=self._mend, create=create, seen=seen)
        except StoreError as error:
            if not create and error.reason == "ENOENT":
                raise SessionNotFoundError("session_missing", error.path) from None
            raise

    @contextmanager
    def _source(self, name: str, seen: Findings) -> Iterator[SessionFile]:
        """A session's file, open for reading."""
        checked_name(name)
        folder = self._folder(seen, create=False)
        try:
            file = folder.open(name + SUFFIX, os.O_RDONLY, seen)
        except FileNotFoundError:
            raise SessionNotFoundError("session_missing", folder.of(name + SUFFIX)) from None
        finally:
            folder.close()
        try:
            yield SessionFile(folder.of(name + SUFFIX), partial(self._disk.read, file), file, limit=self._limit)
        finally:
            os.close(file)

    def _info(self, name: str) -> SessionInfo:
        size, code, header, seen = 0, None, None, Findings()
        try:
            with self._source(name, seen) as source:
                size = source.size
                header = source.header(name, seen)
                code = None if header else "header_damaged"
        except StoreError as error:
            code = error.code
        header = header or Header()
        return SessionInfo(name, header.created, header.client_type, header.model, size, code)
