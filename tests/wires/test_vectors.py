"""The recorded MMSP vectors, with our decided differences applied."""

import pytest

from ostinato.wires import CLIENT_TYPES
from tests.wires.playing import FOLDER, Case, NeedsClientError, Player, cases, is_about_a_client

CASES = [case for client in CLIENT_TYPES for case in cases(client)]


def _playable(case: Case) -> bool:
    source = case.vector["input"].get("source") or {}
    return not is_about_a_client(case) and source.get("client", case.client) in CLIENT_TYPES


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES if _playable(case)])
def test_wire_does_what_the_vector_says(case: Case) -> None:
    """Requests, events, history and errors are the recorded ones, or those decided on."""
    try:
        problem = Player(case).run()
    except NeedsClientError:
        pytest.skip("an image that cannot be fetched is the client's business")
    assert problem is None


def test_every_vector_file_belongs_to_a_wire() -> None:
    """No file of vectors is left unplayed by a slip of a name."""
    names = {path.stem for path in FOLDER.glob("*.json")} - {"differences", "mmsp-server"}
    assert names & set(CLIENT_TYPES)
