"""Schemas of tool parameters in the words of generateContent, which knows a part of JSON Schema."""

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["write_declaration"]

Json = dict[str, Any]

# What a schema may hold there, and how it is called.
_KNOWN: Final = {
    "type": "type",
    "format": "format",
    "title": "title",
    "description": "description",
    "nullable": "nullable",
    "enum": "enum",
    "default": "default",
    "example": "example",
    "items": "items",
    "properties": "properties",
    "required": "required",
    "minimum": "minimum",
    "maximum": "maximum",
    "pattern": "pattern",
    **{name: name for name in ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")},
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
    "anyOf": "anyOf",
    "any_of": "anyOf",
    "propertyOrdering": "propertyOrdering",
    "property_ordering": "propertyOrdering",
}


def write_declaration(tool: Mapping[str, Any]) -> Json:
    """A tool as a function declaration. A schema that has no words there goes as the JSON Schema it is."""
    declared = {name: value for name, value in tool.items() if name != "parameters"}
    schema = tool.get("parameters")
    if schema is None:
        return declared
    written = _schema(schema)
    return declared | ({"parametersJsonSchema": schema} if written is None else {"parameters": written})


def _schema(schema: Any) -> Json | None:  # noqa: ANN401 - a caller's value
    """A schema in the words known there; None where a word is not."""
    if not isinstance(schema, Mapping) or not schema.keys() <= _KNOWN.keys():
        return None
    written: Json = {}
    for name, value in schema.items():
        part = _part(_KNOWN[name], value)
        if part is None:
            return None
        written[_KNOWN[name]] = part
    return written


def _part(name: str, value: Any) -> Any:  # noqa: ANN401 - as above
    match name:
        case "type":
            return value.upper() if isinstance(value, str) else None
        case "items":
            return _schema(value)
        case "properties":
            parts = {key: _schema(part) for key, part in value.items()}
            return None if None in parts.values() else parts
        case "anyOf":
            choices = [_schema(part) for part in value]
            return None if None in choices else choices
        case "enum":
            return value if all(isinstance(word, str) for word in value) else None
    return value
