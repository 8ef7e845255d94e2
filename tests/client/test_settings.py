"""Settings that could not work are refused where a client is made, and errors say what to pass."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

import ostinato


@pytest.mark.parametrize("wrong", [{"on_prefix_change": "wran"}, {"session": "monday"}, {"capture": "captures"}])
def test_a_setting_of_another_type_is_refused(wrong: dict[str, Any]) -> None:
    """Not in the middle of a conversation."""
    with pytest.raises(TypeError, match=next(iter(wrong))):
        ostinato.AutoLLMClient("gpt-6", api_key="test-key", **wrong)


def test_a_store_is_no_session(tmp_path: pathlib.Path) -> None:
    """The error says what makes one of it."""
    store: Any = ostinato.SessionStore(tmp_path / "sessions")
    with pytest.raises(TypeError, match="open"):
        ostinato.AutoLLMClient("gpt-6", api_key="test-key", session=store)


def test_a_missing_key_says_where_it_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable, unless the endpoint was passed by hand: then no variable is read."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ostinato.ApiKeyRequiredError, match="OPENAI_API_KEY") as caught:
        ostinato.AutoLLMClient("gpt-6")
    assert caught.value.variable == "OPENAI_API_KEY"
    with pytest.raises(ostinato.ApiKeyRequiredError, match=r"pass api_key=$"):
        ostinato.AutoLLMClient("gpt-6", base_url="http://127.0.0.1:9/v1")


def test_a_model_nobody_knows_says_what_to_pass() -> None:
    """The name of a client type."""
    with pytest.raises(ostinato.RoutingError, match="client_type="):
        ostinato.AutoLLMClient("nobodys-model")
