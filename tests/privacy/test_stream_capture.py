"""Captures of streams: private files, structure by default, raw only for whoever asks for it by name."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import pathlib
import stat
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from ostinato import OstinatoError, StoreError, UnsafePathError
from ostinato.privacy import CaptureWarning, StreamCapture
from tests.client.provider import reasoning, responses
from tests.client.scripted import Scripted
from tests.security.canary import ITEM, MARKER, STATE

SAID: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "what was said"}]}
EVENTS = responses({**reasoning(1, f"Plan {MARKER}."), "encrypted_content": STATE}, output="what was answered")


@pytest.fixture
def umask() -> Iterator[None]:
    """A umask that takes nothing away, and one that takes everything, are what programs run under."""
    before = os.umask(0)
    yield
    os.umask(before)


def play(capture: StreamCapture | None, events: list[Any] | None = None) -> None:
    """One turn of a client."""

    async def scene() -> None:
        client = Scripted(EVENTS if events is None else events).client(capture=capture)
        client.set_history([SAID, {"role": "assistant", "content_items": [
            {"type": "thinking.done", "thinking": "", "fidelity": {"encrypted_content": STATE, "id": "rs_0"}},
            {"type": "text.done", "text": "ok"},
        ]}])  # fmt: skip
        async for _ in client.streaming_response_stateful(SAID):
            pass

    asyncio.run(scene())


def lines(folder: pathlib.Path) -> list[dict[str, Any]]:
    """The records of the one capture in a folder."""
    (file,) = folder.iterdir()
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def mode(path: pathlib.Path) -> int:
    """Who may do what."""
    return stat.S_IMODE(path.stat().st_mode)


def raw(folder: pathlib.Path) -> StreamCapture:
    """A raw capture; its warning is tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaptureWarning)
        return StreamCapture(folder, unsafe_raw=True)


