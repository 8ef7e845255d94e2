"""State and reasoning text are seen nowhere but in stored text and provider input (rules R1, X1).

Every function of the codec is given input that holds a marker, sound and damaged in every way; whatever it answers,
raises, prints or logs is searched for the marker.
"""

from __future__ import annotations

import inspect
import json
import logging
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import ostinato
import ostinato.replay
from ostinato import cli
from ostinato.compat import fast_agent
from ostinato.replay import parse_decoded_envelope
from tests.security.canary import ITEM, MARKER, STATE, cut_texts, damaged_texts, inputs, marked, named_inputs, shown_of

INPUTS = list(inputs())
TEXTS = list(damaged_texts())
CUT = list(cut_texts())


def captured(**changed: Any) -> ostinato.ReasoningItem:
    """An item that holds the marker."""
    return ostinato.canonicalize_completed_reasoning_output_item(ITEM | changed)


def try_all(function: Callable[..., Any], given: list[Any], **named: Any) -> tuple[list[Any], list[Exception]]:
    """What a function answers, and what it raises, over many inputs."""
    answers: list[Any] = []
    errors: list[Exception] = []
    for value in given:
        try:
            answers.append(function(value, **named))
        except Exception as error:  # noqa: BLE001 - whatever it is, it must hold no input
            errors.append(error)
    return answers, errors


@pytest.fixture(autouse=True)
def silence(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Any:
    """Nothing is printed or logged with the marker while a test runs."""
    caplog.set_level(logging.DEBUG)
    yield
    printed = capfd.readouterr()
    assert MARKER not in printed.out + printed.err + caplog.text


def values_of(*kinds: str) -> list[Any]:
    """The marked values of the vectors of some kinds."""
    return [value for kind, _, value in INPUTS if kind in kinds]


WIRES = [
    "openai-responses",
    "anthropic-messages",
    "gemini-generate-content",
    "gemini-interactions",
    "openai-chat",
    "bedrock-converse",
]


@pytest.mark.parametrize("wire", WIRES)
def test_capture(wire: str) -> None:
    """Refusals of capture show nothing, over values and over texts; nor does an item that is captured."""
    capture = ostinato.canonicalize_completed_reasoning_output_item
    answers, errors = try_all(capture, [*values_of("capture", "reject"), *TEXTS], wire=wire)
    assert errors
    for error in errors:
        assert MARKER not in shown_of(error)
    for item in answers:
        assert MARKER not in f"{item!r} {item} {item.dropped_fields}"


@pytest.mark.parametrize("function", [ostinato.parse_reasoning_replay_envelope, parse_decoded_envelope])
def test_parse(function: Callable[..., Any]) -> None:
    """Refusals of stored texts and of decoded records show nothing; nor does an item that is read."""
    given: list[Any] = TEXTS if function is ostinato.parse_reasoning_replay_envelope else values_of("accept", "reject")
    answers, errors = try_all(function, given)
    assert answers
    assert errors
    for error in errors:
        assert MARKER not in shown_of(error)
    for item in answers:
        assert MARKER not in f"{item!r} {item} {item.origin} {item.completion}"


def test_batches() -> None:
    """Refusals that a batch returns in the place of elements show nothing, nor does the list of them."""
    results = ostinato.parse_reasoning_replay_envelopes(TEXTS, errors="return")
    results += ostinato.canonicalize_completed_reasoning_output_items(values_of("capture"), errors="return")
    assert MARKER not in repr(results)
    for error in results:
        if isinstance(error, Exception):
            assert MARKER not in shown_of(error)


def test_wrong_arguments() -> None:
    """Mistakes of a caller are answered without the value: a dict in place of an item, an odd option."""
    functions: list[Callable[..., Any]] = [
        ostinato.serialize_reasoning_replay_envelope,
        ostinato.reasoning_replay_item_to_provider_input,
        ostinato.reasoning_replay_dedupe_key,
    ]
    for function in functions:
        for wrong in (ITEM, STATE, [ITEM], None):
            _, (error,) = try_all(function, [wrong])
            assert MARKER not in shown_of(error)
    options: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (ostinato.canonicalize_completed_reasoning_output_item, {"wire": STATE}),
        (ostinato.canonicalize_completed_reasoning_output_item, {"provider": STATE}),
        (ostinato.canonicalize_completed_reasoning_output_item, {"response_status": STATE}),
    ]
    for function, named in options:
        _, (error,) = try_all(function, [ITEM], **named)
        assert MARKER not in shown_of(error)
    for origin in ({"account": STATE}, {STATE: "x"}, {"provider": [STATE]}, {"model": STATE * 100}):
        _, (error,) = try_all(ostinato.serialize_reasoning_replay_envelope, [captured()], origin=origin)
        assert MARKER not in shown_of(error)


