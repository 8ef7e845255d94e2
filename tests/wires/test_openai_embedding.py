"""OpenAI's embeddings beyond the recorded vectors."""

import base64
import struct
from typing import Any

import pytest

import ostinato
from ostinato.errors import InvalidMessageError, ProviderStreamError, StreamProtocolError, UnsupportedContentError

Json = dict[str, Any]
WIRE = ostinato.wire("openai-embedding", "text-embedding-3-large")


def user(*texts: str) -> Any:
    """A message of texts."""
    return {"role": "user", "content_items": [{"type": "text.done", "text": text} for text in texts]}


def vectors(*embeddings: Any, **extra: object) -> Any:
    """The vectors of a response."""
    data = [{"index": place, "embedding": embedding} for place, embedding in enumerate(embeddings)]
    decoder = WIRE.decoder()
    decoder.feed({"data": data[::-1], **extra})
    decoder.finish()
    message = decoder.message()
    return [item["embedding"] for item in message["content_items"]], message  # type: ignore[typeddict-item]


def test_each_message_is_one_text() -> None:
    """Its texts are joined as they are."""
    body = WIRE.encode([user("a", "", "b"), user("c")], {"embedding_config": {"dimensions": 8}})
    assert (body["input"], body["dimensions"]) == (["ab", "c"], 8)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "thinking.done", "thinking": "_REDACTED_THINKING"},
        {"type": "embedding.done", "embedding": [0.5]},
        {"type": "tool_result.done", "text": "r", "tool_call_id": "c"},
    ],
)
def test_whatever_is_no_text_is_refused(item: Json) -> None:
    """Nothing is embedded in part."""
    with pytest.raises(UnsupportedContentError) as caught:
        WIRE.encode([{"role": "assistant", "content_items": [{"type": "text.done", "text": "x"}, item]}])  # type: ignore[list-item]
    assert (caught.value.item_type, caught.value.item_index) == (item["type"], 1)


def test_nothing_cannot_be_embedded() -> None:
    """An empty text is refused."""
    with pytest.raises(InvalidMessageError):
        WIRE.encode([user("")])


def test_vectors_come_in_order_as_numbers_or_as_base64() -> None:
    """Base64 holds little-endian floats; it is what the request asks for."""
    packed = base64.b64encode(struct.pack("<3f", 0.5, -1.0, 0.25)).decode()
    found, message = vectors(packed, [0.1, 0.2], [], usage={"prompt_tokens": 7})
    assert found == [[0.5, -1.0, 0.25], [0.1, 0.2], []]
    assert message["usage_metadata"]["prompt_tokens"] == 7
    assert "origin" not in message


@pytest.mark.parametrize("embedding", ["AAA=", "no base64!", None, [float("nan")], ["x", object()]])
def test_a_vector_of_another_shape_is_a_typed_error(embedding: Any) -> None:
    """Half a number, or no number at all."""
    with pytest.raises(StreamProtocolError):
        vectors(embedding)


def test_an_error_in_place_of_vectors_has_the_providers_words() -> None:
    """Some gateways answer 200 with an error."""
    with pytest.raises(ProviderStreamError, match="boom"):
        vectors(error={"code": 429, "message": "boom"})


def test_models_that_embed_are_found_by_their_name() -> None:
    """`openai-official` sends them here."""
    assert ostinato.wire("openai-official", "text-embedding-3-small").path == "/embeddings"
    assert ostinato.wire("openai-official", "gpt-6-astra").path == "/responses"
