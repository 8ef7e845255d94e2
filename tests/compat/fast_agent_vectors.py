"""Plays the recorded fast-agent vectors against the codec and against the drop-in module.

A vector holds an input and what fast-agent 0.10.48 made of it. `differences.json` beside the vectors
says, per vector and surface, which other outcome is right where the reference crashes or is too lax.
Two surfaces are played: `codec`, the functions of `ostinato`, and `compat`, `ostinato.compat.fast_agent`.
"""

from __future__ import annotations

import copy
import datetime as dt
import decimal
import enum
import hashlib
import json
import math
import pathlib
import types
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import ostinato
from ostinato.compat import fast_agent

SCHEMA = "fast-agent.openai-responses.reasoning-replay"
ITEM_FIELDS = ("type", "id", "summary", "encrypted_content", "content")
# Longer texts are recorded as length and digest.
LONGEST_TEXT = 4096

# The recorded name of a surface in differences.json.
SURFACE_NAMES = {"codec": "strict", "compat": "compat"}

# family -> what is done with the input of its vectors.
STEPS = {
    "capture": "capture",
    "capture (lone surrogates)": "capture",
    "stored_text": "store",
    "stored_text (lone surrogates)": "store",
    "parse": "parse",
    "parse (lone surrogates)": "parse",
    "poison records": "parse",
    "legacy_records": "parse",
    "end_to_end_capture": "store_all",
}

# step -> the routes whose vectors are played. Vectors without a route are about the codec alone; of whole responses
# one route is enough, since all store the same text.
ROUTES: dict[str, tuple[str | None, ...]] = {
    "capture": (None,),
    "store": (None,),
    "parse": (None,),
    "store_all": (None, "openai_sse"),
}


class Colour(enum.Enum):
    """An enumeration whose member stands where a text belongs."""

    RED = "rs_enum"


def part(text: str) -> dict[str, str]:
    """One summary part."""
    return {"type": "summary_text", "text": text}


def reasoning(**changed: Any) -> dict[str, Any]:
    """A completed reasoning item, as the vectors have it, with some fields changed."""
    item = {
        "id": "rs_1",
        "type": "reasoning",
        "summary": [part("A")],
        "encrypted_content": "gAAAAAB-cipher_1",
        "status": "completed",
    }
    return item | changed


