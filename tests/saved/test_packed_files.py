"""Packed files: gzip and zstd, told by content."""

import gzip
import importlib
import json
import sys
from collections.abc import Callable

import pytest

import ostinato
from ostinato.saved import file

LINES = "\n".join(
    [
        json.dumps({"type": "session_meta", "payload": {"id": "th_1"}}),
        *(
            json.dumps(
                {"type": "response_item", "payload": {"type": "message", "role": "user", "content": str(number)}}
            )
            for number in range(2000)
        ),
    ]
).encode()
ZSTD = importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


@pytest.mark.parametrize("pack", [gzip.compress, ZSTD.compress], ids=["gzip", "zstd"])
def test_a_packed_file_is_its_text(pack: Callable[[bytes], bytes]) -> None:
    """Also in several streams, one behind the other."""
    half = LINES.index(b"\n", len(LINES) // 2)
    for data in (pack(LINES), pack(LINES[:half]) + pack(LINES[half:])):
        loaded = ostinato.load(data)
        assert (len(loaded.items), loaded.report.findings) == (2000, ())


@pytest.mark.parametrize("pack", [gzip.compress, ZSTD.compress], ids=["gzip", "zstd"])
def test_a_cut_file_gives_what_was_in_it(pack: Callable[[bytes], bytes]) -> None:
    """The cut is named, and what can be unpacked is loaded."""
    packed = pack(LINES) if pack is gzip.compress else pack(LINES[: len(LINES) // 2]) + pack(LINES[len(LINES) // 2 :])
    loaded = ostinato.load(packed[: len(packed) * 3 // 4])
    assert loaded.items
    assert loaded.report.findings[0].code == "packed_file_is_cut"


def test_damage_in_the_middle_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was unpacked before it is loaded."""
    monkeypatch.setattr(file, "_CHUNK", 64)
    packed = bytearray(gzip.compress(LINES))
    packed[len(packed) // 2] ^= 0xFF
    loaded = ostinato.load(bytes(packed))
    assert loaded.report.findings[0].code == "packed_file_is_cut"
    assert 0 < len(loaded.items) < 2001


def test_zeros_behind_a_stream_are_padding() -> None:
    """Tapes and some archivers fill blocks with them."""
    assert len(ostinato.load(gzip.compress(LINES) + b"\0" * 512).items) == 2000


def test_a_file_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few kilobytes can hold gigabytes."""
    monkeypatch.setattr(file, "MAX_BYTES", 10_000)
    with pytest.raises(ostinato.ReplayError, match="too_large"):
        ostinato.load(gzip.compress(bytes(1_000_000)))


def test_zstd_without_its_package_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.14 has it; older ones need a package."""
    monkeypatch.setattr(file, "_ZSTD_MODULES", ())
    with pytest.raises(ostinato.ReplayError, match="zstd_unavailable"):
        ostinato.load(ZSTD.compress(LINES))
