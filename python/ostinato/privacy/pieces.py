"""Text in which a value was cut: what a shortened repr or a chunk of a stream leaves of state.

The core tells state by its name, its object or its shape. The second half of a shortened repr and the middle of a chunk
have none of these; what shows is how they were cut.
"""

import re
from typing import Final

__all__ = ["redact_chunk", "redact_pieces"]

_RUN: Final = r"[A-Za-z0-9+/=_-]"
_MARK: Final = r"\[redacted \d+ bytes(?:, sha256 [0-9a-f]{64})?\]"
_DOTS: Final = r"(?:\.\.\.|\u2026)"

# `'{"type": "resp...Ab3="}}' [99 bytes]`: a frame, as websockets 17.4 logs it. Too short to tell what is in it.
_FRAME: Final = re.compile(rf"""(['"]).*{_DOTS}.*\1 \[(\d+) bytes\]""")
# `[redacted 11 bytes]...Ab3`: the end of a value whose beginning was found.
_END: Final = re.compile(rf"(?P<mark>{_MARK}){_DOTS}{_RUN}+")
# `...Ab3Ab3Ab3Ab3"`: the end of a value whose beginning was cut away with what stood before it (reprlib, asyncio).
_TAIL: Final = re.compile(rf"""({_DOTS})({_RUN}{{12,}})(?=[\\"'])""")
# `b'Ab3Ab3Ab3Ab3Ab3Ab3"`: a chunk that begins inside of a value.
_CHUNK: Final = re.compile(rf"""\b(b\\*['"])({_RUN}{{16,}})(?=[\\"'])""")
_START: Final = re.compile(rf"""^()({_RUN}{{16,}})(?=[\\"']|$)""")


def redact_pieces(text: str) -> str:
    """The text without the pieces of state in it. Doing it twice changes nothing."""
    if "..." in text or "\u2026" in text:
        text = _FRAME.sub(r"[redacted \2 bytes]", text)
        text = _END.sub(r"\g<mark>...", text)
        text = _TAIL.sub(_mark, text)
    if "b'" in text or 'b"' in text:
        text = _CHUNK.sub(_mark, text)
    return text


def redact_chunk(text: str) -> str:
    """A chunk of a stream without the piece of state that it begins with."""
    return _START.sub(_mark, text, count=1)


def _mark(piece: re.Match[str]) -> str:
    before, run = piece.groups()
    return f"{before}[redacted {len(run)} bytes]" if _is_mixed(run) else piece[0]


def _is_mixed(run: str) -> bool:
    """Whether a run is as mixed as base64: words, names and hex digits are not."""
    return any(map(str.isupper, run)) and any(map(str.islower, run)) and any(map(str.isdigit, run))