def test_dedupe() -> None:
    """A report holds ids and digests; a refusal shows nothing, not even in the locals of our frames."""
    deduped = ostinato.dedupe([ITEM, ITEM, ITEM | {"encrypted_content": STATE + "x"}], provider="openai")
    assert MARKER not in f"{deduped!r} {deduped.report!r}"
    for bad in ({"id": ""}, {"summary": [STATE]}, {"encrypted_content": [STATE]}):
        with pytest.raises(ostinato.ReplayError) as caught:
            ostinato.dedupe([ITEM, ITEM | bad], provider="openai")
        assert MARKER not in shown_of(caught.value)
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.dedupe([ITEM], provider=STATE)
    assert MARKER not in str(caught.value)


def test_telemetry_and_keys() -> None:
    """Counters and keys hold numbers, ids and digests."""
    item = captured()
    telemetry = ostinato.ReplayTelemetry.from_items([item])
    key = ostinato.reasoning_replay_dedupe_key(item)
    assert MARKER not in f"{telemetry!r} {telemetry.to_dict()} {key!r}"


def test_drop_in_module() -> None:
    """The drop-in module answers with the item or None, and prints nothing of what it refuses."""
    given = values_of("capture", "reject")
    for function in (fast_agent.capture_reasoning_replay, fast_agent.parse_reasoning_replay):
        _, errors = try_all(function, given)
        for error in errors:
            assert MARKER not in shown_of(error)


class Leaky:
    """An SDK object that quotes its state when it fails, as pydantic models do."""

    def model_dump(self, **_options: Any) -> Any:
        """Fail, and say over what."""
        raise ValueError(f"cannot serialise {STATE}")


@pytest.mark.parametrize("item", [Leaky(), ITEM | {"summary": [Leaky()]}, ITEM | {"encrypted_content": Leaky()}])
def test_errors_of_foreign_code(item: Any) -> None:
    """What foreign code said while it was read does not travel with our error."""
    with pytest.raises(ostinato.ReplayError) as caught:
        ostinato.canonicalize_completed_reasoning_output_item(item)
    assert MARKER not in shown_of(caught.value)


def test_measure(tmp_path: pathlib.Path) -> None:
    """A measurement of histories that hold the marker, sound and broken, does not."""
    for number, text in enumerate(TEXTS[:40]):
        history = {
            "messages": [
                {
                    "role": "assistant",
                    "content": [],
                    "channels": {"openai-reasoning-encrypted": [{"type": "text", "text": text}]},
                }
            ]
        }
        (tmp_path / f"history_{number}.json").write_text(json.dumps(history), encoding="utf-8")
    (tmp_path / "broken.jsonl").write_text("\n".join(TEXTS), encoding="utf-8", errors="replace")
    measured = ostinato.measure([tmp_path], timing=False)
    shown = f"{measured!r} {measured.to_dict()}"
    assert MARKER not in shown
    assert "history_0.json" in shown


@pytest.mark.parametrize("given", [INPUTS, list(named_inputs())], ids=["by its looks", "by its name"])
@pytest.mark.parametrize("length_only", [False, True])
@pytest.mark.parametrize("dump", [json.dumps, repr, lambda value: value], ids=["json", "repr", "value"])
def test_redaction(dump: Callable[[Any], Any], length_only: bool, given: list[Any]) -> None:  # noqa: FBT001 - a case
    """What redaction leaves of every item of every wire, as JSON, as a repr or as a value, holds no state."""
    for _, vector, value in given:
        for redacted in (
            ostinato.redact(dump(value), length_only=length_only),
            ostinato.redact_reasoning_replay_for_diagnostics(dump(value), length_only=length_only),
        ):
            assert MARKER not in repr(redacted), vector.name