def test_off_by_default(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that was not given a capture writes nothing."""
    monkeypatch.chdir(tmp_path)
    play(None)
    assert list(tmp_path.iterdir()) == []


def test_structure_by_default(tmp_path: pathlib.Path) -> None:
    """Request, every event and the end are there, and neither state nor anything that was said."""
    folder = tmp_path / "captures"
    play(StreamCapture(folder))
    begin, request, *events, result = lines(folder)
    assert (begin["format"], begin["version"], begin["raw"]) == ("ostinato.stream-capture", 1, False)
    assert (request["record"], request["wire"], request["client_type"]) == (
        "request",
        "openai-responses",
        "openai-official",
    )
    thought = next(item for item in request["body"]["input"] if item["type"] == "reasoning")
    assert thought["encrypted_content"]["bytes"] == len(STATE)
    assert len(thought["encrypted_content"]["sha256"]) == 64
    assert [event["event"]["type"] for event in events] == [event["type"] for event in EVENTS]
    assert [event["n"] for event in events] == list(range(len(EVENTS)))
    assert events[2]["event"]["item"]["summary"] == {"parts": 1, "bytes": len(f"Plan {MARKER}.")}
    assert (result["record"], result["events"]) == ("result", len(EVENTS))
    text = next(folder.iterdir()).read_text(encoding="utf-8")
    assert MARKER not in text
    assert "what was" not in text


def test_raw_by_name(tmp_path: pathlib.Path) -> None:
    """Who asks for it by name gets all of it, with a warning, in a file whose name says so."""
    folder = tmp_path / "captures"
    with pytest.warns(CaptureWarning, match="reused"):
        capture = StreamCapture(folder, unsafe_raw=True)
    play(capture)
    begin, request, *events, _ = lines(folder)
    assert begin["raw"] is True
    assert request["body"]["input"][1]["encrypted_content"] == STATE
    assert [event["event"] for event in events] == EVENTS
    assert next(folder.iterdir()).name.endswith(".raw.jsonl")


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o277])
@pytest.mark.parametrize("make", [StreamCapture, raw])
def test_private_whatever_the_umask(tmp_path: pathlib.Path, mask: int, make: Any) -> None:
    """Files have mode 0600 and folders 0700, also those that are made above."""
    folder = tmp_path / "a" / "b"
    os.umask(mask if mask != 0o277 else 0o077)
    play(make(folder))
    assert [mode(folder), mode(folder.parent)] == [0o700, 0o700]
    assert [mode(file) for file in folder.iterdir()] == [0o600]


@pytest.mark.parametrize("make", [StreamCapture, raw])
def test_a_folder_that_others_may_enter_is_refused(tmp_path: pathlib.Path, make: Any) -> None:
    """Nothing is sent or written, and the folder stays as it is."""
    tmp_path.chmod(0o755)
    with pytest.raises(UnsafePathError) as caught:
        play(make(tmp_path))
    assert caught.value.code == "folder_open"
    assert list(tmp_path.iterdir()) == []
    assert mode(tmp_path) == 0o755


def test_links_are_refused(tmp_path: pathlib.Path) -> None:
    """A folder that is a link may lead anywhere."""
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(UnsafePathError) as caught:
        StreamCapture(tmp_path / "link").begin({})
    assert caught.value.code == "symlink"
    with pytest.raises(StoreError):
        StreamCapture(__file__).begin({})


def test_a_failed_turn_says_how_it_ended(tmp_path: pathlib.Path) -> None:
    """The type and the code of the error, without its text."""
    failed = [*EVENTS[:3], {"type": "error", "code": "bad_item", "message": f"what was wrong {STATE}"}]
    with pytest.raises(OstinatoError):
        play(StreamCapture(tmp_path / "captures"), failed)
    end = lines(tmp_path / "captures")[-1]
    assert end["record"] == "error"
    assert end["error"] == {"type": "ProviderStreamError", "code": "bad_item"}
    assert "what was" not in next((tmp_path / "captures").iterdir()).read_text(encoding="utf-8")


def test_a_turn_that_is_closed_early_says_so(tmp_path: pathlib.Path) -> None:
    """A stream that its reader left is no failure, and is closed all the same."""

    async def scene() -> None:
        client = Scripted(EVENTS).client(capture=StreamCapture(tmp_path / "captures"))
        async with client.turn(SAID) as stream:
            await anext(stream)

    asyncio.run(scene())
    assert lines(tmp_path / "captures")[-1]["error"] == {"type": "GeneratorExit"}


def fail(capture: StreamCapture) -> None:
    """A turn of a program that fails."""
    with capture.begin({"input": [b"\xff", object]}) as turn:
        turn.event({1: {2}, "deep": [[[]]]})  # type: ignore[dict-item]
        raise KeyError("x")


def test_around_any_stream(tmp_path: pathlib.Path) -> None:
    """A program with a client of its own begins a capture with its request and feeds it events."""
    with StreamCapture(tmp_path / "captures", length_only=True).begin(
        {"input": [ITEM]}, wire="openai-responses"
    ) as turn:
        turn.event({"type": "response.output_item.done", "item": ITEM})
    with pytest.raises(KeyError):
        fail(raw(tmp_path / "raw"))
    assert [line["record"] for line in lines(tmp_path / "captures")] == ["begin", "request", "event", "closed"]
    assert "sha256" not in repr(lines(tmp_path / "captures"))
    end = lines(tmp_path / "raw")[-1]
    assert end["error"] == {"type": "KeyError", "text": "'x'"}
    assert lines(tmp_path / "raw")[1]["body"]["input"][0] == {"base64": "/w=="}


def test_a_disk_that_fails_does_not_disturb_the_turn(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The capture ends with a warning; the turn goes on."""
    turn = StreamCapture(tmp_path / "captures").begin({})

    class Full:
        closed = False

        def write(self, _: bytes) -> int:
            raise OSError(errno.ENOSPC, "no space left")

        def close(self) -> None:
            self.closed = True

    turn._file.close()
    monkeypatch.setattr(turn, "_file", Full())
    with pytest.warns(CaptureWarning, match="no space left"):
        turn.event({})
    turn.event({})
    turn.result({})


def test_two_turns_are_two_files(tmp_path: pathlib.Path) -> None:
    """Turns that run beside each other do not write into one file."""
    capture = StreamCapture(tmp_path / "captures", now=lambda: 0)
    turns = [capture.begin({}) for _ in range(20)]
    for turn in turns:
        turn.close()
    names = sorted(file.name for file in (tmp_path / "captures").iterdir())
    assert len(names) == 20
    assert all(name.startswith("19700101T000000-") for name in names)
