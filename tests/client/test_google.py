"""Google's SDK as a transport: bodies and events as they are, on the Gemini API and on Vertex AI."""

import asyncio
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from ostinato import AutoLLMClient, ProviderStreamError, StreamProtocolError, UnsupportedOperationError, UpstreamError
from ostinato.credentials import Endpoint
from ostinato.history import History
from ostinato.transports import open_transport
from ostinato.turn import Turn
from ostinato.wires import wire
from tests.client.gemini import content, interaction
from tests.client.provider import Answer, Provider
from tests.client.test_history import run, say, user

CLIENT_TYPES = ["google-genai", "google-official"]


ANSWERS = {"google-genai": content, "google-official": interaction}
PATHS = {
    "google-genai": "/v1/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
    "google-official": "/v1/interactions",
}


def client_of(server: Provider, client_type: str, key: str = "test-key", under: str = "") -> AutoLLMClient:
    """A client of the provider."""
    url = server.url.removesuffix("/v1") + under
    client = AutoLLMClient("gemini-3.8-flash", api_key=key, base_url=url, client_type=client_type)
    server.clients.append(client)
    return client


@pytest.mark.parametrize("client_type", CLIENT_TYPES)
def test_what_goes_out_is_the_wires_body(server: Provider, client_type: str) -> None:
    """The SDK adds its headers and nothing else, and the second request repeats the first one's items."""
    server.play(ANSWERS[client_type]("one"), ANSWERS[client_type]("two"))

    async def scene() -> list[Any]:
        client = client_of(server, client_type)
        bodies = []
        for text in ("a", "b"):
            await say(client, text, config={"system_prompt": "Be brief.", "max_tokens": 100})
            bodies.append(client.last_request.body)
        return bodies

    bodies = run(server, scene)
    assert server.requests == bodies
    assert server.paths == [PATHS[client_type]] * 2
    assert {headers["x-goog-api-key"] for headers in server.headers} == {"test-key"}
    key = client_of(server, client_type).wire.items_key
    assert bodies[1][key][: len(bodies[0][key])] == bodies[0][key]
    assert "c2lnLTE=" in json.dumps(bodies[1])


def exchange(client_type: str, endpoint: Endpoint) -> list[Any]:
    """The provider's events, as the transport hands them on."""
    bound = wire(client_type, "gemini-3.8-flash", endpoint=endpoint.base_url)

    async def scene() -> list[Any]:
        transport = open_transport(bound.name, client_type, endpoint)
        request = Turn(bound, History(bound), user("a"), now=lambda: 1).request()
        events = [event async for event in transport.events(request)]
        await transport.close()
        return events

    return asyncio.run(scene())


@pytest.mark.parametrize("client_type", CLIENT_TYPES)
def test_fields_the_sdk_does_not_know_come_through(server: Provider, client_type: str) -> None:
    """Events are the provider's JSON, not the SDK's models: a line separator and an unknown field survive."""
    events = ANSWERS[client_type]("a\u2028b")
    events[0]["hologram"] = {"depth": 3}
    server.play(events)
    assert exchange(client_type, Endpoint(server.url.removesuffix("/v1"), "test-key")) == events


@pytest.mark.parametrize("client_type", CLIENT_TYPES)
def test_an_http_error_names_its_status_and_keeps_the_sdks_exception(server: Provider, client_type: str) -> None:
    """The provider's words are in the error."""
    server.play(Answer(status=400, body={"error": {"code": 400, "message": "no tool", "status": "INVALID_ARGUMENT"}}))

    async def scene() -> UpstreamError:
        with pytest.raises(UpstreamError) as caught:
            await say(client_of(server, client_type), "a")
        return caught.value

    error = run(server, scene)
    assert (error.status, error.error_type) == (400, "INVALID_ARGUMENT")
    assert "no tool" in str(error)
    assert type(error.__cause__).__module__.startswith("google.genai")


@pytest.mark.parametrize("client_type", CLIENT_TYPES)
def test_a_broken_connection_is_a_typed_error(server: Provider, client_type: str) -> None:
    """The connection ends before the response does; nothing is recorded."""
    server.play(Answer(ANSWERS[client_type]("half")[:2], break_off=True))

    async def scene() -> Any:
        client = client_of(server, client_type)
        with pytest.raises(UpstreamError) as caught:
            await say(client, "a")
        assert caught.value.status is None
        assert caught.value.__cause__ is not None
        return client.get_history()

    assert run(server, scene) == []


@pytest.mark.parametrize("client_type", CLIENT_TYPES)
def test_a_stream_that_is_left_early_is_closed_at_once(server: Provider, client_type: str) -> None:
    """Not when the garbage collector finds the SDK's generators."""
    server.play(Answer(ANSWERS[client_type]("never finished"), wait_after=2))

    async def scene() -> None:
        client = client_of(server, client_type)
        async with client.turn(user("a")) as stream:
            async for _ in stream:
                break
        assert await asyncio.to_thread(server.closed.wait, 5)

    run(server, scene)