def test_redaction_of_damaged_texts() -> None:
    """A stored text that was cut off anywhere shows no state when it is redacted."""
    for text in CUT:
        assert MARKER not in repr(ostinato.redact(text)), text[-80:]
        assert MARKER not in repr(ostinato.redact_reasoning_replay_for_diagnostics(text)), text[-80:]


def test_diagnostics_of_items() -> None:
    """The view of an item that was read holds lengths and digests."""
    views = ostinato.redact_reasoning_replays_for_diagnostics([captured(), captured(content=None)])
    assert MARKER not in repr(views)
    assert views[0]["fields"]["encrypted_content"]["bytes"] == len(STATE)


@pytest.fixture
def histories(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder of histories that hold the marker: sound ones, broken ones, and a log."""
    stored = ostinato.serialize_reasoning_replay_envelope(captured())
    channel = {"openai-reasoning-encrypted": [{"type": "text", "text": text} for text in (stored, *CUT[::9])]}
    history = {"messages": [{"role": "assistant", "content": [], "channels": channel}]}
    (tmp_path / "history_a.json").write_text(json.dumps(history), encoding="utf-8")
    rollout = [{"type": "session_meta", "payload": {"id": "a"}}, {"type": "response_item", "payload": ITEM}]
    lines = "".join(json.dumps(line) + "\n" for line in rollout)
    (tmp_path / "rollout.jsonl").write_text(lines + lines[:-40], encoding="utf-8")
    (tmp_path / "app.log").write_text(f"DEBUG request {ITEM!r}\nDEBUG stored {stored}\n", encoding="utf-8")
    changed = ITEM | {"encrypted_content": STATE + "x"}
    for name, item in (("before", ITEM), ("after", changed)):
        said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": name}]}
        body = {"model": "gpt-6", "input": [said, item] if name == "before" else [item, said]}
        (tmp_path / f"{name}.json").write_text(json.dumps(body), encoding="utf-8")
        (tmp_path / f"{name}_state.json").write_text(json.dumps({"model": "m", "input": [item]}), encoding="utf-8")
    thought = {"type": "thinking.done", "thinking": STATE, "fidelity": {"encrypted_content": STATE, "id": "rs_1"}}
    answer: Any = {"role": "assistant", "content_items": [thought, {"type": "text.done", "text": "ok"}]}
    store = ostinato.SessionStore(tmp_path / "store")
    for name in ("kept", "hurt"):
        with store.open(name) as session:
            session.append([{"role": "user", "content_items": [{"type": "text.done", "text": "hi"}]}, answer])
    hurt = tmp_path / "store" / "hurt.jsonl"
    hurt.write_bytes(hurt.read_bytes()[:-40])
    (tmp_path / "plain.txt").write_text(STATE, encoding="utf-8")
    return tmp_path


COMMANDS = [
    ["measure", "."],
    ["measure", ".", "--json"],
    ["measure", ".", "--csv"],
    ["measure", "history_a.json", "rollout.jsonl", "no such file", "--strict"],
    ["redact", "app.log"],
    ["redact", "history_a.json", "--report"],
    ["redact", "rollout.jsonl", "--length-only"],
    ["redact", "no such file"],
    ["schema"],
    ["schema", "ostinato.openai-responses.reasoning"],
    ["schema", STATE],
    ["measure", "--threads", STATE, "."],
    ["doctor", "."],
    ["doctor", ".", "--json", "--all"],
    ["doctor", "rollout.jsonl", "--target", "openai", "--account", STATE],
    ["doctor", "no such file", "plain.txt"],
    ["doctor", ".", "--target", STATE],
    ["diff", "before.json", "after.json"],
    ["diff", "before.json", "after.json", "--show-text"],
    ["diff", "before_state.json", "after_state.json", "--json"],
    ["diff", "before_state.json", "after_state.json", "--show-text"],
    ["diff", "rollout.jsonl", "history_a.json", "--json", "--show-text"],
    ["diff", "plain.txt", "no such file"],
    ["diff", "before.json", "after.json", "--wire", STATE],
    ["export", "rollout.jsonl"],
    ["export", "history_a.json", "--redacted", "--length-only"],
    ["export", "rollout.jsonl", "--resumable", "-o", "copy.jsonl"],
    ["export", "rollout.jsonl", "--resumable", "-o", "app.log"],
    ["export", "plain.txt", "--resumable"],
    ["export", "rollout.jsonl", "--name", STATE],
    ["rescue", "rollout.jsonl", "-o", "copy.jsonl"],
    ["rescue", "rollout.jsonl", "-o", "copy.jsonl", "--all-state", "--json"],
    ["rescue", "history_a.json", "-o", "copy.json", "--target", "anthropic"],
    ["rescue", "plain.txt", "-o", "copy.json", "--name", STATE],
    ["rescue", "rollout.jsonl", "-o", "rollout.jsonl"],
    ["sessions", "list", "store"],
    ["sessions", "list", "store", "--json"],
    ["sessions", "show", "store", "kept"],
    ["sessions", "show", "store", "kept", "--json"],
    ["sessions", "show", "store", "hurt", "--json"],
    ["sessions", "verify", "store"],
    ["sessions", "verify", "store", "--json"],
    ["sessions", "verify", "store", "hurt"],
    ["sessions", "export", "store", "kept"],
    ["sessions", "export", "store", "kept", "--resumable", "-o", "copy.jsonl"],
    ["sessions", "restore", "store", "again", "rollout.jsonl"],
    ["sessions", "migrate", "store", "hurt"],
    ["sessions", "purge", "store", "hurt", "--yes"],
    ["sessions", "show", "store", STATE],
    [STATE],
]


@pytest.mark.parametrize("command", COMMANDS, ids=[" ".join(command)[:60] for command in COMMANDS])
def test_commands(
    command: list[str], histories: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No command prints the marker of what it reads, on either stream, whatever is wrong."""
    monkeypatch.chdir(histories)
    cli.main(command)
    run = capfd.readouterr()
    printed = run.out + run.err
    assert printed
    # What was typed on the command line is no secret of ours: argparse repeats a wrong word.
    for word in command:
        printed = printed.replace(word, "") if MARKER in word else printed
    assert MARKER not in printed


def test_every_command_is_tested_here() -> None:
    """A command that is added must be added to this file."""
    tested = {command[0] for command in COMMANDS}
    commands = {module.__name__.rpartition(".")[2] for module in cli.COMMANDS}
    assert commands - {"completion"} <= tested


def test_state_is_where_it_belongs() -> None:
    """The marker is in stored text, in provider input, and in the attributes that are asked for: the search works."""
    item = captured()
    assert MARKER in ostinato.serialize_reasoning_replay_envelope(item)
    assert MARKER in repr(ostinato.reasoning_replay_item_to_provider_input(item))
    assert MARKER in ostinato.reasoning_replay_item_to_provider_input(item, as_json=True).decode()
    assert MARKER in str(item.encrypted_content)
    assert MARKER in pickle.dumps(item).decode("latin-1")
    assert all(MARKER in repr(marked(value)) for value in (ITEM, [ITEM], {"item": ITEM}))
    assert sum(MARKER in repr(value) for _, _, value in INPUTS) > len(INPUTS) * 0.7


TESTED = {
    *("canonicalize_completed_reasoning_output_item", "canonicalize_completed_reasoning_output_items", "dedupe"),
    *("parse_decoded_envelope", "parse_reasoning_replay_envelope", "parse_reasoning_replay_envelopes"),
    *("reasoning_replay_dedupe_key", "reasoning_replay_dedupe_keys", "reasoning_replay_item_to_provider_input"),
    *("reasoning_replay_items_to_provider_input", "serialize_reasoning_replay_envelope"),
    "serialize_reasoning_replay_envelopes",
}


def test_every_function_of_the_codec_is_tested_here() -> None:
    """A function that is added to the codec's face must be added to this file."""
    functions = {
        name
        for name in ostinato.replay.__all__
        if callable(getattr(ostinato.replay, name)) and not inspect.isclass(getattr(ostinato.replay, name))
    }
    assert functions == TESTED
