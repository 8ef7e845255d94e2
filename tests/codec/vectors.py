"""Reads `tests/vectors/<schema>/v1/<kind>/*.json`, whose layout its README describes."""

from __future__ import annotations

import base64
import json
import os
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ostinato

# `make vectors DIR=...` plays another folder.
ROOT = pathlib.Path(os.environ.get("OSTINATO_VECTORS", pathlib.Path(__file__).parents[1] / "vectors"))


def compact(value: object) -> str:
    """JSON text in the canonical spelling (rule F2), as the standard library writes it; bytes as base64 (rule V5)."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_base64)


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


@dataclass(frozen=True)
class Vector:
    """One vector: where it stands, and its object."""

    schema: str
    name: str
    fields: dict[str, Any]

    @property
    def is_value(self) -> bool:
        """Whether what is read can be had as a decoded value too."""
        return "text_only" not in self.fields and ("stored" in self.fields or "input" in self.fields)

    @property
    def value(self) -> Any:
        """The decoded value that is read."""
        return self.fields["stored"] if "stored" in self.fields else self.fields["input"]

    @property
    def text(self) -> bytes:
        """The text that is read; perhaps no UTF-8."""
        if "text" in self.fields:
            return b"".join(pieces(self.fields["text"]))
        return compact(self.value).encode()

    @property
    def limits(self) -> ostinato.Limits | None:
        """The limits it is read with."""
        return ostinato.Limits(**self.fields["limits"]) if "limits" in self.fields else None

    @property
    def refusal(self) -> tuple[str, str] | None:
        """The code and path of the refusal, if there must be one."""
        return (self.fields["code"], self.fields.get("path", "")) if "code" in self.fields else None


def pieces(piece: Any) -> Iterator[bytes]:
    """The bytes of a text, a repeated one, bytes in base64, or a list of these."""
    match piece:
        case str():
            yield piece.encode()
        case {"$repeat": text, "times": times}:
            yield (text * times).encode()
        case {"$bytes": text}:
            yield base64.b64decode(text)
        case _:
            for inner in piece:
                yield from pieces(inner)


def load(kind: str) -> list[Vector]:
    """Every vector of a kind."""
    found: list[Vector] = []
    for path in sorted(ROOT.glob(f"*/v1/{kind}/*.json")):
        schema = path.parents[2].name
        vectors = json.loads(path.read_text(encoding="utf-8"))["vectors"]
        found += [Vector(schema, f"{schema}/{kind}/{path.stem}/{fields['name']}", fields) for fields in vectors]
    return found
