"""The whole public face: nothing of it shows state, and nothing new can be added to it without being held to that.

`test_canary.py` holds the codec and the commands to it, `test_frames.py` exceptions, `test_names.py` names. Here are
the rest of the names of `ostinato` and `ostinato.privacy`, and the lists that make them complete.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ostinato
from ostinato import privacy
from tests.client.provider import reasoning, responses
from tests.client.scripted import Scripted
from tests.security.canary import ITEM, MARKER, STATE, STORED, damaged_texts, inputs, shown_of
from tests.security.test_canary import TESTED

WIRES = {
    "openai-responses": "openai",
    "anthropic-messages": "anthropic",
    "gemini-generate-content": "gemini",
    "bedrock-converse": "bedrock-converse",
    "openai-chat": "openrouter",
}
VALUES = [value for _, _, value in inputs()]
TEXTS = list(damaged_texts())[::5]
SAID: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "hi"}]}
THOUGHT = {"type": "thinking.done", "thinking": "", "fidelity": {"encrypted_content": STATE, "id": "rs_1"}}
ANSWER: Any = {"role": "assistant", "content_items": [THOUGHT, {"type": "text.done", "text": "ok"}]}
EVENTS = responses({**reasoning(1, MARKER), "encrypted_content": STATE})
ROLLOUT = [
    {"timestamp": "t", "type": "session_meta", "payload": {"id": "a", "model_provider": "openai"}},
    {"timestamp": "t", "type": "response_item", "payload": ITEM},
    {"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": []}},
    {"timestamp": "t", "type": "response_item", "payload": ITEM | {"encrypted_content": [STATE]}},
]
HISTORY = "".join(json.dumps(line) + "\n" for line in ROLLOUT).encode()


class Shown:
    """All that calls show of themselves: what is printed of their results, and what their errors tell."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.errors = 0

    def call(self, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """Call, and keep what is shown. None where it raised."""
        try:
            result = function(*args, **named)
            if inspect.isgenerator(result):
                result = list(result)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must show nothing
            self.errors += 1
            self.seen.append(shown_of(error))
            return None
        self.look(result)
        return result

    def send(self, function: Callable[..., Any], *args: Any) -> None:
        """Call what gives provider input or stored text, which is not looked at; its errors are."""
        self.call(lambda: function(*args) and None)

    def look(self, value: Any) -> None:
        """What a result shows when it is printed, and what its report says."""
        self.seen += [repr(value), str(value)]
        report = getattr(value, "report", None)
        if report is not None:
            self.seen += [
                str(report),
                repr(report),
                *([json.dumps(report.to_dict())] if hasattr(report, "to_dict") else []),
            ]


def native(value: Any) -> list[Any]:
    """Items of a wire around a value of the vectors."""
    return [{"role": "user", "content": "hi"}, value, {"role": "assistant", "content": [value]}]


def _prepare(shown: Shown, _: pathlib.Path) -> None:
    for wire, target in WIRES.items():
        profiles = [name for name, row in ostinato.PROFILES.items() if row.wire == wire][:2] or [target]
        for value in VALUES:
            for name in profiles:
                shown.call(ostinato.prepare, native(value), name)
            shown.call(ostinato.strip_state, native(value), wire=wire)
            shown.call(ostinato.trim, native(value), keep=1, wire=wire)


def _load(shown: Shown, folder: pathlib.Path) -> None:
    texts = [HISTORY, HISTORY[:-40], *(text.encode("utf-8", "replace") for text in TEXTS)]
    for text in texts:
        for conversation in shown.call(ostinato.load_all, text) or []:
            shown.look(conversation)
            shown.look(conversation.report)
            shown.call(conversation.prepare, "openai")
            shown.look(shown.call(ostinato.diagnose, conversation))
            shown.call(ostinato.export_redacted, conversation)
            shown.call(ostinato.diff, conversation, [ITEM])
        shown.call(ostinato.load, text)
        rescued = shown.call(ostinato.rescue, text, all_state=True)
        if rescued is not None:
            shown.look(rescued)
    (folder / "rollout.jsonl").write_bytes(HISTORY)
    for examined in shown.call(ostinato.doctor, folder) or []:
        shown.seen.append(json.dumps(examined.to_dict()))
    shown.call(ostinato.load, folder / "no such file")
    broken = ostinato.load(HISTORY)
    broken.items[0] = {"x": object(), "state": STATE}
    shown.call(ostinato.export_redacted, broken)
    shown.send(ostinato.export_resumable, broken)  # what comes of a sound one is stored text


def _refusals(shown: Shown, _: pathlib.Path) -> None:
    said = f"The encrypted content {STATE} for item rs_1 could not be verified"
    body = {"error": {"message": said, "code": "invalid_encrypted_content", "param": STATE}}
    for refusal in (said, body, json.dumps(body), ostinato.UpstreamError(None, said, status=400, error=body), STATE):
        explained = shown.call(ostinato.explain, refusal)
        shown.seen.append(json.dumps(explained.to_dict()))
        for items in ([ITEM], [STATE], native(ITEM)):
            shown.call(explained.recover, items, "openai-responses")


def _diff(shown: Shown, _: pathlib.Path) -> None:
    for value in VALUES[::3]:
        one, other = {"model": "m", "input": [value]}, {"model": "m", "input": [ITEM, value]}
        found = shown.call(ostinato.diff, one, other)
        shown.call(ostinato.diff, json.dumps(one), STORED)
        shown.call(ostinato.prefix_change, {"messages": native(value)}, {"messages": native(ITEM)})
        shown.call(ostinato.prefix_change, one, {"messages": STATE}, wire=STATE)
        if found is not None:
            shown.seen += [json.dumps(found.to_dict())]


def _stream(shown: Shown, _: pathlib.Path) -> None:
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in EVENTS)
    parser = ostinato.SseParser()
    shown.look(parser)
    events = [event for at in range(0, len(text), 50) for event in parser.feed(text[at : at + 50].encode())]
    shown.look(parser)
    for wire in (*WIRES, "gemini-interactions"):
        for cut in (3, len(events)):
            capture = ostinato.Capture(wire)
            for event in [*EVENTS[:cut], *VALUES[::9], STATE]:
                shown.call(capture.feed, event)
            shown.look(capture)
            shown.look(shown.call(capture.finish))
            shown.call(capture.feed, ITEM)
    decoder = ostinato.wire("openai-official", "gpt-6").decoder()
    shown.look(decoder)
    shown.call(ostinato.concat_uni_events_to_uni_message, [STATE])
    shown.call(decoder.feed, {"type": "response.output_item.done", "item": STATE, "output_index": 0})
    shown.call(decoder.finish)


