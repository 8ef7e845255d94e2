"""The corpus generator: repeatable, and true about what it wrote."""

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

GENERATE = Path(__file__).parents[2] / "benches" / "generate.py"


def generate(out: Path, *arguments: str) -> dict[str, object]:
    """Run the generator as users do; return the manifest that it prints."""
    command = [sys.executable, str(GENERATE), "--out", str(out), *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file under a folder, by relative path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def envelopes(folder: Path) -> list[str]:
    """Every text in a replay channel, read with nothing but the standard library."""
    documents = (json.loads(path.read_bytes()) for path in sorted(folder.rglob("*.json")))
    return [
        block["text"]
        for document in documents
        for message in document["messages"]
        for block in message.get("channels", {}).get("openai-reasoning-encrypted", ())
    ]


@pytest.mark.parametrize("layout", ["fast_agent", "codex", "claude_code"])
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, layout: str) -> None:
    """Two runs with one seed write the same files, and another seed writes others."""
    for name, seed in (("one", "5"), ("two", "5"), ("three", "6")):
        generate(tmp_path / name, "--size", "300KB", "--format", layout, "--seed", seed)
    one = digests(tmp_path / "one")
    assert one
    assert one == digests(tmp_path / "two")
    assert not set(one.values()) & set(digests(tmp_path / "three").values())


def test_the_manifest_counts_what_is_there(tmp_path: Path) -> None:
    """Sizes and records in the manifest are those of a naive reader."""
    manifest = generate(tmp_path, "--size", "2MB")
    texts = envelopes(tmp_path)
    assert manifest["bytes"] == sum(path.stat().st_size for path in tmp_path.rglob("*.json"))
    assert manifest["records"] == len(texts)
    assert manifest["non_ascii_envelopes"] == sum(not text.isascii() for text in texts)
    framed = sum('"schema"' in text for text in texts)
    kinds = manifest["kinds"]
    assert len(texts) - framed == kinds.get("legacy_0_10_4", 0) + kinds.get("legacy_0_10_11", 0)


def test_ciphertexts_obey_the_law_of_fernet_tokens(tmp_path: Path) -> None:
    """Each starts with gAAAAA, is canonical base64url, and decodes to 57 + 16k bytes."""
    generate(tmp_path, "--size", "1MB")
    items = [json.loads(text) for text in envelopes(tmp_path)]
    secrets = [item.get("item", item)["encrypted_content"] for item in items]
    assert secrets
    for secret in secrets:
        raw = base64.urlsafe_b64decode(secret)
        assert secret.startswith("gAAAAA")
        assert base64.urlsafe_b64encode(raw).decode() == secret
        assert (len(raw) - 57) % 16 == 0


@pytest.mark.parametrize(("layout", "indent"), [("fast_agent", False), ("fast_agent", True), ("codex", False)])
def test_one_file_has_the_size_asked_for(tmp_path: Path, layout: str, *, indent: bool) -> None:
    """A single file is as long as asked, to a turn, and can be read."""
    generate(tmp_path, "--one-file", "1MB", "--format", layout, *(["--indent"] if indent else []))
    (path,) = (found for found in tmp_path.rglob("*") if found.is_file())
    assert 1_000_000 <= path.stat().st_size < 1_200_000
    values = [path.read_text()] if layout == "fast_agent" else path.read_text().splitlines()
    assert all(isinstance(json.loads(value), dict) for value in values)