def compact(value: object) -> str:
    """JSON text as fast-agent writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def enveloped(item: Mapping[str, Any]) -> dict[str, Any]:
    """The stored form of a canonical item."""
    return {"schema": SCHEMA, "version": 1, "item": item}


def _deep_list_in_unknown_field() -> str:
    stored = reasoning()
    del stored["status"]
    return compact(enveloped(stored))[:-1] + ',"x":' + "[" * 200_000 + "]" * 200_000 + "}"


# Inputs that JSON cannot hold are recorded by name only.
PYTHON_INPUTS: dict[str, Callable[[], Any]] = {
    "py_none": lambda: None,
    "py_string": lambda: "x",
    "py_list": lambda: [1],
    "py_id_bytes": lambda: reasoning(id=b"x"),
    "py_id_uuid": lambda: reasoning(id=uuid.UUID(int=1)),
    "py_id_decimal": lambda: reasoning(id=decimal.Decimal(1)),
    "py_id_enum": lambda: reasoning(id=Colour.RED),
    "py_id_datetime": lambda: reasoning(id=dt.datetime(2026, 1, 1)),  # noqa: DTZ001
    "py_enc_bytes": lambda: reasoning(encrypted_content=b"abc"),
    "py_enc_bytearray": lambda: reasoning(encrypted_content=bytearray(b"abc")),
    "py_summary_tuple": lambda: reasoning(summary=(part("t"),)),
    "py_generator_summary": lambda: reasoning(summary=(p for p in [part("g")])),
    "py_set_summary_of_str": lambda: reasoning(summary={"x"}),
    "py_int_key_extra": lambda: {**reasoning(), 5: 1},
    "py_nan_extra": lambda: reasoning(x=float("nan")),
    "py_nested_namespaces": lambda: types.SimpleNamespace(**reasoning(summary=[types.SimpleNamespace(**part("A"))])),
    "nested_object_200000_deep": lambda: '{"a":' * 200_000 + "1" + "}" * 200_000,
    "nested_list_in_unknown_200000": _deep_list_in_unknown_field,
}


@dataclass(frozen=True)
class Outcome:
    """What became of an input: a value, a refusal (its code) or an exception (its type)."""

    kind: str
    detail: Any = None

    def __str__(self) -> str:
        return f"{self.kind} {json.dumps(self.detail)[:160]}"


@dataclass(frozen=True)
class Vector:
    """One recorded input, what the reference made of it, and what else is right."""

    name: str
    step: str
    make: Callable[[], Any]
    recorded: Outcome
    allowed: dict[str, list[Any]]

    def accepts(self, surface: str, got: Outcome) -> bool:
        """Whether the outcome on this surface is one of the right ones."""
        return any(self._is(want, got) for want in self._wanted(surface))

    def _wanted(self, surface: str) -> list[Any]:
        return self.allowed.get(SURFACE_NAMES[surface], ["recorded"])

    def _is(self, want: Any, got: Outcome) -> bool:
        if want == "refused":
            return got.kind == "refused"
        if want == "recorded" and self.recorded.kind != "value":
            return got.kind == self.recorded.kind
        wanted = self.recorded.detail if want == "recorded" else want["value"]
        # Compared as text, because the order of keys is part of the format.
        return got.kind == "value" and json.dumps(got.detail) == json.dumps(wanted)


class NotReachableError(Exception):
    """Python's own JSON reader fails before the drop-in module sees the text."""


def load(folder: pathlib.Path) -> Iterator[Vector]:
    """The vectors of every known family in a folder, with the differences noted beside them."""
    notes = folder / "differences.json"
    allowed = json.loads(notes.read_text("utf-8"))["vectors"] if notes.exists() else {}
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text("utf-8"))
        family = document.get("family")
        if family not in STEPS or "0.10.48" not in document["produced_by"]:
            continue
        for recorded in document["vectors"]:
            if recorded.get("route") in ROUTES[STEPS[family]]:
                yield _vector(family, STEPS[family], recorded, allowed)


def _vector(family: str, step: str, recorded: dict[str, Any], allowed: dict[str, Any]) -> Vector:
    name = f"{family}/{recorded['name']}"
    make = lambda: _expand(recorded["input"], step)  # noqa: E731
    if recorded.get("python_only"):
        make = PYTHON_INPUTS.get(recorded["name"], _unknown_input)
    surfaces = {k: v for k, v in allowed.get(name, {}).items() if k in SURFACE_NAMES.values()}
    return Vector(name, step, make, _recorded(recorded), surfaces)


def _unknown_input() -> Any:
    raise LookupError("this input is known by name only, and its name is new")


def _recorded(recorded: dict[str, Any]) -> Outcome:
    if "raises" in recorded:
        return Outcome("raised", recorded["raises"]["type"])
    expected = recorded["expected"]
    if isinstance(expected, dict) and "channels" in expected:
        expected = expected["channels"].get("openai-reasoning-encrypted", [])
    return Outcome("refused") if expected is None else Outcome("value", expected)


