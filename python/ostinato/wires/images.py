"""Images given by URL, for wires that take them inline only. Fetching is the client's; this says what to fetch.

A message whose images were fetched is an ordinary message again, whose images are data URLs.
"""

import base64
import binascii
import math
import re
import struct
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from ostinato.messages import UniMessage

__all__ = ["DataUrl", "inline_images", "needs_high_detail", "parse_data_url", "remote_images"]

_MIME_OF = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
    "svg": "image/svg+xml",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "heic": "image/heic",
    "heif": "image/heif",
    "avif": "image/avif",
}
_UNKNOWN = "image/jpeg"
_DATA_URL = re.compile(r"data:([^;,]*);base64,(.+)", re.DOTALL)


class DataUrl(NamedTuple):
    """An image written into its URL."""

    mime_type: str
    data: str
    """Base64, as it stands in the URL."""

    def decoded(self) -> bytes | None:
        """The bytes; None where the text is not base64."""
        try:
            return base64.b64decode(self.data, validate=True)
        except (binascii.Error, ValueError):
            return None


def parse_data_url(url: str) -> DataUrl | None:
    """The parts of `data:<mime>;base64,<data>`; None for any other URL."""
    match = _DATA_URL.fullmatch(url)
    return DataUrl(match[1], match[2]) if match else None


def remote_images(message: UniMessage) -> list[str]:
    """The http(s) URLs of a message's images, in order, each once."""
    urls = [url for item in message["content_items"] for url in _urls(cast("Mapping[str, Any]", item))]
    return list(dict.fromkeys(url for url in urls if url.startswith(("http://", "https://"))))


def inline_images(message: UniMessage, fetched: Mapping[str, bytes]) -> UniMessage:
    """A copy of the message in which fetched images are data URLs; the message itself where it has none of them."""
    urls = {url for item in message["content_items"] for url in _urls(cast("Mapping[str, Any]", item))}
    inlined = {url: _data_url(url, fetched[url]) for url in urls & fetched.keys()}
    items = [_replaced(cast("dict[str, Any]", item), inlined) for item in message["content_items"]]
    if all(new is old for new, old in zip(items, message["content_items"], strict=True)):
        return message
    return cast("UniMessage", {**message, "content_items": items})


def _urls(item: Mapping[str, Any]) -> list[str]:
    return [item["image_url"]] if item["type"] == "image_url.done" else list(item.get("images") or ())


def _replaced(item: dict[str, Any], inlined: Mapping[str, str]) -> dict[str, Any]:
    if not any(url in inlined for url in _urls(item)):
        return item
    if item["type"] == "image_url.done":
        return {**item, "image_url": inlined[item["image_url"]]}
    return {**item, "images": [inlined.get(url, url) for url in item["images"]]}


def _data_url(url: str, data: bytes) -> str:
    path = re.split(r"[?#]", url, maxsplit=1)[0]
    mime = _MIME_OF.get(path.rpartition(".")[2].lower(), _UNKNOWN)
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


_PATCH, _MAX_SIDE, _MAX_PATCHES = 32, 65_535, 30_000


def needs_high_detail(url: str) -> bool:
    """Whether an image is so large that some models must be told to read it at full size.

    Measured for data URLs of PNG, JPEG, GIF and WebP; anything else needs nothing.
    """
    parts = parse_data_url(url)
    size = image_size(parts.decoded() or b"") if parts else None
    if not size or not all(size):
        return False
    scale = min(1.0, _MAX_SIDE / max(size))
    across, down = (math.ceil(side * scale / _PATCH) for side in size)
    return across * down > _MAX_PATCHES


def image_size(data: bytes) -> tuple[int, int] | None:
    """Width and height from the header of an image; None where it is of another format, or cut short."""
    try:
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            return struct.unpack(">II", data[16:24])
        if data[:6] in (b"GIF87a", b"GIF89a"):
            return struct.unpack("<HH", data[6:10])
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp_size(data)
        return _jpeg_size(data) if data[:2] == b"\xff\xd8" else None
    except (struct.error, IndexError):
        return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        bits = struct.unpack("<I", data[21:25])[0]
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X" and len(data) >= 30:  # noqa: PLR2004 - the end of its size fields
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Walk the segments to the frame header, which holds the size."""
    at = 2
    while at + 9 <= len(data):
        marker, length = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])[0]
        if marker in range(0xC0, 0xD0) and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return None
