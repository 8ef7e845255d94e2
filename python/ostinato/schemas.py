"""The JSON Schemas of the envelopes: what is written, made from the tables that also read it."""

import json
from typing import Any

from ostinato._core import json_schema_text, schema_names
from ostinato.errors import ReplayError

__all__ = ["json_schema", "schemas"]


def schemas() -> tuple[str, ...]:
    """The names of all envelopes, in the order in which they are tried."""
    return tuple(schema_names())


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of an envelope.

    Readers also take null and an empty value for a field that may be missing; the schema describes what is written.

    Raises:
        ReplayError: `schema_unknown`.
    """
    text = json_schema_text(name)
    if text is None:
        raise ReplayError("schema_unknown", "schema")
    schema: dict[str, Any] = json.loads(text)
    return schema
