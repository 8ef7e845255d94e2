"""Test the built wheel beside the real packages: `make test-peers`, or `run.py [NAME ...]` after `make build`.

Each environment is made once under `.peers/`, from the package index, with the Python that runs this file.
Stamps in it say what it holds, so that nothing is installed again which is there already.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "peers"
PEERS = ROOT / ".peers"
TOOLS = ("pytest", "hypothesis")


@dataclass(frozen=True)
class Environment:
    """A peer package, and the folder of tests about it."""

    package: str
    tests: str


# Of an SDK: the oldest that is supported, and whatever is newest when its environment is made (`--fresh`: again).
ENVIRONMENTS = {
    "fast-agent": Environment("fast-agent-mcp==0.10.48", "fast_agent"),
    "openai-2.53.0": Environment("openai[realtime]==2.53.0", "openai_sdk"),
    "openai-3.3.1": Environment("openai[realtime]==3.3.1", "openai_sdk"),
    "openai-newest": Environment("openai[realtime]", "openai_sdk"),
    "anthropic-1.17.0": Environment("anthropic==1.17.0", "anthropic_sdk"),
    "anthropic-newest": Environment("anthropic", "anthropic_sdk"),
    "google-genai-2.34.0": Environment("google-genai==2.34.0", "google_sdk"),
    # The SDK goes through another HTTP library where that is installed.
    "google-genai-newest": Environment("google-genai[aiohttp]", "google_sdk"),
    "mmsp": Environment("mmsp==0.5.6", "mmsp_server"),
}


def main() -> int:
    """Run the tests of the named environments, or of all."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ENVIRONMENTS))
    arguments.add_argument("--fresh", action="store_true", help="make the environments again")
    options = arguments.parse_args()
    unknown = set(options.names) - set(ENVIRONMENTS)
    if unknown:
        arguments.error(f"no such environment: {', '.join(sorted(unknown))}")
    wheel = built_wheel()
    failed = []
    for name in options.names or ENVIRONMENTS:
        print(f"== {name}", flush=True)
        if options.fresh:
            shutil.rmtree(PEERS / name, ignore_errors=True)
        python = prepare(name, ENVIRONMENTS[name], wheel)
        if run_tests(python, ENVIRONMENTS[name]) != 0:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all peers agree")
    return 1 if failed else 0


def built_wheel() -> Path:
    """The wheel that `make build` left; one serves every Python, because it uses the stable ABI."""
    wheels = list((ROOT / "dist").glob("ostinato-*.whl"))
    if len(wheels) != 1:
        raise SystemExit(f"one wheel is needed in dist/, {len(wheels)} found: make build")
    return wheels[0]


def prepare(name: str, environment: Environment, wheel: Path) -> Path:
    """Make the environment where it is missing, put the wheel in, and return its Python."""
    folder = PEERS / name
    python = folder / "bin" / "python"
    packages = (environment.package, *TOOLS)
    wanted = "\n".join((sys.version, *packages))
    if not holds(folder / "packages.stamp", wanted):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install(python, *packages)
        (folder / "packages.stamp").write_text(wanted)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if not holds(folder / "wheel.stamp", digest):
        install(python, "--force-reinstall", "--no-deps", str(wheel))
        (folder / "wheel.stamp").write_text(digest)
    return python


def holds(stamp: Path, wanted: str) -> bool:
    """Whether a stamp is there and says what is wanted."""
    return stamp.exists() and stamp.read_text() == wanted


def install(python: Path, *arguments: str) -> None:
    """Install into an environment, quietly."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, *arguments], check=True)


def run_tests(python: Path, environment: Environment) -> int:
    """Run an environment's tests with a configuration of their own; return pytest's status."""
    # From an empty folder, so that the package under test is the installed one.
    elsewhere = PEERS / "empty"
    elsewhere.mkdir(exist_ok=True)
    # The root names the modules of tests: below it, none is called like the package it tests.
    command = [str(python), "-m", "pytest", "-c", str(TESTS / "pytest.ini"), "--rootdir", str(ROOT)]
    settings = {**os.environ, "OSTINATO_PEERS": "1"}
    settings.pop("PYTHONPATH", None)
    return subprocess.run(
        [*command, str(TESTS / environment.tests)], cwd=elsewhere, env=settings, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
