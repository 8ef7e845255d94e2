"""Which client a model reaches, and where its key and endpoint come from. No environment is read here.

A key is sent only to the endpoint it was given for: a key of the environment never goes to a base URL that was passed
in by hand, unless that is the provider's own.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from ostinato.errors import ApiKeyRequiredError, RoutingError
from ostinato.wires import CLIENT_TYPES, wire
from ostinato.wires.gemini_generate_content.dialects import VERTEX_HOST

__all__ = ["Credentials", "Endpoint", "client_type_for", "over_http", "resolve"]


class Credentials(NamedTuple):
    """Where a client takes its key and its endpoint from."""

    key: str
    """The environment variable of the key."""
    base_url: str
    """The environment variable of the endpoint."""
    default: str
    """The endpoint without either."""
    keyless: bool = False
    """Whether its servers may take no key."""


_OPENAI = Credentials("OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1")
_ANTHROPIC = Credentials("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com")
_QWEN: Final = "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"
_GEMINI = Credentials("GEMINI_API_KEY", "GEMINI_BASE_URL", "https://generativelanguage.googleapis.com")

# Variables and defaults are those of mmsp 0.5.6, so that one environment serves both; others are alike.
_TABLE: Final[Mapping[str, Credentials]] = {
    "openai-official": _OPENAI,
    "openai-responses": _OPENAI,
    "openai-chat": _OPENAI,
    "openai-embedding": _OPENAI,
    "xai-responses": Credentials("XAI_API_KEY", "XAI_BASE_URL", "https://api.x.ai/v1"),
    "deepseek-official": Credentials("DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "https://api.deepseek.com"),
    "minimax-official": Credentials("MINIMAX_API_KEY", "MINIMAX_BASE_URL", "https://api.minimax.io/v1"),
    "moonshot-official": Credentials("MOONSHOT_API_KEY", "MOONSHOT_BASE_URL", "https://api.moonshot.cn/v1"),
    "zai-official": Credentials("ZAI_API_KEY", "ZAI_BASE_URL", "https://api.z.ai/api/paas/v4/"),
    "openrouter": Credentials("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "https://openrouter.ai/api/v1"),
    "qwen": Credentials("DASHSCOPE_API_KEY", "DASHSCOPE_BASE_URL", _QWEN),
    # What `vllm serve` itself reads for its key, and where it answers.
    "openai-chat-vllm-adapter": Credentials("VLLM_API_KEY", "VLLM_BASE_URL", "http://127.0.0.1:8000/v1", keyless=True),
    "anthropic-official": _ANTHROPIC,
    "ant-messages": _ANTHROPIC,
    "google-official": _GEMINI,
    "google-genai": _GEMINI,
    # The default leaves the region to Amazon's library.
    "bedrock-converse": Credentials("AWS_BEARER_TOKEN_BEDROCK", "BEDROCK_BASE_URL", "bedrock://"),
    "mmsp": Credentials("MMSP_API_KEY", "MMSP_BASE_URL", "http://127.0.0.1:25752/v1", keyless=True),
}

# The family a model's id begins with names its client.
_FAMILIES: Final = (
    ("gpt-", "openai-official"),
    ("text-embedding-", "openai-embedding"),
    ("claude-", "anthropic-official"),
    ("gemini-", "google-official"),
    ("glm-", "zai-official"),
    ("kimi-", "moonshot-official"),
    ("deepseek-", "deepseek-official"),
    ("minimax-", "minimax-official"),
    ("grok-", "xai-responses"),
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a client sends its requests, and with which key."""

    base_url: str
    api_key: str | None = None

    def __repr__(self) -> str:
        return f"Endpoint(base_url={self.base_url!r}, api_key={'set' if self.api_key else None})"


def client_type_for(model: str, client_type: str | None = None, environment: Mapping[str, str] | None = None) -> str:
    """The client of a model: the one named, else the environment's `CLIENT_TYPE`, else the one of the model's family.

    Raises:
        RoutingError: none of them names a client.
    """
    named = client_type or (environment or {}).get("CLIENT_TYPE")
    if named:
        routed = wire(named, model).client_type
        embeds = routed == "openai-official" and model.lower().startswith("text-embedding-")
        return "openai-embedding" if embeds else routed
    for prefix, family in _FAMILIES:
        if model.lower().startswith(prefix) and family in CLIENT_TYPES:
            return family
    raise RoutingError(model)


def resolve(client_type: str, api_key: str | None, base_url: str | None, environment: Mapping[str, str]) -> Endpoint:
    """Endpoint and key of a client.

    Args:
        client_type: the dialect.
        api_key: the key that was passed, if any.
        base_url: the endpoint that was passed, if any.
        environment: the variables of the process.

    Raises:
        ApiKeyRequiredError: no key was passed and none of the environment is meant for this endpoint. Vertex AI and
            Bedrock need none: the libraries of Google and Amazon find credentials of their own.
    """
    known = _TABLE[client_type]
    is_home = not base_url or _same(base_url, known.default)
    key = api_key or (environment.get(known.key) if is_home else None)
    url = base_url or environment.get(known.base_url) or _home_of_account(client_type, key) or known.default
    if not key and not known.keyless and not _finds_its_own(client_type, url):
        raise ApiKeyRequiredError(client_type, known.key if is_home else None)
    return Endpoint(url, key or None)


# Where libraries may send the credentials that they find by themselves: nowhere but to whom they are meant for.
_OWN: Final = {
    "google-genai": re.compile(rf"https://([a-z0-9-]+-)?{re.escape(VERTEX_HOST)}(/|$)", re.IGNORECASE),
    "anthropic-official": re.compile(r"bedrock://", re.IGNORECASE),
    "bedrock-converse": re.compile(r"bedrock://|https://[a-z0-9.-]+\.amazonaws\.com(\.cn)?(/|$)", re.IGNORECASE),
}


def _finds_its_own(client_type: str, url: str) -> bool:
    return client_type in _OWN and _OWN[client_type].match(url) is not None


def _home_of_account(client_type: str, key: str | None) -> str | None:
    """Where the service account of a Google Cloud project finds Gemini: in its project, on Vertex AI."""
    if client_type != "google-genai" or not key or not key.lstrip().startswith("{"):
        return None
    try:
        project = json.loads(key)["project_id"]
    except (ValueError, KeyError):
        return None
    return f"https://{VERTEX_HOST}/v1/projects/{project}/locations/global"


_URL: Final = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#]*)([^?#]*)(.*)", re.IGNORECASE | re.DOTALL)


def over_http(url: str) -> str:
    """The URL of a server that is spoken to over WebSocket, as HTTP has it."""
    return re.sub(r"^ws(?=s?://)", "http", url.strip(), flags=re.IGNORECASE)


def _same(one: str, other: str) -> bool:
    """Whether two URLs are one endpoint: scheme and host in any case, the path without slashes at its end."""
    parts = [_URL.fullmatch(over_http(url)) for url in (one, other)]
    if None in parts:
        return False
    first, second = (
        (match[1].lower(), match[2].lower(), match[3].rstrip("/"), match[4]) for match in parts if match is not None
    )
    return first == second
