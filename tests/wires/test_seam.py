"""What the seam does for every wire."""

import base64
from typing import Any

import pytest

import ostinato
from ostinato.errors import InvalidMessageError, RoutingError, UnsupportedParameterError
from ostinato.wires import Wire
from ostinato.wires._settings import Settings
from ostinato.wires.images import image_size, inline_images, needs_high_detail, parse_data_url, remote_images

HI: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "Hi"}]}


def fake(**fields: Any) -> Wire:
    """A wire that writes the items it is shown."""

    def write_body(groups: Any, config: Any) -> Any:
        if config.get("fast_mode"):
            Settings("fake", config).refuse("fast_mode")
        return {"messages": [item for group in groups for item in group]}

    defaults: Any = {
        "name": "fake",
        "client_type": "fake",
        "model": "m",
        "provider": "me",
        "path": "/x",
        "items_key": "messages",
        "write_message": lambda turn, carry, _notes: (
            [item for _, item in turn.items if item.get("text") != "-"],
            carry,
        ),
        "write_body": write_body,
        "make_parser": lambda: lambda _event, _stream: None,
    }
    return Wire(**defaults | fields)


def assistant(*items: Any, **extra: Any) -> Any:
    """An assistant message."""
    return {"role": "assistant", "content_items": list(items), **extra}


def test_a_message_of_which_nothing_is_left_is_refused() -> None:
    """It is neither dropped nor sent empty."""
    with pytest.raises(InvalidMessageError) as caught:
        fake().encode([HI, {"role": "user", "content_items": [{"type": "text.done", "text": "-"}]}])
    assert caught.value.message_index == 1


def test_a_wrong_setting_is_told_before_a_wrong_message() -> None:
    """Both are told before anything is sent."""
    unsendable = {"role": "user", "content_items": [{"type": "text.done", "text": "-"}]}
    with pytest.raises(UnsupportedParameterError) as caught:
        fake().encode([unsendable], {"fast_mode": True})
    assert caught.value.parameter == "fast_mode"


def test_foreign_state_never_reaches_a_wire() -> None:
    """Content and argument texts stay; an item that was state alone goes; each is told with its place."""
    items = [
        {"type": "thinking.done", "thinking": "", "fidelity": {"signature": "s"}},
        {"type": "thinking.done", "thinking": "_REDACTED_THINKING", "fidelity": {"signature": "s"}},
        {"type": "thinking.done", "thinking": "Plan", "fidelity": {"signature": "s"}},
        {
            "type": "tool_call.done",
            "name": "f",
            "arguments": {},
            "tool_call_id": "c",
            "fidelity": {"arguments": "{ }", "x": 1},
        },
    ]
    wire = fake(takes_redacted=True)
    own = wire.encode_message(assistant(*items, origin={"provider": "me"}), None, 7)
    assert (own.items, own.decisions) == (items, ())
    foreign = wire.encode_message(assistant(*items, origin={"provider": "other"}), None, 7)
    assert foreign.items == [
        {"type": "thinking.done", "thinking": "Plan"},
        {"type": "tool_call.done", "name": "f", "arguments": {}, "tool_call_id": "c", "fidelity": {"arguments": "{ }"}},
    ]
    assert [(made.code, made.path[-1], made.action) for made in foreign.decisions] == [
        ("foreign_state", "0", "left_out"),
        ("foreign_redacted", "1", "left_out"),
        ("foreign_state", "2", "left_out"),
        ("foreign_state", "3", "left_out"),
    ]
    assert {made.path.split("/")[1] for made in foreign.decisions} == {"7"}


def test_redacted_thinking_reaches_only_wires_that_know_it() -> None:
    """Also where nobody recorded an origin."""
    message = assistant({"type": "thinking.done", "thinking": "_REDACTED_THINKING"}, HI["content_items"][0])
    assert len(fake(takes_redacted=True).encode_message(message, None).items) == 2
    assert len(fake().encode_message(message, None).items) == 1


def test_a_relay_records_no_origin_and_judges_none() -> None:
    """Whose state it is, only the server behind it knows."""
    relay = fake(provider=None, takes_redacted=True)
    message = assistant({"type": "text.done", "text": "x", "fidelity": {"a": 1}}, origin={"provider": "other"})
    assert relay.origin is None
    assert relay.encode_message(message, None).items == message["content_items"]


def test_a_wire_prints_short_and_without_secrets() -> None:
    """Base URLs may hold keys, and functions say nothing."""
    shown = repr(ostinato.wire("openai-official", "gpt-6", endpoint="https://me:secret@a.test/v1"))
    assert "secret" not in shown
    assert len(shown) < 400


def test_wires_are_found_by_name() -> None:
    """In any case; another name is an error that says which."""
    assert ostinato.wire("OpenAI-Official", "gpt-6").client_type == "openai-official"
    with pytest.raises(RoutingError) as caught:
        ostinato.wire("nowhere", "m")
    assert (caught.value.client_type, caught.value.model) == ("nowhere", "m")


def test_images_by_url_are_listed_and_inlined() -> None:
    """Each URL once; the message that was given stays as it is."""
    url, other = "https://x.test/a.PNG?size=1", "http://x.test/b"
    message: Any = {
        "role": "user",
        "content_items": [
            {"type": "image_url.done", "image_url": url},
            {
                "type": "tool_result.done",
                "text": "",
                "tool_call_id": "c",
                "images": [url, other, "data:image/gif;base64,AA=="],
            },
        ],
    }
    before = repr(message)
    assert remote_images(message) == [url, other]
    inlined: Any = inline_images(message, {url: b"\x00", other: b"\x01"})
    assert inlined["content_items"][0]["image_url"] == "data:image/png;base64,AA=="
    assert inlined["content_items"][1]["images"][1] == "data:image/jpeg;base64,AQ=="
    assert remote_images(inlined) == []
    assert inline_images(message, {}) is message
    assert repr(message) == before


PNG = b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + (6400).to_bytes(4, "big") + (4832).to_bytes(4, "big")
JPEG = b"\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc0\x00\x11\x08\x00\x10\x00\x20\x03"
WEBP = b"RIFF\x00\x00\x00\x00WEBP"


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (PNG, (6400, 4832)),
        (b"GIF89a" + b"\x20\x00\x10\x00", (32, 16)),
        (JPEG, (32, 16)),
        (WEBP + b"VP8X" + b"\x00" * 8 + b"\x1f\x00\x00\x0f\x00\x00", (32, 16)),
        (WEBP + b"VP8L" + b"\x00" * 5 + (31 | 15 << 14).to_bytes(4, "little"), (32, 16)),
        (WEBP + b"VP8 " + b"\x00" * 10 + b"\x20\x00\x10\x00", (32, 16)),
        (b"", None),
        (PNG[:18], None),
        (b"\xff\xd8\xff", None),
        (b"BM" + b"\x00" * 40, None),
    ],
)
def test_sizes_of_images(data: bytes, size: tuple[int, int] | None) -> None:
    """From the header alone; anything cut short or unknown has none."""
    assert image_size(data) == size


def test_very_large_images_need_high_detail() -> None:
    """More than 30,000 patches of 32 pixels."""

    def url(data: bytes) -> str:
        return f"data:image/png;base64,{base64.b64encode(data).decode()}"

    assert needs_high_detail(url(PNG))
    smaller = PNG.replace((4832).to_bytes(4, "big"), (4800).to_bytes(4, "big"))
    assert not needs_high_detail(url(smaller))
    assert not needs_high_detail("https://x.test/a.png")
    assert not needs_high_detail("data:image/png;base64,***")
    assert parse_data_url("data:image/png,x") is None
