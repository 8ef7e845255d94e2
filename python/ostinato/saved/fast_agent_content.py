"""The content blocks of fast-agent, which are those of MCP, in the form of the providers' wires."""

from collections.abc import Callable
from typing import Any, Final

from ostinato.saved import fields

__all__ = ["anthropic_blocks", "responses_parts"]

Json = dict[str, Any]
Note = Callable[[str], None]
"""Where it is said that a block of some kind has no form that is known."""

_PLAIN: Final = "text/plain"


def responses_parts(content: Any, role: Any, note: Note) -> list[Json]:  # noqa: ANN401 - any JSON value
    """The parts of a message, or of what a call gave."""
    kind = "output_text" if role == "assistant" else "input_text"
    parts: list[Json] = []
    for block in content if isinstance(content, list) else ():
        text, media = _text(block), _media(block)
        if text is not None:
            parts.append({"type": kind, "text": text})
        elif (filed := _file_text(block)) is not None:
            parts.append({"type": "input_text", "text": filed})
        elif media is not None and media[0].startswith("image/"):
            parts.append({"type": "input_image", "image_url": f"data:{media[0]};base64,{media[1]}"})
        else:
            note(_kind(block))
    return parts


def anthropic_blocks(content: Any, note: Note) -> list[Json]:  # noqa: ANN401 - any JSON value
    """The blocks of a message, or of what a call gave."""
    blocks: list[Json] = []
    for block in content if isinstance(content, list) else ():
        text, media = _text(block), _media(block)
        if text is not None:
            blocks.append({"type": "text", "text": text})
        elif media is not None and media[0].startswith("image/"):
            source = {"type": "base64", "media_type": media[0], "data": media[1]}
            blocks.append({"type": "image", "source": source})
        else:
            note(_kind(block))
    return blocks


def _text(block: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """The text of a text block; the saves of some versions leave its type out."""
    if not isinstance(block, dict) or block.get("type", "text") != "text":
        return None
    text = block.get("text")
    return text if isinstance(text, str) else None


def _media(block: Any) -> tuple[str, str] | None:  # noqa: ANN401 - any JSON value
    """Media type and base64 of a block that holds data."""
    if not isinstance(block, dict):
        return None
    resource = block.get("resource")
    fields = resource if isinstance(resource, dict) else block
    kind, data = fields.get("mimeType"), fields.get("blob" if fields is resource else "data")
    return (kind, data) if isinstance(kind, str) and isinstance(data, str) else None


def _file_text(block: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """A text resource in the frame that fast-agent 0.10.48 puts around it."""
    resource = block.get("resource") if isinstance(block, dict) else None
    text = fields.text(resource, "text")
    if text is None:
        return None
    title = (fields.text(resource, "uri") or "").rpartition("/")[2] or "resource"
    kind = fields.text(resource, "mimeType") or _PLAIN
    return f'<fastagent:file title="{title}" mimetype="{kind}">\n{text}\n</fastagent:file>'


def _kind(block: Any) -> str:  # noqa: ANN401 - any JSON value
    kind = fields.text(block, "type")
    return kind if kind in {"audio", "image", "resource", "resource_link", "text"} else "unknown"
