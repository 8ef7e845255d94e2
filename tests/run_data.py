"""Measure a folder of saved histories against its `expected.json`: `python tests/run_data.py DIR`.

One line per file of the formats that are measured; the exit status is 1 where a figure differs, and where no file was
measured. Figures are compared under the keys that the expectation has.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from ostinato.corpus import measure  # noqa: E402

FORMATS = ("fast_agent", "codex", "claude_code", "ostinato_session", "ostinato_export", "ostinato_redacted_export")


def main() -> int:
    """Measure every file that the expectation names."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=pathlib.Path)
    folder = arguments.parse_args().folder.resolve()
    files = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"]
    wanted = {name: figures for name, figures in files.items() if figures["format"] in FORMATS}
    measured = measure([folder / name for name in wanted]) if wanted else None
    found = {str(pathlib.Path(file["path"]).relative_to(folder)): file for file in measured.files} if measured else {}
    misses = 0
    for name, figures in wanted.items():
        wrong = [key for key in figures if found.get(name, {}).get(key) != figures[key]]
        misses += bool(wrong)
        print(f"MISS {name}: {', '.join(wrong)}" if wrong else f"ok {name}")
    print(f"{len(wanted) - misses} ok, {misses} MISS, {len(files) - len(wanted)} of other formats")
    return 1 if misses or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
