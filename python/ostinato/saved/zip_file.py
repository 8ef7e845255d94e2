"""Archives (ZIP) as bytes: their members by name, unpacked within limits, also where the archive was not finished.

Method 93 is zstd, which `zipfile` reads from Python 3.14 on; here it is read everywhere. An archive without its
directory (its writer was stopped) is read member by member from the start. Layout: PKWARE APPNOTE 6.3.10, read 2026-11.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

from ostinato.errors import ReplayError
from ostinato.saved.file import MAX_BYTES, Unpacker, zstd_unpacker

__all__ = ["MAGIC", "Archive", "Member"]

MAGIC: Final = b"PK\3\4"
_HEADER: Final = struct.Struct("<4s5H3I2H")
_STORED: Final = 0
_DEFLATED: Final = 8
_ZSTD: Final = 93
_MAX_MEMBER: Final = 512 << 20
"""What one member may unpack to. A sample of an evaluation is rarely a tenth of it."""
_STEP: Final = 1 << 20


class Member(NamedTuple):
    """One file in an archive."""

    name: str
    method: int
    header: int
    """Where its local header begins."""
    packed: int
    """Its size in the archive."""


class Archive:
    """An archive in memory. All that is read from it counts against one limit."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = MAX_BYTES
        members = _directory(data)
        self.cut = members is None
        """Whether the archive has no directory, because it was not finished."""
        self.members = {member.name: member for member in (_headers(data) if members is None else members)}
        """By name; of two with one name the later counts, as for every reader of archives."""

    def read(self, name: str) -> bytes | None:
        """A member, unpacked; None where it is damaged, or packed in an unknown way.

        Raises:
            ReplayError: `too_large`: it unpacks to more than any sample has, or all do to more than 4 GiB;
                `zstd_unavailable`.
        """
        member = self.members[name]
        packed = _packed(self._data, member)
        if packed is None:
            return None
        most = min(_MAX_MEMBER, self._left)
        if member.method == _STORED:
            found: bytes | None = packed
        elif member.method in {_DEFLATED, _ZSTD}:
            found = _unpacked(packed, zlib.decompressobj(-15) if member.method == _DEFLATED else zstd_unpacker(), most)
        else:
            return None
        if found is not None:
            if len(found) > most:
                raise ReplayError("too_large")
            self._left -= len(found)
        return found


def _directory(data: bytes) -> list[Member] | None:
    """The members by the directory at the end; None where there is no sound one."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error):
        return None
    return [Member(one.filename, one.compress_type, one.header_offset, one.compress_size) for one in found]


def _headers(data: bytes) -> Iterator[Member]:
    """The members by the headers before each, up to one that does not say how long it is."""
    place = 0
    while data.startswith(MAGIC, place) and place + _HEADER.size <= len(data):
        _magic, _version, flags, method, _time, _date, _crc, packed, _size, name, extra = _HEADER.unpack_from(
            data, place
        )
        start = place + _HEADER.size
        after = start + name + extra + packed
        if flags & 8 or after > len(data):
            return
        yield Member(data[start : start + name].decode("utf-8", "replace"), method, place, packed)
        place = after


def _packed(data: bytes, member: Member) -> bytes | None:
    if not data.startswith(MAGIC, member.header) or member.header + _HEADER.size > len(data):
        return None
    *_rest, name, extra = _HEADER.unpack_from(data, member.header)
    start = member.header + _HEADER.size + name + extra
    return data[start : start + member.packed] if start + member.packed <= len(data) else None


def _unpacked(packed: bytes, unpacker: Unpacker, most: int) -> bytes | None:
    """What is packed, up to one byte more than allowed; None where it is damaged."""
    parts: list[bytes] = []
    left, pending = most + 1, packed
    while left > 0 and not unpacker.eof:
        try:
            part = unpacker.decompress(pending, min(left, _STEP))
        except Exception:  # noqa: BLE001 - each library has an error of its own
            return None
        pending = getattr(unpacker, "unconsumed_tail", b"")  # zlib hands back what it has not looked at, zstd keeps it
        if not part and not pending:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts) if unpacker.eof or left <= 0 else None