def _check(shown: Shown, _: pathlib.Path) -> None:
    for bad in (float("nan"), "\ud800" + STATE, object(), {5: STATE}, [STATE, 10**9999]):
        shown.call(ostinato.check_json, {STATE: [bad], "x": {STATE: bad}})


def _wire(shown: Shown, _: pathlib.Path) -> None:
    for client_type, model in (("openai-official", "gpt-6"), ("anthropic-official", "claude-fable-5"), ("mmsp", "m")):
        bound = ostinato.wire(client_type, model)
        shown.look(bound)
        for items in ([THOUGHT, {"type": STATE}], [{"type": "thinking.done", "thinking": [STATE]}], [STATE], STATE):
            shown.send(bound.encode, [SAID, {"role": "assistant", "content_items": items}])
        shown.send(bound.encode, [ANSWER], {"temperature": STATE, STATE: 1})
        shown.send(bound.body, [], {STATE: STATE})
    shown.call(ostinato.wire, STATE[:10], "m")


def _client(shown: Shown, folder: pathlib.Path) -> None:
    store = ostinato.SessionStore(folder / "sessions")
    with store.open("one") as session:

        async def scene() -> None:
            client = Scripted(EVENTS).client(session=session, capture=privacy.StreamCapture(folder / "captures"))
            client.set_history([SAID, ANSWER])
            shown.look(client)
            async for event in client.streaming_response_stateful(SAID):
                assert event
            shown.look(client)
            shown.look(client.telemetry)
            shown.call(client.set_history, [ANSWER, STATE])
            shown.send(client.transform_uni_message_to_model_input, [ANSWER, STATE])
            shown.send(client.transform_uni_config_to_model_config, {STATE: STATE})

        asyncio.run(scene())
        shown.look(session)
        shown.look(session.findings)
        shown.call(
            session.append, [ANSWER, {"role": "assistant", "content_items": [{"type": "text.done", "text": "\ud800"}]}]
        )
        shown.call(session.append, [{"role": STATE}, STATE])
        shown.call(session.check, [STATE])
    shown.call(session.append, [ANSWER])
    shown.look(store)
    (file,) = (folder / "sessions").glob("*.jsonl")
    data = file.read_bytes()
    for damaged in (
        data[:-30],
        data.replace(b'"role"', b'"rule"', 1),
        data + data[-200:],
        data.replace(MARKER.encode(), b"other", 1),
    ):
        file.write_bytes(damaged)
        stored = shown.call(store.read, "one")
        shown.look(getattr(stored, "findings", None))
        shown.look(shown.call(store.sessions))
    shown.call(store.open, STATE + "/..")
    shown.call(ostinato.AutoLLMClient, "no such model", STATE)
    captures = "".join(capture.read_text(encoding="utf-8") for capture in (folder / "captures").iterdir())
    shown.seen.append(captures)