def _expand(value: Any, step: str = "") -> Any:
    """An input with its abbreviations of long texts written out."""
    if step == "store_all":
        return _expand(value["response_output"])
    if isinstance(value, list):
        return [_expand(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"$repeat", "times"}:
        return value["$repeat"] * value["times"]
    if value.keys() == {"$concat"}:
        return "".join(_expand(each) for each in value["$concat"])
    return {key: _expand(each) for key, each in value.items()}


def _abbreviate(value: Any) -> Any:
    """A result with its long texts as they are recorded."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        data = value.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        return {"$digest": {"sha256": digest, "chars": len(value), "utf8_bytes": len(data)}}
    if isinstance(value, list):
        return [_abbreviate(each) for each in value]
    if isinstance(value, dict):
        return {key: _abbreviate(each) for key, each in value.items()}
    return value


# The codec's surface.


def codec_capture(item: Any) -> Any:
    """Capture through the six functions, which must also bring the item back from its text."""
    captured = ostinato.canonicalize_completed_reasoning_output_item(item)
    sent = ostinato.reasoning_replay_item_to_provider_input(captured)
    text = ostinato.serialize_reasoning_replay_envelope(captured)
    assert text == compact(enveloped({f: sent[f] for f in ITEM_FIELDS if f in sent}))
    assert codec_parse(text) == sent
    return enveloped(sent)


def codec_store(item: Any) -> str:
    """The stored text of an item."""
    captured = ostinato.canonicalize_completed_reasoning_output_item(item)
    return ostinato.serialize_reasoning_replay_envelope(captured)


def codec_parse(text: str) -> Any:
    """The provider input of a stored text, which must be the same after storing it again."""
    item = ostinato.parse_reasoning_replay_envelope(text)
    again = ostinato.parse_reasoning_replay_envelope(ostinato.serialize_reasoning_replay_envelope(item))
    assert again == item
    return ostinato.reasoning_replay_item_to_provider_input(item)


# The drop-in module's surface.


def compat_store(item: Any) -> str | None:
    """The stored text of an item, written as fast-agent writes it."""
    if item.get("type") != "reasoning":  # fast-agent looks at reasoning items only
        return None
    envelope = fast_agent.capture_reasoning_replay(item)
    return None if envelope is None else compact(envelope)


def compat_parse(text: str) -> Any:
    """The provider input of a stored text, decoded as fast-agent decodes it."""
    try:
        decoded = json.loads(text)
    except json.JSONDecodeError:
        return None
    except (ValueError, RecursionError):
        raise NotReachableError("Python's own JSON reader fails") from None
    return fast_agent.parse_reasoning_replay(decoded) if isinstance(decoded, dict) else None


def _store_all(store: Callable[[Any], str | None]) -> Callable[[list[Any]], list[str]]:
    def every(output: list[Any]) -> list[str]:
        texts = []
        for item in output:
            if item.get("type") == "reasoning":
                try:
                    texts.append(store(item))
                except ostinato.ReplayError:
                    continue
        return [text for text in texts if text is not None]

    return every


SURFACES: dict[str, dict[str, Callable[[Any], Any]]] = {
    "codec": {
        "capture": codec_capture,
        "store": codec_store,
        "store_all": _store_all(codec_store),
        "parse": codec_parse,
    },
    "compat": {
        "capture": fast_agent.capture_reasoning_replay,
        "store": compat_store,
        "store_all": _store_all(compat_store),
        "parse": compat_parse,
    },
}


def play(vector: Vector, surface: str) -> Outcome:
    """Run a vector's input through a surface; the input must come out of it unchanged."""
    given = vector.make()
    before = copy.deepcopy(given) if isinstance(given, dict | list) and _plain(given) else None
    try:
        result = SURFACES[surface][vector.step](given)
    except ostinato.ReplayError as refusal:
        outcome = Outcome("refused", refusal.code)
    except (AssertionError, NotReachableError):
        raise
    except Exception as error:  # noqa: BLE001 - any other exception is an outcome to be judged
        outcome = Outcome("raised", type(error).__name__)
    else:
        outcome = Outcome("refused") if result is None else Outcome("value", _abbreviate(result))
    assert before is None or given == before
    return outcome


def _plain(value: Any) -> bool:
    """Whether a value is made of JSON types alone, and so can be copied and compared."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _plain(each) for key, each in value.items())
    if isinstance(value, list):
        return all(_plain(each) for each in value)
    if isinstance(value, float):
        return not math.isnan(value)
    return value is None or isinstance(value, str | bool | int)
