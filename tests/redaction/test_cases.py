"""The cases of the field that are about redaction, through the face of the library."""

import json
import pathlib

import pytest

import ostinato
from ostinato.redaction import redact
from tests.playing.redaction import asked

FOLDER = pathlib.Path(__file__).parents[1] / "cases"
CASES = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("redact-*.json"))}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case["when"] == "redact"])
@pytest.mark.parametrize("form", ["value", "text", "bytes", "log_line", "repr"])
def test_nothing_that_must_be_absent_is_left(name: str, form: str) -> None:
    """Neither the result nor the report nor a repr holds what the case forbids, in whichever form it comes."""
    value, length_only = asked(CASES[name])
    text = json.dumps(value)
    forms = {
        "value": value,
        "text": text,
        "bytes": text.encode(),
        "log_line": f"10:00 DEBUG {text} ok",
        "repr": repr(value),
    }
    redacted = redact(forms[form], length_only=length_only)
    assert redacted.report["values"] > 0
    for absent in CASES[name]["then"]["absent"]:
        assert absent not in repr(redacted)
        assert absent not in json.dumps(redacted.report)


def test_the_request_log_is_left_as_the_case_says() -> None:
    """Structure, length and digest stay, and nothing else changes."""
    case = CASES["redact-request-log"]
    redacted = redact(asked(case)[0]).value
    assert redacted["input"][1] == case["then"]["output"]["input/1"]
    assert redacted["input"][0] == asked(case)[0]["input"][0]
    assert redacted["model"] == "m"


def test_the_visible_part_of_a_tool_call_id_stays() -> None:
    """Only the signature inside the id goes."""
    case = CASES["redact-signature-in-tool-id"]
    call_id = redact(asked(case)[0]).value["tool_calls"][0]["id"]
    assert call_id.startswith(case["then"]["output"]["tool_calls/0/id_prefix"] + "__thought__[redacted")


def test_a_redacted_item_is_never_replayed() -> None:
    """What redaction leaves of an item is refused wherever an item is read."""
    item, message = redact(asked(CASES["redact-export-not-resumable"])[0]).value
    envelope = {"schema": "fast-agent.openai-responses.reasoning-replay", "version": 1, "item": item}
    for read, stored in (
        (ostinato.canonicalize_completed_reasoning_output_item, item),
        (ostinato.parse_reasoning_replay_envelope, json.dumps(envelope)),
    ):
        with pytest.raises(ostinato.ReplayError) as refused:
            read(stored)
        assert refused.value.code == "redacted"
    assert message["content"][0]["text"] == "done"
