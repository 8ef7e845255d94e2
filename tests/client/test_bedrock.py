"""Amazon's SDK as a transport for Bedrock Converse: the wire's body in, raw frames out, and no thread left behind."""

import asyncio
import base64
import json
import threading
import time
from typing import Any
from urllib.parse import unquote

import pytest

from ostinato import (
    AbortSignal,
    ApiKeyRequiredError,
    AutoLLMClient,
    IncompleteStreamError,
    ProviderStreamError,
    StreamProtocolError,
    UpstreamError,
)
from ostinato.credentials import Endpoint
from ostinato.transports import open_transport
from tests.client.provider import AWS, Answer, Provider, aws_frame
from tests.client.test_history import run, say, user

MODEL = "eu.anthropic.claude-opus-5-v1:0"
ARN = "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-5-v1:0"


@pytest.fixture(autouse=True)
def region(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine's own settings."""
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")


def block(index: int, *deltas: Any) -> list[Any]:
    """The events of one content block."""
    pieces = [{"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}} for delta in deltas]
    return [*pieces, {"contentBlockStop": {"contentBlockIndex": index}}]


def stream(text: str) -> list[Any]:
    """The events of a response that thinks, has a sealed block, and says `text`."""
    return [
        {"messageStart": {"role": "assistant"}},
        *block(0, {"reasoningContent": {"text": "Plan."}}, {"reasoningContent": {"signature": "sig-1"}}),
        *block(1, {"reasoningContent": {"redactedContent": "AKH/fg=="}}),
        *block(2, {"text": text}),
        {"messageStop": {"stopReason": "end_turn"}},
        {"metadata": {"usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}}},
    ]


def answer(events: list[Any], **more: Any) -> Answer:
    """Events in Amazon's frames."""
    return Answer(events, framing=AWS, **more)


def client_of(server: Provider, key: str | None = "access,secret", model: str = MODEL) -> AutoLLMClient:
    """A client of the provider."""
    client = AutoLLMClient(model, key, server.url.removesuffix("/v1"), "bedrock-converse")
    server.clients.append(client)
    return client


def failure(server: Provider, kind: type[Exception], key: str | None = "access,secret") -> Any:
    """The error that a call ends with; nothing is recorded."""

    async def scene() -> Any:
        client = client_of(server, key)
        with pytest.raises(kind) as caught:
            await say(client, "a")
        assert client.get_history() == []
        return caught.value

    return run(server, scene)


@pytest.mark.parametrize("model", [MODEL, ARN])
def test_what_goes_out_is_the_wires_body(server: Provider, model: str) -> None:
    """Sealed bytes are encoded once, and the second request repeats the state of the first answer."""
    server.play(answer(stream("one")), answer(stream("two")))

    async def scene() -> list[Any]:
        client, requests = client_of(server, model=model), []
        for text in ("日本", "b"):
            await say(client, text)
            requests.append(client.last_request)
        return requests

    requests = run(server, scene)
    assert server.requests == [request.body for request in requests]
    assert {unquote(path) for path in server.paths} == {f"/model/{model}/converse-stream"}
    assert unquote(requests[0].path) == f"/model/{model}/converse-stream"
    assert "日本".encode() in server.bodies[0]
    thought, sealed, said = server.requests[1]["messages"][1]["content"]
    assert thought == {"reasoningContent": {"reasoningText": {"text": "Plan.", "signature": "sig-1"}}}
    assert sealed == {"reasoningContent": {"redactedContent": "AKH/fg=="}}
    assert said == {"text": "one"}


def test_a_pair_of_keys_signs(server: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the environment holds a token, which was not given for this endpoint."""
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "of-another-endpoint")
    server.play(answer(stream("one")))

    async def scene() -> None:
        await say(client_of(server, "AKIDEXAMPLE,secret,session"), "a")

    run(server, scene)
    assert server.headers[0]["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert server.headers[0]["x-amz-security-token"] == "session"


def test_a_single_key_is_a_bearer_token(server: Provider) -> None:
    """Bedrock's own API keys have no second half."""
    server.play(answer(stream("one")))

    async def scene() -> None:
        await say(client_of(server, "bedrock-api-key"), "a")

    run(server, scene)
    assert server.headers[0]["authorization"] == "Bearer bedrock-api-key"


def test_without_a_key_the_sdk_looks_for_one(server: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what it does not find is asked for."""
    with pytest.raises(ApiKeyRequiredError):
        AutoLLMClient(MODEL, None, server.url, "bedrock-converse")
    server.play(answer(stream("one")))

    async def scene() -> None:
        client = client_of(server)
        endpoint = Endpoint(server.url.removesuffix("/v1"))
        client._connect = lambda: open_transport(client.wire.name, "bedrock-converse", endpoint)
        with pytest.raises(ApiKeyRequiredError):
            await say(client, "a")
        await client.close()
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDFOUND")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        await say(client, "a")

    run(server, scene)
    assert "AKIDFOUND" in server.headers[0]["authorization"]


def test_a_region_names_the_endpoint() -> None:
    """`bedrock://` alone leaves it to the environment."""
    for url, region in (("bedrock://us-east-1", "us-east-1"), ("bedrock://", "eu-west-1")):
        transport: Any = open_transport("bedrock-converse", "bedrock-converse", Endpoint(url, "access,secret"))
        assert transport._sdk.meta.endpoint_url == f"https://bedrock-runtime.{region}.amazonaws.com"
        asyncio.run(transport.close())


def test_an_http_error_names_its_status_and_keeps_the_sdks_exception(server: Provider) -> None:
    """The provider's words are in the error."""
    server.play(Answer(status=400, body={"message": "no such model"}))
    error = failure(server, UpstreamError)
    assert error.status == 400
    assert "no such model" in str(error)
    assert type(error.__cause__).__module__.startswith("botocore")


def test_exceptions_inside_the_stream_are_the_providers(server: Provider) -> None:
    """Both kinds of frames that can end a stream."""
    fault = {"modelStreamErrorException": {"message": "the model broke", "originalStatusCode": 500}}
    server.play(answer([*stream("half")[:2], fault]))
    error = failure(server, ProviderStreamError)
    assert (error.code, error.provider_message) == ("modelStreamErrorException", "the model broke")
    frame = aws_frame(b"", error_code="InternalError", error_message="no more", message_type="error")
    server.play(answer(stream("half")[:2], tail=frame))
    assert failure(server, ProviderStreamError).provider_message == "no more"


def test_a_damaged_frame_is_a_broken_stream(server: Provider) -> None:
    """Its checksum tells."""
    frame = bytearray(AWS.write({"messageStart": {"role": "assistant"}}))
    frame[-6] ^= 1
    server.play(answer(stream("half")[:2], tail=bytes(frame)))
    failure(server, StreamProtocolError)


def test_a_connection_that_breaks_is_a_typed_error(server: Provider) -> None:
    """The HTTP library below the SDK says so."""
    server.play(answer(stream("half")[:3], break_off=True))
    assert failure(server, UpstreamError).status is None
    server.play(answer(stream("half")[:3]))
    failure(server, IncompleteStreamError)


def threads() -> int:
    """How many calls are running."""
    return sum(thread.name == "ostinato-bedrock" for thread in threading.enumerate())


def test_a_stream_that_is_left_early_is_closed_at_once(server: Provider) -> None:
    """Its thread waits for the provider, and is woken."""
    server.play(answer(stream("never finished"), wait_after=2), answer(stream("next")))

    async def scene() -> None:
        client = client_of(server)
        async with client.turn(user("a")) as events:
            async for _ in events:
                break
        assert await asyncio.to_thread(server.closed.wait, 5)
        await say(client, "b")

    run(server, scene)
    deadline = time.monotonic() + 5
    while threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threads() == 0


def test_an_abort_while_waiting_ends_the_call(server: Provider) -> None:
    """The event loop is not held up by the thread."""
    server.play(answer(stream("never finished"), wait_after=0))

    async def scene() -> None:
        signal = AbortSignal()

        def abort_when_held() -> None:
            server.holding.wait()
            signal.abort("enough")

        threading.Thread(target=abort_when_held, daemon=True).start()
        with pytest.raises(asyncio.CancelledError):
            await say(client_of(server), "a", signal=signal)

    run(server, scene)
    assert server.closed.wait(5)


# Claude through the older operation, whose frames carry the events of Messages.

CLAUDE = "bedrock://eu-west-1"


def message(text: str) -> list[Any]:
    """The events of a message of Claude, as they travel through Bedrock."""
    usage = {"input_tokens": 3, "output_tokens": 1}
    thought = {"type": "thinking", "thinking": "Plan.", "signature": "sig-1"}
    events = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": thought},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": text}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]
    return [{"chunk": {"bytes": base64.b64encode(json.dumps(event).encode()).decode()}} for event in events]


def claude_of(server: Provider, monkeypatch: pytest.MonkeyPatch, key: str | None) -> AutoLLMClient:
    """A client whose SDK is told that Bedrock is the provider of the test."""
    monkeypatch.setenv("ANTHROPIC_BEDROCK_BASE_URL", server.url.removesuffix("/v1"))
    client = AutoLLMClient(MODEL, key, CLAUDE, "anthropic-official")
    server.clients.append(client)
    return client


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("AKIDEXAMPLE,secret,session", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"),
        ("bedrock-api-key", "Bearer bedrock-api-key"),
        (None, "Bearer of-the-environment"),
    ],
)
def test_claude_takes_the_same_keys(
    server: Provider, monkeypatch: pytest.MonkeyPatch, key: str | None, expected: str
) -> None:
    """A token in the environment counts where no key was passed, and only there."""
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "of-the-environment")
    server.play(answer(message("one")), answer(message("two")))

    async def scene() -> Any:
        client = claude_of(server, monkeypatch, key)
        await say(client, "a")
        await say(client, "b")
        return client.last_request.body

    body = run(server, scene)
    assert server.requests[1]["messages"] == body["messages"]
    assert server.requests[1]["messages"][1]["content"][0]["signature"] == "sig-1"
    assert server.headers[0]["authorization"].startswith(expected)
    assert unquote(server.paths[0]) == f"/model/{MODEL}/invoke-with-response-stream"


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        (AWS.write({"throttlingException": {"message": "slow down"}}), ProviderStreamError),
        (AWS.write({"chunk": {"bytes": "bm90aGluZw=="}}), StreamProtocolError),
        (AWS.write({"chunk": {}}), StreamProtocolError),
        (b"x" * 99, StreamProtocolError),
    ],
    ids=["exception", "no object", "nothing", "no frame"],
)
def test_claude_fails_with_typed_errors(
    server: Provider, monkeypatch: pytest.MonkeyPatch, frame: bytes, kind: type[Exception]
) -> None:
    """An exception inside the stream is the provider's, as on Converse."""
    server.play(answer(message("half")[:2], tail=frame))

    async def scene() -> None:
        with pytest.raises(kind):
            await say(claude_of(server, monkeypatch, "access,secret"), "a")

    run(server, scene)


def test_claude_without_any_key_asks_for_one(server: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sent."""

    async def scene() -> None:
        with pytest.raises(ApiKeyRequiredError):
            await say(claude_of(server, monkeypatch, None), "a")

    run(server, scene)
    assert server.bodies == []
