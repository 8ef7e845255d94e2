"""What the wires of Gemini share: thinking levels, media, and the models that speak or embed."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ostinato.errors import InvalidMessageError, UnsupportedContentError
from ostinato.wires._settings import Settings
from ostinato.wires._wire import Carry, Groups, Json, Notes, Turn
from ostinato.wires.images import parse_data_url

__all__ = [
    "Media",
    "called_names",
    "decode_base64",
    "embeds",
    "media_of",
    "newest_script",
    "read_media",
    "speaks",
    "spoken_turns",
    "thinking_level",
    "voices",
    "write_script",
]

_LEVELS: Final = ("minimal", "low", "medium", "high")
_WANTED: Final = {"none": 0, "low": 1, "medium": 2, "high": 3, "xhigh": 3, "max": 3}
# The levels that models take, by a part of their ids; the first that fits counts.
_TAKEN: Final = (
    ("-image", (0, 3)),
    ("gemini-3-pro", (1, 3)),
    ("-pro", (1, 2, 3)),
    ("gemini-3.7", (1, 2, 3)),
    ("gemini-3.8", (1, 2, 3)),
    ("gemini-4-argon", (1, 2, 3)),
    ("", (0, 1, 2, 3)),
)
_DEFAULT_VOICE: Final = "Kore"


def speaks(model: str) -> bool:
    """Whether a model turns text into speech."""
    return "tts" in model.lower()


def embeds(model: str) -> bool:
    """Whether a model gives vectors."""
    return "embedding" in model.lower()


def thinking_level(settings: Settings, model: str) -> str | None:
    """The level of those the model takes that is nearest to the one asked for; of two, the higher one."""
    wanted = settings.level(_WANTED)
    if wanted is None:
        return None
    taken = next(levels for part, levels in _TAKEN if part in model)
    return _LEVELS[min(taken, key=lambda level: (abs(level - wanted), -level))]


def decode_base64(text: str) -> bytes:
    """The bytes of base64 in either alphabet, padded or not.

    Raises:
        ValueError: it is not base64.
    """
    standard = text.rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)


def called_names(carry: Carry, items: Iterable[tuple[int, Json]]) -> Mapping[str, str]:
    """The names of all calls so far, by call id: a result must say the name of what it answers."""
    made = {item["tool_call_id"]: item["name"] for _, item in items if item["type"] == "tool_call.done"}
    return {**carry, **made} if made else carry


class Media(NamedTuple):
    """An image, a sound or a film."""

    data: bytes
    mime_type: str


def media_of(item: Json, place: int, notes: Notes) -> Media:
    """The bytes of an image or inline item."""
    if item["type"] == "image_url.done":
        return read_media(item["image_url"], place, "image_url", notes)
    return Media(bytes(item["data"]), item["mime_type"])


def read_media(url: str, place: int, item_type: str, notes: Notes) -> Media:
    """The bytes in a data URL. Images elsewhere have been fetched before they come here."""
    parts = parse_data_url(url)
    data = parts.decoded() if parts else None
    if parts is None or data is None or not parts.mime_type:
        reason = "an image must be base64 and name its type, or be fetched before it is sent here"
        raise notes.refuse(reason, place, item_type)
    return Media(data, parts.mime_type)


# Speech. These models take one text, and nothing of what was said before it.


class _Unspeakable(NamedTuple):
    item_type: str


def write_script(turn: Turn, carry: Carry, _notes: Notes) -> tuple[list[Any], Carry]:
    """A message for a model that speaks: its texts. Anything else matters only if this is the newest message."""
    texts = [item["text"] if item["type"] == "text.done" else _Unspeakable(item["type"]) for _, item in turn.items]
    return list(texts), carry


def newest_script(client: str, groups: Groups) -> list[str]:
    """The texts of the newest message.

    Raises:
        UnsupportedContentError: it holds something else.
    """
    newest = groups[-1] if groups else []
    for place, text in enumerate(newest):
        if isinstance(text, _Unspeakable):
            reason, index = "a model that speaks takes nothing but text", len(groups) - 1
            raise UnsupportedContentError(
                client, reason, item_type=text.item_type, message_index=index, item_index=place
            )
    return [text for text in newest if text]


def voices(settings: Settings) -> list[tuple[str | None, str]]:
    """Speakers and their voices: one voice, or two with the names of their speakers."""
    entries: Sequence[Mapping[str, Any]] = settings.get("tts_config") or [{"voice": _DEFAULT_VOICE}]
    named = all(entry.get("speaker") for entry in entries)
    if len(entries) > 2 or (len(entries) == 2 and not named):  # noqa: PLR2004 - as the models have it
        settings.refuse("tts_config")
    if not all(isinstance(entry.get("voice"), str) for entry in entries):
        settings.refuse("tts_config")
    return [(entry.get("speaker"), entry["voice"]) for entry in entries]


def spoken_turns(
    client: str, model: str, texts: Sequence[str], speakers: Sequence[str | None]
) -> list[tuple[str | None, str]]:
    """The texts with the speaker of each, where the model takes speakers apart from what they say.

    A line `Name: text` begins a turn, other lines go on with it. Models of other generations take the script as it is.

    Raises:
        InvalidMessageError: a script of two speakers does not begin with one of them.
    """
    if "gemini-3.8" not in model or len(speakers) != 2 or not texts:  # noqa: PLR2004 - a dialogue
        return [(None, text) for text in texts]
    turns: list[tuple[str, list[str]]] = []
    for line in "\n".join(texts).splitlines():
        name, colon, rest = line.partition(":")
        if colon and name.strip() in speakers:
            turns.append((name.strip(), [rest.strip()]))
        elif turns:
            turns[-1][1].append(line)
        elif line.strip():
            raise InvalidMessageError(client, "a script of two speakers begins with the name of one", item_type="text")
    return [(speaker, "\n".join(lines).strip()) for speaker, lines in turns]
