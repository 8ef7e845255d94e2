"""Whatever a setting is, a wire takes it or refuses it by name."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ostinato
from ostinato import TurnError, UniConfig
from ostinato.wires import CLIENT_TYPES
from tests.wires.test_properties import JSON

SETTINGS = tuple(UniConfig.__annotations__)
SCALARS = (True, 0, -1, 1.5, "", "auto", "high", "enable")
TOOLS: tuple[Any, ...] = ([{"name": 1}], [{"name": "f"}], [{"name": "f", "parameters": []}], [["a"]])
OTHERS: tuple[Any, ...] = ([], [None], ["f"], {}, [{}], {"a": 1}, [{"voice": 1}], {"dimensions": "x"})
LIKELY = st.sampled_from([*SCALARS, *TOOLS, *OTHERS])
CONFIG = st.dictionaries(st.sampled_from(SETTINGS), st.one_of(LIKELY, JSON), max_size=3)
MODELS = ("gpt-6-astra", "gemini-3.8-flash", "gemini-3.1-flash-tts-preview", "text-embedding-3", "claude-opus-5-5")


@pytest.mark.parametrize("client", CLIENT_TYPES)
@given(config=CONFIG, model=st.sampled_from(MODELS))
def test_a_config_gives_a_body_or_a_typed_error(client: str, config: Any, model: str) -> None:
    """Nothing else is raised, and the config is not changed."""
    before = json.dumps(config)
    wire = ostinato.wire(client, model)
    with suppress(TurnError):
        json.dumps(wire.body([], config))
        wire.headers(config)
    assert json.dumps(config) == before
