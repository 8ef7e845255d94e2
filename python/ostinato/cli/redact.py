"""`ostinato redact`: logs, traces and histories without the reasoning state in them."""

import argparse
import contextlib
import errno
import os
import pathlib
import sys
from collections.abc import Iterator
from typing import BinaryIO

from ostinato._core import RedactionStream
from ostinato.cli.bar import Bar

__all__ = ["add_parser", "run"]

OK, UNREADABLE = 0, 3

_CHUNK = 1 << 20
_HEAD = 1 << 12

EPILOG = """\
Any text will do: JSON of any provider, JSON lines, event streams, log lines,
Python reprs. It is read line by line; a JSON document over several lines is
read as a whole, up to 64 MiB of it. In the place of what goes stand its length
and digest; everything else keeps its bytes.

examples:
  ostinato redact request.json
  tail -f app.log | ostinato redact
  zcat session.jsonl.gz | ostinato redact --length-only > session.shared.jsonl
  ostinato redact --keep-text --report trace.jsonl > trace.redacted.jsonl

exit codes:
  0    redacted
  2    the command line is wrong
  3    the input could not be read or is no text, or the output could not be
       written
  130  stopped by Ctrl-C
  141  whoever read the output stopped reading
"""

# What a text does not begin with, what it is then, and how to make a text of it.
_NO_TEXT = (
    (b"\x1f\x8b", "gzip", "zcat FILE | ostinato redact"),
    (b"\x28\xb5\x2f\xfd", "zstd", "zstdcat FILE | ostinato redact"),
    (b"BZh", "bzip2", "bzcat FILE | ostinato redact"),
    (b"\xfd7zXZ", "xz", "xzcat FILE | ostinato redact"),
    (b"PK\x03\x04", "a ZIP archive", "unzip -p FILE | ostinato redact"),
    (b"SQLite format 3\x00", "an SQLite database", "sqlite3 FILE .dump | ostinato redact"),
    (b"\xff\xfe", "UTF-16", "iconv -f UTF-16 -t UTF-8 FILE | ostinato redact"),
    (b"\xfe\xff", "UTF-16", "iconv -f UTF-16 -t UTF-8 FILE | ostinato redact"),
)


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "redact",
        help="take reasoning state and reasoning text out of logs and histories",
        description="Write a text without the reasoning state and reasoning text in it.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="what to read; standard input if missing or -"
    )
    parser.add_argument("--keep-text", action="store_true", help="keep reasoning text; take out opaque state only")
    parser.add_argument("--length-only", action="store_true", help="no digests: they can be linked from log to log")
    parser.add_argument(
        "--report", action="store_true", help="say on stderr what was replaced: one line of JSON, no content"
    )
    parser.add_argument("--no-progress", action="store_true", help="no progress bar, even on a terminal")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Redact; the exit code is documented in the help."""
    stream = RedactionStream(reasoning_text=not args.keep_text, length_only=args.length_only)
    with _opened(args.file) as source:
        head = _head(source)
        if wrong := _no_text(head):
            kind, way = wrong
            print(f"ostinato redact: the input is {kind}, no text; try: {way}", file=sys.stderr)
            return UNREADABLE
        size, done, bar = _size(source, args), 0, Bar()
        try:
            for chunk in _chunks(head, source):
                _write(stream.feed(chunk))
                done += len(chunk)
                if size:
                    bar.draw(done, size)
            _write(stream.finish())
        finally:
            if size:
                bar.clear()
    if args.report:
        print(stream.report(), file=sys.stderr)
    return OK


def _opened(name: str) -> contextlib.AbstractContextManager[BinaryIO]:
    if name != "-":
        return pathlib.Path(name).open("rb")
    if sys.stdin is None:
        raise OSError(errno.EBADF, "there is no standard input")
    if sys.stdin.isatty():
        print("ostinato redact: reading standard input; Ctrl-D ends it", file=sys.stderr)
    return contextlib.nullcontext(sys.stdin.buffer)


def _head(source: BinaryIO) -> bytes:
    """The beginning: as much as comes at once, or as it takes to tell that it is no mark of something else."""
    head = chunk = _read(source)
    while chunk and any(len(head) < len(mark) and mark.startswith(head) for mark, _, _ in _NO_TEXT):
        chunk = _read(source)
        head += chunk
    return head


def _chunks(head: bytes, source: BinaryIO) -> Iterator[bytes]:
    while head:
        yield head
        head = _read(source)


def _read(source: BinaryIO) -> bytes:
    """What is there by now, so that a line is written when it comes."""
    read1 = getattr(source, "read1", source.read)
    chunk: bytes = read1(_CHUNK)
    return chunk


def _no_text(head: bytes) -> tuple[str, str] | None:
    for mark, kind, way in _NO_TEXT:
        if head.startswith(mark):
            return kind, way
    if head[:_HEAD].count(0) * 5 > len(head[:_HEAD]):
        return "binary or UTF-16 without a mark", _NO_TEXT[-1][2]
    return None


def _write(text: bytes) -> None:
    if text:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()


def _size(source: BinaryIO, args: argparse.Namespace) -> int:
    """How much there is to read, where a bar is wanted: one in the middle of the text would be worse than none."""
    wanted = args.file != "-" and not args.no_progress and sys.stderr.isatty() and not sys.stdout.isatty()
    return os.fstat(source.fileno()).st_size if wanted else 0
