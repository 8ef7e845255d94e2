"""The published JSON Schemas say what the codec reads and writes."""

import json
import pathlib
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import ostinato
from ostinato.schemas import json_schema, schemas

VECTORS = pathlib.Path(__file__).parents[1] / "vectors"
# Refusals that a JSON Schema can know: it sees values, not their spelling, their size or their digest.
STRUCTURAL = {
    "unknown_field",
    "missing_field",
    "empty_value",
    "signature_not_base64",
    "type_mismatch",
    "state_missing",
    "fields_conflict",
    "unknown_part_type",
    "unknown_item_type",
    "version_unknown",
    "schema_unknown",
    "not_an_envelope",
    "origin_invalid",
}


def vectors(kind: str) -> list[Any]:
    """Every vector of a kind that is given as a value and is about structure, with the schema it is about."""
    return [
        pytest.param(path.parts[-4], vector, id=f"{path.parts[-4]}-{path.stem}-{vector['name']}")
        for path in sorted(VECTORS.glob(f"*/v1/{kind}/*.json"))
        for vector in json.loads(path.read_text())["vectors"]
        if "stored" in vector and vector.get("code", "type_mismatch") in STRUCTURAL
    ]


def test_every_schema_is_a_sound_one() -> None:
    """They conform to the draft that they name, and to each other."""
    assert len(schemas()) >= 14
    for name in schemas():
        Draft202012Validator.check_schema(json_schema(name))
        assert json_schema(name)["title"] == name


def test_an_unknown_name_is_refused() -> None:
    """By code, like anything else."""
    with pytest.raises(ostinato.ReplayError) as refused:
        json_schema("no.such.schema")
    assert refused.value.code == "schema_unknown"


@pytest.mark.parametrize(("name", "vector"), vectors("accept"))
def test_what_is_written_is_valid(name: str, vector: dict[str, Any]) -> None:
    """Every envelope, in the form in which it is written."""
    item = ostinato.parse_reasoning_replay_envelope(json.dumps(vector["stored"]))
    written = json.loads(ostinato.serialize_reasoning_replay_envelope(item, origin=item.origin))
    assert written["schema"] in schemas()
    Draft202012Validator(json_schema(written["schema"])).validate(written)
    if vector.get("canonical"):
        Draft202012Validator(json_schema(name)).validate(vector["stored"])


@pytest.mark.parametrize(("name", "vector"), vectors("reject"))
def test_what_the_reader_refuses_is_invalid(name: str, vector: dict[str, Any]) -> None:
    """Where the refusal is about structure."""
    assert not Draft202012Validator(json_schema(name)).is_valid(vector["stored"])