def _privacy(shown: Shown, folder: pathlib.Path) -> None:
    for value in VALUES:
        shown.look(privacy.redact_request({"input": [value]}))
        shown.look(privacy.redact_request({"input": [value]}, content=True))
    record = logging.makeLogRecord({"msg": "got %s", "args": (STORED,), "body": ITEM})
    privacy.RedactingFilter().filter(record)
    shown.seen.append(repr(vars(record)))
    shown.look(privacy.RedactingProcessor()(None, "info", {"event": STORED, "item": ITEM}))
    with privacy.StreamCapture(folder / "captures").begin({"input": [ITEM]}) as recording:
        shown.look(recording)
        shown.call(recording.event, {"item": ITEM})
        shown.call(recording.result, {"item": ITEM})
    shown.call(privacy.StreamCapture(folder / "x\x00").begin, {"input": [ITEM]})


SCENES: dict[str, tuple[Callable[[Shown, pathlib.Path], None], set[str]]] = {
    "prepare": (_prepare, {"prepare", "strip_state", "trim", "Prepared", "ReplayReport", "Decision"}),
    "load": (
        _load,
        {
            *(
                "load",
                "load_all",
                "Conversation",
                "LoadReport",
                "Finding",
                "SavedTurn",
                "Source",
                "diagnose",
                "Diagnosis",
            ),
            *("Symptom", "doctor", "Examined", "rescue", "Rescued", "export_redacted", "export_resumable"),
        },
    ),
    "diff": (_diff, {"diff", "Diff", "prefix_change"}),
    "refusals": (_refusals, {"explain", "Explanation"}),
    "stream": (_stream, {"SseParser", "Capture", "Captured", "concat_uni_events_to_uni_message"}),
    "check": (_check, {"check_json"}),
    "wire": (_wire, {"wire", "Wire"}),
    "client": (_client, {"LLMClient", "AutoLLMClient", "SessionStore", "Session", "SessionFinding"}),
    "privacy": (
        _privacy,
        {
            "redact_request",
            "RedactingFilter",
            "RedactingProcessor",
            "StreamCapture",
            "Recording",
            "install",
            "uninstall",
        },
    ),
}

# Tested in `test_canary.py`.
ELSEWHERE = TESTED | {
    *("ReasoningItem", "DedupeKey", "DedupeReport", "Deduped", "Repeat", "ReplayTelemetry", "measure", "Measurement"),
    *("redact", "Redacted", "redact_reasoning_replay_for_diagnostics", "redact_reasoning_replays_for_diagnostics"),
}
# They take no content: names and settings, or types for checkers alone.
NO_CONTENT = {
    "SESSION_FINDING_CODES",
    *("DECISION_CODES", "ERROR_CODES", "FINDING_CODES", "PROFILES", "__version__", "json_schema", "schemas"),
    *("Limits", "Origin", "Profile", "Cell", "Target", "AbortSignal"),
    *("UniConfig", "UniEvent", "UniMessage", "UsageMetadata", "FinishReason"),
}


