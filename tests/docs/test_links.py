"""Links between the pages lead somewhere, and the README leads to every page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[tuple[str, str]]:
    """Path and anchor of each link to a place of this project."""
    return LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Each link is to a file that is there, and each anchor to a heading of it."""
    for path, anchor in links(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def test_the_readme_leads_to_every_page() -> None:
    """Whoever begins there finds all of them."""
    named = {(ROOT / path).resolve() for path, _ in links(ROOT / "README.md")}
    missing = [str(page.relative_to(ROOT)) for page in PAGES if page not in named and page.name != "README.md"]
    assert missing == []