TROUBLE = b'{\n  "error": {\n    "code": 503,\n    "message": "overloaded",\n    "status": "UNAVAILABLE"\n  }\n}\n'


def test_an_error_outside_of_events_is_the_providers(server: Provider) -> None:
    """A server in trouble breaks a stream of generateContent off with plain JSON."""
    server.play(Answer(content("half")[:1], tail=TROUBLE))

    async def scene() -> ProviderStreamError:
        with pytest.raises(ProviderStreamError) as caught:
            await say(client_of(server, "google-genai"), "a")
        return caught.value

    error = run(server, scene)
    assert (error.code, error.status, error.provider_message) == ("UNAVAILABLE", 503, "overloaded")


def test_lines_that_say_nothing_are_a_broken_stream(server: Provider) -> None:
    """And are not quoted."""
    server.play(Answer(content("half")[:1], tail=b"secret words\n"))

    async def scene() -> str:
        with pytest.raises(StreamProtocolError) as caught:
            await say(client_of(server, "google-genai"), "a")
        return str(caught.value)

    assert "secret" not in run(server, scene)


@pytest.mark.parametrize("client_type", CLIENT_TYPES)
def test_models_that_embed_answer_whole(server: Provider, client_type: str) -> None:
    """One request, one response, no stream."""
    server.play(Answer(body={"embeddings": [{"values": [0.5, 1.0]}]}))

    async def scene() -> list[Any]:
        url = server.url.removesuffix("/v1")
        client = AutoLLMClient("gemini-embedding-2", api_key="k", base_url=url, client_type=client_type)
        server.clients.append(client)
        return await say(client, "a")

    events = run(server, scene)
    done = next(event["content_items"][0] for event in events if event["content_items"])
    assert done["embedding"] == [0.5, 1.0]
    assert server.paths == ["/v1/models/gemini-embedding-2:batchEmbedContents"]


# Vertex AI. The wire and the SDK know it by its host, which a path of the local provider can hold too.

PROJECT = "/aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west4"
SENT_TO = PROJECT + "/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse"


def account_of(server: Provider) -> str:
    """The JSON text of a service account whose tokens the provider gives out."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    fields = {"type": "service_account", "project_id": "p-1", "client_email": "a@p-1.test", "private_key_id": "1"}
    return json.dumps(fields | {"private_key": key.decode(), "token_uri": f"{server.url}/token"})


def token(name: str) -> Answer:
    """The answer to a request for a token."""
    return Answer(body={"access_token": name, "expires_in": 3600, "token_type": "Bearer"})


def test_vertex_ai_takes_a_service_account_as_its_key(server: Provider) -> None:
    """The SDK fetches a token with it; the private key stays here."""
    server.play(token("t-1"), content("hello"))
    account = account_of(server)

    async def scene() -> None:
        await say(client_of(server, "google-genai", account, PROJECT), "a")

    run(server, scene)
    assert server.paths == ["/v1/token", SENT_TO]
    assert server.headers[1]["authorization"] == "Bearer t-1"
    assert "x-goog-api-key" not in server.headers[1]
    assert not any(b"PRIVATE" in body for body in server.bodies)


def test_vertex_ai_finds_credentials_of_its_own(server: Provider, tmp_path: Any, monkeypatch: Any) -> None:
    """Without a key, the SDK looks where Google's tools keep them; a key of the Gemini API is not sent there."""
    place = tmp_path / "account.json"
    place.write_text(account_of(server))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(place))
    monkeypatch.setenv("GEMINI_API_KEY", "of-another-endpoint")
    server.play(token("t-2"), content("hello"))

    exchange("google-genai", Endpoint(server.url.removesuffix("/v1") + PROJECT))
    assert server.headers[1]["authorization"] == "Bearer t-2"
    assert "x-goog-api-key" not in server.headers[1]


def test_vertex_ai_takes_an_api_key(server: Provider) -> None:
    """Its express mode has keys and no project."""
    server.play(content("hello"))

    async def scene() -> None:
        await say(client_of(server, "google-genai", "express", "/aiplatform.googleapis.com/v1"), "a")

    run(server, scene)
    assert server.headers[0]["x-goog-api-key"] == "express"
    assert server.paths == [SENT_TO.replace("/projects/p-1/locations/europe-west4", "")]


@pytest.mark.parametrize("client_type", CLIENT_TYPES)
def test_a_private_key_never_travels_as_an_api_key(server: Provider, client_type: str) -> None:
    """A service account has nothing to do at an endpoint that is not Vertex AI."""

    async def scene() -> None:
        with pytest.raises(UnsupportedOperationError):
            await say(client_of(server, client_type, account_of(server)), "a")

    run(server, scene)
    assert server.bodies == []
