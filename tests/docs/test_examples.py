"""The examples of the README and of the pages under docs/ run as they stand."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.provider import provider

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """Every Python block, named by its page and the line it begins on."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in FENCE.finditer(text):
            line = text.count("\n", 0, block.start(1)) + 1
            found.append((f"{page.relative_to(ROOT)}:{line}", block[1]))
    return found


EXAMPLES = examples()


@pytest.fixture
def _reader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """What a reader has: keys in the environment (for a provider on 127.0.0.1), and a folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLIENT_TYPE", raising=False)
    with provider() as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield


@pytest.mark.usefixtures("_reader")
@pytest.mark.parametrize(("name", "source"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_example_runs(name: str, source: str) -> None:
    """A reader can copy the block into a file of its own and run it."""
    exec(compile(source, name, "exec"), {"__name__": "__main__"})  # noqa: S102 - the pages of this very project


def test_the_readme_has_examples() -> None:
    """The search for blocks finds them."""
    assert sum(name.startswith("README.md") for name, _ in EXAMPLES) >= 4
