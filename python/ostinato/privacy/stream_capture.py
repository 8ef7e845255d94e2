"""Streams written to disk for debugging: their structure, and the raw bytes only for whoever asks for them by name."""

import base64
import json
import os
import secrets
import time
import warnings
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import IO, Any, Final, Self

from ostinato import clock
from ostinato.discretion import discreet
from ostinato.errors import UnsafePathError
from ostinato.privacy.structure import redact_request
from ostinato.store.disk import Disk
from ostinato.store.findings import Findings
from ostinato.store.folder import Folder, io_error

__all__ = ["CaptureWarning", "Recording", "StreamCapture"]

Json = dict[str, Any]

_FORMAT: Final = "ostinato.stream-capture"
_VERSION: Final = 1


class CaptureWarning(UserWarning):
    """A capture holds reusable state in the clear, or could not be written on."""


class StreamCapture:
    """A folder of captures, one file of JSON lines for each turn: the request, each event, and how it ended.

    What is written is structure: names, counts, lengths, digests of state (see `redact_request`). Files have mode 0600
    whatever the umask is, and the folder 0700; one that others may enter, that is a link or another user's is refused.
    """

    def __init__(
        self,
        directory: "str | os.PathLike[str]",
        *,
        unsafe_raw: bool = False,
        length_only: bool = False,
        now: Callable[[], int] = clock.now,
    ) -> None:
        """A capture. Nothing is made or opened yet.

        Args:
            directory: the folder; it is made when the first turn begins.
            unsafe_raw: write requests and events as they are, with state that whoever reads it can reuse. It warns.
            length_only: lengths without digests.
            now: the clock, in milliseconds since the epoch.
        """
        self.directory: Final = directory
        self._raw = unsafe_raw
        self._length_only = length_only
        self._now = now
        if unsafe_raw:
            warnings.warn(
                "raw captures hold state that can be reused like a password; delete them when you are done",
                CaptureWarning,
                stacklevel=2,
            )

    @discreet
    def begin(self, body: object, **about: str | None) -> "Recording":
        """Begin the capture of a turn with its request. Close what comes back, or use it in a `with` block.

        Args:
            body: the request body.
            about: what else to write down, such as `wire="openai-responses"`.

        Raises:
            StoreError: the folder or the file cannot be made; `folder_open` where others may enter the folder.
            UnsafePathError: the folder is a link, or another user's.
        """
        at = self._now()
        seen = Findings()
        folder = Folder(self.directory, disk=Disk(), mend=False, create=True, seen=seen)
        try:
            if seen.all:
                raise UnsafePathError("folder_open", folder.path)
            stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(at / 1000))
            name = f"{stamp}-{secrets.token_hex(4)}{'.raw' * self._raw}.jsonl"
            try:
                file = os.fdopen(folder.create(name), "wb", buffering=0)
            except OSError as error:
                raise io_error(error, folder.of(name)) from None
        finally:
            folder.close()
        show = _raw if self._raw else self._structure
        recording = Recording(file, show, self._now, raw=self._raw)
        recording.write("begin", format=_FORMAT, version=_VERSION, raw=self._raw)
        told = {name: value for name, value in about.items() if value is not None}
        recording.write("request", **told, bytes=_size(body), body=show(body))
        return recording

    def _structure(self, value: object) -> object:
        return redact_request(value, length_only=self._length_only)


class Recording:
    """The capture of one turn. A disk that fails ends it with a warning, and does not disturb the turn."""

    def __init__(self, file: IO[bytes], show: Callable[[object], object], now: Callable[[], int], *, raw: bool) -> None:
        self._file = file
        self._show = show
        self._now = now
        self._raw = raw
        self._events = 0
        self._ended = False

    @discreet
    def event(self, event: Mapping[str, Any]) -> None:
        """One event of the provider."""
        self.write("event", n=self._events, bytes=_size(event), event=self._show(event))
        self._events += 1

    @discreet
    def result(self, result: object) -> None:
        """What came of it. The capture is closed."""
        self._end("result", result=self._show(result))

    def error(self, error: BaseException) -> None:
        """Why nothing came of it: type, code and status; its text only in a raw capture. The capture is closed."""
        told = {
            "type": type(error).__name__,
            "code": getattr(error, "code", None),
            "status": getattr(error, "status", None),
        }
        plain = {name: value for name, value in told.items() if isinstance(value, str | int)}
        self._end("error", error=_raw(plain | {"text": str(error)}) if self._raw else redact_request(plain))

    def close(self) -> None:
        """Close the capture, where nobody said how the turn ended."""
        self._end("closed")

    def write(self, record: str, **fields: object) -> None:
        """One line."""
        if self._file.closed:
            return
        line = json.dumps({"record": record, "at": self._now(), **fields}) + "\n"
        try:
            self._file.write(line.encode())
        except OSError as error:
            self._file.close()
            warnings.warn(f"the capture ends here: {error.strerror}", CaptureWarning, stacklevel=3)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is None:
            self.close()
        else:
            self.error(error)

    def _end(self, record: str, **fields: object) -> None:
        if not self._ended:
            self._ended = True
            self.write(record, events=self._events, **fields)
            self._file.close()


def _raw(value: object) -> object:
    """The value as it is, as far as JSON can say it."""
    try:
        plain: object = json.loads(json.dumps(value, default=_plain))
    except (TypeError, ValueError, RecursionError):
        return {"unwritable": type(value).__name__}
    return plain


def _plain(value: object) -> object:
    if isinstance(value, bytes | bytearray | memoryview):
        return {"base64": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, Mapping):
        return dict(value)
    return repr(value)


def _size(value: object) -> int:
    """UTF-8 bytes of a value as JSON."""
    try:
        return len(json.dumps(value, default=_plain, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    except (TypeError, ValueError, RecursionError):
        return 0
