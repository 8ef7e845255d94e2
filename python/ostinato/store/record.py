"""One message as a line of a session file, and back: the very same message, or a fault (rules S5 to S9)."""

import base64
from collections.abc import Mapping
from typing import Any, Final, cast

from ostinato.errors import InvalidMessageError
from ostinato.messages import UniMessage, admit, copied, value_fault
from ostinato.store.envelopes import restored, taken_out, wires_of
from ostinato.store.frame import FaultError, compact, strict

__all__ = ["read_message", "write_message"]

Json = dict[str, Any]
Path = list[str | int]

_KEYS: Final = {"record", "message", "bytes", "replay"}
_ENTRY: Final = {"item": int, "envelopes": list, "fills": list, "derived": bool}
_BYTES: Final = (bytes, bytearray, memoryview)


def write_message(message: UniMessage, hint: str | None = None) -> bytes:
    """The line of a message, without its end. It was read back, and is the same message.

    Args:
        message: what `admit` gives back or takes.
        hint: the wire it came over, where that is known.

    Raises:
        FaultError: `message_not_storable`, with the place.
    """
    try:
        whole = cast("Json", copied(admit(message)))
    except InvalidMessageError as error:
        place = "" if error.item_index is None else f"content_items/{error.item_index}"
        raise FaultError("message_not_storable", place) from None
    except Exception:  # noqa: BLE001 - whatever an object beside the content raises when it is copied
        raise FaultError("message_not_storable") from None
    if not _is_json_beside(whole):
        raise FaultError("message_not_storable")
    wires = wires_of(whole.get("origin"), hint)
    replay: list[Json] = []
    items = []
    for index, item in enumerate(whole["content_items"]):
        rest, entries = taken_out(item, index, wires, whole.get("origin"))
        items.append(rest)
        replay += entries
    paths: list[Path] = []
    stored = _as_json(whole | {"content_items": items}, [], paths)
    line = compact({"record": "message", "message": stored, "bytes": paths, "replay": replay}).encode()
    if not _same(read_message(line)[0], whole):  # no row of a table may lose anything
        raise FaultError("message_not_storable", "replay")
    return line


def read_message(line: bytes) -> tuple[UniMessage, list[str]]:
    """The message of a line, and where in it the text that was stored to be shown is not that of the state.

    Raises:
        FaultError: a code of the codec under `replay/`; else a code of `strict`, `unknown_field`, `missing_field`,
            `type_mismatch`, `replay_misfit`, or `message_invalid`.
    """
    record = strict(line)
    if not isinstance(record, dict) or record.get("record") != "message":
        raise FaultError("type_mismatch", "record")
    if record.keys() != _KEYS:
        raise FaultError("unknown_field" if record.keys() - _KEYS else "missing_field")
    message, paths, replay = record["message"], record["bytes"], record["replay"]
    if not (isinstance(message, dict) and isinstance(paths, list) and isinstance(replay, list)):
        raise FaultError("type_mismatch")
    if not _is_json_beside(message):
        raise FaultError("message_invalid")
    for number, path in enumerate(paths):
        _fill_bytes(message, path, f"bytes/{number}")
    differing = [f"replay/{number}" for number, entry in enumerate(replay) if not _replay(message, entry, number)]
    try:
        sound = admit(cast("UniMessage", message))
    except InvalidMessageError:
        raise FaultError("message_invalid") from None
    if sound is not message:  # items of the old protocol are never written
        raise FaultError("message_invalid")
    return sound, differing


def _is_json_beside(message: Mapping[Any, Any]) -> bool:
    """Whether all that a message holds beside its items, which `admit` checks, could be written as JSON."""
    beside = [(name, value) for name, value in message.items() if name != "content_items"]
    return all(isinstance(name, str) and value_fault({name: value}) is None for name, value in beside)


def _replay(message: Json, entry: Any, number: int) -> bool:  # noqa: ANN401 - any JSON value
    path = f"replay/{number}"
    if not isinstance(entry, dict) or entry.keys() != _ENTRY.keys():
        raise FaultError("type_mismatch", path)
    if any(type(entry[name]) is not kind for name, kind in _ENTRY.items()):
        raise FaultError("type_mismatch", path)
    items = message.get("content_items")
    if not isinstance(items, list) or not 0 <= entry["item"] < len(items) or not isinstance(items[entry["item"]], dict):
        raise FaultError("replay_misfit", path)
    if not all(isinstance(text, str) for text in (*entry["envelopes"], *entry["fills"])):
        raise FaultError("type_mismatch", path)
    return restored(items[entry["item"]], entry, path)


# Bytes: base64 in their place, and the places beside the message.


def _as_json(value: Any, here: Path, paths: list[Path]) -> Any:  # noqa: ANN401 - any value of a message
    if isinstance(value, dict):
        return {name: _as_json(part, [*here, name], paths) for name, part in value.items()}
    if isinstance(value, list):
        return [_as_json(part, [*here, place], paths) for place, part in enumerate(value)]
    if isinstance(value, _BYTES):
        paths.append(here)
        return base64.b64encode(value).decode()
    return value


def _fill_bytes(message: Json, path: Any, where: str) -> None:  # noqa: ANN401 - any JSON value
    if not isinstance(path, list) or not path:
        raise FaultError("type_mismatch", where)
    parent: Any = message
    for step in path[:-1]:
        parent = _inner(parent, step, where)
    last: Any = path[-1]
    text = _inner(parent, last, where)
    try:
        data = base64.b64decode(text, validate=True) if isinstance(text, str) else None
    except ValueError:
        data = None
    if data is None or base64.b64encode(data).decode() != text:
        raise FaultError("type_mismatch", where)
    parent[last] = data


def _inner(parent: Any, step: Any, where: str) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(parent, dict) and isinstance(step, str) and step in parent:
        return parent[step]
    if isinstance(parent, list) and type(step) is int and 0 <= step < len(parent):
        return parent[step]
    raise FaultError("type_mismatch", where)


def _same(one: Any, other: Any) -> bool:  # noqa: ANN401 - any value of a message
    """Whether two messages are the same to the byte: spelling of numbers, order of keys and kinds of values."""
    texts = []
    for value in (one, other):
        paths: list[Path] = []
        texts.append(compact([_as_json(value, [], paths), paths]))
    return texts[0] == texts[1]