@pytest.mark.parametrize("scene", SCENES)
def test_nothing_shows_state(
    scene: str, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Results, reports, errors with the locals of their frames, logs and output, over input sound and damaged."""
    caplog.set_level(logging.DEBUG)
    tmp_path.chmod(0o700)
    shown = Shown()
    SCENES[scene][0](shown, tmp_path)
    assert shown.seen
    for text in shown.seen:
        assert MARKER not in text
    printed = capfd.readouterr()
    assert MARKER not in printed.out + printed.err + caplog.text


def test_the_scenes_meet_errors(tmp_path: pathlib.Path) -> None:
    """The search sees refusals, and not only what goes well."""
    tmp_path.chmod(0o700)
    for name in ("load", "wire", "client", "check"):
        shown = Shown()
        (tmp_path / name).mkdir(mode=0o700)
        SCENES[name][0](shown, tmp_path / name)
        assert shown.errors, name


def test_every_public_name_is_tested() -> None:
    """A name that is added to the public face must be added to a scene here, or to a list that says why not."""
    names = {name for module in (ostinato, privacy) for name in module.__all__ if not _is_error(module, name)}
    tested = {name for _, names_of in SCENES.values() for name in names_of}
    assert names - tested - ELSEWHERE - NO_CONTENT == set()
    assert (tested | ELSEWHERE | NO_CONTENT) - names - {"parse_decoded_envelope"} == set()


def _is_error(module: Any, name: str) -> bool:
    value = getattr(module, name)
    return inspect.isclass(value) and issubclass(value, BaseException)  # tested in `test_names.py`


# What of the public face need not be discreet: it raises nothing while it holds content, or takes none.
INDISCREET = {
    *("json_schema", "schemas", "wire", "measure", "install", "uninstall"),
    # They never raise.
    "explain",
    *(
        "redact",
        "redact_request",
        "redact_reasoning_replay_for_diagnostics",
        "redact_reasoning_replays_for_diagnostics",
    ),
    *("RedactingFilter.filter", "Recording.close", "Recording.error", "Recording.write", "AbortSignal"),
    # They take nothing, or settings and names alone.
    *("LLMClient.clear_history", "LLMClient.close", "LLMClient.get_history", "LLMClient.stream"),
    *("LLMClient.concat_uni_events_to_uni_message", "Session.close", "Wire.count_state", "Profile.but", "Target.but"),
    *("Capture.__init__", "RedactingFilter.__init__", "RedactingProcessor.__init__", "Recording.__init__"),
    *("Session.__init__", "SessionStore.__init__", "SseParser.__init__", "StreamCapture.__init__"),
    *("Diff.excerpts", "Profile.cells", "Diagnosis.with_symptoms", "Origin.account_digest"),
}


def functions() -> Iterator[tuple[str, Any]]:
    """Every function and method of the public face that is written in Python here; no properties."""
    for module in (ostinato, privacy):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                yield name, value
            if inspect.isclass(value) and not issubclass(value, BaseException):
                for method, function in vars(value).items():
                    function = getattr(function, "__func__", function)  # noqa: PLW2901 - of a class or static method
                    if not inspect.isfunction(function) or not function.__code__.co_filename.endswith(".py"):
                        continue
                    if method == "__init__" or not method.startswith("_"):
                        yield f"{name}.{method}", function


def test_every_public_function_is_discreet() -> None:
    """A function that is added must leave no values in the frames of its exceptions, or say why it need not."""
    missing = {
        name
        for name, function in functions()
        if not hasattr(function, "__wrapped__") and name not in INDISCREET and name.partition(".")[0] not in INDISCREET
        and not name.endswith(".to_dict")
    }  # fmt: skip
    assert missing == set()


def test_stored_text_and_provider_input_hold_it(tmp_path: pathlib.Path) -> None:
    """The marker is where it belongs: in what is stored and sent, and in what is asked for by name."""
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]}
    assert MARKER in repr(ostinato.prepare([ITEM, said], "openai").items)
    assert MARKER in repr(ostinato.load(HISTORY).items)
    assert MARKER.encode() in ostinato.export_resumable(ostinato.load(HISTORY))
    session = ostinato.SessionStore(tmp_path / "sessions").open("one")
    with session:
        session.append([SAID, ANSWER])
    assert MARKER in session.path.read_text(encoding="utf-8")
