"""The closed list of findings, the formats, and the page that shows both."""

import re
from itertools import pairwise

import pytest

import ostinato
from ostinato.saved import FORMATS
from tests.saved import pages

PACKAGE = pages.ROOT / "python" / "ostinato"
SOURCES = "".join(
    path.read_text(encoding="utf-8")
    # The faults of a text are named where any text is read.
    for path in [*(PACKAGE / "saved").rglob("*.py"), PACKAGE / "strict_json.py"]
    if path.name != "conversation.py"
)


def test_codes_stand_in_order() -> None:
    """A new code has one right place in the list."""
    assert all(before < after for before, after in pairwise(ostinato.FINDING_CODES))


@pytest.mark.parametrize(("code", "sentence"), ostinato.FINDING_CODES.items())
def test_a_code_is_used_and_says_what_it_means(code: str, sentence: str) -> None:
    """What is listed can be met, is a slug, and has a sentence or two."""
    assert f'"{code}"' in SOURCES
    assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", code)
    assert sentence[0].isupper()
    assert sentence.endswith(".")


def test_every_code_is_met_in_a_test() -> None:
    """What no test names, nobody knows to be found."""
    tests = "".join(path.read_text(encoding="utf-8") for path in (pages.ROOT / "tests").rglob("test_*.py"))
    assert [code for code in ostinato.FINDING_CODES if f'"{code}"' not in tests] == []


def test_page_shows_the_codes_as_they_are() -> None:
    """`python tests/saved/pages.py` writes them."""
    page = pages.PAGE.read_text(encoding="utf-8")
    assert pages.TABLE.search(page)
    assert pages.written(page) == page


@pytest.mark.parametrize("name", [known.name for known in FORMATS])
def test_page_names_every_format(name: str) -> None:
    """Each has a row of the table."""
    assert f"\n| `{name}` | " in pages.PAGE.read_text(encoding="utf-8")


def test_every_finding_code_is_refused_if_unknown() -> None:
    """A reader cannot make up a code."""
    from ostinato.saved.draft import Draft  # noqa: PLC0415 - only here

    with pytest.raises(KeyError):
        Draft("x", "y").say("made_up")
