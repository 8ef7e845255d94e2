"""A file of saved histories: its bytes, unpacked, and the JSON values in it."""

import importlib
import pathlib
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, Protocol

from ostinato.errors import ReplayError
from ostinato.saved.json_text import Value, elements, values

__all__ = ["MAX_BYTES", "SavedFile", "Unpacker", "zstd_unpacker"]

MAX_BYTES: Final = 4 << 30
"""What a packed file may hold. More would be a trap: a few kilobytes can unpack to any size."""
_BINARY: Final = (b"SQLite format 3\0", b"PK\3\4")
"""Files without JSON values of their own: databases and archives."""
_CHUNK: Final = 1 << 20
_HEAD_VALUES: Final = 400
_HEAD_BYTES: Final = 1 << 20
_ZSTD_MODULES: Final = ("compression.zstd", "backports.zstd")
"""Python 3.14 has it, and for older ones there is the same as a package."""


class Unpacker(Protocol):
    """What the libraries have in common that unpack a stream."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    @property
    def unused_data(self) -> bytes:
        """What came behind its end."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """The next bytes, at most so many; what is left of the input waits."""


class SavedFile:
    """What the formats are given. It is read once: telling its format does not cost a second parse."""

    def __init__(self, data: bytes, path: pathlib.Path | None = None) -> None:
        self.path = path
        """Where it was read from; None for bytes. For formats that need what lies beside it, such as a journal."""
        self.data, self.cut = _unpacked(data)
        """The bytes, and whether the packing ended before they did."""

    @cached_property
    def head(self) -> tuple[Value, ...]:
        """The first values: what tells a format. At least one, if there is any, however long it is."""
        found: list[Value] = []
        if self.data.startswith(_BINARY):
            return ()
        for value in values(self.data):
            found.append(value)
            if len(found) >= _HEAD_VALUES or value.stop >= _HEAD_BYTES:
                break
        return tuple(found)

    @property
    def records(self) -> list[dict[str, Any]]:
        """The objects among the first values."""
        return [value.value for value in self.head if isinstance(value.value, dict)]

    def values(self) -> Iterator[Value]:
        """Every value. A document that is one value is not parsed again."""
        if len(self.head) == 1 and not self.data[self.head[0].stop :].strip():
            return iter(self.head)
        return values(self.data)

    def elements(self, key: str) -> Iterator[Value]:
        """The elements of a list in a document that cannot be read as a whole, up to the damage."""
        return elements(self.data, key)


def _unpacked(data: bytes) -> tuple[bytes, bool]:
    for magic, opened in _PACKINGS.items():
        if data.startswith(magic):
            return _all_of(data, opened)
    return data, False


def _all_of(data: bytes, opened: Callable[[], Unpacker]) -> tuple[bytes, bool]:
    """What is packed in one stream or several, one behind the other; up to its damage, if it has any."""
    parts: list[bytes] = []
    unpacker, size, place = opened(), 0, 0
    while place < len(data):
        packed = data[place : place + _CHUNK]
        try:
            parts.append(unpacker.decompress(packed, MAX_BYTES - size + 1))
        except Exception:  # noqa: BLE001 - each library has an error of its own
            return b"".join(parts), True
        size += len(parts[-1])
        if size > MAX_BYTES:
            raise ReplayError("too_large")
        place += len(packed) - len(unpacker.unused_data)
        if unpacker.eof:
            while data.startswith(b"\0", place):  # gzip may be padded
                place += 1
            if place < len(data):
                unpacker = opened()
    return b"".join(parts), not unpacker.eof


def _gzip() -> Unpacker:
    return zlib.decompressobj(16 + zlib.MAX_WBITS)


def zstd_unpacker() -> Unpacker:
    """An unpacker for zstd.

    Raises:
        ReplayError: `zstd_unavailable`: this Python has none, and none is installed.
    """
    for name in _ZSTD_MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        unpacker: Unpacker = module.ZstdDecompressor()
        return unpacker
    raise ReplayError("zstd_unavailable")


_PACKINGS: Final[Mapping[bytes, Callable[[], Unpacker]]] = {b"\x1f\x8b": _gzip, b"\x28\xb5\x2f\xfd": zstd_unpacker}
"""By their first bytes."""
