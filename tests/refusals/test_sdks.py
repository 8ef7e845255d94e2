"""Exceptions of the providers' own libraries, as they raise them, and ours."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anthropic
import botocore.exceptions
import openai
import pytest
from google import genai
from google.genai import errors as google_errors

import ostinato

WORDS = {
    "openai": "The encrypted content for item rs_1 could not be verified.",
    "anthropic": "messages.1.content.0: Invalid `signature` in `thinking` block",
    "google": "Function call is missing a thought_signature in functionCall parts.",
}
BODIES = {
    "openai": {
        "error": {
            "message": WORDS["openai"],
            "type": "invalid_request_error",
            "param": None,
            "code": "invalid_encrypted_content",
        }
    },
    "anthropic": {"type": "error", "error": {"type": "invalid_request_error", "message": WORDS["anthropic"]}},
    "google": {"error": {"code": 400, "message": WORDS["google"], "status": "INVALID_ARGUMENT"}},
}


class Refusing(BaseHTTPRequestHandler):
    """Refuses whatever is asked of it."""

    def do_POST(self) -> None:
        """By the path of the provider."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        vendor = "openai" if "responses" in self.path else "anthropic" if "messages" in self.path else "google"
        body = json.dumps(BODIES[vendor]).encode()
        self.send_response(400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """The base URL of a provider that refuses."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def check(error: BaseException, code: str, wire: str) -> None:
    """The explanation, its status, and that nothing of the words is in it."""
    found = ostinato.explain(error)
    assert (found.code, found.status, found.wire) == (code, 400, wire)
    assert not any(words in str(found) for words in WORDS.values())


def test_openai(provider: str) -> None:
    """`openai.BadRequestError`."""
    with (
        openai.OpenAI(api_key="k", base_url=provider, max_retries=0) as client,
        pytest.raises(openai.APIError) as caught,
    ):
        client.responses.create(model="m", input="q")
    check(caught.value, "foreign_state", "openai-responses")
    assert ostinato.explain(caught.value).ids == ("rs_1",)


def test_anthropic(provider: str) -> None:
    """`anthropic.BadRequestError`."""
    message: Any = {"role": "user", "content": "q"}
    with (
        anthropic.Anthropic(api_key="k", base_url=provider, max_retries=0) as client,
        pytest.raises(anthropic.APIError) as caught,
    ):
        client.messages.create(model="m", max_tokens=1, messages=[message])
    check(caught.value, "foreign_state", "anthropic-messages")
    assert ostinato.explain(caught.value).paths == ("messages/1/content/0",)


def test_google(provider: str) -> None:
    """`google.genai.errors.ClientError`."""
    options = genai.types.HttpOptions(base_url=provider)
    with genai.Client(api_key="k", http_options=options) as client, pytest.raises(google_errors.APIError) as caught:
        client.models.generate_content(model="m", contents="q")
    check(caught.value, "missing_signature", "gemini-generate-content")


def test_boto() -> None:
    """`botocore.exceptions.ClientError`, which holds the words of the model's vendor."""
    words = f"The model returned the following errors: {WORDS['anthropic']}"
    answer = {
        "Error": {"Code": "ValidationException", "Message": words},
        "ResponseMetadata": {"HTTPStatusCode": 400},
    }
    check(botocore.exceptions.ClientError(answer, "Converse"), "foreign_state", "anthropic-messages")


def test_our_client(provider: str) -> None:
    """`UpstreamError`, whose cause is the library's exception; a provider's error in a stream."""
    question: Any = {"role": "user", "content_items": [{"type": "text.done", "text": "q"}]}
    with (
        ostinato.AutoLLMClient("gpt-6", client_type="openai-official", api_key="k", base_url=provider) as client,
        pytest.raises(ostinato.UpstreamError) as caught,
    ):
        list(client.stream(question, {}))
    check(caught.value, "foreign_state", "openai-responses")
    streamed = ostinato.ProviderStreamError("openai-official", "invalid_request_error", WORDS["openai"], status=400)
    check(streamed, "foreign_state", "openai-responses")
