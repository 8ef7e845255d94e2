"""Whoever asks for one part of the package loads that part alone."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys

import pytest

import ostinato

PARTS = {module.name for module in pkgutil.iter_modules(ostinato.__path__, "ostinato.")}
CODEC = {
    "ostinato._core",
    "ostinato.discretion",
    "ostinato.error_codes",
    "ostinato.errors",
    "ostinato.names",
    "ostinato.redaction",
    "ostinato.replay",
    "ostinato.schemas",
    "ostinato.soundness",
    "ostinato.telemetry",
}
COSTLY = {
    *("argparse", "asyncio", "email", "http", "logging", "multiprocessing", "shutil", "socket", "sqlite3", "ssl"),
    *("subprocess", "tempfile", "threading", "unittest", "urllib.request", "zipfile"),
}
CLIENT_LIBRARIES = {"anthropic", "boto3", "botocore", "google.genai", "httpx", "httpx2", "openai", "websockets"}
HISTORIES = {"ostinato.saved", "sqlite3", "zipfile"}
TALKING = {"ostinato.client", "ostinato.transports", "ostinato.turn", "asyncio", "ssl"}


def loaded_by(statement: str) -> set[str]:
    """The modules that a new process has loaded after a statement, without those it begins with."""
    program = f"import sys; before = set(sys.modules)\n{statement}\nprint(*(set(sys.modules) - before))"
    run = subprocess.run(
        # Isolated from the environment's own start-up files, which load much of what is looked for here.
        [sys.executable, "-S", "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return set(run.stdout.split())


def test_the_codec() -> None:
    """`import ostinato` loads the codec and nothing that costs time: no other part, network, threads or files."""
    loaded = loaded_by("import ostinato")
    assert loaded & PARTS == CODEC
    assert loaded & COSTLY == set()


@pytest.mark.parametrize(
    ("statement", "spared"),
    [
        ("ostinato.AutoLLMClient", HISTORIES | CLIENT_LIBRARIES | {"ostinato.corpus", "ostinato.comparison"}),
        ("ostinato.SessionStore", HISTORIES | TALKING | CLIENT_LIBRARIES),
        ("ostinato.load", TALKING | CLIENT_LIBRARIES),
        ("ostinato.prepare", COSTLY | HISTORIES | TALKING | {"ostinato.wires", "ostinato.store"}),
        ("ostinato.Capture", COSTLY | HISTORIES | TALKING | {"ostinato.wires", "ostinato.store"}),
        ("ostinato.wire", COSTLY | HISTORIES | TALKING | {"ostinato.store"}),
        ("ostinato.measure", COSTLY | HISTORIES | TALKING | {"ostinato.policy", "ostinato.wires"}),
    ],
)
def test_a_part(statement: str, spared: set[str]) -> None:
    """A name that is asked for brings what it needs, and spares what others need."""
    loaded = loaded_by(f"import ostinato; {statement}")
    assert "ostinato" in loaded
    assert loaded & spared == set()


def test_every_public_name_is_there() -> None:
    """Each name of the package is what its module has under it, is listed, and is found once."""
    assert set(ostinato.__all__) <= set(dir(ostinato))
    for name, module in ostinato._ON_DEMAND.items():
        assert getattr(ostinato, name) is getattr(importlib.import_module(module), name)
    assert all(hasattr(ostinato, name) for name in ostinato.__all__)


def test_checkers_see_the_same_names() -> None:
    """What type checkers read of the names on demand is what the table says."""
    tree = ast.parse(inspect.getsource(ostinato))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and "_TYPE_CHECKING" in ast.unparse(node.test))
    read = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert read == ostinato._ON_DEMAND


def test_no_name_on_demand_is_a_module() -> None:
    """Python puts a module that is loaded into its package under its name, where it would hide a function."""
    assert not {f"ostinato.{name}" for name in ostinato._ON_DEMAND} & PARTS


def test_modules_with_public_names_are_reached_by_attribute() -> None:
    """`ostinato.saved` is there without an import of its own; what is no module of public names is no attribute."""
    assert ostinato.saved.load is ostinato.load
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ostinato.nothing  # noqa: B018 - type checkers know that it is not there
