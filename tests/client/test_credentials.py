"""A key goes to the endpoint it was given for, and to no other."""

import pytest

from ostinato import ApiKeyRequiredError, RoutingError
from ostinato.credentials import Endpoint, client_type_for, resolve

OPENAI = "https://api.openai.com/v1"


def test_the_environments_key_goes_to_the_environments_endpoint() -> None:
    """Both come from the same place, so they belong together."""
    environment = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://proxy.test/v1"}
    assert resolve("openai-official", None, None, environment) == Endpoint("https://proxy.test/v1", "k")


def test_the_environments_key_never_goes_to_an_endpoint_that_was_passed() -> None:
    """It was not given for that endpoint."""
    with pytest.raises(ApiKeyRequiredError):
        resolve("openai-chat", None, "https://elsewhere.test/v1", {"OPENAI_API_KEY": "k"})


@pytest.mark.parametrize("url", [OPENAI, OPENAI + "/", "HTTPS://API.OPENAI.COM/v1"])
def test_the_providers_own_endpoint_may_be_spelled_out(url: str) -> None:
    """Passing it by hand changes nothing."""
    assert resolve("openai-official", None, url, {"OPENAI_API_KEY": "k"}).api_key == "k"


@pytest.mark.parametrize("url", [OPENAI + "?x=1", "http://api.openai.com/v1", "https://api.openai.com.evil.test/v1"])
def test_an_endpoint_that_only_looks_like_it_gets_no_key(url: str) -> None:
    """Another scheme, host or query is another endpoint."""
    with pytest.raises(ApiKeyRequiredError):
        resolve("openai-official", None, url, {"OPENAI_API_KEY": "k"})


def test_a_passed_key_goes_where_it_is_told() -> None:
    """Both were passed by the caller."""
    assert resolve("openai-chat", "mine", "https://elsewhere.test/v1", {}) == Endpoint(
        "https://elsewhere.test/v1", "mine"
    )


VERTEX = "https://aiplatform.googleapis.com/v1/projects/p/locations/global"


def test_a_service_account_finds_its_project_on_vertex_ai() -> None:
    """Its key says which project it belongs to; a base URL of the caller wins."""
    account = '{"type": "service_account", "project_id": "p"}'
    assert resolve("google-genai", account, None, {}) == Endpoint(VERTEX, account)
    assert resolve("google-genai", None, None, {"GEMINI_API_KEY": account}) == Endpoint(VERTEX, account)
    assert resolve("google-genai", account, "https://gateway.test", {}).base_url == "https://gateway.test"


def test_vertex_ai_needs_no_key_but_only_at_googles_own_hosts() -> None:
    """The library's own credentials never go to an endpoint that only looks like it."""
    assert resolve("google-genai", None, VERTEX, {"GEMINI_API_KEY": "k"}) == Endpoint(VERTEX, None)
    regional = VERTEX.replace("//", "//us-central1-")
    assert resolve("google-genai", None, regional, {}) == Endpoint(regional, None)
    for url in (VERTEX.replace(".com", ".com.evil.test"), VERTEX.replace("//", "//evil.test/"), VERTEX[8:]):
        with pytest.raises(ApiKeyRequiredError):
            resolve("google-genai", None, url, {})
    with pytest.raises(ApiKeyRequiredError):
        resolve("openai-chat", None, VERTEX, {})


def test_the_key_is_in_no_repr() -> None:
    """An endpoint may be printed."""
    assert "secret" not in repr(Endpoint(OPENAI, "secret"))


def test_models_route_by_family_and_client_types_by_name() -> None:
    """A name wins over the environment, which wins over the family."""
    assert client_type_for("GPT-6-astra") == "openai-official"
    assert client_type_for("gpt-6", "DeepSeek-Official") == "deepseek-official"
    assert client_type_for("gpt-6", None, {"CLIENT_TYPE": "openai-responses"}) == "openai-responses"
    with pytest.raises(RoutingError):
        client_type_for("mystery-1")
