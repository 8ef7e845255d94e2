"""Damaged session files, by the thousand: `python -m tests.store.fuzz 10000` says what was tried and what came of it.

A file with turns is damaged at random. Whatever it is then, reading it raises nothing but errors of the store, gives
every turn back whose bytes are still there, and none that was not written; and a writer goes on behind it.
"""

import pathlib
import random
import sys
import tempfile
from collections import Counter
from typing import Any

from ostinato import StoreError
from tests.store.disks import Quick
from tests.store.saved import store, turn, user

TURNS = 6


def _flip(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _hole(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + data[start + chance.randrange(1, 200) :]


def _zeros(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    size = min(chance.randrange(1, 600), len(data) - start)
    return data[:start] + bytes(size) + data[start + size :]


def _garbage(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + chance.randbytes(chance.randrange(1, 50)) + data[start:]


def _newline(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + b"\n" + data[start:]


def _lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(3):
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            lines.insert(one, lines[other])
        case _:
            del lines[one]
    return b"".join(lines)


def _splice(data: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.randrange(len(data)) for _ in range(2))
    place = chance.randrange(len(data))
    return data[:place] + data[start:end] + data[place:]


DAMAGES = {act.__name__.strip("_"): act for act in (_flip, _cut, _hole, _zeros, _garbage, _newline, _lines, _splice)}


def written(folder: pathlib.Path) -> tuple[bytes, list[bytes]]:
    """A session with turns, and the bytes of each of them."""
    with store(folder, disk=Quick()).open("s") as session:
        ends = []
        for number in range(1, TURNS + 1):
            session.append(turn(number))
            ends.append(session.path.stat().st_size)
        data = session.path.read_bytes()
    head = data.index(b"\n") + 1
    return data, [data[start:end] for start, end in zip([head, *ends], ends, strict=False)]


def expected(data: bytes, units: list[bytes]) -> list[int]:
    """The turns whose bytes stand in a file, each where a line begins, in the order that a reader takes them in."""
    places = []
    for number, unit in enumerate(units, 1):
        place = data.find(unit[:-1])
        while place >= 0:
            ends = data[place + len(unit) - 1 : place + len(unit)] in (b"\n", b"")
            if ends and (place == 0 or data[place - 1 : place] == b"\n"):
                places.append((place, number))
            place = data.find(unit[:-1], place + 1)
    found: list[int] = []
    for _, number in sorted(places):
        if not found or number > found[-1]:
            found.append(number)
    return found


def check(folder: pathlib.Path, data: bytes, units: list[bytes], tally: Counter[str]) -> None:
    """Read a file, and write behind it."""
    (folder / "sessions" / "s.jsonl").write_bytes(data)
    there = expected(data, units)
    refused = ""
    try:
        found: Any = store(folder).read("s")
    except StoreError as error:
        found, refused = None, error.code
    if found is None:
        tally[f"refused: {refused}"] += 1
        assert not there, refused
        return
    messages = [message for number in there for message in turn(number)]
    assert found.messages == messages, there
    tally["turns read"] += len(there)
    tally["turns left out"] += TURNS - len(there)
    tally["files with a finding" if found.findings else "files without a finding"] += 1
    for code in {finding.code for finding in found.findings}:
        tally[f"finding: {code}"] += 1
    # A file may end cleanly behind any turn, with its line feed or, as `expected` has it, without.
    assert (
        found.findings or len(there) == TURNS or not there or data.endswith((last := units[there[-1] - 1], last[:-1]))
    )
    more: Any = [user("more")]
    with store(folder, disk=Quick()).open("s") as session:
        session.append(more)
    again = store(folder).read("s")
    assert again.messages == messages + more, "a turn behind the damage"
    assert (folder / "sessions" / "s.jsonl").read_bytes().startswith(data), "nothing is written anew"


def fuzz(files: int, seed: int = 1) -> Counter[str]:
    """Damage so many files; what was seen."""
    chance, tally = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole, units = written(folder)
        for _ in range(files):
            data = whole
            for _ in range(chance.choice((1, 1, 1, 2, 3))):
                kind = chance.choice(list(DAMAGES))
                tally[f"damage: {kind}"] += 1
                data = DAMAGES[kind](data or b"\n", chance)
            tally["files"] += 1
            check(folder, data, units, tally)
    return tally


if __name__ == "__main__":
    for word, count in sorted(fuzz(int(sys.argv[1])).items()):
        print(f"{count:8,}  {word}")
