"""Instructions per call, counted by callgrind: a figure that no other process can disturb.

    PYTHONPATH=benches:benches/python python benches/python/instructions.py

Each count is the difference of two runs with different numbers of calls, so start-up falls away; the loop and
the making of the str, counted alone, are taken off. Valgrind knows neither AVX-512 nor the SHA instructions, so
only rows without a digest are counted.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

import peers
import rows

# (implementation, row, text, most instructions allowed or None)
CASES = (
    ("ostinato", "parse", "ascii", 2_100),
    ("ostinato", "parse", "non_ascii", 9_500),
    ("ostinato", "to_input", "ascii", 2_800),
    ("ostinato", "to_dict", "ascii", 6_500),
    ("fast_agent", "parse", "ascii", None),
    ("orjson_tuned", "parse", "ascii", None),
    ("msgspec", "parse", "ascii", None),
)
FEW, MANY = 500, 2500
# Seeded hashes of str would make dicts, and so the counts, differ from run to run.
SETTLED = {**os.environ, "PYTHONHASHSEED": "0"}


def work(name: str, row_name: str, charset: str, calls: int) -> None:
    """The loop that is counted: so many calls, each on a str made for it."""
    row = next((row for row in rows.ROWS if row.name == row_name), None)
    call = row.ours(peers.load(name)) if row else id
    raw = rows.texts("2KB", charset)
    for index in range(calls):
        call(raw[index % len(raw)].decode())


def count(case: tuple[str, str, str, int | None], calls: int) -> int:
    """Instructions of a whole process that makes so many calls."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, __file__, "--work"]
    run = subprocess.run([*command, *case[:3], str(calls)], check=True, capture_output=True, text=True, env=SETTLED)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if found is None:
        raise SystemExit(run.stderr)
    return int(found[1])


def per_call(case: tuple[str, str, str, int | None]) -> int:
    """Instructions that one more call costs."""
    return (count(case, MANY) - count(case, FEW)) // (MANY - FEW)


def main() -> int:
    """Count every case whose library is installed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--only", help="cases of this implementation")
    options = parser.parse_args()
    if options.work:
        name, row, charset, calls = options.work
        work(name, row, charset, int(calls))
        return 0
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is not installed")
    for case in CASES:
        if options.only in (None, case[0]):
            each = per_call(case) - per_call((case[0], "nothing", case[2], None))
            line = {"implementation": case[0], "operation": case[1], "charset": case[2], "instructions": each}
            print(json.dumps({**line, "allowed": case[3]}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
