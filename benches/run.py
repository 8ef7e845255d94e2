"""Measure ostinato beside what users would pick instead, and say which goals are reached: `make bench`.

    python benches/run.py            everything, about ten minutes; writes benches/record/DATE.json
    python benches/run.py --quick    the goals only, on a small corpus, under three minutes; writes nothing

Needs a Rust toolchain and Python 3.13, which fast-agent needs; the peers go into .peers/bench by name.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent / "python"))
from goals import judge
from report import facts, goals

ROOT = Path(__file__).resolve().parents[1]
BENCHES = ROOT / "benches"
ENVIRONMENT = ROOT / ".peers" / "bench"
PACKAGES = ("fast-agent-mcp==0.10.48", "orjson", "msgspec", "pydantic", "pytest", "pytest-benchmark")
FLAGS = ("sse4_2", "avx2", "avx512bw", "avx512vbmi", "bmi2", "sha_ni", "asimd", "sha2")


def environment() -> Path:
    """The Python of an environment with all peers in it, made once."""
    python = ENVIRONMENT / "bin" / "python"
    stamp = ENVIRONMENT / "packages.stamp"
    wanted = "\n".join(PACKAGES)
    if not (stamp.exists() and stamp.read_text() == wanted):
        found = subprocess.run(["/bin/sh", str(ROOT / "scripts/find_peer_python.sh")], check=True, capture_output=True)
        subprocess.run([found.stdout.decode().strip(), "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
        _pip(python, *PACKAGES)
        stamp.write_text(wanted)
    return python


def _pip(python: Path, *arguments: str) -> None:
    command = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *arguments]
    subprocess.run(command, check=True)


def install(python: Path, wheel: Path | None) -> None:
    """Put ostinato into the environment: the wheel named, or one built now, always a release build."""
    target = str(ROOT) if wheel is None else str(wheel)
    _pip(python, "--force-reinstall", "--no-deps", "--no-cache-dir", target)


def run(python: Path, script: str, *arguments: str) -> list[dict[str, Any]]:
    """The JSON lines that one of the scripts prints."""
    path = os.pathsep.join((str(BENCHES), str(BENCHES / "python")))
    command = [str(python), str(BENCHES / script), *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path})
    return [json.loads(line) for line in done.stdout.splitlines()]


def generate(out: Path, *arguments: str) -> Path:
    """Write a corpus."""
    command = [sys.executable, str(BENCHES / "generate.py"), "--out", str(out), *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return out


def machine(python: Path) -> dict[str, Any]:
    """What a reader must know of the machine: instruction sets, cores, versions."""
    info = Path("/proc/cpuinfo")
    words = set(info.read_text().split()) if info.exists() else set()
    asked = "import platform; print(platform.python_version())"
    version = subprocess.run([str(python), "-c", asked], check=True, capture_output=True, text=True).stdout.strip()
    listed = subprocess.run([str(python), "-m", "pip", "list", "--format=json"], check=True, capture_output=True)
    names = {package.partition("==")[0] for package in PACKAGES} | {"ostinato"}
    return {
        "architecture": platform.machine(),
        "flags": [flag for flag in FLAGS if flag in words],
        "cores": os.cpu_count(),
        "python": version,
        "packages": {
            package["name"]: package["version"] for package in json.loads(listed.stdout) if package["name"] in names
        },
    }


def measure(python: Path, folder: Path, *, quick: bool) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """All rows, and the single figures."""
    size, one_file, rounds, passes = ("20MB", "100MB", "12", "3") if quick else ("200MB", "1GB", "50", "9")
    corpus = generate(folder / "corpus", "--size", size)
    sizes = ("500B", "2KB", "8KB") if quick else ("500B", "2KB", "8KB", "50KB")
    found = run(python, "python/codec.py", "--rounds", rounds, "--sizes", *sizes)
    found += run(python, "python/corpus.py", str(corpus), "--rounds", passes)
    figures: dict[str, Any] = {}
    for layout in ("codex", "fast_agent", "claude_code"):
        single = generate(folder / layout, "--one-file", one_file, "--format", layout)
        for line in run(python, "python/whole.py", "memory", str(single)):
            figures[f"peak memory of one {one_file} file, {layout}"] = line["text"]
        for path in single.rglob("*.json*"):
            path.unlink()
    for line in run(python, "python/whole.py", "threads", str(corpus)):
        figures[line["name"]] = line["text"]
    return found, figures


def core() -> list[dict[str, Any]]:
    """Nanoseconds per element of every criterion bench of the core, typed serde_json among them."""
    command = ["cargo", "bench", "--quiet", "--locked", "-p", "ostinato-core", "--bench", "codec", "--bench", "scan"]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    found = []
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "criterion"
    for path in sorted(folder.glob("**/new/benchmark.json")):
        what = json.loads(path.read_text())
        estimates = json.loads(path.with_name("estimates.json").read_text())
        elements = what["throughput"]["ElementsAndBytes"]
        each = estimates["median"]["point_estimate"] / elements["elements"]
        found.append(
            {"bench": what["full_id"], "ns": round(each, 1), "bytes": elements["bytes"] // elements["elements"]}
        )
    return found


def main() -> int:
    """Prepare, measure, judge, print, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the goals only, on a small corpus")
    parser.add_argument("--wheel", type=Path, help="a built wheel to measure (default: build one now)")
    parser.add_argument("--record", type=Path, help="where to write the record (default: benches/record/DATE.json)")
    options = parser.parse_args()
    python = environment()
    install(python, options.wheel)
    with tempfile.TemporaryDirectory(prefix="ostinato-bench-") as folder:
        found, figures = measure(python, Path(folder), quick=options.quick)
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    record = {"date": today, "quick": options.quick, "machine": machine(python), "figures": figures}
    record |= {"verdicts": judge(found), "rows": found, "core": [] if options.quick else core()}
    print("\n".join((*goals(record), "", *facts(record))))
    path = options.record or (None if options.quick else BENCHES / "record" / f"{today}.json")
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
